/* cli/report/stats_job.c - figures of a job, as text, JSON and for node_exporter's textfile
 * collector. */
#include "cli/report/report.h"

#include <stdlib.h>
#include <time.h>

#include "cli/explain/explain.h"
#include "remote/remote.h"

#define NS 1e9
/* Bytes of a cleaned group name: each may have become three. */
#define NAME_MOST 256

int64_t stats_since(const char *text, int64_t now)
{
	static const char units[] = "smhd";
	static const int64_t seconds[] = {1, 60, 3600, 24 * 3600};
	static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"};
	char *end;
	long n = strtol(text, &end, 10);
	const char *unit = end > text && *end && !end[1] ? strchr(units, *end) : NULL;

	if (unit && n >= 0 && n <= now / seconds[unit - units])
		return (now - n * seconds[unit - units]) * 1000000000;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct tm tm = {.tm_isdst = -1};
		const char *rest = strptime(text, forms[i], &tm);
		time_t t = rest && !*rest ? mktime(&tm) : -1;

		if (t >= 0 && t <= INT64_MAX / 1000000000)
			return t * 1000000000ll;
	}
	return -1;
}

static void drop_before(struct events *e, int64_t since)
{
	size_t first = 0;

	while (first < e->count && e->v[first].start < since)
		first++;
	if (!first)
		return;
	e->v += first;
	e->count -= first;
	/* The sums are of all events. */
	memset(&e->sums, 0, sizeof e->sums);
}

/* --- text --- */

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void print_share(const char *title, uint64_t part, uint64_t all, const char *verb)
{
	if (all)
		printf("%-12s %10llu  of %llu %s (%.1f %%)\n", title, (unsigned long long)part,
		       (unsigned long long)all, verb, percent(part, all));
}

static void print_count(const char *title, uint64_t n, const char *text)
{
	if (n)
		printf("%-12s %10llu  %s\n", title, (unsigned long long)n, text);
}

static uint64_t with_verdict(const struct figures *f, enum event_verdict v)
{
	uint64_t n = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		n += kind == EVENT_TRANSFER ? 0 : f->count[kind][v];
	return n;
}

/* To fill a column behind a text. */
static int blanks(const char *text, size_t width)
{
	size_t n = strlen(text);

	return n < width ? (int)(width - n) : 0;
}

static void print_groups(const struct figures *v, size_t count, enum group_by by)
{
	printf("\n%-24s %8s %8s %8s %8s %10s %12s\n", group_by_name(by), "compiles", "hits",
	       "units", "found", "saved s", "work s");
	for (size_t i = 0; i < count; i++) {
		const struct figures *f = &v[i];

		/* Transfers alone, of the publisher. */
		if (!figures_events(f))
			continue;
		cli_print_safe(stdout, f->name, strlen(f->name), 24);
		printf("%*s %8llu %8llu %8llu %8llu %10.1f %12.1f\n", blanks(f->name, 24), "",
		       (unsigned long long)figures_compiles(f),
		       (unsigned long long)figures_hits(f),
		       (unsigned long long)figures_units_wanted(f),
		       (unsigned long long)figures_units(f), (double)f->saved / NS,
		       (double)f->worth / NS);
	}
}

static void print_reasons(const struct figures *v, size_t count)
{
	putchar('\n');
	for (size_t i = 0; i < count; i++) {
		const char *text = reason_text(v[i].name);

		printf("  %10llu  ", (unsigned long long)figures_events(&v[i]));
		cli_print_safe(stdout, v[i].name, strlen(v[i].name), 32);
		printf("%*s%s\n", blanks(v[i].name, 16), "", text ? text : "");
	}
}

static void print_exchanged(const char *title, const struct exchanged *x, const char *text)
{
	char size[CLI_SIZE_TEXT];

	if (x->count)
		printf("%-12s %10llu  %s: %s in %.2f s\n", title, (unsigned long long)x->count,
		       text, cli_size(size, x->bytes), (double)x->took / NS);
}

