/* cli/explain/explain.c - `reprise explain`.
 *
 * The journal's detail says which input, path or variable changed. For an action with a new key,
 * the record names an entry of class KEY_HISTORY (action/key_history.c). The entry holds the fields
 * of the command's previous key and of this key, both as lstr, in the form of struct key.
 * Without an entry, or without previous fields, the nearest command of the journal is compared. */
#include <stdlib.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/explain/explain.h"
#include "cli/report/report.h"
#include "shim/buf.h"
#include "store/job/counters.h"
#include "store/job/events_read.h"

#define RECORDS_DEFAULT 10
/* Journal and journal.1 hold fewer records. */
#define RECORDS_MAX 100000
/* Changes of a key that a line of a group names. */
#define JOINED_MAX 3

enum { OPTION_LAST = 256, OPTION_FULL, OPTION_ALL };
struct wish {
	int max;            /* records; 0: not said */
	int last, full, all, json;
	const char *job;    /* NULL: not said */
	const char *file;   /* of commands that name it; NULL: all */
};

static void print_line(const char *before, const char *text)
{
	fputs(before, stdout);
	cli_print_safe(stdout, text, strlen(text), 4096);
	putchar('\n');
}

/* Where explain finds what records differ in. */
struct sources {
	struct cli *c;
	struct store *s;
	const struct journal_record *all; /* sorted by time */
};

