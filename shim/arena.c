/* shim/arena.c - the arena: chunks of anonymous memory in a list, newest first. */
#include "shim/arena.h"

#include <stdarg.h>
#include <string.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

struct arena_chunk {
	struct arena_chunk *older;
	size_t size;  /* of the mapping, this head included */
	size_t dirty; /* bytes from its start that may not be zero */
};
enum { CHUNK_HEAD = 32 };
_Static_assert(sizeof(struct arena_chunk) <= CHUNK_HEAD, "head keeps 16-byte alignment");

/* A quarter of a chunk: a larger request would waste the rest of the current chunk. */
#define ARENA_LARGE (ARENA_CHUNK / 4)
#define ARENA_PAGE 4096u

/* Freed chunks for the next arenas: their pages are already mapped. A compile inside the process
 * has two arenas, the program's and its own. Under AddressSanitizer none is kept, so that a pointer
 * into a freed chunk is detected. */
static START_DATA struct arena_chunk *spare[ARENA_SPARES];

static int keep_spare(struct arena_chunk *c)
{
#ifdef __SANITIZE_ADDRESS__
#else
	for (int i = 0; i < ARENA_SPARES && c->size == ARENA_CHUNK; i++) {
		struct arena_chunk *none = NULL;

		if (!__atomic_load_n(&spare[i], __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&spare[i], &none, c, 0, __ATOMIC_RELEASE,
		                                __ATOMIC_RELAXED))
			return 1;
	}
#endif
	return 0;
}

static struct arena_chunk *take_spare(void)
{
	struct arena_chunk *c = NULL;

	for (int i = 0; i < ARENA_SPARES && !c; i++)
		if (__atomic_load_n(&spare[i], __ATOMIC_RELAXED))
			c = __atomic_exchange_n(&spare[i], NULL, __ATOMIC_ACQUIRE);
	return c;
}

static struct arena_chunk *chunk_map(size_t size)
{
	struct arena_chunk *c = size == ARENA_CHUNK ? take_spare() : NULL;

	if (c)
		return c;
	c = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_mmap_failed(c))
		return NULL;
	c->size = size;
	return c;
}

static void chunk_add(struct arena *a, struct arena_chunk *c)
{
	c->older = a->last;
	a->last = c;
	a->used = CHUNK_HEAD;
}

/* Maps a chunk of its own and inserts it behind the current chunk, whose rest stays in use. */
static void *arena_large(struct arena *a, size_t n)
{
	size_t size = (n + CHUNK_HEAD + ARENA_PAGE - 1) & ~(size_t)(ARENA_PAGE - 1);
	struct arena_chunk *c = chunk_map(size);

	if (!c) {
		a->refused = 1;
		return NULL;
	}
	if (a->last) {
		c->older = a->last->older;
		a->last->older = c;
	} else {
		c->older = NULL;
		a->last = c;
		a->used = c->size;
	}
	return (char *)c + CHUNK_HEAD;
}

void *arena_alloc(struct arena *a, size_t n)
{
	struct arena_chunk *c = a->last;
	void *p;

	if (n > PTRDIFF_MAX - 2 * ARENA_CHUNK)
		return NULL;
	n = (n + 15) & ~(size_t)15;
	if (!n)
		n = 16; /* distinct pointers */
	if (!c || c->size - a->used < n) {
		if (n > ARENA_LARGE)
			return arena_large(a, n);
		/* Not MAP_POPULATE: a hit of ptxas touches a third of its pages. */
		c = chunk_map(ARENA_CHUNK);
		if (!c) {
			a->refused = 1;
			return NULL;
		}
		chunk_add(a, c);
	}
	p = (char *)c + a->used;
	if (a->used < c->dirty)
		memset(p, 0, n < c->dirty - a->used ? n : c->dirty - a->used);
	a->used += n;
	return p;
}

