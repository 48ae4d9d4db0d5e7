/* action/write_output.c - the bytes, the mode and the name of one output. */
#include "action/write_output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "judge/output/confine.h"
#include "judge/output/mode.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/pack.h"
#include "store/shared_page.h"
#include "tools/cmdline/language.h"

#include "shim/banned.h"

/* Beyond this size an output is written in pieces, whose pages are released again, because a mapped
 * entry would otherwise fill memory. For longer writes the kernel takes larger pieces of memory,
 * and those were used less lately: on a virtual machine such a write takes three times as long. */
#define LARGE (8u << 20)
#define PIECE (128u << 10)

struct sink {
	int fd;
	int listed; /* as in struct ready */
	int again;  /* it may have to be written again, so that its pages stay */
	uint64_t at;
	struct digest_state digest;
};

/* Each piece is digested where it lies in the processor's cache. */
static int write_piece(void *arg, const void *p, size_t n)
{
	struct sink *to = arg;
	ssize_t rc = sys_write_all(to->fd, p, n);

	if (to->listed && !to->at)
		to->listed = text_kind(p, n) == TEXT_PRECOMPILED;
	if (to->listed)
		digest_add(&to->digest, p, n);
	to->at += n;
	return rc < 0 ? (int)rc : 0;
}

static int write_large(struct sink *to, const unsigned char *data, size_t n)
{
	int rc = 0;

	if (n <= LARGE)
		return write_piece(to, data, n);
	for (size_t at = 0, len; at < n && rc == 0; at += len) {
		/* A page that is touched brings its neighbours of an aligned block. A piece ends
		 * where a block ends, so nothing comes back that was released. */
		len = PIECE - ((uintptr_t)(data + at) & (PIECE - 1));
		if (len > n - at)
			len = n - at;
		rc = write_piece(to, data + at, len);
		if (!to->again)
			sys_drop_pages(data + at, len);
	}
	return rc;
}

/* If the mode cannot be read, all bits count as set, so none is added. */
static unsigned mode_now(int fd)
{
	struct statx st;

	return sys_statx(fd, "", AT_EMPTY_PATH, STATX_MODE, &st) == 0 ? st.stx_mode : 07777;
}

/* 0, -EBADMSG if the output does not unpack, or -1. What was in memory is gone, but for an output
 * that is renamed. */
static int write_and_close(struct action *a, int fd, struct ready *w)
{
	struct sink to = {.fd = fd, .listed = w->listed, .again = w->o->style == WRITE_RENAME};
	int rc, mode;

	digest_init(&to.digest);
	rc = w->streams ? unpack_to(write_piece, &to, w->o->len, w->o->packed, w->o->packed_len,
	                            &a->start.arena)
	                : write_large(&to, w->data, w->len);
	digest_final(&to.digest, &w->content);
	w->listed = to.listed && to.at;
	mode = rc < 0 ? -1
	             : mode_to_set(w->o, a->start.call.umask,
	                           w->o->mode_kind == MODE_EXEC ? mode_now(fd) : 0);
	if (mode >= 0)
		sys_fchmod(fd, (unsigned)mode);
	sys_close(fd);
	if (rc < 0)
		start_detail(&a->start, "write %s: error %d", w->path, -rc);
	if (w->streams && rc == -EBADMSG)
		return -EBADMSG;
	return rc < 0 ? -1 : 0;
}

/* A name beside an output that no other process uses. Two replays to the same path must not write
 * into each other's file. */
#define RENAME_TRIES 16

static int open_beside(struct action *a, const struct ready *w, char **tmp)
{
	char name[64];
	int fd = -ENOMEM;

	for (unsigned i = 0; i < RENAME_TRIES; i++) {
		/* The time separates equal pids of two containers. */
		format_text(name, sizeof name, ".reprise-%d-%lx", sys_getpid(),
		            (unsigned long)sys_now_ns(CLOCK_MONOTONIC));
		*tmp = arena_cat(&a->start.arena, w->path, name, NULL);
		if (!*tmp)
			return -ENOMEM;
		fd = sys_open(*tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_of_new(w->o));
		if (fd != -EEXIST)
			break;
	}
	return fd;
}

/* A symbolic link in the last place is followed for the main outputs, as the tool does. For a file
 * beside the output (x.d of x.o) the link may be a trap, so the tool itself decides. A FIFO must
 * not block us either. The directories come from a name in the command line or the cwd
 * (judge/output/confine.h). */
static int open_output(struct action *a, struct ready *w)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	const char *runtime = a->start.store.runtime_dir;
	int fd = -EEXIST;

	if (w->streams)
		fd = sys_open(w->path, flags | O_EXCL, mode_of_new(w->o));
	w->made = fd >= 0;
	if (fd < 0)
		fd = sys_open(w->path, flags | O_NOFOLLOW, mode_of_new(w->o));
	if (fd == -ELOOP && confine_asked_for(&a->start, w->path))
		fd = sys_open(w->path, flags, mode_of_new(w->o));
	/* A tool that writes the same file shall not be stored. */
	if (fd >= 0 && w->o->style == WRITE_TRUNCATE && !w->older.absent)
		writers_met(fd, F_WRLCK, runtime);
	return fd;
}

/* Writes a new file and renames it over the path, as clang does. clang copies a file that cannot be
 * renamed. */
static int write_renamed(struct action *a, struct ready *w)
{
	char *tmp;
	int fd = open_beside(a, w, &tmp), rc;

	if (fd < 0) {
		start_detail(&a->start, "open a file beside %s: error %d", w->path, -fd);
		return -1;
	}
	rc = write_and_close(a, fd, w);
	if (rc == 0 && sys_rename(tmp, w->path) == 0)
		return 0;
	sys_unlink(tmp);
	if (rc < 0 || w->streams)
		return rc < 0 ? rc : -1;
	fd = open_output(a, w);
	return fd < 0 ? fd : write_and_close(a, fd, w);
}

int write_output(struct action *a, struct ready *w)
{
	struct statx st;
	int fd, rc;

	if (strcmp(w->path, "/dev/null") == 0)
		return 0;
	switch (w->o->style) {
	case WRITE_RENAME:
		return write_renamed(a, w);
	case WRITE_REPLACE: /* all_writable() saw a file that is not empty, or none */
	case WRITE_UNLINK: /* as bfd: an absent file, an empty file and a dangling link stay */
		if (sys_statx(AT_FDCWD, w->path, 0, STATX_SIZE, &st) == 0 && st.stx_size != 0 &&
		    sys_statx(AT_FDCWD, w->path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) == 0 &&
		    ((st.stx_mode & S_IFMT) == S_IFREG || (st.stx_mode & S_IFMT) == S_IFLNK))
			sys_unlink(w->path);
		break;
	default:
		break;
	}
	fd = open_output(a, w);
	if (fd < 0) {
		start_detail(&a->start, "open %s: error %d", w->path, -fd);
		return -1;
	}
	rc = write_and_close(a, fd, w);
	if (rc == -EBADMSG && w->made)
		sys_unlink(w->path);
	return rc;
}
