/* cli/explain/record_groups.h - records of one cause together. TOOL. */
#ifndef CLI_EXPLAIN_RECORD_GROUPS_H
#define CLI_EXPLAIN_RECORD_GROUPS_H

#include "cli/explain/nearest.h"
#include "shim/arena.h"
#include "store/job/journal.h"

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

/* NULL: no such reason. */
const char *reason_text(const char *reason);
const char *reason_remedy(const char *reason);

#endif
