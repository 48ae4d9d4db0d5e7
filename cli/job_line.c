/* cli/job_line.c - the line at the end of a job. */
#include "cli/job_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/job_summary.h"
#include "cli/print.h"
#include "cli/reasons.h"
#include "shim/job.h"
#include "shim/reason.h"

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int open_store(struct store *s, struct cli *c)
{
	struct fault ignored = {0, ""};

	memset(s, 0, sizeof *s);
	return store_open(s, &c->settings, c->envp, &c->arena, &ignored) == 0 && s->dir ? 0 : -1;
}

void job_line_begin(struct job_line *l, struct cli *c)
{
	struct job_counts *sums;
	struct store s;

	memset(l, 0, sizeof *l);
	if (settings_disabled(c->envp) || setting_number(&c->settings, SETTING_FORCE_DISABLE) ||
	    !setting_number(&c->settings, SETTING_EVENTS) || open_store(&s, c) < 0)
		return;
	/* cli/launch.c has set it. */
	l->job = getenv("REPRISE_JOB");
	l->since = now_ns();
	sums = l->job ? job_counts_of(&s, l->job, 1) : NULL;
	if (sums)
		l->before = *sums;
}

/* What the job added to the sums. */
static void since(struct events *e, const struct job_line *l)
{
	size_t first = 0;

	while (first < e->count && e->v[first].start + e->v[first].duration < l->since)
		first++;
	e->v += first;
	e->count -= first;
	e->sums.dropped -= l->before.dropped;
	e->sums.spent -= l->before.spent;
	e->sums.waited -= l->before.waited;
	e->sums.worth -= l->before.worth;
	for (int i = 0; i < EVENT_KINDS * EVENT_VERDICTS; i++)
		e->sums.count[i] -= l->before.count[i];
}

static const char *remote_name(const struct cli *c, char out[16])
{
	const char *url = setting_text(&c->settings, SETTING_REDIS_URL);
	size_t n = strcspn(url, ":+");

	snprintf(out, 16, "%.*s", n && n < 15 ? (int)n : 6, n && n < 15 ? url : "remote");
	return out;
}

static void print_share(const char *what, uint64_t part, uint64_t all, const char *before)
{
	if (all)
		fprintf(stderr, "%s%llu of %llu %ss", before, (unsigned long long)part,
		        (unsigned long long)all, what);
}

static void print_saved(int64_t ns)
{
	double s = (double)(ns < 0 ? -ns : ns) / 1e9;

	fprintf(stderr, s < 10 ? ", %.1f s %s" : ", %.0f s %s", s, ns < 0 ? "lost" : "saved");
}

/* What a job does that was not run before is no fault. */
static int is_expected(const char *reason)
{
	static const enum reason expected[] = {REASON_MISS_NEW, REASON_MISS_FIRST,
	                                       REASON_MISS_UNIT, REASON_MISS_RECACHE};

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		if (strcmp(reason_rows[expected[i]].name, reason) == 0)
			return 1;
	return 0;
}

/* The group whose starts took longest. */
static const char *worst_reason(const struct events *e, uint64_t *count, struct arena *a)
{
	const struct figures *worst = NULL;
	struct figures *v;
	size_t n = figures_by(&v, e, BY_REASON, a);

	for (size_t i = 0; i < n; i++)
		if (!is_expected(v[i].name) && (!worst || v[i].took > worst->took))
			worst = &v[i];
	if (!worst)
		return NULL;
	*count = figures_events(worst);
	return worst->name;
}

void job_line_end(const struct job_line *l, struct cli *c)
{
	char size[CLI_SIZE_TEXT], remote[16];
	uint64_t compiles, units, count = 0;
	const char *worst, *text;
	struct events e;
	struct figures f;
	struct store s;

	if (!l->job || open_store(&s, c) < 0 || events_read(&e, &s, l->job, &c->arena) < 0)
		return;
	since(&e, l);
	figures_of(&f, &e);
	compiles = figures_compiles(&f);
	units = figures_units_wanted(&f);
	worst = worst_reason(&e, &count, &c->arena);
	if (compiles || units) {
		fputs("reprise: ", stderr);
		print_share("compile", figures_hits(&f), compiles, "");
		print_share("unit", figures_units(&f), units, compiles ? " and " : "");
		fputs(" replayed", stderr);
		print_saved(figures_saved(&f));
		if (f.received.bytes)
			fprintf(stderr, "; %s from %s", cli_size(size, f.received.bytes),
			        remote_name(c, remote));
		if (f.sent.bytes)
			fprintf(stderr, "%s %s to %s", f.received.bytes ? "," : ";",
			        cli_size(size, f.sent.bytes), remote_name(c, remote));
		fputc('\n', stderr);
	}
	text = worst ? reason_text(worst) : NULL;
	if (worst)
		fprintf(stderr, "reprise: %llu %s: %s: `reprise explain --job %s`\n",
		        (unsigned long long)count, count == 1 ? "was not" : "were not",
		        text ? text : worst, l->job);
}
