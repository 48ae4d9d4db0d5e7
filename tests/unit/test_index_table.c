/* tests/unit/test_index_table.c - a table of places of an array's elements. */
#include <criterion/criterion.h>

#include "shim/index_table.h"

static struct arena arena;
static void fini(void) { arena_free(&arena); }
TestSuite(index_table, .fini = fini);

#define ELEMENTS 1000
static unsigned element[ELEMENTS];
static size_t count;

/* Three elements share a hash, and hashes share the first slot. */
static uint32_t hash_of(unsigned n)
{
	return n / 3 << 16;
}

/* The place of n, which is added if it is new. */
static unsigned place(struct index_table *t, unsigned n)
{
	struct index_slot *s;

	cr_assert_eq(index_table_room(t, 8, &arena), 0);
	for (s = index_table_first(t, hash_of(n)); s->place; s = index_table_next(t, s))
		if (s->hash == hash_of(n) && element[s->place - 1] == n)
			return s->place - 1;
	element[count++] = n;
	index_table_take(t, s, hash_of(n));
	return s->place - 1;
}

Test(index_table, finds_what_was_added)
{
	struct index_table t = {NULL, 0, 0};

	for (unsigned n = 0; n < ELEMENTS; n++) {
		cr_assert_eq(place(&t, 7 * n), n);
		cr_assert_leq(2 * t.count, t.cap);
	}
	cr_expect_eq(t.count, ELEMENTS);
	for (unsigned n = 0; n < ELEMENTS; n++)
		cr_assert_eq(place(&t, 7 * n), n);
	cr_expect_eq(t.count, ELEMENTS);
}
