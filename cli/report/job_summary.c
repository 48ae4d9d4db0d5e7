/* cli/report/job_summary.c - adds up events. */
#include "cli/report/report.h"

#include <stdlib.h>

#include "proofs/proof.h"

/* --- wall --- */

static int by_group(const void *x, const void *y)
{
	const struct wall_span *a = x, *b = y;
	int order = (a->group > b->group) - (a->group < b->group);

	if (order == 0)
		order = strcmp(a->host, b->host);
	if (order == 0)
		order = (a->kind > b->kind) - (a->kind < b->kind);
	return order ? order : (a->from > b->from) - (a->from < b->from);
}

static int same_node(const struct wall_span *a, const struct wall_span *b)
{
	return a->group == b->group && strcmp(a->host, b->host) == 0;
}

/* Of the first spans, those of one node and kind. Returns their number. */
static size_t union_of(const struct wall_span *v, size_t count, int64_t *length)
{
	int64_t end = v[0].from;
	size_t i = 0;

	*length = 0;
	for (; i < count && same_node(&v[i], &v[0]) && v[i].kind == v[0].kind; i++) {
		int64_t from = v[i].from > end ? v[i].from : end;

		if (v[i].to <= from)
			continue;
		*length += v[i].to - from;
		end = v[i].to;
	}
	return i;
}

void wall_saved(int64_t *saved, size_t groups, struct wall_span *v, size_t count)
{
	size_t last = groups;

	memset(saved, 0, groups * sizeof *saved);
	if (count)
		qsort(v, count, sizeof *v, by_group);
	for (size_t i = 0; i < count;) {
		size_t first = i, group = v[i].group;
		int64_t length, node = 0;

		while (i < count && same_node(&v[i], &v[first])) {
			enum wall_kind kind = v[i].kind;

			i += union_of(v + i, count - i, &length);
			node += kind == WALL_SPARED ? length : -length;
		}
		if (group != last || node > saved[group])
			saved[group] = node;
		last = group;
	}
}

static const char by_names[GROUP_BYS][8] = {"tool", "class", "rank", "reason", "host", "proof"};

const char *group_by_name(enum group_by by)
{
	return by_names[by];
}

int group_by_of(const char *name)
{
	for (int i = 0; i < GROUP_BYS; i++)
		if (strcmp(by_names[i], name) == 0)
			return i;
	return -1;
}

static uint64_t compiles(const struct figures *f, enum event_verdict v)
{
	uint64_t n = f->count[EVENT_ACTION][v] + f->count[EVENT_INSIDE][v];

	return n > f->steps[v] ? n - f->steps[v] : 0;
}

uint64_t figures_hits(const struct figures *f)
{
	return compiles(f, EVENT_HIT);
}

uint64_t figures_compiles(const struct figures *f)
{
	return compiles(f, EVENT_HIT) + compiles(f, EVENT_MISS) + compiles(f, EVENT_UNSTORED);
}

uint64_t figures_units(const struct figures *f)
{
	return f->count[EVENT_UNIT][EVENT_HIT];
}

uint64_t figures_units_wanted(const struct figures *f)
{
	return f->count[EVENT_UNIT][EVENT_HIT] + f->count[EVENT_UNIT][EVENT_MISS];
}

static void add_exchanged(struct exchanged *x, const struct event *e)
{
	x->count++;
	x->bytes += e->bytes;
	x->took += e->duration;
}

static void add_transfer(struct figures *f, const struct event *e)
{
	struct exchanged *x = e->verdict == EVENT_HIT      ? &f->received
	                      : e->verdict == EVENT_STORED ? &f->sent
	                      : e->verdict == EVENT_MISS   ? &f->absent
	                                                   : &f->failed;

	add_exchanged(x, e);
}

static void add(struct figures *f, const struct event *e)
{
	f->count[e->kind][e->verdict]++;
	f->steps[e->verdict] += e->step != 0;
	if (e->kind == EVENT_TRANSFER) {
		add_transfer(f, e);
		return;
	}
	f->took += e->duration;
	f->spent += e->spent;
	f->waited += e->waited;
	f->worth += e->worth;
	if (e->verdict != EVENT_HIT)
		return;
	f->from[e->source]++;
	if (e->source == EVENT_REMOTE)
		f->bytes_remote += e->bytes;
}

