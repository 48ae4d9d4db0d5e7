/* cli/report/report.c - `reprise report`. */
#include <errno.h>
#include <unistd.h>

#include "cli/report/report.h"

/* Events in the Trace Event Format, which Perfetto and chrome://tracing open.
 *
 * Source: the format's public description ("Trace Event Format"): one JSON object; complete events
 * ("ph": "X") with times in microseconds; names of processes as metadata events ("ph": "M"). */

static void add(struct json_object *o, const char *key, const char *text)
{
	char clean[1024];

	if (*text)
		json_object_object_add(o, key, json_object_new_string(
			utf8_clean(clean, sizeof clean, text)));
}

static void put(FILE *to, struct json_object *o, int *some)
{
	fprintf(to, "%s%s", *some ? ",\n" : "",
	        json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
	                                       JSON_C_TO_STRING_NOSLASHESCAPE));
	*some = 1;
	json_object_put(o);
}

static void print_name(FILE *to, const struct lane *lane, size_t at, int *some)
{
	struct json_object *o = json_object_new_object(), *args = json_object_new_object();
	char name[96];

	if (lane->rank == EVENT_NO_RANK)
		snprintf(name, sizeof name, "%s", lane->host);
	else
		snprintf(name, sizeof name, "%s rank %d", lane->host, lane->rank);
	add(o, "name", "process_name");
	add(o, "ph", "M");
	json_object_object_add(o, "pid", json_object_new_int64((int64_t)at + 1));
	add(args, "name", name);
	json_object_object_add(o, "args", args);
	put(to, o, some);
}

static struct json_object *microseconds(int64_t ns)
{
	unsigned long long size = ns < 0 ? -(unsigned long long)ns : (unsigned long long)ns;
	char text[40];

	snprintf(text, sizeof text, "%s%llu.%03llu", ns < 0 ? "-" : "", size / 1000, size % 1000);
	return json_object_new_double_s((double)ns / 1000, text);
}

static void print_event(FILE *to, const struct event *e, int64_t begin, size_t lane, int *some)
{
	struct json_object *o = json_object_new_object(), *args = json_object_new_object();
	char key[DIGEST_HEX + 1];

	digest_hex(&e->key, key);
	add(o, "name", e->tool);
	add(o, "cat", event_kind_name(e->kind));
	add(o, "ph", "X");
	json_object_object_add(o, "ts", microseconds(e->start - begin));
	json_object_object_add(o, "dur", microseconds(e->duration));
	json_object_object_add(o, "pid", json_object_new_int64((int64_t)lane + 1));
	json_object_object_add(o, "tid", json_object_new_int64(e->pid));
	add(args, "verdict", event_verdict_name(e->verdict));
	add(args, "source", event_source_name(e->source));
	add(args, "reason", e->reason);
	add(args, "detail", e->detail);
	add(args, "command", e->command);
	add(args, "key", key);
	json_object_object_add(args, "bytes", json_object_new_int64((int64_t)e->bytes));
	json_object_object_add(o, "args", args);
	put(to, o, some);
}

/* A lane is a process, the process id is the thread. */
static void trace_event_print(FILE *to, const struct lanes *l)
{
	int some = 0;

	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", to);
	for (size_t i = 0; i < l->count; i++) {
		print_name(to, &l->v[i], i, &some);
		for (size_t k = 0; k < l->v[i].count; k++)
			print_event(to, l->event[l->v[i].first + k].e, l->begin, i, &some);
	}
	fputs("\n]}\n", to);
}

enum { OPTION_TRACE = 256, OPTION_REMOTE };
struct wish {
	const char *job, *out, *trace;
	int json, remote;
};

/* Writes a file by print; "-" is standard output. 0 or -1 after a message. */
static int write_file(const char *path, void (*print)(FILE *to, void *ctx), void *ctx,
                      const char *who)
{
	int out = strcmp(path, "-") == 0;
	FILE *to = out ? stdout : fopen(path, "w");
	int bad = !to;

	if (to) {
		print(to, ctx);
		bad = fflush(to) != 0 || ferror(to);
		if (!out && fclose(to) != 0)
			bad = 1;
	}
	if (bad)
		fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
	return bad ? -1 : 0;
}

static void print_html(FILE *to, void *ctx) { report_html(to, ctx); }

static void print_trace(FILE *to, void *ctx)
{
	trace_event_print(to, &((struct report *)ctx)->lanes);
}

int cli_report(struct cli *c, int argc, char **argv)
{
	struct wish w = {0};
	struct figures all;
	struct events e;
	struct store s;
	struct report r = {.e = &e, .all = &all, .a = &c->arena, .c = c};
	const struct cli_option options[] = {
		{NULL, 'o', "FILE", "Write one page of HTML, which needs no other file", &w.out},
		{"trace", OPTION_TRACE, "FILE",
		 "Write the events for Perfetto and chrome://tracing", &w.trace},
		{"json", 'j', NULL, "Print the figures, as `reprise stats --job --json`", &w.json},
		{"remote", OPTION_REMOTE, NULL,
		 "Join what other nodes of the job left in the remote store; with "
		 "REPRISE_EVENTS=remote, this is so without the option", &w.remote},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options, .operands = "[JOB]", .operand = &w.job,
		.text = "Shows one job: what was replayed, when, by which rank, what it saved, and "
			"why the rest was not. Without JOB, the job whose event is the latest. "
			"FILE may be -."};

	cli_parse(argc, argv, &syntax);
	if (!w.out && !w.trace && !w.json)
		cli_wrong_usage(argv[0], "say where to: -o FILE, --trace FILE or --json");
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	r.job = w.job ? w.job : events_last(&s, &c->arena, NULL);
	if (!r.job || job_remote_read(c, &s, r.job, w.remote, &e, &r.nodes, &status, argv[0]) < 0)
		return stats_no_job(c, r.job, w.remote, argv[0]);
	if (lanes_make(&r.lanes, &e, &c->arena) < 0 && e.count)
		return CLI_FINDING;
	figures_of(&all, &e, &c->arena);
	cli_progress("%zu events", e.count);
	if (w.out && write_file(w.out, print_html, &r, argv[0]) < 0)
		status = CLI_FINDING;
	if (w.trace && write_file(w.trace, print_trace, &r, argv[0]) < 0)
		status = CLI_FINDING;
	cli_progress_end();
	if (w.json && stats_job_json(&all, &e, &r.nodes, r.job) != CLI_OK)
		status = CLI_FINDING;
	return status;
}
