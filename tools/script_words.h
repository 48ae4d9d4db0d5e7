/* tools/script_words.h - what the text of a shell script asks for. Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_WORDS_H
#define TOOLS_SCRIPT_WORDS_H

#include <stddef.h>

/* Copies a text of n bytes without its comments to out, which has room for n + 1 bytes. Where
 * quotes are not understood, nothing is left out. */
void script_clean(const char *text, size_t n, char *out);
/* A word of the cleaned text that asks for something that no trace shows, or NULL. */
const char *script_asks(const char *text);
/* An operator of the cleaned text that starts a command and does not wait for it, or NULL. */
const char *script_races(const char *text, int is_bash);
/* 1: the cleaned text may go through all variables. */
int script_lists_variables(const char *text);
/* 1: the cleaned text runs a text that it puts together. */
int script_evaluates(const char *text);
/* 1: the word of n bytes is eval, or gives a variable this value. */
int script_is_eval(const char *s, size_t n);
/* 1: such a text puts a variable's name together from pieces. The variable may be one that differs
 * between ranks (tools/varying.h). */
int script_composes(const char *text);

#endif
