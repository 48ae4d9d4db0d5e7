/* A trace file, attached, and its content. It is decoded by the table in shim/trace.h, not by its
 * reader. */
#pragma once

#include "scratch.h"

#include <sys/mman.h>

#include "shim/trace.h"

struct event {
	unsigned len, op, flags, pid, arg;
	const char *a, *b;
	size_t a_len, b_len;
};

static char file[4096];
static unsigned char *map; /* the whole file, for reading */

static inline uint64_t u64(size_t at)
{
	uint64_t v;

	memcpy(&v, map + at, sizeof v);
	return v;
}

static inline uint32_t u32(size_t at)
{
	uint32_t v;

	memcpy(&v, map + at, sizeof v);
	return v;
}

/* An empty trace file as a recorder makes it, of so many backed bytes. */
static inline void make(const char *name, uint64_t backed, uint64_t size)
{
	unsigned char head[TRACE_HEAD] = {0};
	uint64_t tail = TRACE_HEAD;
	int fd;

	snprintf(file, sizeof file, "%s", scratch(name));
	memcpy(head, TRACE_MAGIC, 8);
	memcpy(head + 8, &tail, sizeof tail);
	memcpy(head + 16, &backed, sizeof backed);
	fd = open(file, O_RDWR | O_CREAT | O_EXCL, 0600);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, head, sizeof head), (ssize_t)sizeof head);
	cr_assert_eq(posix_fallocate(fd, 0, (off_t)backed), 0);
	cr_assert_eq(ftruncate(fd, (off_t)size), 0);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	cr_assert_neq(map, MAP_FAILED);
	close(fd);
}

static inline void start(void)
{
	scratch_make();
	make("trace", TRACE_STEP, TRACE_CAPACITY);
	cr_assert_eq(trace_attach(file), 0);
}

static inline void stop(void)
{
	trace_detach();
	scratch_remove();
}

/* The record at *at, which moves on. 0 at the end; fails on a hole. */
static inline int next(size_t *at, struct event *e)
{
	if (*at >= u64(8))
		return 0;
	e->len = u32(*at);
	cr_assert_geq(e->len, TRACE_RECORD_HEAD + 2, "a hole at %zu", *at);
	cr_assert_eq(e->len % 8, 0);
	cr_assert_leq(*at + e->len, u64(8));
	e->op = map[*at + 4] | (unsigned)map[*at + 5] << 8;
	e->flags = map[*at + 6] | (unsigned)map[*at + 7] << 8;
	e->pid = u32(*at + 8);
	e->arg = u32(*at + 12);
	e->a_len = u32(*at + 16);
	e->b_len = u32(*at + 20);
	cr_assert_leq(TRACE_RECORD_HEAD + e->a_len + e->b_len + 2, e->len);
	e->a = (const char *)map + *at + TRACE_RECORD_HEAD;
	e->b = e->a + e->a_len + 1;
	cr_assert_eq(e->a[e->a_len], 0);
	cr_assert_eq(e->b[e->b_len], 0);
	*at += e->len;
	return 1;
}

/* The only record there is since *at. */
static inline struct event one(void)
{
	static size_t at = TRACE_HEAD;
	struct event e = {0};

	cr_assert(next(&at, &e), "no record");
	cr_assert_eq(at, u64(8), "more than one record");
	return e;
}

static inline void expect(unsigned op, unsigned flags, unsigned arg, const char *a, const char *b)
{
	struct event e = one();

	cr_expect_eq(e.op, op);
	cr_expect_eq(e.flags, flags, "flags %#x, want %#x", e.flags, flags);
	cr_expect_eq(e.arg, arg);
	cr_expect_eq(e.pid, (unsigned)getpid());
	cr_expect_str_eq(e.a, a);
	cr_expect_str_eq(e.b, b);
	cr_expect_eq(e.a_len, strlen(a));
	cr_expect_eq(e.b_len, strlen(b));
}
