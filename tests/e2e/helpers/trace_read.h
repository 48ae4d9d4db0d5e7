/* trace_read.h - a trace file (shim/trace.h) for the programs of the suites: made, mapped,
 * worded. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "shim/trace.h"

static const char *const trace_op_names[TRACE_OP_COUNT] = {
	[TRACE_HELLO] = "HELLO", [TRACE_BYE] = "BYE", [TRACE_FORKED] = "FORKED",
	[TRACE_LOADED] = "LOADED", [TRACE_SCRIPT] = "SCRIPT", [TRACE_EXEC] = "EXEC",
	[TRACE_EXEC_FAILED] = "EXEC_FAILED", [TRACE_SPAWN] = "SPAWN", [TRACE_SYSTEM] = "SYSTEM",
	[TRACE_READ] = "READ", [TRACE_WRITE] = "WRITE", [TRACE_UPDATE] = "UPDATE",
	[TRACE_ABSENT] = "ABSENT", [TRACE_FAILED] = "FAILED", [TRACE_PRESENT] = "PRESENT",
	[TRACE_STAT] = "STAT", [TRACE_LIST] = "LIST", [TRACE_READLINK] = "READLINK",
	[TRACE_REALPATH] = "REALPATH", [TRACE_RENAME] = "RENAME", [TRACE_UNLINK] = "UNLINK",
	[TRACE_MKDIR] = "MKDIR", [TRACE_LINK] = "LINK", [TRACE_CHMOD] = "CHMOD",
	[TRACE_TIMES] = "TIMES", [TRACE_TEMP] = "TEMP", [TRACE_GETENV] = "GETENV",
	[TRACE_GETCWD] = "GETCWD", [TRACE_CLOCK] = "CLOCK", [TRACE_SOCKET] = "SOCKET",
	[TRACE_OTHER] = "OTHER", [TRACE_PROGRAM] = "PROGRAM", [TRACE_CHANCE] = "CHANCE",
	[TRACE_STARTED] = "STARTED", [TRACE_PROOFS] = "PROOFS",
};

struct trace_view {
	const unsigned char *bytes;
	uint64_t size, tail; /* mapped; of the records */
	uint32_t overflow;
};

struct trace_event {
	unsigned op, flags, pid, arg;
	const char *a, *b;
	size_t b_len;
};

/* An empty trace file. 0, or -1. */
static inline int trace_make(const char *path)
{
	unsigned char head[TRACE_HEAD] = TRACE_MAGIC;
	uint64_t tail = TRACE_HEAD;
	int fd, rc;

	memcpy(head + 8, &tail, sizeof tail);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return -1;
	rc = write(fd, head, sizeof head) == (ssize_t)sizeof head &&
		ftruncate(fd, TRACE_CAPACITY) == 0 ? 0 : -1;
	close(fd);
	return rc;
}

/* 0, or -1 when it is no trace. */
static inline int trace_open(struct trace_view *v, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < TRACE_HEAD)
		return -1;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return -1;
	v->bytes = map;
	v->size = (uint64_t)st.st_size;
	memcpy(&v->tail, v->bytes + 8, sizeof v->tail);
	memcpy(&v->overflow, v->bytes + 24, sizeof v->overflow);
	return memcmp(v->bytes, TRACE_MAGIC, 8) == 0 && v->tail <= v->size ? 0 : -1;
}

static inline void trace_close(struct trace_view *v)
{
	munmap((void *)(uintptr_t)v->bytes, v->size);
}

/* The event at *at, which moves on. 1; 0 at the end; -1 at a hole. */
static inline int trace_next(const struct trace_view *v, uint64_t *at, struct trace_event *e)
{
	uint32_t word[6];
	const char *text;

	if (*at >= v->tail)
		return 0;
	memcpy(word, v->bytes + *at, sizeof word);
	if (word[0] < TRACE_RECORD_HEAD + 2 || *at + word[0] > v->tail)
		return -1;
	if ((uint64_t)word[4] + word[5] + TRACE_RECORD_HEAD + 2 > word[0])
		return -1;
	text = (const char *)v->bytes + *at + TRACE_RECORD_HEAD;
	e->op = word[1] & 0xffff;
	e->flags = word[1] >> 16;
	e->pid = word[2];
	e->arg = word[3];
	e->a = text;
	e->b = text + word[4] + 1;
	e->b_len = word[5];
	*at += word[0];
	return 1;
}

/* An arg as text. "same" or "other" for a file's identity, compared with the file of that name now.
 * "MODE over MODE" for a file that was made. Otherwise a number. 0 is left out. */
static inline void trace_arg(char *out, size_t cap, const struct trace_event *e)
{
	struct stat st;

	out[0] = '\0';
	switch (e->arg ? e->op : 0) {
	case 0:
		return;
	case TRACE_READ:
	case TRACE_LIST:
	case TRACE_LOADED:
	case TRACE_PROGRAM:
		snprintf(out, cap,
		         stat(e->a, &st) == 0 &&
		         e->arg == trace_identity(st.st_ino, major(st.st_dev), minor(st.st_dev))
		         ? " same" : " other");
		return;
	case TRACE_WRITE:
		if (e->arg & 0xffff)
			snprintf(out, cap, " 0%o", e->arg & 0xffff);
		if (e->arg >> 16)
			snprintf(out + strlen(out), cap - strlen(out), " over 0%o", e->arg >> 16);
		return;
	case TRACE_FAILED:
	case TRACE_SOCKET:
	case TRACE_CLOCK:
	case TRACE_CHANCE:
	case TRACE_HELLO:
		snprintf(out, cap, " %u", e->arg);
		return;
	default:
		snprintf(out, cap, " 0%o", e->arg);
	}
}

/* The text for b. A WRITE's stamp is left out, and so is the time of a READ in the last hour. */
static inline const char *trace_second(const struct trace_event *e)
{
	struct timespec now;
	int64_t at = 0;

	if (e->op == TRACE_WRITE && e->b_len == sizeof at)
		return "";
	if (e->op != TRACE_READ)
		return e->b;
	if (e->b_len == sizeof at)
		memcpy(&at, e->b, sizeof at);
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	at = now.tv_sec - at / 1000000000;
	return at >= 0 && at < 3600 ? "" : "untimed";
}

/* "OP flags a b arg" on one line: flags as letters or "-", cwd before a name as "@". */
static inline int trace_word(char *out, size_t cap, const struct trace_event *e, const char *cwd)
{
	static const char letters[] = "rRusencxk";
	char flags[sizeof letters], arg[48];
	size_t len = strlen(cwd);
	const char *a = e->a, *b = trace_second(e), *op = "UNKNOWN";
	int i, n = 0;

	for (i = 0; letters[i]; i++)
		if (e->flags & (1u << i))
			flags[n++] = letters[i];
	if (!n)
		flags[n++] = '-';
	flags[n] = '\0';
	if (e->op < TRACE_OP_COUNT && trace_op_names[e->op])
		op = trace_op_names[e->op];
	trace_arg(arg, sizeof arg, e);
#define TRACE_MARK(s) (len && strncmp(s, cwd, len) == 0 ? "@" : "")
#define TRACE_REST(s) (len && strncmp(s, cwd, len) == 0 ? s + len : s)
	return snprintf(out, cap, "%s %s%s%s%s%s%s%s%s", op, flags, *a ? " " : "", TRACE_MARK(a),
	                TRACE_REST(a), *b ? " " : "", TRACE_MARK(b), TRACE_REST(b), arg);
#undef TRACE_MARK
#undef TRACE_REST
}
