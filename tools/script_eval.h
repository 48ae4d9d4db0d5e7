/* tools/script_eval.h - whether eval runs what a program printed. Such a text is in no file, so
 * Reprise cannot read what it asks for.
 *
 * If no text substitutes commands, no eval does. A message may quote a call:
 * \`depends_on("c")\`. Otherwise each eval is followed: the words behind it, up to the end of the
 * line, may expand only plain variables. A variable is plain if the texts only expand it and assign
 * values to it. Such a value substitutes no command, and expands only plain variables. With any
 * other use of its name a variable is not plain: `read x`, `for x in`, `${x:-y}`. Variables of the
 * environment are examined separately (judge/scripts.c).
 *
 * Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_EVAL_H
#define TOOLS_SCRIPT_EVAL_H

#include <stddef.h>

/* 1: no eval of these texts runs what a program printed. texts: all that run, cleaned
 * (tools/script_words.h). */
int script_eval_is_plain(const char *const *texts, size_t count);

#endif