void *arena_alloc_aligned(struct arena *a, size_t n, size_t align)
{
	uintptr_t p = n < PTRDIFF_MAX - align ? (uintptr_t)arena_alloc(a, n + align) : 0;

	return (void *)((p + align - 1) & ~(uintptr_t)(align - 1));
}

char *arena_memdup(struct arena *a, const void *p, size_t n)
{
	char *s = n < SIZE_MAX ? arena_alloc(a, n + 1) : NULL;

	if (s && n)
		memcpy(s, p, n);
	return s;
}

void *arena_grow(struct arena *a, void *v, size_t count, size_t *cap, size_t size, size_t first)
{
	size_t want = *cap ? 2 * *cap : first;
	void *more;

	if (count < *cap)
		return v;
	more = arena_alloc(a, want * size);
	if (!more)
		return NULL;
	if (count)
		memcpy(more, v, count * size);
	*cap = want;
	return more;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_memdup(a, s, strlen(s));
}

char *arena_cat(struct arena *a, ...)
{
	va_list ap;
	size_t n = 0;
	char *out, *at;
	const char *s;

	va_start(ap, a);
	while ((s = va_arg(ap, const char *)))
		n += strlen(s);
	va_end(ap);
	out = at = arena_alloc(a, n + 1);
	if (!out)
		return NULL;
	va_start(ap, a);
	while ((s = va_arg(ap, const char *))) {
		size_t len = strlen(s);

		memcpy(at, s, len);
		at += len;
	}
	va_end(ap);
	return out;
}

char *arena_file(struct arena *a, const char *path, size_t max, size_t *n, struct statx *st)
{
	struct statx own;
	const unsigned mask = STATX_BASIC_STATS | STATX_BTIME | SYS_STATX_MOUNT;
	char *text = NULL;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

	if (fd < 0)
		return NULL;
	if (!st)
		st = &own;
	if (sys_statx(fd, "", AT_EMPTY_PATH, mask, st) == 0 &&
	    (st->stx_mode & S_IFMT) == S_IFREG && st->stx_size <= max) {
		text = arena_alloc(a, st->stx_size + 1);
		ssize_t got = text ? sys_read_all(fd, text, st->stx_size) : -1;
		if (got < 0)
			text = NULL;
		else
			text[*n = (size_t)got] = '\0';
	}
	sys_close(fd);
	return text;
}

size_t arena_size(const struct arena *a)
{
	size_t n = 0;

	for (const struct arena_chunk *c = a->last; c; c = c->older)
		n += c->size;
	return n;
}

void arena_free(struct arena *a)
{
	struct arena_chunk *c = a->last;

	while (c) {
		struct arena_chunk *older = c->older;

		if (c != a->last)
			c->dirty = c->size;
		else if (c->dirty < a->used)
			c->dirty = a->used;
		if (!keep_spare(c))
			sys_munmap(c, c->size);
		c = older;
	}
	*a = (struct arena)ARENA_INIT;
}

int arena_expect(struct arena *a, size_t n)
{
	struct arena_chunk *c;

	if (n > PTRDIFF_MAX - 2 * ARENA_CHUNK)
		return -1;
	if (a->last && a->last->size - a->used >= n)
		return 0;
	c = chunk_map((n + CHUNK_HEAD + ARENA_PAGE - 1) & ~(size_t)(ARENA_PAGE - 1));
	if (!c)
		return -1;
	chunk_add(a, c);
	return 0;
}

void arena_recycle(struct arena *to, struct arena *from)
{
	struct arena_chunk *c = from->last, *oldest = c;

	to->refused |= from->refused;
	from->refused = 0;
	if (!c)
		return;
	if (c->dirty < from->used)
		c->dirty = from->used;
	while (oldest->older)
		oldest = oldest->older;
	oldest->older = to->last;
	to->last = c;
	to->used = CHUNK_HEAD;
	*from = (struct arena)ARENA_INIT;
}
