/* A trace laid out byte by byte from the table in shim/trace.h, not by its writers, and
 * trace/tree.h's reading of it. One tool that has said hello; a test adds its actions. */
#pragma once

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/trace.h"
#include "tools/tool.h"
#include "trace/tree.h"

#define TOOL 100u /* pid of the recorded tool */

static struct arena arena;
static struct tree t;
static unsigned char trace[4 << 20];
static size_t used;

static inline void put_u32(size_t at, uint32_t v)
{
	memcpy(trace + at, &v, sizeof v);
}

static inline void head(uint64_t tail)
{
	static const uint64_t backed = sizeof trace;

	memcpy(trace, TRACE_MAGIC, 8);
	memcpy(trace + 8, &tail, sizeof tail);
	memcpy(trace + 16, &backed, sizeof backed);
}

/* Adds a record with texts of any bytes; returns its place. */
static inline size_t record(uint32_t pid, unsigned op, unsigned flags, uint32_t arg, const char *a,
                            size_t a_len, const char *b, size_t b_len)
{
	size_t at = used, len = (TRACE_RECORD_HEAD + a_len + 1 + b_len + 1 + 7) & ~(size_t)7;

	cr_assert(at + len <= sizeof trace);
	memset(trace + at, 0, len);
	put_u32(at, (uint32_t)len);
	trace[at + 4] = (unsigned char)op;
	trace[at + 5] = (unsigned char)(op >> 8);
	trace[at + 6] = (unsigned char)flags;
	trace[at + 7] = (unsigned char)(flags >> 8);
	put_u32(at + 8, pid);
	put_u32(at + 12, arg);
	put_u32(at + 16, (uint32_t)a_len);
	put_u32(at + 20, (uint32_t)b_len);
	memcpy(trace + at + TRACE_RECORD_HEAD, a, a_len);
	memcpy(trace + at + TRACE_RECORD_HEAD + a_len + 1, b, b_len);
	used += len;
	head(used);
	return at;
}

static inline size_t ev(uint32_t pid, unsigned op, unsigned flags, uint32_t arg, const char *a,
                        const char *b)
{
	return record(pid, op, flags, arg, a, strlen(a), b, strlen(b));
}

/* Adds a record of the tool, about one path. */
static inline size_t on(unsigned op, const char *path)
{
	return ev(TOOL, op, 0, 0, path, "");
}

static inline void hello(uint32_t pid, const char *exe, const char *called, uint32_t parent)
{
	ev(pid, TRACE_HELLO, 0, parent, exe, called);
}

/* A program that is executed under its own path. */
static inline void run(uint32_t pid, const char *exe, uint32_t parent)
{
	ev(pid, TRACE_EXEC, 0, 0, exe, "");
	hello(pid, exe, exe, parent);
}

static inline void bye(uint32_t pid)
{
	ev(pid, TRACE_BYE, 0, 0, "", "");
}

static inline void start(void)
{
	arena = (struct arena)ARENA_INIT;
	memset(trace, 0, sizeof trace);
	used = TRACE_HEAD;
	hello(TOOL, "/usr/bin/gcc-12", "/usr/bin/gcc", 1);
}

static inline void stop(void)
{
	arena_free(&arena);
}

/* Reads the trace as it is now. */
static inline enum reason outcome(void)
{
	tree_read(&t, trace, used, TOOL, NULL, "/opt/declared:/opt/more/*", &arena);
	return t.reason;
}

static inline enum reason ended(void)
{
	bye(TOOL);
	return outcome();
}

static inline unsigned flags_of(const char *path)
{
	const struct tree_file *f = tree_find(&t, path);

	cr_assert(f, "%s is not in the tree", path);
	return f->flags & ~(unsigned)(TREE_RELATIVE | TREE_ABSOLUTE);
}

static inline void expect_reason(enum reason want)
{
	enum reason got = ended();

	cr_expect_eq(got, want, "got %s, want %s", reason_rows[got].name, reason_rows[want].name);
}

static inline void expect_flags(const char *path, unsigned want)
{
	unsigned got = flags_of(path);

	cr_expect_eq(got, want, "%s: flags %#x, want %#x", path, got, want);
}
