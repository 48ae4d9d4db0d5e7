/* cli/report/stats.c - `reprise stats`. */

#include "cli/report/report.h"
#include "units/unit_event.h"

enum { OPTION_LAST = 256, OPTION_SINCE, OPTION_BY, OPTION_REMOTE };
struct options {
	int zero;
	const char *since, *by;
	struct stats_wish wish;
};

/* Ends the program where a value is wrong. */
static void take(struct options *o, const char *who)
{
	struct stats_wish *w = &o->wish;

	if (o->since && (w->since = stats_since(o->since, time(NULL))) < 0)
		cli_wrong_usage(who, "--since takes 30m, 2h, 3d, 2026-11-26 or 2026-11-26T10:00, "
		                "not %s", o->since);
	w->by = o->by ? group_by_of(o->by) : -1;
	if (o->by && w->by < 0)
		cli_wrong_usage(who, "--by takes tool, class, rank, reason, host or proof, not %s",
		                o->by);
	if (w->remote && !w->job && !w->last)
		cli_wrong_usage(who,
		                "--remote joins the nodes of one job: say --job NAME or --last");
}

/* These counters are printed in seconds, too, for people. */
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
	json_text(all, "version", REPRISE_VERSION);
	json_text(all, "store", s->dir);
	for (int i = 0; i < COUNTER_COUNT; i++)
		json_number(all, counter_key((enum counter)i), (uint64_t)v[i]);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		json_seconds(all, times[i].key, v[times[i].counter]);
	for (int i = 1; i < REASON_COUNT; i++) {
		if (!v[COUNTER_COUNT + i])
			continue;
		/* Two groups may have a reason of the same name ("store"): the sum is printed. */
		struct json_object *old = NULL;
		int64_t sum = v[COUNTER_COUNT + i];
		if (json_object_object_get_ex(reasons, reason_rows[i].name, &old))
			sum += json_object_get_int64(old);
		json_number(reasons, reason_rows[i].name, (uint64_t)sum);
		snprintf(name, sizeof name, "reason_%s", reason_rows[i].name);
		json_number(all, name, (uint64_t)sum);
	}
	return json_print(stdout, all);
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

static void print_counters(const int64_t *v, const enum counter *shown, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (v[shown[i]])
			printf("  %12lld  %-16s %s\n", (long long)v[shown[i]],
			       counter_key(shown[i]), counter_help(shown[i]));
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
	print_counters(v, shown, sizeof shown / sizeof *shown);
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
	print_counters(v, shown, sizeof shown / sizeof *shown);
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
	} rows[] = {
#define LIBRARY(id, rules, label, ...) {label, COUNTER_##id##_HITS, COUNTER_##id##_MISSES},
#include "jit/libraries.def"
	};

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
	struct options o = {0};
	struct store s;
	struct fault fault = {0, ""};
	int64_t v[COUNTERS_ALL];
	const struct cli_option options[] = {
		{"json", 'j', NULL,
		 "Print one JSON object: a member for each counter, saved_seconds, "
		 "remote_wait_seconds and lease_waited_seconds, reasons (an object of counts by "
		 "name), and each reason again as reason_<name>", &o.wish.json},
		{"job", 'J', "NAME", "Of this job, from its events (REPRISE_EVENTS)", &o.wish.job},
		{"last", OPTION_LAST, NULL, "Of the job whose event is the latest", &o.wish.last},
		{"since", OPTION_SINCE, "TIME",
		 "Of all events since then: 30m, 2h or 3d ago, 2026-11-26, 2026-11-26T10:00",
		 &o.since},
		{"by", OPTION_BY, "WHAT", "Group them by tool, class, rank, reason, host or proof",
		 &o.by},
		{"remote", OPTION_REMOTE, NULL,
		 "With --job or --last: join what other nodes of the job left in the remote store; "
		 "with REPRISE_EVENTS=remote, this is so without the option", &o.wish.remote},
		{"zero", 'z', NULL,
		 "Set the counters to zero afterwards; the store's size is kept", &o.zero},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options,
		.text = "Shows what was replayed, missed and saved, for all jobs of this store "
			"since the counters were last set to zero."};

	cli_parse(argc, argv, &syntax);
	take(&o, argv[0]);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	if (o.wish.job || o.wish.last || o.since || o.by || o.wish.remote)
		return stats_job(c, &s, &o.wish, argv[0]);
	/* Moves the counters into the store's own files, where they survive a reboot. The figures
	 * do not need it. */
	counters_fold(&s, &fault);
	if (counters_read(&s, v, &fault) < 0)
		return cli_failed(argv[0], CLI_STORE, fault.text);
	if (o.wish.json)
		status = print_json(&s, v);
	else
		print_text(&s, v);
	if (o.zero && counters_zero(&s, &fault) < 0)
		return cli_failed(argv[0], CLI_STORE, fault.text);
	return status;
}
