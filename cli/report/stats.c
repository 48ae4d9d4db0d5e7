/* cli/report/stats.c - `reprise stats`. */
#include <argp.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/open_store.h"
#include "cli/print.h"
#include "cli/report/stats_job.h"
#include "store/job/counters.h"
#include "units/unit_event.h"

enum { OPTION_LAST = 256, OPTION_SINCE, OPTION_BY, OPTION_REMOTE };
struct options {
	int zero;
	int of_events; /* a job, a time or a grouping is asked for */
	struct stats_wish wish;
};

/* --format */
static int format_of(const char *name)
{
	static const char *const names[] = {"text", "json", "prometheus"};

	for (int i = 0; i < 3; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct stats_wish *w = &o->wish;
	int format;

	o->of_events |= key == 'J' || (key >= OPTION_LAST && key <= OPTION_REMOTE);
	switch (key) {
	case 'j': w->format = STATS_JSON; return 0;
	case 'z': o->zero = 1; return 0;
	case 'J': w->job = arg; return 0;
	case OPTION_LAST: w->last = 1; return 0;
	case OPTION_REMOTE: w->remote = 1; return 0;
	case OPTION_SINCE:
		w->since = stats_since(arg, time(NULL));
		if (w->since < 0)
			argp_error(state, "--since takes 30m, 2h, 3d, 2026-11-26 or "
			           "2026-11-26T10:00, not %s", arg);
		return 0;
	case OPTION_BY:
		w->by = group_by_of(arg);
		if (w->by < 0)
			argp_error(state,
			           "--by takes tool, class, rank, reason, host or proof, not %s",
			           arg);
		return 0;
	case 'f':
		format = format_of(arg);
		if (format < 0)
			argp_error(state, "--format takes text, json or prometheus, not %s", arg);
		w->format = (enum stats_format)format;
		return 0;
	case ARGP_KEY_END:
		if (w->remote && !w->job && !w->last)
			argp_error(state,
			           "--remote joins the nodes of one job: say --job NAME or --last");
		return 0;
	case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* These counters are printed in seconds, too, for people and dashboards. */
static const struct {
	enum counter counter;
	const char *key;
} times[] = {
	{COUNTER_SAVED_NS, "saved_seconds"},
	{COUNTER_REMOTE_WAIT_NS, "remote_wait_seconds"},
	{COUNTER_LEASE_WAITED_NS, "lease_waited_seconds"},
};

static int print_json(const struct store *s, const int64_t *v)
{
	struct json_object *all = json_object_new_object(), *reasons = json_object_new_object();
	char name[80];

	/* Added first: if a reader flattens the object and a reason has a counter's name, the
	 * counter wins. */
	json_object_object_add(all, "reasons", reasons);
	json_object_object_add(all, "version", json_object_new_string(REPRISE_VERSION));
	json_object_object_add(all, "store", json_object_new_string(s->dir));
	for (int i = 0; i < COUNTER_COUNT; i++)
		json_object_object_add(all, counter_key((enum counter)i),
		                       json_object_new_int64(v[i]));
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		json_seconds(all, times[i].key, v[times[i].counter]);
	}
	for (int i = 1; i < REASON_COUNT; i++) {
		if (!v[COUNTER_COUNT + i])
			continue;
		/* Two groups may have a reason of the same name ("store"): the sum is printed. */
		struct json_object *old = NULL;
		int64_t sum = v[COUNTER_COUNT + i];
		if (json_object_object_get_ex(reasons, reason_rows[i].name, &old))
			sum += json_object_get_int64(old);
		json_object_object_add(reasons, reason_rows[i].name, json_object_new_int64(sum));
		snprintf(name, sizeof name, "reason_%s", reason_rows[i].name);
		json_object_object_add(all, name, json_object_new_int64(sum));
	}
	return json_print(stdout, all);
}

/* Their help says nanoseconds, as the counters are kept. */
static const char *help_in_seconds(const char *help, char out[128])
{
	const char *at = strstr(help, "nanoseconds");

	if (!at)
		return help;
	snprintf(out, 128, "%.*s%s", (int)(at - help), help, at + strlen("nano"));
	return out;
}

/* Counters of the names that --json has; the times in seconds. */
static void print_prometheus(const int64_t *v)
{
	for (int i = 0; i < COUNTER_COUNT; i++) {
		const char *key = counter_key((enum counter)i);
		int size = i == COUNTER_STORE_SIZE, ns = strlen(key) > 3 &&
			strcmp(key + strlen(key) - 3, "_ns") == 0;
		int n = (int)strlen(key) - (ns ? 3 : 0);
		const char *end = size ? "_bytes" : ns ? "_seconds_total" : "_total";

		const char *help = counter_help((enum counter)i);
		char text[128];

		printf("# HELP reprise_%.*s%s %s\n# TYPE reprise_%.*s%s %s\n", n, key, end,
		       ns ? help_in_seconds(help, text) : help, n, key, end,
		       size ? "gauge" : "counter");
		printf("reprise_%.*s%s ", n, key, end);
		if (ns)
			printf("%.6f\n", (double)v[i] / 1e9);
		else
			printf("%lld\n", (long long)v[i]);
	}
	printf("# HELP reprise_reason_total Tool starts that were no hits, by reason.\n"
	       "# TYPE reprise_reason_total counter\n");
	for (int i = 1; i < REASON_COUNT; i++)
		if (v[COUNTER_COUNT + i])
			printf("reprise_reason_total{group=\"%d\",reason=\"%s\"} %lld\n",
			       (int)reason_rows[i].group, reason_rows[i].name,
			       (long long)v[COUNTER_COUNT + i]);
}

static void print_reasons(const int64_t *v, enum reason_group group)
{
	for (int i = 1; i < REASON_COUNT; i++)
		if (reason_rows[i].group == group && v[COUNTER_COUNT + i])
			printf("  %12lld  %-16s %s\n", (long long)v[COUNTER_COUNT + i],
			       reason_rows[i].name, reason_rows[i].text);
}

static void print_group(const int64_t *v, enum counter total, const char *title,
                        enum reason_group group)
{
	printf("%-12s %10lld  %s\n", title, (long long)v[total], counter_help(total));
	print_reasons(v, group);
}

/* Prints nothing if no remote store was ever used. */
static void print_remote(const int64_t *v)
{
	static const enum counter shown[] = {COUNTER_REMOTE_TIMEOUTS, COUNTER_BREAKER_OPENINGS,
	                                     COUNTER_REFUSED_ENTRIES,
	                                     COUNTER_PUBLISHED, COUNTER_SPOOL_DROPPED,
	                                     COUNTER_LEASES_TAKEN,
	                                     COUNTER_LEASE_WAITS};
	char in[CLI_SIZE_TEXT], out[CLI_SIZE_TEXT];

	if (!v[COUNTER_REMOTE_ASKED] && !v[COUNTER_PUBLISHED] && !v[COUNTER_SPOOL_DROPPED])
		return;
	printf("%-12s %10lld  %s, %lld absent, %.1f s in all\n", "remote",
	       (long long)v[COUNTER_REMOTE_ASKED], counter_help(COUNTER_REMOTE_ASKED),
	       (long long)v[COUNTER_REMOTE_ABSENT], (double)v[COUNTER_REMOTE_WAIT_NS] / 1e9);
	printf("%12s  %lld of the hits; received %s, sent %s\n", "",
	       (long long)v[COUNTER_HITS_REMOTE],
	       cli_size(in, (uint64_t)v[COUNTER_REMOTE_BYTES_IN]),
	       cli_size(out, (uint64_t)v[COUNTER_REMOTE_BYTES_OUT]));
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		if (v[shown[i]])
			printf("  %12lld  %-16s %s\n", (long long)v[shown[i]],
			       counter_key(shown[i]), counter_help(shown[i]));
}

/* Prints nothing if no framework ran. */
static void print_units(const int64_t *v)
{
	static const enum counter shown[] = {COUNTER_UNITS_MISSED, COUNTER_UNITS_OFF,
	                                     COUNTER_UNITS_OFFERED, COUNTER_UNITS_PACKED,
	                                     COUNTER_UNITS_KNOWN, COUNTER_UNITS_DROPPED,
	                                     COUNTER_UNITS_THERE, COUNTER_UNITS_LOCAL};
	char in[CLI_SIZE_TEXT], out[CLI_SIZE_TEXT];

	if (!v[COUNTER_UNITS_OFFERED] && !v[COUNTER_UNITS_BROUGHT] && !v[COUNTER_UNITS_MISSED] &&
	    !v[COUNTER_UNITS_OFF])
		return;
	printf("%-12s %10lld  %s, %s; %s packed\n", "units", (long long)v[COUNTER_UNITS_BROUGHT],
	       counter_help(COUNTER_UNITS_BROUGHT),
	       cli_size(in, (uint64_t)v[COUNTER_UNITS_BROUGHT_BYTES]),
	       cli_size(out, (uint64_t)v[COUNTER_UNITS_BYTES]));
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		if (v[shown[i]])
			printf("  %12lld  %-16s %s\n", (long long)v[shown[i]],
			       counter_key(shown[i]), counter_help(shown[i]));
	for (int class = 1; class < UNIT_CLASSES_MAX; class++) {
		int64_t placed, packed;

		if (!unit_rows[class].class)
			continue;
		placed = v[unit_counter_brought((enum unit_class)class)];
		packed = v[unit_counter_packed((enum unit_class)class)];
		if (placed || packed)
			printf("  %12lld  %-16s placed, and %lld packed: %s\n", (long long)placed,
			       unit_name((unsigned)class), (long long)packed,
			       unit_text(unit_rows[class].help));
	}
}

/* Prints nothing if no process compiled inside itself. */
static void print_inside(const int64_t *v)
{
	static const struct {
		const char *library;
		enum counter hits, misses;
	} rows[] = {{"NVRTC", COUNTER_NVRTC_HITS, COUNTER_NVRTC_MISSES},
	            {"nvJitLink", COUNTER_NVJITLINK_HITS, COUNTER_NVJITLINK_MISSES},
	            {"libNVVM", COUNTER_NVVM_HITS, COUNTER_NVVM_MISSES}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (v[rows[i].hits] || v[rows[i].misses])
			printf("%-12s %10lld  of the hits, and %lld of the misses: compiles inside "
			       "a process\n", rows[i].library, (long long)v[rows[i].hits],
			       (long long)v[rows[i].misses]);
}

/* Every replay is a hit, whichever store its entry came from; print_remote() counts those from the
 * remote store. */
static void print_hits(const int64_t *v)
{
	int64_t far = v[COUNTER_HITS_REMOTE], hits = v[COUNTER_HITS_LOCAL] + far,
	        looked = hits + v[COUNTER_MISSES];

	printf("%-12s %10lld  %s", "hits", (long long)hits,
	       far ? "actions replayed" : counter_help(COUNTER_HITS_LOCAL));
	if (looked)
		printf(" (%.1f %%)", 100.0 * (double)hits / (double)looked);
	putchar('\n');
}

static void print_text(const struct store *s, const int64_t *v)
{
	static const enum counter plain[] = {COUNTER_VERIFIED, COUNTER_CORRUPT, COUNTER_EVICTED};
	char size[CLI_SIZE_TEXT], limit[CLI_SIZE_TEXT];

	print_hits(v);
	print_group(v, COUNTER_MISSES, "misses", REASON_GROUP_MISS);
	print_group(v, COUNTER_BYPASSES, "bypasses", REASON_GROUP_BYPASS);
	print_group(v, COUNTER_UNSTORED, "unstored", REASON_GROUP_UNSTORED);
	print_group(v, COUNTER_ERRORS, "errors", REASON_GROUP_ERROR);
	printf("%-12s %10.1f  seconds of work saved: recorded time less replay time, over all "
	       "processes\n", "saved",
	       (double)v[COUNTER_SAVED_NS] / 1e9);
	printf("%-12s %10lld  %s, %.1f s in all\n", "waits", (long long)v[COUNTER_WAITS],
	       counter_help(COUNTER_WAITS), (double)v[COUNTER_WAITED_NS] / 1e9);
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		printf("%-12s %10lld  %s\n", counter_key(plain[i]), (long long)v[plain[i]],
		       counter_help(plain[i]));
	print_inside(v);
	print_remote(v);
	print_units(v);
	printf("replayed %s, stored %s", cli_size(size, (uint64_t)v[COUNTER_REPLAYED_BYTES]),
	       cli_size(limit, (uint64_t)v[COUNTER_STORED_BYTES]));
	printf("; %s holds %s", s->dir, cli_size(size, (uint64_t)v[COUNTER_STORE_SIZE]));
	if (s->max_size)
		printf(" of %s", cli_size(limit, s->max_size));
	putchar('\n');
}

int cli_stats(struct cli *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", 'j', NULL, 0,
		 "Print one JSON object: a member for each counter, saved_seconds, "
		 "remote_wait_seconds and lease_waited_seconds, reasons (an object of counts by "
		 "name), and each reason again as reason_<name>", 0},
		{"job", 'J', "NAME", 0, "Of this job, from its events (REPRISE_EVENTS)", 0},
		{"last", OPTION_LAST, NULL, 0, "Of the job whose event is the latest", 0},
		{"since", OPTION_SINCE, "TIME", 0,
		 "Of all events since then: 30m, 2h or 3d ago, 2026-11-26, 2026-11-26T10:00", 0},
		{"by", OPTION_BY, "WHAT", 0,
		 "Group them by tool, class, rank, reason, host or proof", 0},
		{"remote", OPTION_REMOTE, NULL, 0,
		 "With --job or --last: join what other nodes of the job left in the remote store; "
		 "with REPRISE_EVENTS=remote, this is so without the option", 0},
		{"format", 'f', "FORM", 0,
		 "text; json, as --json; prometheus, for node_exporter's textfile collector", 0},
		{"zero", 'z', NULL, 0,
		 "Set the counters to zero afterwards; the store's size is kept", 0},
		{0},
	};
	struct argp argp = {options, parse, NULL,
	                    "Shows what was replayed, missed and saved, for all jobs of this store "
	                    "since the counters were last set to zero.", NULL, NULL, NULL};
	struct options o = {.wish.by = -1};
	struct store s;
	struct fault fault = {0, ""};
	int64_t v[COUNTERS_ALL];

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	if (o.of_events)
		return stats_job(c, &s, &o.wish, argv[0]);
	/* Moves the counters into the store's own files, where they survive a reboot. The figures
	 * do not need it. */
	counters_fold(&s, &fault);
	if (counters_read(&s, v, &fault) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], fault.text);
		return CLI_STORE;
	}
	if (o.wish.format == STATS_JSON)
		status = print_json(&s, v);
	else if (o.wish.format == STATS_PROMETHEUS)
		print_prometheus(v);
	else
		print_text(&s, v);
	if (o.zero && counters_zero(&s, &fault) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], fault.text);
		return CLI_STORE;
	}
	return status;
}
