/* shim/sort.c - merge sort of the ascending runs that are there. */
#include "shim/sort.h"

#include <string.h>

#include "shim/banned.h"

/* What is sorted: count elements of size bytes. */
struct elements {
	size_t count, size;
	sort_order *order;
};

/* Where the ascending run that begins at `at` ends. */
static size_t run_end(const struct elements *e, const char *v, size_t at)
{
	while (++at < e->count && e->order(v + (at - 1) * e->size, v + at * e->size) <= 0)
		;
	return at < e->count ? at : e->count;
}

/* Merges the runs [lo, mid) and [mid, hi) of from into the same place of to. */
static void merge(const struct elements *e, const char *from, char *to, size_t lo, size_t mid,
                  size_t hi)
{
	const char *x = from + lo * e->size, *y = from + mid * e->size;
	const char *x_end = y, *y_end = from + hi * e->size;

	to += lo * e->size;
	while (x < x_end && y < y_end) {
		const char **next = e->order(x, y) <= 0 ? &x : &y;

		memcpy(to, *next, e->size);
		*next += e->size;
		to += e->size;
	}
	memcpy(to, x, (size_t)(x_end - x));
	memcpy(to + (x_end - x), y, (size_t)(y_end - y));
}

void *sort_stable(struct arena *a, void *v, size_t count, size_t size, sort_order *order)
{
	struct elements e = {count, size, order};
	char *from = v, *to;

	if (count < 2 || run_end(&e, from, 0) == count)
		return v;
	to = arena_alloc(a, count * size);
	if (!to)
		return NULL;
	for (size_t runs = 2; runs > 1;) {
		char *swap = to;

		runs = 0;
		for (size_t lo = 0, hi; lo < count; lo = hi, runs++) {
			size_t mid = run_end(&e, from, lo);

			hi = mid < count ? run_end(&e, from, mid) : count;
			merge(&e, from, to, lo, mid, hi);
		}
		to = from;
		from = swap;
	}
	return from;
}
