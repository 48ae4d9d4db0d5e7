/* cli/explain.c - `reprise explain`.
 *
 * The journal's detail says which input, path or variable changed. For an action with a new key,
 * the record names an entry of class KEY_HISTORY (action/key_history.h). The entry holds the fields
 * of the command's previous key and of this key, both as lstr, in the form of struct key.
 * Without an entry, or without previous fields, the command was never seen before. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/key_diff.h"
#include "cli/open_store.h"
#include "cli/print.h"
#include "shim/buf.h"
#include "store/journal.h"

#define RECORDS_DEFAULT 10
/* Journal and journal.1 hold fewer records. */
#define RECORDS_MAX 100000
#define NOT_SEEN "    this command (tool, directory, output) was not seen before"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char *end;
	long n;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "too many arguments");
		n = strtol(arg, &end, 10);
		if (*end || end == arg || n < 1)
			argp_error(state, "not a number of records: %s", arg);
		*(int *)state->input = n > RECORDS_MAX ? RECORDS_MAX : (int)n;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const char *reason_text(const char *name)
{
	for (int i = 1; i < REASON_COUNT; i++)
		if (strcmp(reason_rows[i].name, name) == 0)
			return reason_rows[i].text;
	return NULL;
}

static void print_line(const char *before, const char *text)
{
	fputs(before, stdout);
	cli_print_safe(stdout, text, strlen(text), 4096);
	putchar('\n');
}

static void print_history(struct cli *c, struct store *s, const char *hex)
{
	struct digest key;
	struct entry e;
	struct fault fault;
	size_t old_len, new_len;

	if (digest_parse(&key, hex) < 0 ||
	    store_get(s, STORE_KEY_HISTORY, &key, 0, &e, &c->arena, &fault) != ENTRY_OK) {
		puts("    the entry to compare with was evicted");
		return;
	}
	struct reader r = {e.payload, e.payload + e.len, 0};
	const char *before = reader_lstr(&r, &old_len), *after = reader_lstr(&r, &new_len);
	if (r.failed)
		puts("    the entry to compare with cannot be read");
	else if (!old_len)
		puts(NOT_SEEN);
	else if (cli_key_diff(stdout, before, old_len, after, new_len, &c->arena) == 0)
		puts("    the key equals that of the previous run, whose entry is gone");
}

/* For a unit the journal holds the path as argv, the class as tool and the scope as cwd
 * (units/miss_report.c). */
static void print_place(const struct journal_record *r)
{
	int off = strcmp(r->reason, reason_rows[REASON_MISS_UNIT_OFF].name) == 0;
	int unit = off || strcmp(r->reason, reason_rows[REASON_MISS_UNIT].name) == 0 ||
	           strcmp(r->reason, reason_rows[REASON_UNSTORED_UNIT].name) == 0;

	if (!off)
		print_line(unit ? "  shared by " : "  in ",
		           unit && !*r->cwd ? "everybody" : r->cwd);
	fputs(unit ? "  class " : "  tool ", stdout);
	cli_print_safe(stdout, r->tool, strlen(r->tool), 256);
}

static void print_record(struct cli *c, struct store *s, const struct journal_record *r)
{
	char when[64];
	time_t t = (time_t)r->time;
	struct tm tm;
	const char *text = reason_text(r->reason);

	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", localtime_r(&t, &tm));
	printf("%s %s: ", when, *r->verdict ? r->verdict : "?");
	cli_print_safe(stdout, r->reason, strlen(r->reason), 64);
	if (text)
		printf(" (%s)", text);
	putchar('\n');
	print_line("  ", r->argv);
	print_place(r);
	printf(", pid %d", r->pid);
	print_line(*r->job ? ", job " : "", r->job);
	if (*r->detail)
		print_line("    ", r->detail);
	if (*r->key_history)
		print_history(c, s, r->key_history);
	else if (strcmp(r->reason, reason_rows[REASON_MISS_NEW].name) == 0)
		puts(NOT_SEEN);
}

int cli_explain(struct cli *c, int argc, char **argv)
{
	struct argp argp = {NULL, parse, "[N]",
	                    "Says why the last N tool starts (10 by default) were not hits, newest "
	                    "last: the file that changed, the absent path that appeared, the "
	                    "variable, the argument; for bypasses and runs that were not stored, "
	                    "the reason. For a framework's unit that was not found: its path, its "
	                    "class, and with whom it is shared.",
	                    NULL, NULL, NULL};
	struct store s;
	int max = RECORDS_DEFAULT;

	argp_parse(&argp, argc, argv, 0, NULL, &max);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	struct journal_record *v = arena_alloc(&c->arena, (size_t)max * sizeof *v);
	int n = v ? journal_read(&s, v, max, &c->arena) : -1;
	if (n < 0) {
		fprintf(stderr, "%s: the journal cannot be read\n", argv[0]);
		return CLI_STORE;
	}
	if (n == 0)
		puts("Nothing to explain: every tool start on this node was a hit.");
	for (int i = 0; i < n; i++) {
		if (i)
			putchar('\n');
		print_record(c, &s, &v[i]);
	}
	return CLI_OK;
}
