/* shim/arena.h - memory over mmap, freed all at once.
 *
 * The host's allocator may be jemalloc, ASan or locked in another thread, and code before main must
 * not disturb it. So everything larger than a stack frame is taken here. Chunks of ARENA_CHUNK come
 * from the kernel as needed; a larger request gets a mapping of its own.
 *
 *     struct arena a = ARENA_INIT;
 *     char *p = arena_alloc(&a, n);     // zeroed, 16-byte aligned; NULL when the kernel refuses
 *     arena_free(&a);                   // every pointer is void
 *
 * An arena belongs to one thread. A process keeps ARENA_SPARES freed chunks for the next arenas.
 * THREAD unless said otherwise; needs no libc. */
#pragma once

#include <stddef.h>

/* The page faults of half a huge page would cost more than a whole hit; 64 KiB is enough for a
 * small gcc. */
#define ARENA_CHUNK (64u << 10)
#define ARENA_SPARES 2

struct arena_chunk;
struct arena {
	struct arena_chunk *last; /* newest first; each knows its size */
	size_t used;              /* bytes used in *last */
	/* the kernel refused memory: data made here since may be incomplete */
	int refused;
};
#define ARENA_INIT {NULL, 0, 0}

void *arena_alloc(struct arena *a, size_t n);
/* The same, aligned to a power of two: a digest's state needs 64 bytes, and so does a structure
 * that contains one. */
void *arena_alloc_aligned(struct arena *a, size_t n, size_t align);
/* A NUL-terminated copy of n bytes. */
char *arena_memdup(struct arena *a, const void *p, size_t n);
/* Room for one more element in an array that is made in the arena. Returns v if it has room for
 * more than `count` elements of `size` bytes. Otherwise returns a copy with twice as much room, or
 * with room for `first` elements. *cap is the array's size in elements. NULL when the kernel
 * refuses; v and *cap are then unchanged. */
void *arena_grow(struct arena *a, void *v, size_t count, size_t *cap, size_t size, size_t first);
/* The same for the array v: 1, and v has room for one more; 0 when the kernel refuses. */
#define arena_room(a, v, count, cap, first) \
	({ \
		void *room_ = arena_grow(a, v, count, cap, sizeof *(v), first); \
		if (room_) \
			(v) = room_; \
		room_ != NULL; \
	})
char *arena_strdup(struct arena *a, const char *s);
/* Concatenation of a NULL-terminated list of strings. */
char *arena_cat(struct arena *a, ...) __attribute__((sentinel));
/* The text of a regular file of at most max bytes, and a NUL behind its *n bytes. NULL: it cannot
 * be read so. st: NULL, or what the file is. */
struct statx;
char *arena_file(struct arena *a, const char *path, size_t max, size_t *n, struct statx *st);
/* Bytes that the kernel gave it. */
size_t arena_size(const struct arena *a);
void arena_free(struct arena *a);
/* Takes the next n bytes, in pieces of any size, from one mapping: 0, or -1 if the kernel
 * refuses. */
int arena_expect(struct arena *a, size_t n);
/* Every pointer into `from` becomes void. `to` takes its memory next, zeroed again: a page that the
 * kernel zeroes costs ten times as much. */
void arena_recycle(struct arena *to, struct arena *from);
