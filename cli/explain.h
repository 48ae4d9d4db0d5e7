/* cli/explain.h - the parts of `reprise explain`. TOOL. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/cli.h"
#include "store/journal.h"

/* Prints one record with all that is known: when, the command, the place, what differed. */
void explain_record(struct cli *c, struct store *s, const struct journal_record *r);
/* Prints n records, those of one cause together, the most frequent cause first. full: every command
 * as it was; else each group's first ones, without the words that all of them share. */
void explain_groups(const struct journal_record *v, int n, int full, struct arena *a);
/* 1: the record's command names this file: as it is, or behind a slash. */
int explain_names(const struct journal_record *r, const char *file);
/* What the reason of this name means, and what a user can do. NULL: no such reason. */
const char *explain_text(const char *reason);
const char *explain_remedy(const char *reason);

#endif