static void set_sums(struct figures *f, const struct job_counts *sums)
{
	for (int i = 0; i < EVENT_KINDS * EVENT_VERDICTS; i++)
		f->count[i / EVENT_VERDICTS][i % EVENT_VERDICTS] = (uint64_t)sums->count[i];
	f->spent = sums->spent;
	f->waited = sums->waited;
	f->worth = sums->worth;
}

/* Adds the intervals of an event to spans. Returns how many: at most two. A run's own time in
 * Reprise lies before and after its tool: it counts as if it were at the beginning. */
static size_t add_spans(struct wall_span *v, const struct event *e, size_t group)
{
	size_t n = 0;

	if (e->kind == EVENT_TRANSFER || e->start < 0)
		return 0;
	if (e->recorded_at > 0 && e->worth > 0 && e->worth <= INT64_MAX - e->recorded_at)
		v[n++] = (struct wall_span){group, e->host, WALL_SPARED, e->recorded_at,
		                            e->recorded_at + e->worth};
	if (e->spent > 0 && e->spent <= INT64_MAX - e->start)
		v[n++] = (struct wall_span){group, e->host, WALL_SPENT, e->start,
		                            e->start + e->spent};
	return n;
}

/* --- ahead of the job --- */

static int by_key(const void *x, const void *y)
{
	const struct event *a = *(const struct event *const *)x,
	                   *b = *(const struct event *const *)y;
	int order = memcmp(&a->key, &b->key, sizeof a->key);

	return order ? order : strcmp(a->host, b->host);
}

/* What came ahead has the key of the hits that use it. */
static void add_ahead(struct figures *f, const struct events *e, struct arena *a)
{
	const struct event **hit = arena_alloc(a, (e->count + 1) * sizeof *hit);
	size_t hits = 0;

	for (size_t i = 0; hit && i < e->count; i++)
		if (e->v[i].kind != EVENT_TRANSFER && e->v[i].verdict == EVENT_HIT)
			hit[hits++] = &e->v[i];
	if (hits)
		qsort(hit, hits, sizeof *hit, by_key);
	for (size_t i = 0; i < e->count; i++) {
		const struct event *one = &e->v[i];

		if (one->kind != EVENT_TRANSFER || one->source != EVENT_AHEAD)
			continue;
		add_exchanged(&f->ahead, one);
		if (hits && bsearch(&one, hit, hits, sizeof *hit, by_key))
			add_exchanged(&f->used, one);
	}
}

void figures_of(struct figures *f, const struct events *e, struct arena *a)
{
	struct wall_span *span = arena_alloc(a, (2 * e->count + 1) * sizeof *span);
	size_t spans = 0;
	uint64_t counted = 0, seen = e->count;

	memset(f, 0, sizeof *f);
	f->name = "";
	for (size_t i = 0; i < e->count; i++) {
		add(f, &e->v[i]);
		if (span)
			spans += add_spans(span + spans, &e->v[i], 0);
	}
	if (span)
		wall_saved(&f->saved, 1, span, spans);
	add_ahead(f, e, a);
	for (int i = 0; i < EVENT_KINDS * EVENT_VERDICTS; i++)
		counted += (uint64_t)e->sums.count[i];
	/* After a reboot, the node's sums are younger than the first events. */
	if (counted < seen)
		return;
	set_sums(f, &e->sums);
}

void figures_of_sums(struct figures *f, const struct job_counts *sums)
{
	memset(f, 0, sizeof *f);
	f->name = "";
	set_sums(f, sums);
}

/* The name of proof i, or none. NULL: the event is no hit that rests on it. */
static const char *proof_of(const struct event *e, int i)
{
	int hit = e->verdict == EVENT_HIT && (e->kind == EVENT_ACTION || e->kind == EVENT_INSIDE);

	if (i == 0 && hit && !e->proofs)
		return "none";
	return hit && e->proofs >> i & 1 ? proof_name((unsigned)i) : NULL;
}

