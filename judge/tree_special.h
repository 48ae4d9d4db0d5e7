/* judge/tree_special.h - the kind of a path: an ordinary file, an ignored kernel file, a terminal
 * or device, or a source of random bytes. An ignored file cannot shape an output. A tree may look
 * at a terminal or device, but neither open nor run it. Pure. THREAD. */
#ifndef JUDGE_TREE_SPECIAL_H
#define JUDGE_TREE_SPECIAL_H

/* A file that tells of the processes or the machine even where a trace ignores it. */
int tree_special_tells(const char *path);
/* The path names an open descriptor of the process that asks, or the list of them. */
int tree_special_descriptor(const char *path);
enum tree_special { ORDINARY, IGNORED, SPECIAL_TERMINAL, SPECIAL_DEVICE, SPECIAL_RANDOM };
enum tree_special tree_special(const char *path);

#endif