/* What changed in the key, a line each, which the caller frees. NULL: it is not known. */
static char *history_text(struct cli *c, struct store *s, const char *hex)
{
	struct digest key;
	struct entry e;
	struct fault ignored;
	size_t old_len, new_len, size = 0;
	char *text = NULL;
	FILE *to;

	if (!*hex || digest_parse(&key, hex) < 0 ||
	    store_get(s, STORE_KEY_HISTORY, &key, 0, &e, &c->arena, &ignored) != ENTRY_OK)
		return NULL;
	struct reader r = {e.payload, e.payload + e.len, 0};
	const char *before = reader_lstr(&r, &old_len), *after = reader_lstr(&r, &new_len);
	if (r.failed || !old_len || !(to = open_memstream(&text, &size)))
		return NULL;
	if (cli_key_diff(to, before, old_len, after, new_len, &c->arena) == 0)
		fputs("    the command is that of the previous run, whose result is gone\n", to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

/* The first lines as one. */
static const char *joined(const char *lines, struct arena *a)
{
	char *out = arena_alloc(a, strlen(lines) * 2 + 64), *p = out;
	int count = 0;

	for (const char *line = lines, *end; out && *line; line = end + (*end != '\0')) {
		size_t blanks = strspn(line, " "), n = strcspn(line, "\n") - blanks;

		end = line + blanks + n;
		if (count++ >= JOINED_MAX)
			continue;

		if (p != out) {
			*p++ = ';';
			*p++ = ' ';
		}
		memcpy(p, line + blanks, n);
		p += n;
	}
	if (out)
		*p = '\0';
	if (out && count > JOINED_MAX)
		sprintf(p, "; and %d more", count - JOINED_MAX);
	return out;
}

static void find_nearest(void *ctx, const struct journal_record *r, struct nearest *out)
{
	const struct sources *from = ctx;
	char *lines = history_text(from->c, from->s, r->key_history);
	const char *text = lines ? joined(lines, &from->c->arena) : NULL;

	if (text)
		*out = (struct nearest){nearest_subject(r, &from->c->arena), text, NULL};
	else
		nearest_find(out, from->all, r, &from->c->arena);
	free(lines);
}

/* What differs from the last run of the command, or from the nearest command. */
static void print_nearest(const struct sources *from, const struct journal_record *r)
{
	char *lines = history_text(from->c, from->s, r->key_history), when[CLI_TIME_TEXT];
	struct nearest near;

	if (lines) {
		fputs(lines, stdout);
		free(lines);
		return;
	}
	nearest_find(&near, from->all, r, &from->c->arena);
	fputs("    ", stdout);
	if (near.from) {
		printf("since its run at %s%s", strchr(cli_time(when, near.from->time), ' ') + 1,
		       *near.from->job ? " in job " : "");
		cli_print_safe(stdout, near.from->job, strlen(near.from->job), 128);
		fputs(": ", stdout);
	} else {
		cli_print_safe(stdout, near.subject, strlen(near.subject), 256);
		putchar(' ');
	}
	cli_print_safe(stdout, near.text, strlen(near.text), 4096);
	putchar('\n');
}

/* For a unit the journal holds the path as argv, the class as tool and the scope as cwd
 * (units/find/miss_report.c). */
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

static void print_record(const struct sources *from, const struct journal_record *r)
{
	const char *subject = nearest_subject(r, &from->c->arena);
	char when[CLI_TIME_TEXT];
	const char *text = reason_text(r->reason);

	printf("%s ", cli_time(when, r->time));
	/* Of a unit the next line is the path. */
	if (strcmp(subject, r->argv) != 0) {
		cli_print_safe(stdout, subject, strlen(subject), 256);
		fputs(": ", stdout);
	}
	printf("%s: ", *r->verdict ? r->verdict : "?");
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
	if (*r->key_history || explain_is_new(r))
		print_nearest(from, r);
}

/* Keeps the records that are wanted, newest last. Returns their number. */
static int choose(struct journal_record *v, int n, const struct wish *w)
{
	int kept = 0, max = w->max ? w->max : w->job || w->file ? n : RECORDS_DEFAULT;

	for (int i = 0; i < n; i++)
		if ((!w->job || strcmp(v[i].job, w->job) == 0) &&
		    (!w->file || explain_names(v[i].argv, w->file)))
			v[kept++] = v[i];
	if (kept > max)
		memmove(v, v + kept - max, (size_t)max * sizeof *v);
	return kept > max ? max : kept;
}

/* A process that looks for no more than files of a framework's cache may leave records alone. */
static const char *last_job(struct store *s, const struct journal_record *v, int n,
                            struct arena *a)
{
	int64_t when;
	const char *job = events_last(s, a, &when);

	return n > 0 && (!job || v[n - 1].time > when / 1000000000) ? v[n - 1].job : job;
}

/* 1: a tool start or a compile inside a process was a hit, of this job or of any (NULL). */
static int has_hit(struct cli *c, struct store *s, const char *job)
{
	int64_t v[COUNTERS_ALL] = {0};
	struct fault ignored;
	struct figures f;
	struct events e;

	if (job && setting_number(&c->settings, SETTING_EVENTS)) {
		if (events_read(&e, s, job, &c->arena) < 0)
			return 0;
		figures_of(&f, &e, &c->arena);
		return figures_hits(&f) > 0;
	}
	return counters_read(s, v, &ignored) == 0 &&
	       v[COUNTER_HITS_LOCAL] + v[COUNTER_HITS_REMOTE] > 0;
}

static void say_none(const struct wish *w, int hit)
{
	if (w->file)
		printf("Nothing to explain: no start of a command that names %s was missed%s%s.\n",
		       w->file, w->job ? " in job " : "", w->job ? w->job : "");
	else if (!hit)
		printf("Nothing to explain: no compiler was seen%s%s.\n",
		       w->job ? " in job " : "", w->job ? w->job : "");
	else if (w->job)
		printf("Nothing to explain: every tool start of job %s was a hit.\n", w->job);
	else
		puts("Nothing to explain: every tool start on this node was a hit.");
}

/* What changed in the key, or in the command, as a list of lines. */
static void json_changed(struct json_object *o, const struct sources *from,
                         const struct journal_record *r)
{
	struct json_object *list = json_object_new_array();
	char *lines = history_text(from->c, from->s, r->key_history);
	struct nearest near;

	for (char *line = lines ? strtok(lines, "\n") : NULL; line; line = strtok(NULL, "\n"))
		json_add_text(list, line + strspn(line, " "));
	if (!lines) {
		nearest_find(&near, from->all, r, &from->c->arena);
		json_add_text(list, near.text);
	}
	json_object_object_add(o, "changed", list);
	free(lines);
}

static int print_json(const struct sources *from, const struct journal_record *v, int n,
                      const char *job)
{
	struct json_object *all = json_report(), *records = json_object_new_array();

	json_text(all, "job", job ? job : "");
	json_object_object_add(all, "records", records);
	for (int i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();
		const char *text = reason_text(v[i].reason), *remedy = reason_remedy(v[i].reason);

		json_number(o, "time", (uint64_t)v[i].time);
		json_number(o, "pid", (uint64_t)v[i].pid);
		json_text(o, "job", v[i].job);
		json_text(o, "tool", v[i].tool);
		json_text(o, "verdict", v[i].verdict);
		json_text(o, "reason", v[i].reason);
		json_text(o, "reason_text", text ? text : "");
		json_text(o, "remedy", remedy ? remedy : "");
		json_text(o, "detail", v[i].detail);
		json_text(o, "directory", v[i].cwd);
		json_text(o, "command", v[i].argv);
		json_text(o, "key", v[i].key);
		json_text(o, "subject", nearest_subject(&v[i], &from->c->arena));
		if (*v[i].key_history || explain_is_new(&v[i]))
			json_changed(o, from, &v[i]);
		json_object_array_add(records, o);
	}
	return json_print(stdout, all);
}

int cli_explain(struct cli *c, int argc, char **argv)
{
	struct wish w = {0};
	struct store s;
	const struct cli_option options[] = {
		{"job", 'J', "NAME", "Of this job, by cause", &w.job},
		{"last", OPTION_LAST, NULL, "Of the job whose event is the latest, by cause",
		 &w.last},
		{"all", OPTION_ALL, NULL, "Of all jobs, with FILE or alone", &w.all},
		CLI_JSON(&w.json),
		{"full", OPTION_FULL, NULL, "Print every command, as it was", &w.full},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options, .operands = "[N | FILE]", .operand = &w.file,
		.text = "Says why tool starts were not hits: the file that changed, the absent "
			"path that appeared, the variable, the argument. For bypasses and runs "
			"that were not stored it says the reason. For a framework's unit that was "
			"not found it says the path, the class, and with whom the unit is shared. "
			"N: the last N records of all jobs, newest last. FILE: records of the last "
			"job whose command names this source or output. Without both, the last 10 "
			"records of the last job."};

	cli_parse(argc, argv, &syntax);
	if (w.file && *w.file && !w.file[strspn(w.file, "+-0123456789")]) {
		if (cli_number(w.file, RECORDS_MAX, &w.max) < 0)
			cli_wrong_usage(argv[0], "not a number of records: %s", w.file);
		w.file = NULL;
	}
	int status = cli_open_store(c, &s, argv[0]), by_cause = w.job || w.last;
	if (status != CLI_OK)
		return status;
	struct journal_record *v = arena_alloc(&c->arena, RECORDS_MAX * sizeof *v);
	int n = v ? journal_read(&s, v, RECORDS_MAX, &c->arena) : -1;
	if (n < 0)
		return cli_failed(argv[0], CLI_STORE, "the journal cannot be read");
	if (w.last || (!w.job && !w.all && !w.max))
		w.job = last_job(&s, v, n, &c->arena);
	struct journal_record *all = arena_alloc(&c->arena, ((size_t)n + 1) * sizeof *all);
	struct sources from = {c, &s, all};
	if (!all)
		return CLI_STORE;
	memcpy(all, v, (size_t)n * sizeof *all);
	n = choose(v, n, &w);
	if (w.json)
		return print_json(&from, v, n, w.job);
	if (n == 0)
		say_none(&w, has_hit(c, &s, w.job));
	else if (by_cause)
		explain_groups(&(struct explained){v, n, find_nearest, &from}, w.full, &c->arena);
	for (int i = 0; i < n && !by_cause; i++) {
		if (i)
			putchar('\n');
		print_record(&from, &v[i]);
	}
	return CLI_OK;
}
