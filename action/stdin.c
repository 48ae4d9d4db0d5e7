/* action/stdin.c - source text on standard input: read for the key, and left for the tool to
 * read. */
#include "action/action.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "judge/input/input.h"
#include "judge/start.h"
#include "shim/kernel/ready.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* No source text is larger. */
#define STDIN_FILE_MAX (512u << 20)
/* The size to which a process without privilege may grow a pipe (/proc/sys/fs/pipe-max-size). The
 * content of a larger pipe cannot be seen without reading from it. */
#define STDIN_PIPE_MAX (1 << 20)
/* The time that a writer may take to begin, and to go on. A compiler also reads to the end before
 * it works, so the wait costs nothing. But a compiler that rejects its arguments never reads, and
 * its caller may wait with the pipe open. A full pipe may block the writer although its count of
 * bytes does not show that. Such a writer looks like a writer that pauses. */
#define STDIN_BEGIN_NS 2000000000ll
#define STDIN_PAUSE_NS 250000000ll
#define STDIN_STEP_FIRST_NS 1000000
#define STDIN_STEP_MAX_NS 32000000

static enum reason refuse(struct start *s, const char *why)
{
	start_detail(s, "%s", why);
	return REASON_BYPASS_STDIN;
}

/* The digest of `len` bytes from `at`, which must reach the end of the file. 0; -1 when the count
 * differs. */
static int digest_file(off_t at, size_t len, struct digest *out)
{
	static char bytes[65536]; /* one thread, one process: ours */
	struct digest_state state;
	size_t done = 0;
	unsigned tries = 0;

	digest_init(&state);
	for (;;) {
		ssize_t n = sys_pread(0, bytes, sizeof bytes, at + (off_t)done);

		if (sys_interrupted(n, &tries))
			continue;
		tries = 0;
		if (n < 0 || done + (size_t)n > len)
			return -1;
		if (n == 0)
			break;
		digest_add(&state, bytes, (size_t)n);
		done += (size_t)n;
	}
	digest_final(&state, out);
	return done == len ? 0 : -1;
}

static enum reason look_at_file(struct start *start)
{
	struct stdin_source *s = &start->source;

	s->at = sys_lseek(0, 0, SEEK_CUR);
	if (s->at < 0 || s->st.stx_size > STDIN_FILE_MAX)
		return refuse(start, "standard input cannot be read twice");
	s->len = (uint64_t)s->at < s->st.stx_size ? s->st.stx_size - (size_t)s->at : 0;
	if (digest_file(s->at, s->len, &s->content) < 0)
		return refuse(start, "standard input is changing");
	s->kind = STDIN_FILE;
	return REASON_NONE;
}

static int bytes_in(int fd)
{
	int n = 0;

	return sys_ioctl(fd, FIONREAD, &n) < 0 ? -1 : n;
}

/* Waits until no writer is left; then the pipe holds all bytes. 0; -1 when that takes too long or
 * the pipe is too small. */
static int wait_for_writers(void)
{
	int64_t since = sys_now_ns(CLOCK_MONOTONIC);
	int64_t step = STDIN_STEP_FIRST_NS;
	int capacity = sys_fcntl(0, F_GETPIPE_SZ, 0), before = 0;

	for (;;) {
		struct pollfd p = {0, 0, 0};
		int64_t now;
		int n;

		ready_wait(&p, 1, step);
		if (p.revents & POLLHUP)
			return 0;
		n = bytes_in(0);
		if (n < 0 || p.revents)
			return -1;
		/* The last page may be filled in part. */
		if (n > capacity - 4096) {
			if (capacity >= STDIN_PIPE_MAX)
				return -1;
			capacity = sys_fcntl(0, F_SETPIPE_SZ, STDIN_PIPE_MAX);
			if (capacity < STDIN_PIPE_MAX)
				return -1;
		}
		now = sys_now_ns(CLOCK_MONOTONIC);
		if (n != before)
			since = now;
		if (now - since > (n ? STDIN_PAUSE_NS : STDIN_BEGIN_NS))
			return -1;
		before = n;
		step = step * 2 > STDIN_STEP_MAX_NS ? STDIN_STEP_MAX_NS : step * 2;
	}
}

static int open_pipe(int p[2], int capacity)
{
	int rc = sys_pipe2(p, O_CLOEXEC | O_NONBLOCK);

	/* A pipe that is too small is found when not all bytes fit. */
	if (rc == 0)
		sys_fcntl(p[1], F_SETPIPE_SZ, capacity);
	return rc;
}

