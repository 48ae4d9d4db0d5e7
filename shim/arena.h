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
 * An arena belongs to one thread. A process keeps one freed chunk for the next arena. THREAD unless
 * said otherwise; needs no libc. */
#ifndef SHIM_ARENA_H
#define SHIM_ARENA_H

#include <stddef.h>

/* The page faults of half a huge page would cost more than a whole hit; 64 KiB is enough for a
 * small gcc. */
#define ARENA_CHUNK (64u << 10)

struct arena_chunk;
struct arena {
	struct arena_chunk *last; /* newest first; each knows its size */
	size_t used;              /* bytes used in *last */
	/* the kernel refused memory: what was made here since may be incomplete */
	int refused;
};
#define ARENA_INIT {NULL, 0, 0}

void *arena_alloc(struct arena *a, size_t n);
/* The same, aligned to a power of two: a digest's state needs 64 bytes, and so does a structure
 * that contains one. */
void *arena_alloc_aligned(struct arena *a, size_t n, size_t align);
/* A NUL-terminated copy of n bytes. */
char *arena_memdup(struct arena *a, const void *p, size_t n);
/* Room for one more element in an array that is made in the arena: v if it has room for more than
 * `count` elements of `size` bytes, else a copy with twice as much room, or with room for `first`
 * elements. *cap is its size in elements. NULL when the kernel refuses; v and *cap are then
 * unchanged. */
void *arena_grow(struct arena *a, void *v, size_t count, size_t *cap, size_t size, size_t first);
char *arena_strdup(struct arena *a, const char *s);
/* Concatenation of a NULL-terminated list of strings. */
char *arena_cat(struct arena *a, ...) __attribute__((sentinel));
void arena_free(struct arena *a);
/* Takes the next n bytes, in pieces of any size, from one mapping: 0, or -1 if the kernel
 * refuses. */
int arena_expect(struct arena *a, size_t n);
/* Every pointer into `from` becomes void. Its memory serves `to` next, zeroed again: if the kernel
 * does that, a page costs ten times as much. */
void arena_recycle(struct arena *to, struct arena *from);

/* A growing byte string in an arena. A failed growth sets `failed`: then further calls do nothing
 * and the content must not be used, so check it once at the end. The bytes move as the string
 * grows. */
struct buf {
	struct arena *arena;
	unsigned char *data;
	size_t len, cap;
	int failed;
};
#define BUF_INIT(a) {(a), NULL, 0, 0, 0}

void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, const char *s);         /* without its NUL */
void buf_u8(struct buf *b, unsigned v);
void buf_u16(struct buf *b, unsigned v);            /* little-endian, as in all our formats */
void buf_u32(struct buf *b, unsigned v);
void buf_u64(struct buf *b, unsigned long long v);
void buf_lstr(struct buf *b, const void *p, size_t n); /* u32 length, bytes, one NUL not counted */
/* Space for n more bytes: the caller fills it and then adds to len. NULL when refused. */
void *buf_reserve(struct buf *b, size_t n);

/* A bounded reader over bytes that may be hostile. The first read out of bounds sets `failed`; then
 * every call returns zero, "" or NULL, so check it once at the end. Nothing is copied. */
struct reader {
	const unsigned char *p, *end;
	int failed;
};
unsigned reader_u8(struct reader *r);
unsigned reader_u16(struct reader *r);
unsigned reader_u32(struct reader *r);
unsigned long long reader_u64(struct reader *r);
const void *reader_bytes(struct reader *r, size_t n);
/* Reads what buf_lstr wrote: a string inside the buffer that ends in NUL; *len may be NULL. */
const char *reader_lstr(struct reader *r, size_t *len);
/* The same, but a NUL inside is an error. */
const char *reader_text(struct reader *r);

#endif
