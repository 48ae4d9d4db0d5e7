/* shim/sort.h - a stable sort for code that runs in hosts: libc's qsort allocates from the host's
 * allocator for large arrays.
 *
 *     v = sort_stable(&arena, v, count, sizeof *v, order);   // NULL when the kernel refuses memory
 *
 * The result is v or memory of the same size in the arena; the other one is left unsorted. A sorted
 * array, or one of a few ascending runs, takes one pass or a few. THREAD; needs no libc beyond
 * memcpy. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"

/* Below zero, zero or above it, as strcmp; called with two elements. */
typedef int sort_order(const void *x, const void *y);

void *sort_stable(struct arena *a, void *v, size_t count, size_t size, sort_order *order);