static void print_ahead(const struct figures *f)
{
	char came[CLI_SIZE_TEXT], unused[CLI_SIZE_TEXT];

	if (f->ahead.count)
		printf("%-12s %10llu  of these ahead of the job: %s; %llu of them were used, and "
		       "%s were not\n", "ahead", (unsigned long long)f->ahead.count,
		       cli_size(came, f->ahead.bytes), (unsigned long long)f->used.count,
		       cli_size(unused, f->ahead.bytes - f->used.bytes));
}

static void print_nodes(const struct job_remote *nodes)
{
	size_t bare = 0;

	for (size_t i = 0; i < nodes->count; i++)
		bare += nodes->v[i].events == 0;
	if (nodes->count)
		printf("%-12s %10zu  others, from the remote store", "nodes", nodes->count);
	if (bare)
		printf("; %zu left figures without events (REPRISE_EVENTS=remote)", bare);
	if (nodes->count)
		putchar('\n');
}

static void print_text(const struct figures *f, const struct events *e,
                       const struct job_remote *nodes, const char *job)
{
	char size[CLI_SIZE_TEXT];

	printf("%-12s ", "job");
	cli_print_safe(stdout, job, strlen(job), 128);
	putchar('\n');
	print_nodes(nodes);
	print_share("compiles", figures_hits(f), figures_compiles(f), "replayed");
	print_share("units", figures_units(f), figures_units_wanted(f), "found in a store");
	printf("%-12s %10.2f  seconds of wall time: work that ran side by side counts once\n",
	       "saved", (double)f->saved / NS);
	printf("%-12s %10.2f  seconds of compile work not done, and %.2f spent in Reprise, over "
	       "all processes\n", "work", (double)f->worth / NS, (double)f->spent / NS);
	if (f->waited)
		printf("%-12s %10.1f  seconds of these, for other processes and nodes\n", "waited",
		       (double)f->waited / NS);
	if (f->from[EVENT_REMOTE])
		printf("%-12s %10llu  hits, %s\n", "remote",
		       (unsigned long long)f->from[EVENT_REMOTE],
		       cli_size(size, f->bytes_remote));
	print_exchanged("received", &f->received, "entries from the remote store");
	print_ahead(f);
	print_exchanged("sent", &f->sent, "entries to the remote store");
	print_exchanged("absent", &f->absent,
	                "look-ups of entries that the remote store does not have");
	print_exchanged("failed", &f->failed, "exchanges with the remote store");
	print_count("unstored", with_verdict(f, EVENT_UNSTORED),
	            "recorded runs that were not stored");
	print_count("bypasses", with_verdict(f, EVENT_BYPASS),
	            "starts and compiles that ran without Reprise");
	print_count("packed", f->count[EVENT_UNIT][EVENT_STORED], "units put into the store");
	print_count("dropped", (uint64_t)e->sums.dropped,
	            "events that were counted and not kept: lists of tools, reasons and ranks lack "
	            "them");
}

/* --- JSON --- */

static void add_exchanged(struct json_object *o, const char *what, const struct exchanged *x)
{
	char key[40];

	snprintf(key, sizeof key, "%s_entries", what);
	json_number(o, key, x->count);
	snprintf(key, sizeof key, "%s_bytes", what);
	json_number(o, key, x->bytes);
	snprintf(key, sizeof key, "%s_seconds", what);
	json_seconds(o, key, x->took);
}

static struct json_object *json_of(const struct figures *f)
{
	struct json_object *o = json_object_new_object();

	json_number(o, "compiles", figures_compiles(f));
	json_number(o, "hits", figures_hits(f));
	json_number(o, "units_wanted", figures_units_wanted(f));
	json_number(o, "units_found", figures_units(f));
	json_number(o, "hits_remote", f->from[EVENT_REMOTE]);
	json_number(o, "bytes_remote", f->bytes_remote);
	add_exchanged(o, "received", &f->received);
	add_exchanged(o, "sent", &f->sent);
	add_exchanged(o, "absent", &f->absent);
	add_exchanged(o, "failed", &f->failed);
	for (int v = EVENT_BYPASS; v < EVENT_VERDICTS; v++)
		json_number(o, event_verdict_name((enum event_verdict)v),
		           with_verdict(f, (enum event_verdict)v));
	json_seconds(o, "saved_seconds", f->saved);
	json_seconds(o, "worth_seconds", f->worth);
	json_seconds(o, "spent_seconds", f->spent);
	json_seconds(o, "waited_seconds", f->waited);
	return o;
}