/* The name of a group of the event; i counts up to names_most(). NULL: it is in no such group. */
static const char *name_of(const struct event *e, enum group_by by, int i, struct arena *a)
{
	char text[32];

	switch (by) {
	case BY_PROOF:
		return proof_of(e, i);
	case BY_TOOL:
		return e->kind == EVENT_UNIT || e->kind == EVENT_TRANSFER ? NULL : e->tool;
	case BY_CLASS:
		return e->kind == EVENT_UNIT ? e->tool : NULL;
	case BY_REASON:
		return *e->reason ? e->reason : NULL;
	case BY_HOST:
		return e->host;
	default:
		if (e->rank == EVENT_NO_RANK)
			return "none";
		snprintf(text, sizeof text, "%d", e->rank);
		return arena_strdup(a, text);
	}
}

uint64_t figures_events(const struct figures *f)
{
	uint64_t n = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++)
		for (int v = 0; v < EVENT_VERDICTS && kind != EVENT_TRANSFER; v++)
			n += f->count[kind][v];
	return n;
}

uint64_t figures_transfers(const struct figures *f)
{
	return f->received.count + f->sent.count + f->absent.count + f->failed.count;
}

static int larger(const void *x, const void *y)
{
	uint64_t a = figures_events(x), b = figures_events(y);

	if (a != b)
		return (a < b) - (a > b);
	/* n2 before n10 */
	return strverscmp(((const struct figures *)x)->name, ((const struct figures *)y)->name);
}

static void set_saved(struct figures *v, size_t count, struct wall_span *span, size_t spans,
                      struct arena *a)
{
	int64_t *saved = arena_alloc(a, (count + 1) * sizeof *saved);

	if (!saved || !span)
		return;
	wall_saved(saved, count, span, spans);
	for (size_t i = 0; i < count; i++)
		v[i].saved = saved[i];
}

/* 1, or of proofs the number: a hit may rest on several. */
static int names_most(enum group_by by)
{
	return by == BY_PROOF ? PROOF_COUNT : 1;
}

/* The number of groups that events are in, at most. */
static size_t groups_most(const struct events *e, enum group_by by)
{
	size_t n = e->count;

	for (size_t i = 0; i < e->count && by == BY_PROOF; i++)
		n += (size_t)__builtin_popcount(e->v[i].proofs);
	return n;
}

/* A group by its name, or a new one. NULL: no memory. */
static struct figures *group_of(struct figures **v, size_t *count, size_t *cap, const char *name,
                                struct arena *a)
{
	struct figures *more;

	for (size_t i = 0; i < *count; i++)
		if (strcmp((*v)[i].name, name) == 0)
			return &(*v)[i];
	more = arena_grow(a, *v, *count, cap, sizeof **v, 16);
	if (!more)
		return NULL;
	*v = more;
	more[*count] = (struct figures){.name = name};
	return &more[(*count)++];
}

size_t figures_by(struct figures **out, const struct events *e, enum group_by by, struct arena *a)
{
	int most = names_most(by);
	struct wall_span *span = arena_alloc(a, (2 * groups_most(e, by) + 1) * sizeof *span);
	struct figures *v = NULL;
	size_t count = 0, cap = 0, spans = 0;

	for (size_t i = 0; i < e->count * (size_t)most; i++) {
		const struct event *one = &e->v[i / (size_t)most];
		const char *name = name_of(one, by, (int)(i % (size_t)most), a);
		struct figures *f = name ? group_of(&v, &count, &cap, name, a) : NULL;

		if (!f)
			continue;
		add(f, one);
		if (span)
			spans += add_spans(span + spans, one, (size_t)(f - v));
	}
	set_saved(v, count, span, spans, a);
	/* These count steps as starts of their own. */
	for (size_t i = 0; i < count && (by == BY_TOOL || by == BY_REASON || by == BY_PROOF); i++)
		memset(v[i].steps, 0, sizeof v[i].steps);
	if (v)
		qsort(v, count, sizeof *v, larger);
	*out = v;
	return count;
}
