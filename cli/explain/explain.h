/* cli/explain/explain.h - why tool starts were not hits. TOOL. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "store/job/journal.h"

/* --- key_diff.c: how two keys differ --- */

/* Prints how the fields of two keys differ, one indented line each. Returns the
 * number of lines. */
int cli_key_diff(FILE *to, const void *old_fields, size_t old_len, const void *new_fields,
                   size_t new_len, struct arena *a);

/* --- nearest.c: what a command differs in from the nearest known one.
 *
 * Known are the commands of earlier records in the journal: each was run, and most were recorded.
 * Of those of the same tool, one of the same source or output is nearest; of several, the one with
 * the fewest other words. */

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

/* --- record_groups.c: records of one cause together --- */

/* n records, and what finds the nearest known command of each. */
struct explained {
	const struct journal_record *v;
	int n;
	void (*nearest)(void *ctx, const struct journal_record *r, struct nearest *out);
	void *ctx;
};
/* Prints them, those of one cause together, the most frequent cause first. Commands whose key is
 * new are named by their sources, with what differs from the nearest known command. Of others only
 * each group's first commands are printed, without the words that all of them share. full: every
 * command is printed as it was. */
void explain_groups(const struct explained *e, int full, struct arena *a);
/* 1: the command names this file: as it is, or behind a slash. */
int explain_names(const char *command, const char *file);

/* Reasons by their names: what they mean, and what a user can do. */

/* 1: no earlier action had the record's key. */
static inline int explain_is_new(const struct journal_record *r)
{
	return strcmp(r->reason, reason_rows[REASON_MISS_NEW].name) == 0;
}

/* NULL: no such reason. */
const char *reason_text(const char *reason);
const char *reason_remedy(const char *reason);
