/* shim/index_table.c - finds an element of a growing array. */
#include "shim/index_table.h"

#include "shim/banned.h"

int index_table_room(struct index_table *t, size_t first, struct arena *a)
{
	struct index_table wide = {NULL, t->cap ? 2 * t->cap : first, t->count};

	if (2 * (t->count + 1) <= t->cap)
		return 0;
	wide.slot = arena_alloc(a, wide.cap * sizeof *wide.slot);
	if (!wide.slot)
		return -1;
	for (size_t i = 0; i < t->cap; i++) {
		struct index_slot *s;

		if (!t->slot[i].place)
			continue;
		s = index_table_first(&wide, t->slot[i].hash);
		while (s->place)
			s = index_table_next(&wide, s);
		*s = t->slot[i];
	}
	*t = wide;
	return 0;
}
