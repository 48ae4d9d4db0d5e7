/* cli/command_words.h - a command of the journal as words. TOOL. */
#ifndef CLI_COMMAND_WORDS_H
#define CLI_COMMAND_WORDS_H

#include <stddef.h>

#include "shim/arena.h"

#define WORDS_MAX 512

struct words {
	const char *at[WORDS_MAX];
	size_t len[WORDS_MAX];
	int count;
};

/* The words point into text. */
void words_split(struct words *w, const char *text);
/* 1: a's word i is b's word k. */
int words_same(const struct words *a, int i, const struct words *b, int k);
/* The index of the word that names the command's source; without one, of its output; 0: neither. */
int words_subject(const struct words *w);
/* 1: the word is the value of -o. */
int words_is_output(const struct words *w, int i);

#endif
