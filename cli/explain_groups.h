/* cli/explain_groups.h - records of one cause together. TOOL. */
#ifndef CLI_EXPLAIN_GROUPS_H
#define CLI_EXPLAIN_GROUPS_H

#include "shim/arena.h"
#include "store/journal.h"

/* Prints n records, those of one cause together, the most frequent cause first. full: every command
 * is printed as it was. Otherwise only each group's first commands are printed, without the words
 * that all of them share. */
void explain_groups(const struct journal_record *v, int n, int full, struct arena *a);
/* 1: the command names this file: as it is, or behind a slash. */
int explain_names(const char *command, const char *file);

#endif
