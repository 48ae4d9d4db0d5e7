/* jit/entry_points.c - numbers of entry points, and which library has them. */
#include "jit/entry_points.h"

#include "jit/state.h"

#include "shim/banned.h"

/* By number. */
static struct jit_library *owner[ENTRY_POINTS];

/* The first of count numbers in a row that no library has, or -1. */
static int free_numbers(int count)
{
	for (int n = 0, run = 0; n < ENTRY_POINTS; n++) {
		run = owner[n] ? 0 : run + 1;
		if (run == count)
			return n - count + 1;
	}
	return -1;
}

/* --- public, in header order --- */

int entry_points_number(struct jit_library *l, int entry)
{
	int count = libraries_count(l->id), first;

	jit_spin_take();
	if (l->first_number < 0) {
		l->first_number = free_numbers(count);
		for (int i = 0; i < count && l->first_number >= 0; i++)
			__atomic_store_n(&owner[l->first_number + i], l, __ATOMIC_RELEASE);
	}
	first = l->first_number;
	jit_spin_release();
	return first < 0 ? -1 : first + entry - libraries_first(l->id);
}

void entry_points_release(struct jit_library *l)
{
	for (int i = 0; i < libraries_count(l->id) && l->first_number >= 0; i++)
		__atomic_store_n(&owner[l->first_number + i], NULL, __ATOMIC_RELEASE);
	l->first_number = -1;
}

struct jit_library *entry_points_find(unsigned number, int *entry)
{
	struct jit_library *l = __atomic_load_n(&owner[number], __ATOMIC_ACQUIRE);

	if (l)
		*entry = libraries_first(l->id) + (int)number - l->first_number;
	return l;
}