/* One object for each node that left its part in the remote store. */
static struct json_object *json_nodes(const struct job_remote *nodes)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < nodes->count; i++) {
		const struct job_remote_node *n = &nodes->v[i];
		struct json_object *o = json_object_new_object();

		json_text(o, "host", n->host);
		json_number(o, "compiles", figures_compiles(&n->f));
		json_number(o, "hits", figures_hits(&n->f));
		json_number(o, "units_wanted", figures_units_wanted(&n->f));
		json_number(o, "units_found", figures_units(&n->f));
		json_number(o, "events", n->events);
		json_object_array_add(all, o);
	}
	return all;
}

static int print_json(const struct figures *f, const struct events *e,
                      const struct job_remote *nodes, const char *job,
                      const struct figures *group, size_t groups, int by)
{
	struct json_object *all = json_of(f), *each = json_object_new_object();
	char name[NAME_MOST];

	json_number(all, "ahead_entries", f->ahead.count);
	json_number(all, "ahead_bytes", f->ahead.bytes);
	json_number(all, "ahead_used_entries", f->used.count);
	json_number(all, "ahead_used_bytes", f->used.bytes);
	json_text(all, "job", job);
	json_text(all, "version", REPRISE_VERSION);
	json_number(all, "events", e->count);
	json_number(all, "events_dropped", (uint64_t)e->sums.dropped);
	json_object_object_add(all, "remote_nodes", json_nodes(nodes));
	for (size_t i = 0; i < groups; i++)
		json_object_object_add(each, utf8_clean(name, sizeof name, group[i].name),
		                       json_of(&group[i]));
	if (by >= 0)
		json_object_object_add(all, group_by_name((enum group_by)by), each);
	else
		json_object_put(each);
	return json_print(stdout, all);
}

int stats_job_json(const struct figures *f, const struct events *e, const struct job_remote *nodes,
                   const char *job)
{
	return print_json(f, e, nodes, job, NULL, 0, -1);
}

int stats_no_job(struct cli *c, const char *job, int remote, const char *who)
{
	struct remote_use use;
	const char *hint = "";

	if (!setting_number(&c->settings, SETTING_EVENTS))
		hint = ": REPRISE_EVENTS is 0";
	else if (job && !remote && !job_remote_expected(c) &&
	         remote_use_load(&use, &c->settings, c->envp, &c->arena))
		hint = "; --remote asks the remote store";
	fprintf(stderr, "%s: no job%s%s has left events here%s\n", who,
	        job ? " of the name " : "", job ? job : "", hint);
	return CLI_FINDING;
}

int stats_job(struct cli *c, struct store *s, const struct stats_wish *w, const char *who)
{
	const char *job = w->last ? events_last(s, &c->arena, NULL) : w->job;
	struct figures f, *group = NULL;
	struct job_remote nodes;
	struct events e;
	size_t groups = 0;
	int status = CLI_OK;

	if ((w->last && !job) ||
	    job_remote_read(c, s, job, w->remote, &e, &nodes, &status, who) < 0)
		return stats_no_job(c, job, w->remote, who);
	drop_before(&e, w->since);
	figures_of(&f, &e, &c->arena);
	if (w->by >= 0)
		groups = figures_by(&group, &e, (enum group_by)w->by, &c->arena);
	job = job ? job : "";
	if (w->json) {
		if (print_json(&f, &e, &nodes, job, group, groups, w->by) != CLI_OK)
			status = CLI_FINDING;
	} else {
		print_text(&f, &e, &nodes, *job ? job : "all");
		if (w->by == BY_REASON)
			print_reasons(group, groups);
		else if (w->by >= 0)
			print_groups(group, groups, (enum group_by)w->by);
	}
	return status;
}
