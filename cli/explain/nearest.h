/* cli/explain/nearest.h - what a command differs in from the nearest known one. TOOL.
 *
 * Known are the commands of earlier records in the journal: each was run, and most were recorded.
 * Of those of the same tool, one of the same source or output is nearest; of several, the one with
 * the fewest other words. */
#ifndef CLI_EXPLAIN_NEAREST_H
#define CLI_EXPLAIN_NEAREST_H

#include <stddef.h>

#include "shim/arena.h"
#include "store/job/journal.h"

struct nearest {
	const char *subject;              /* the source, or the output, or the tool */
	const char *text;                 /* what differs, one line; never NULL */
	const struct journal_record *from; /* the nearest command of this subject; NULL: none */
};

/* The command's source as its word has it, or its output, or the tool. */
const char *nearest_subject(const struct journal_record *r, struct arena *a);
/* v: the records, sorted by time; r: a copy of one of them, with the same strings. */
void nearest_find(struct nearest *out, const struct journal_record *v,
                  const struct journal_record *r, struct arena *a);

/* A command of the journal as words. */

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

#endif
