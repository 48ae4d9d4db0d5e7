/* judge/tree_special.h - what a path is to the tree: a file like any other; a kernel file that
 * says nothing which could shape an output; one that may be looked at, and neither opened nor
 * run; one of random bytes. Pure. THREAD. */
#ifndef JUDGE_TREE_SPECIAL_H
#define JUDGE_TREE_SPECIAL_H

enum tree_special { ORDINARY, IGNORED, SPECIAL_TERMINAL, SPECIAL_DEVICE, SPECIAL_RANDOM };
enum tree_special tree_special(const char *path);

#endif
