/* tests/unit/test_sort.c - the stable sort. */
#include "shim/sort.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct pair {
	int key, came;
};

static int by_key(const void *x, const void *y)
{
	return ((const struct pair *)x)->key - ((const struct pair *)y)->key;
}

Test(sort, every_length_up_to_some_hundreds_is_sorted_and_stable)
{
	for (int n = 0; n < 300; n++) {
		struct arena a = ARENA_INIT;
		struct pair in[300], *v;
		int sum = 0;

		for (int i = 0; i < n; i++) {
			in[i] = (struct pair){rand() % (n / 3 + 1), i};
			sum += in[i].key;
		}
		v = sort_stable(&a, in, (size_t)n, sizeof *in, by_key);
		cr_assert(v);
		for (int i = 0; i < n; i++)
			sum -= v[i].key;
		cr_assert_eq(sum, 0);
		for (int i = 1; i < n; i++)
			cr_assert(v[i - 1].key < v[i].key ||
			                  (v[i - 1].key == v[i].key && v[i - 1].came < v[i].came),
			          "%d of %d", i, n);
		arena_free(&a);
	}
}

/* A few ascending lists one after the other, as most callers have them. */
Test(sort, runs_are_merged)
{
	for (int runs = 1; runs < 20; runs++) {
		struct arena a = ARENA_INIT;
		struct pair in[400], *v;

		for (int i = 0; i < 400; i++)
			in[i] = (struct pair){i % (400 / runs + 1), i};
		v = sort_stable(&a, in, 400, sizeof *in, by_key);
		cr_assert(v && (runs > 1 || v == in));
		for (int i = 1; i < 400; i++)
			cr_assert(v[i - 1].key < v[i].key ||
			          (v[i - 1].key == v[i].key && v[i - 1].came < v[i].came),
			          "%d of %d", i, runs);
		arena_free(&a);
	}
}
