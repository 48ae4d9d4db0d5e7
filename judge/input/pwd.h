/* judge/input/pwd.h - $PWD, by which tools spell the working directory (gcc's and clang's debug
 * information).
 *
 * $PWD is an input of its own (INPUT_PWD), and only for a result that is bound to its directory.
 * If $PWD leads through a symbolic link, it spells the directory in another way than getcwd, and
 * two directories have two such spellings. A tool may ask whether that path leads to the working
 * directory. The answer is part of the value of INPUT_PWD, so the path needs no input of its own.
 * THREAD. */
#ifndef JUDGE_INPUT_PWD_H
#define JUDGE_INPUT_PWD_H

#include "judge/input/collect.h"

/* The value of an INPUT_PWD now: the variable if it is another spelling of the cwd, otherwise
 * "". */
const char *judge_pwd(struct start *s);
/* 1: the tree asked for the path only because $PWD names it. */
int judge_asked_for_pwd(struct collect *k, const struct tree_file *f);
/* Adds an INPUT_PWD. */
void collect_pwd(struct collect *k);

#endif
