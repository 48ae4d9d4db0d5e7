/* shim/index_table.h - finds an element of a growing array: open addressing, at most half full.
 *
 * The table holds a hash and a place for each element. The caller holds the elements, which may
 * move, and compares them. Elements are never removed.
 *
 *     if (index_table_room(&t, FIRST, a) < 0)
 *             no memory
 *     for (s = index_table_first(&t, hash); s->place; s = index_table_next(&t, s))
 *             if (s->hash == hash && same(&v[s->place - 1]))
 *                     return &v[s->place - 1];
 *     add to v
 *     index_table_take(&t, s, hash);          // after index_table_room(), before other calls
 *
 * Memory: the arena's. A table that grows leaves the old one there. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"

struct index_slot {
	uint32_t hash;
	uint32_t place; /* + 1, in order of index_table_take(); 0: the slot is free */
};
struct index_table {
	struct index_slot *slot;
	size_t cap, count;
};

/* Makes room for one more element. first: how many slots a new table has, a power of two. 0, or -1
 * without memory. */
int index_table_room(struct index_table *t, size_t first, struct arena *a);
/* The slots in which an element of this hash may be, up to the first free one. The table must have
 * slots. */
static inline struct index_slot *index_table_first(const struct index_table *t, uint32_t hash)
{
	return &t->slot[hash & (t->cap - 1)];
}
static inline struct index_slot *index_table_next(const struct index_table *t,
                                                  const struct index_slot *s)
{
	return &t->slot[(size_t)(s - t->slot + 1) & (t->cap - 1)];
}
/* The next element, of this hash, is in the free slot s. */
static inline void index_table_take(struct index_table *t, struct index_slot *s, uint32_t hash)
{
	s->hash = hash;
	s->place = (uint32_t)++t->count;
}
