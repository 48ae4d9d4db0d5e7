/* cli/lanes.c - puts events into lanes and rows. */
#include "cli/lanes.h"

#include <stdlib.h>
#include <string.h>

static int same_lane(const struct event *a, const struct event *b)
{
	return a->rank == b->rank && strcmp(a->host, b->host) == 0;
}

static int by_lane(const void *x, const void *y)
{
	const struct event *a = ((const struct laned *)x)->e, *b = ((const struct laned *)y)->e;
	/* n2 before n10 */
	int order = strverscmp(a->host, b->host);

	if (order == 0)
		order = strcmp(a->host, b->host);

	if (order == 0)
		order = (a->rank > b->rank) - (a->rank < b->rank);
	return order ? order : (a->start > b->start) - (a->start < b->start);
}

static void set_rows(struct lanes *out, struct lane *lane)
{
	int64_t free_at[LANE_ROWS_MAX];

	for (size_t i = 0; i < lane->count; i++) {
		struct laned *l = &out->event[lane->first + i];
		int row = 0;

		while (row < lane->rows && free_at[row] > l->e->start)
			row++;
		if (row == LANE_ROWS_MAX)
			row--;
		else if (row == lane->rows)
			lane->rows++;
		free_at[row] = l->e->start + l->e->duration;
		l->row = row;
	}
}

int lanes_make(struct lanes *out, const struct events *e, struct arena *a)
{
	size_t cap = 0;

	memset(out, 0, sizeof *out);
	out->event = e->count ? arena_alloc(a, e->count * sizeof *out->event) : NULL;
	if (!out->event)
		return -1;
	out->begin = e->v[0].start;
	for (size_t i = 0; i < e->count; i++) {
		int64_t end = e->v[i].start + e->v[i].duration;

		out->event[i] = (struct laned){&e->v[i], 0};
		if (end > out->end)
			out->end = end;
	}
	qsort(out->event, e->count, sizeof *out->event, by_lane);
	for (size_t i = 0; i < e->count; i++) {
		const struct event *x = out->event[i].e;

		if (i == 0 || !same_lane(x, out->event[i - 1].e)) {
			struct lane *v = arena_grow(a, out->v, out->count, &cap, sizeof *v, 16);

			if (!v)
				return -1;
			out->v = v;
			v[out->count++] = (struct lane){x->host, x->rank, i, 0, 0};
		}
		out->v[out->count - 1].count++;
	}
	for (size_t i = 0; i < out->count; i++)
		set_rows(out, &out->v[i]);
	return 0;
}
