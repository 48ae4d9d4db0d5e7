/* cli/report/jobs.c - `reprise jobs`: the jobs that have left events. */
#include <stdlib.h>

#include "cli/report/report.h"

#define JOBS_DEFAULT 20
#define JOBS_MAX 100000

struct wish {
	int max, json;
};

struct named {
	const char *name;
	int64_t when; /* ns since 1970: its latest event */
};
struct list {
	struct named *v;
	size_t count, cap;
	struct arena *a;
};

/* Of a job that is told twice the later time counts. */
static void add_name(void *ctx, const char *name, int64_t when)
{
	struct list *l = ctx;

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->v[i].name, name) == 0) {
			l->v[i].when = when > l->v[i].when ? when : l->v[i].when;
			return;
		}
	if (!arena_room(l->a, l->v, l->count, &l->cap, 64))
		return;
	l->v[l->count].name = arena_strdup(l->a, name);
	l->v[l->count].when = when;
	l->count += l->v[l->count].name != NULL;
}

static int by_when(const void *x, const void *y)
{
	const struct named *a = x, *b = y;

	return a->when != b->when ? (a->when > b->when) - (a->when < b->when)
	                          : strcmp(a->name, b->name);
}

/* One job, of all nodes that use the store. */
struct job {
	const char *name, *command; /* "": it did not run under reprise-run */
	int64_t begin, end;         /* ns since 1970 */
	size_t ranks;               /* that launchers numbered; 0: none */
	struct figures f;
};

static int by_rank(const void *x, const void *y)
{
	int a = *(const int *)x, b = *(const int *)y;

	return (a > b) - (a < b);
}

static size_t ranks_of(const struct events *e, struct arena *a)
{
	int *rank = arena_alloc(a, (e->count + e->runs + 1) * sizeof *rank);
	size_t count = 0, different = 0;

	for (size_t i = 0; rank && i < e->count + e->runs; i++) {
		const struct event *x = i < e->count ? &e->v[i] : &e->run[i - e->count];

		if (x->rank != EVENT_NO_RANK)
			rank[count++] = x->rank;
	}
	if (count)
		qsort(rank, count, sizeof *rank, by_rank);
	for (size_t i = 0; i < count; i++)
		different += i == 0 || rank[i] != rank[i - 1];
	return different;
}

static void add_time(struct job *j, const struct event *x)
{
	if (!j->begin || x->start < j->begin)
		j->begin = x->start;
	if (x->start + x->duration > j->end)
		j->end = x->start + x->duration;
}

static int read_job(struct job *j, struct store *s, const char *name, struct arena *a)
{
	struct events e;

	*j = (struct job){.name = name, .command = ""};
	if (events_read(&e, s, name, a) < 0)
		return -1;
	for (size_t i = 0; i < e.count; i++)
		add_time(j, &e.v[i]);
	for (size_t i = 0; i < e.runs; i++)
		add_time(j, &e.run[i]);
	if (e.runs)
		j->command = e.run[0].command;
	/* A name that is no file name is known by its digest (store/job/events.h). */
	if (e.runs && name[0] == '%')
		j->name = e.run[0].detail;
	j->ranks = ranks_of(&e, a);
	figures_of(&j->f, &e, a);
	return 0;
}

static void print_job(const struct job *j)
{
	double seconds = (double)(j->end - j->begin) / 1e9, saved = (double)j->f.saved / 1e9;
	uint64_t all = figures_compiles(&j->f) + figures_units_wanted(&j->f);
	char when[CLI_TIME_TEXT];
	size_t n = strlen(j->name);

	cli_print_safe(stdout, j->name, n, 128);
	printf("%*s %s %8.1f %6zu %8llu %8llu %8.1f  ", n < 28 ? (int)(28 - n) : 0, "",
	       cli_time(when, j->begin / 1000000000), seconds, j->ranks ? j->ranks : 1,
	       (unsigned long long)all,
	       (unsigned long long)(figures_hits(&j->f) + figures_units(&j->f)), saved);
	cli_print_safe(stdout, *j->command ? j->command : "-",
	               *j->command ? strlen(j->command) : 1, 256);
	putchar('\n');
}

static void add_json(struct json_object *list, const struct job *j)
{
	struct json_object *o = json_object_new_object();

	json_text(o, "job", j->name);
	json_text(o, "command", j->command);
	json_number(o, "started", (uint64_t)(j->begin / 1000000000));
	json_seconds(o, "seconds", j->end - j->begin);
	json_number(o, "ranks", j->ranks ? j->ranks : 1);
	json_number(o, "compiles", figures_compiles(&j->f));
	json_number(o, "hits", figures_hits(&j->f));
	json_number(o, "units_wanted", figures_units_wanted(&j->f));
	json_number(o, "units_found", figures_units(&j->f));
	json_seconds(o, "saved_seconds", j->f.saved);
	json_seconds(o, "worth_seconds", j->f.worth);
	json_object_array_add(list, o);
}

int cli_jobs(struct cli *c, int argc, char **argv)
{
	struct wish w = {.max = JOBS_DEFAULT};
	const char *number = NULL;
	struct json_object *all, *jobs;
	struct list l = {.a = &c->arena};
	struct store s;
	struct job j;
	const struct cli_option options[] = {CLI_JSON(&w.json), {0}};
	const struct cli_syntax syntax = {
		.options = options, .operands = "[N]", .operand = &number,
		.text = "Lists the last N jobs that have left events here, 20 by default, newest "
			"last: when they began, how long they took, their ranks, compiles and "
			"units, how many of these were replayed or found, the wall time saved, and "
			"the command under reprise-run."};

	cli_parse(argc, argv, &syntax);
	if (number && cli_number(number, JOBS_MAX, &w.max) < 0)
		cli_wrong_usage(argv[0], "not a number of jobs: %s", number);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	events_jobs(&s, add_name, &l);
	if (l.count)
		qsort(l.v, l.count, sizeof *l.v, by_when);
	if (!w.json && !l.count)
		puts("No job has left events here.");
	else if (!w.json)
		printf("%-28s %-19s %8s %6s %8s %8s %8s  %s\n", "job", "started", "took s", "ranks",
		       "starts", "replayed", "saved s", "command");
	all = json_report();
	jobs = json_object_new_array();
	json_object_object_add(all, "jobs", jobs);
	for (size_t i = l.count > (size_t)w.max ? l.count - (size_t)w.max : 0; i < l.count; i++) {
		if (read_job(&j, &s, l.v[i].name, &c->arena) < 0)
			continue;
		if (w.json)
			add_json(jobs, &j);
		else
			print_job(&j);
	}
	if (w.json)
		return json_print(stdout, all);
	json_object_put(all);
	return CLI_OK;
}
