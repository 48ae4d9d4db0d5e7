/* action/stream_texts.c - writes a result's stdout and stderr, so that a full disk looks as it does
 * with the real tool. */
#include "action/stream_texts.h"

#include <linux/falloc.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "action/action.h"
#include "shim/buf.h"
#include "shim/kernel/ready.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

/* Other writers may use free space of the disk before the replay is done. */
#define ROOM_TO_SPARE (1u << 20)
/* More than a compiler prints: the preprocessed text of all torch headers has 8 MB. */
#define ROOM_TO_RECORD (16u << 20)

/* The answer of statfs. A file system without block counts (blocks 0) is never full. */
static int has_free(int fd, uint64_t bytes)
{
	struct statfs fs;

	return SYS2(SYS_fstatfs, fd, &fs) < 0 || fs.f_blocks == 0 ||
	       (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= bytes;
}

/* 1: a regular file, where a write never blocks on a reader. */
static int is_file(int fd)
{
	struct statx st;

	return sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) == 0 && S_ISREG(st.stx_mode);
}

/* Where the next byte of this stream goes, or -errno. */
static off_t place(int fd)
{
	int flags = sys_fcntl(fd, F_GETFL, 0);

	return sys_lseek(fd, 0, flags >= 0 && flags & O_APPEND ? SEEK_END : SEEK_CUR);
}

/* 0: beyond RLIMIT_FSIZE the tool's own write is a signal, and one of ours is not. */
static int is_below_limit(const struct action *a, int fd, uint64_t n)
{
	off_t at = a->file_size == RLIM_INFINITY ? -1 : place(fd);

	return at < 0 || (uint64_t)at + n <= a->file_size;
}

/* 0 if the disk or the limit on file sizes has no room for n more bytes of this stream. Readers of
 * the file see no change. */
static int reserve(const struct action *a, int fd, uint64_t n)
{
	off_t at;
	int rc;

	if (n == 0 || !is_file(fd))
		return 1;
	if (!is_below_limit(a, fd, n))
		return 0;
	if (has_free(fd, n + ROOM_TO_SPARE))
		return 1;
	at = place(fd);
	rc = at < 0 ? 0 : sys_fallocate(fd, FALLOC_FL_KEEP_SIZE, at, (off_t)n);
	return rc != -ENOSPC && rc != -EDQUOT && rc != -EIO;
}

/* Returns to the former end of this stream, so that the real tool writes the same bytes there
 * again. */
static int rewind_stream(int fd, uint64_t written)
{
	int flags = sys_fcntl(fd, F_GETFL, 0);

	if (!written)
		return 0;
	if (flags < 0 || flags & O_APPEND || !is_file(fd))
		return -1;
	return sys_lseek(fd, -(off_t)written, SEEK_CUR) < 0 ? -1 : 0;
}

int stream_texts_waits(int fd)
{
	struct statx st;

	return sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MODE, &st) == 0 &&
	       !S_ISREG(st.stx_mode) && !sys_is_null(&st);
}

/* A socket whose writing end was shut down, by either side, tells it by an empty message alone. */
static int is_shut(int fd)
{
	long rc = SYS6(SYS_sendto, fd, "", 0, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);

	return rc == -EPIPE || rc == -ENOTCONN;
}

int stream_texts_have_readers(struct action *a, unsigned which)
{
	for (int fd = 1; fd <= 2; fd++) {
		struct pollfd p = {fd, 0, 0};

		if (!(which & 1u << fd) || a->start.streams.kind[fd] == STREAM_CLOSED)
			continue;
		if ((ready_wait(&p, 1, 0) <= 0 || !(p.revents & STREAM_TEXTS_GONE)) && !is_shut(fd))
			continue;
		return start_detail(&a->start, "standard %s has no reader", streams_name(fd));
	}
	return 1;
}

/* Writes to the caller's stream, which may be slow or non-blocking. Adds the written bytes to
 * *written. -errno: the stream takes no more. */
static int put(int fd, const void *data, size_t n, uint64_t *written)
{
	unsigned tries = 0;

	while (n) {
		ssize_t done = sys_write(fd, data, n);
		struct pollfd p = {fd, POLLOUT, 0};

		if (sys_interrupted(done, &tries))
			continue;
		if (done == -EAGAIN) {
			ready_wait(&p, 1, -1);
			continue;
		}
		if (done <= 0)
			return done < 0 ? (int)done : -EIO;
		data = (const char *)data + done;
		n -= (size_t)done;
		*written += (uint64_t)done;
		tries = 0;
	}
	return 0;
}

