/* tools/script_eval.h - whether eval runs what a program printed. Such a text stands nowhere, so
 * nobody can read what it asks for.
 *
 * It does not if no text substitutes commands. Else each eval is followed: the words behind it, up
 * to the end of the line, may expand variables that are plain alone. A variable is plain if all
 * that the texts do with it is to expand it and to assign values to it that substitute no command
 * and expand plain variables alone. Any other use of its name counts against it: `read x`, `for x
 * in`, `${x:-y}`. What the environment brings is examined apart (judge/scripts.c).
 *
 * Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_EVAL_H
#define TOOLS_SCRIPT_EVAL_H

#include <stddef.h>

/* 1: no eval of these texts runs what a program printed. texts: all that run, cleaned
 * (tools/script_words.h). */
int script_eval_is_plain(const char *const *texts, size_t count);

#endif
