/* shim/sort.c - bottom-up merge sort. */
#include "shim/sort.h"

#include <string.h>

#include "shim/banned.h"

/* Merges [lo, mid) and [mid, hi) of from, both sorted, into the same place of to. */
static void merge(const char *from, char *to, size_t lo, size_t mid, size_t hi, size_t size,
                  sort_order *order)
{
	size_t i = lo, k = mid;

	for (size_t out = lo; out < hi; out++) {
		int first = i < mid && (k >= hi || order(from + i * size, from + k * size) <= 0);

		memcpy(to + out * size, from + (first ? i++ : k++) * size, size);
	}
}

void *sort_stable(struct arena *a, void *v, size_t count, size_t size, sort_order *order)
{
	char *from = v, *to;

	if (count < 2)
		return v;
	to = arena_alloc(a, count * size);
	if (!to)
		return NULL;
	for (size_t width = 1; width < count; width *= 2) {
		char *swap = to;

		for (size_t lo = 0; lo < count; lo += 2 * width) {
			size_t mid = lo + width < count ? lo + width : count;
			size_t hi = mid + width < count ? mid + width : count;

			merge(from, to, lo, mid, hi, size, order);
		}
		to = from;
		from = swap;
	}
	return from;
}