int stream_texts_prepare(struct action *a, struct result *r, const struct patch_name *from,
                         struct stream_texts *out)
{
	out->v = arena_alloc(&a->start.arena, (r->chunk_count + 1) * sizeof *out->v);
	if (!out->v)
		return -1;
	for (size_t i = 0; i < r->chunk_count; i++) {
		struct result_chunk *c = &r->chunk[i];
		struct stream_text *t = &out->v[out->count];
		struct buf text = BUF_INIT(&a->start.arena);

		if (a->start.streams.kind[c->stream] == STREAM_CLOSED)
			continue;
		*t = (struct stream_text){c->stream, c->data, c->len};
		if (c->patches.count) {
			if (patch_rewrite(&text, c->data, c->len, c->patches.v, c->patches.count,
			                  from, r->name_count, a->start.all_names.v,
			                  name_list_all(&a->start.all_names)) < 0 ||
			    text.failed)
				return -1;
			t->data = text.data;
			t->len = text.len;
		}
		out->bytes[c->stream] += t->len;
		out->count++;
	}
	return 0;
}

int stream_texts_reserve(struct action *a, const struct stream_texts *s)
{
	uint64_t out = s->bytes[1], err = s->bytes[2];

	if (!stream_texts_have_readers(a, (out ? 2 : 0) | (err ? 4 : 0)))
		return -1;
	if (a->start.streams.one_stream)
		out += err, err = 0;
	if (reserve(a, 1, out) && reserve(a, 2, err))
		return 0;
	start_detail(&a->start, "no room for what goes to standard output or error");
	return -1;
}

int stream_texts_may_wait(struct action *a, const struct stream_texts *s)
{
	uint64_t both = a->start.streams.one_stream ? s->bytes[1] + s->bytes[2] : 0;

	for (int fd = 1; fd <= 2; fd++) {
		uint64_t bytes = both ? both : s->bytes[fd];
		long size = bytes ? sys_fcntl(fd, F_GETPIPE_SZ, 0) : -1;
		int there = 0;

		if (size > 0 && sys_ioctl(fd, FIONREAD, &there) == 0 &&
		    bytes + (uint64_t)there > (uint64_t)size)
			return 1;
	}
	return 0;
}

static enum stream_texts_end write_all(struct action *a, const struct stream_texts *s)
{
	uint64_t written[3] = {0, 0, 0};

	for (size_t i = 0; i < s->count; i++) {
		const struct stream_text *t = &s->v[i];
		int rc = put(t->fd, t->data, t->len, &written[t->fd]);

		if (rc == 0)
			continue;
		/* Nobody reads what was written there, or will be. */
		if (rc == -EPIPE || rc == -ECONNRESET) {
			written[t->fd] = 0;
			if (a->start.streams.one_stream)
				written[1] = written[2] = 0;
		}
		if (rewind_stream(1, written[1]) < 0 || rewind_stream(2, written[2]) < 0)
			return rc == -EPIPE ? STREAM_TEXTS_CUT : STREAM_TEXTS_FAILED;
		start_detail(&a->start, "standard %s could not be written", streams_name(t->fd));
		return STREAM_TEXTS_UNDONE;
	}
	return STREAM_TEXTS_WRITTEN;
}

enum stream_texts_end stream_texts_write(struct action *a, const struct stream_texts *s)
{
	enum stream_texts_end end;
	uint64_t mask;

	if (!s->count)
		return STREAM_TEXTS_WRITTEN;
	mask = signals_pipe_hold();
	end = write_all(a, s);
	signals_pipe_release(mask, end != STREAM_TEXTS_WRITTEN);
	return end;
}

int stream_texts_recordable(struct action *a)
{
	for (int fd = 1; fd <= 2; fd++)
		if (a->start.streams.kind[fd] == STREAM_OTHER && is_file(fd) &&
		    (!has_free(fd, ROOM_TO_RECORD) || !is_below_limit(a, fd, ROOM_TO_RECORD)))
			return start_detail(&a->start, "little room is left for standard %s",
			                    streams_name(fd));
	return 1;
}

/* Appends to the capture of a recorded tool's streams. */

void capture_add(struct capture *c, struct arena *arena, int fd, const void *data, size_t n)
{
	struct capture_chunk *last = c->count ? &c->chunk[c->count - 1] : NULL;

	if (c->overflow)
		return;
	if (c->bytes.len + n > CAPTURE_MAX) {
		c->overflow = 1;
		return;
	}
	if (!last || last->stream != fd) {
		struct capture_chunk *v =
			arena_grow(arena, c->chunk, c->count, &c->cap, sizeof *v, 16);

		if (!v) {
			c->overflow = 1;
			return;
		}
		c->chunk = v;
		last = &c->chunk[c->count++];
		*last = (struct capture_chunk){(unsigned char)fd, c->bytes.len, 0};
	}
	buf_add(&c->bytes, data, n);
	last->len += n;
	if (c->bytes.failed)
		c->overflow = 1;
}