/* tee(2) copies the bytes and leaves them in the pipe. */
static int copy_pipe(struct stdin_source *s, struct arena *arena)
{
	int p[2], n = bytes_in(0), rc = -1;
	unsigned char *text;

	if (n <= 0)
		return n;
	text = arena_alloc(arena, (size_t)n);
	if (!text || open_pipe(p, sys_fcntl(0, F_GETPIPE_SZ, 0)) < 0)
		return -1;
	if (SYS4(SYS_tee, 0, p[1], n, SPLICE_F_NONBLOCK) == n &&
	    sys_read_all(p[0], text, (size_t)n) == n)
		rc = 0;
	sys_close(p[0]);
	sys_close(p[1]);
	s->text = text;
	s->len = (size_t)n;
	return rc;
}

static enum reason look_at_pipe(struct start *s)
{
	struct statfs fs;
	int flags = sys_fcntl(0, F_GETFL, 0);

	/* A named FIFO lies on another file system and may get another writer. The tool would
	 * notice packets (O_DIRECT) and reads that fail instead of waiting. */
	if (SYS2(SYS_fstatfs, 0, &fs) < 0 || fs.f_type != PIPEFS_MAGIC || flags < 0 ||
	    flags & (O_ACCMODE | O_NONBLOCK | O_DIRECT))
		return refuse(s, "standard input is a pipe of an unusual kind");
	if (wait_for_writers() < 0)
		return refuse(s,
		              "standard input is a pipe that holds too much or is written slowly");
	if (copy_pipe(&s->source, &s->arena) < 0)
		return refuse(s, "standard input cannot be copied");
	digest_of(&s->source.content, s->source.text, s->source.len);
	s->source.kind = STDIN_PIPE;
	return REASON_NONE;
}

enum reason action_stdin(struct start *start)
{
	struct stdin_source *s = &start->source;

	if (sys_statx(0, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &s->st) < 0)
		return refuse(start, "standard input is closed");
	switch (s->st.stx_mode & S_IFMT) {
	case S_IFREG:
		return look_at_file(start);
	case S_IFIFO:
		return look_at_pipe(start);
	case S_IFCHR:
		if (s->st.stx_rdev_major == 1 && s->st.stx_rdev_minor == 3) {
			digest_of(&s->content, "", 0);
			s->kind = STDIN_NULL;
			return REASON_NONE;
		}
		/* fall through */
	default:
		return refuse(start, "standard input is a terminal, a socket or a device");
	}
}

void action_stdin_key(struct start *start)
{
	static const char *const kinds[] = {"", "null", "file", "pipe"};
	struct stdin_source *s = &start->source;

	if (s->kind == STDIN_UNREAD)
		return;
	/* gcc warns of a file that is "shorter than expected" when reading begins inside it. */
	key_add_str(&start->key, KEY_STREAM, "stdin", s->at ? "inside file" : kinds[s->kind]);
	key_add_digest(&start->key, KEY_PRIMARY, "standard input", &s->content);
}

static int fill_pipe(const struct stdin_source *s)
{
	int p[2], rc = open_pipe(p, STDIN_PIPE_MAX);

	if (rc < 0)
		return rc;
	if (sys_write_all(p[1], s->text, s->len) != (ssize_t)s->len)
		rc = -EIO;
	sys_close(p[1]);
	if (rc == 0)
		rc = sys_fcntl(p[0], F_SETFL, 0);
	if (rc < 0)
		sys_close(p[0]);
	return rc < 0 ? rc : p[0];
}

int action_stdin_open(const struct stdin_source *s)
{
	int fd;

	if (s->kind == STDIN_PIPE)
		return fill_pipe(s);
	fd = sys_open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0)
		sys_lseek(fd, s->at, SEEK_SET);
	return fd;
}

static void skip_pipe(size_t n)
{
	char bytes[4096];
	unsigned tries = 0;

	while (n) {
		ssize_t got = sys_read(0, bytes, n < sizeof bytes ? n : sizeof bytes);

		if (sys_interrupted(got, &tries))
			continue;
		if (got <= 0)
			return;
		n -= (size_t)got;
		tries = 0;
	}
}

int action_stdin_leave(const struct stdin_source *s, int fd)
{
	off_t at;
	int left;

	if (s->kind == STDIN_PIPE) {
		left = bytes_in(fd);
		if (left < 0)
			return 0;
		skip_pipe(s->len - (size_t)left);
		return left == 0;
	}
	at = sys_lseek(fd, 0, SEEK_CUR);
	sys_lseek(0, at, SEEK_SET);
	return at == s->at + (off_t)s->len;
}

void action_stdin_consume(const struct stdin_source *s)
{
	if (s->kind == STDIN_PIPE)
		skip_pipe(s->len);
	else if (s->kind == STDIN_FILE)
		sys_lseek(0, s->at + (off_t)s->len, SEEK_SET);
}

int action_stdin_changed(const struct stdin_source *s)
{
	struct digest now;

	if (s->kind != STDIN_FILE)
		return 0;
	return !changed_same_stamp(0, "", &s->st) ||
	       digest_file(s->at, s->len, &now) < 0 || !digest_equal(&now, &s->content);
}
