/* store/job/journal.h - the last misses, bypasses and unstored runs, for `reprise explain`.
 *
 * <runtime>/journal has one line a record, appended with a single write(2). Fields are separated by
 * tabs and escaped (\t \n \\ and \xNN for other control bytes): time (s), pid, job, tool, verdict
 * (miss, bypass, unstored, error; hits are not recorded), reason name, detail, cwd, action key hex,
 * key hex of the key history, argv joined by spaces (cut at 1 KiB). At JOURNAL_BYTES_MAX the file
 * is renamed to journal.1. THREAD. */
#pragma once

#include "shim/reason.h"
#include "store/store.h"

#define JOURNAL_BYTES_MAX (1u << 20)

struct journal_record {
	int64_t time;
	int pid;
	/* never NULL after journal_read */
	const char *job, *tool, *verdict, *reason, *detail, *cwd, *key, *key_history, *argv;
};
/* NULL strings are written as empty fields. Failure is silent. */
void journal_add(struct store *s, const struct journal_record *r);
/* Reads at most max records, newest last; malformed lines are skipped. Returns their number, or
 * -1. */
int journal_read(struct store *s, struct journal_record *out, int max, struct arena *a);
/* Parses the lines of n bytes of text, newest first, into out[*at - 1], out[*at - 2], ... while *at
 * > 0. The text is changed and the records point into it. */
void journal_parse(char *text, size_t n, struct journal_record *out, int *at);
