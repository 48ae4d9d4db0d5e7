/* judge/pwd.h - $PWD, by which tools spell the working directory (gcc's and clang's debug
 * information).
 *
 * It is an input of its own (INPUT_PWD), and only of a result that is bound to its directory:
 * through a symbolic link it names the directory otherwise than getcwd does, and two directories
 * have two such names. What a tool asks of the path itself, whether it leads to the working
 * directory, is part of that input's value, and so no input like that of another path. THREAD. */
#ifndef JUDGE_PWD_H
#define JUDGE_PWD_H

#include "judge/collect.h"

/* The value of an INPUT_PWD now: the variable where it is another spelling of the cwd, else "". */
const char *judge_pwd(struct start *a);
/* 1: the path was asked for only because $PWD names it. */
int judge_asked_for_pwd(struct collect *k, const struct tree_file *f);
void collect_pwd(struct collect *k);

#endif
