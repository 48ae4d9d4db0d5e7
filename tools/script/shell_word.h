/* tools/script/shell_word.h - words of a shell's text (tools/script/shell.h), with the variables in
 * them. Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_SHELL_WORD_H
#define TOOLS_SCRIPT_SHELL_WORD_H

#include <stddef.h>

#include "tools/script/shell.h"

#define SHELL_LETTERS "abcdefghijklmnopqrstuvwxyz"
#define SHELL_CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SHELL_DIGITS "0123456789"
#define SHELL_NAME SHELL_LETTERS SHELL_CAPITALS SHELL_DIGITS "_"
/* They stand for themselves outside quotes, in dash and bash. */
#define SHELL_PLAIN SHELL_NAME "./+:@%,=-"

struct shell_reader {
	const char *p, *end;
	const char *begin;
	struct shell_found *found;
	const char *why; /* the text is not of the grammar */
	int depth, commands, passing;
};
/* A word. */
struct shell_word {
	const char *s;
	size_t n;
	int literal; /* letters outside quotes, and nothing else */
	int whole;   /* no part is split: it is one word */
	int arguments;/* "$@" */
	int count;   /* $# */
};

/* The text is not of the grammar: keeps the first reason and its line, and ends the reading. 0. */
int shell_fail(struct shell_reader *r, const char *why);
void shell_skip_blanks(struct shell_reader *r);
/* Behind a command: blanks, comments and ends of commands. */
void shell_skip_ends(struct shell_reader *r);
/* Notes the use of a variable. 0 after a failure: a shell sets it itself. */
int shell_use_variable(struct shell_reader *r, const char *name, size_t n, int splits);
/* 1: a text may set the variable for a program: neither a shell nor the loader uses it. */
int shell_may_set(const char *name, size_t n);
/* 1: a word begins here, and is read. */
int shell_word(struct shell_reader *r, struct shell_word *w);

#endif
