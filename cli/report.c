/* cli/report.c - `reprise report`. */
#include <argp.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/open_store.h"
#include "cli/print.h"
#include "cli/report_html.h"
#include "cli/stats_job.h"
#include "cli/trace_event.h"

enum { OPTION_TRACE = 256, OPTION_REMOTE };
struct wish {
	const char *job, *out, *trace;
	int json, remote;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wish *w = state->input;

	switch (key) {
	case 'o': w->out = arg; return 0;
	case OPTION_TRACE: w->trace = arg; return 0;
	case 'j': w->json = 1; return 0;
	case OPTION_REMOTE: w->remote = 1; return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "too many arguments");
		w->job = arg;
		return 0;
	case ARGP_KEY_END:
		if (!w->out && !w->trace && !w->json)
			argp_error(state, "say where to: -o FILE, --trace FILE or --json");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

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
	static const struct argp_option options[] = {
		{NULL, 'o', "FILE", 0, "Write one page of HTML, which needs no other file", 0},
		{"trace", OPTION_TRACE, "FILE", 0,
		 "Write the events for Perfetto and chrome://tracing", 0},
		{"json", 'j', NULL, 0, "Print the figures, as `reprise stats --job --json`", 0},
		{"remote", OPTION_REMOTE, NULL, 0,
		 "Join what other nodes of the job left in the remote store; with "
		 "REPRISE_EVENTS=remote, this is so without the option", 0},
		{0},
	};
	struct argp argp = {options, parse, "[JOB]",
	                    "Shows one job: what was replayed, when, by which rank, what it saved, "
	                    "and why the rest was not. Without JOB, the job whose event is the "
	                    "latest. FILE may be -.", NULL, NULL, NULL};
	struct wish w = {0};
	struct figures all;
	struct events e;
	struct store s;
	struct report r = {.e = &e, .all = &all, .a = &c->arena, .c = c};

	argp_parse(&argp, argc, argv, 0, NULL, &w);
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
