/* store/events.c - appends events, and moves them to the store. */
#include "store/events.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/format.h"
#include "shim/job.h"
#include "shim/sys.h"
#include "store/counters.h"
#include "store/dirs.h"
#include "store/job_counts.h"
#include "store/job_list.h"
#include "store/walk.h"

#include "shim/banned.h"

/* A file may exceed its limit by what writers append between its counting and its renaming. */
#define MOVE_MAX (2 * (size_t)EVENTS_JOB_BYTES_MAX)
/* In the name of a file that is being moved; in no job's file name. */
#define MOVING "~"
#define DAY_S ((int64_t)24 * 3600)

const char *events_job(const struct settings *set, char *const envp[], struct arena *a)
{
	return setting_number(set, SETTING_EVENTS) ? settings_job(set, envp, a, NULL) : NULL;
}

void events_name(char out[EVENTS_NAME_MAX + 1], const char *job)
{
	char hex[DIGEST_HEX + 1];
	struct digest d;

	/* Also what events_last() returned. */
	if (job_list_name_ok(job) || (job[0] == '%' && strlen(job) == 33)) {
		format_text(out, EVENTS_NAME_MAX + 1, "%s", job);
		return;
	}
	digest_name(&d, job, strlen(job));
	digest_hex(&d, hex);
	hex[32] = '\0';
	format_text(out, EVENTS_NAME_MAX + 1, "%%%s", hex);
}

/* name: a file name, "": the directory. */
static int path_in(char out[PATH_SIZE], const char *dir, const char *name)
{
	char rest[sizeof "events/" + EVENTS_NAME_MAX];

	format_text(rest, sizeof rest, *name ? "events/%s" : "events", name);
	return dir && path_join(out, PATH_SIZE, dir, rest) < PATH_SIZE ? 0 : -1;
}

static int path_of(char out[PATH_SIZE], const char *dir, const char *job)
{
	char name[EVENTS_NAME_MAX + 1] = "";

	if (job)
		events_name(name, job);
	return path_in(out, dir, name);
}

int events_runtime_path(char out[PATH_SIZE], const struct store *s, const char *job)
{
	return path_of(out, s->runtime_dir, job);
}

int events_store_path(char out[PATH_SIZE], const struct store *s, const char *job)
{
	return path_of(out, s->dir, job);
}

/* The bytes of all files of events in the store. */
static int add_size(void *ctx, int dirfd, const char *path, const char *name)
{
	struct statx st;

	(void)path;
	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_SIZE, &st) < 0)
		return 0;
	if (S_ISDIR(st.stx_mode))
		walk_names_at(dirfd, name, add_size, ctx);
	else
		*(uint64_t *)ctx += st.stx_size;
	return 0;
}

/* Makes place for n bytes, from the oldest on. 0 or -ENOSPC. */
static int make_place(const struct store *s, const char *dir, size_t n)
{
	static const int64_t ages[] = {EVENTS_KEEP_S, 7 * DAY_S, DAY_S, DAY_S / 24};

	for (size_t i = 0; i <= sizeof ages / sizeof *ages; i++) {
		uint64_t held = 0;

		walk_names(dir, add_size, &held);
		if (held + n <= EVENTS_STORE_BYTES_MAX)
			return 0;
		if (i < sizeof ages / sizeof *ages)
			events_drop_old(s, sys_now_ns(CLOCK_REALTIME) / 1000000000 - ages[i]);
	}
	return -ENOSPC;
}

/* 0 or -errno. name: the job's file name. */
static int write_to_store(struct store *s, const char *name, int fd, size_t size)
{
	char dir[PATH_SIZE], path[PATH_SIZE], host[DIRS_HOST], file[DIRS_HOST + 48];
	struct arena a = ARENA_INIT;
	unsigned char *bytes;
	ssize_t n = -ENOMEM;
	int to;

	if (!s->writable || path_in(dir, s->dir, "") < 0)
		return -EROFS;
	if (make_place(s, dir, size) < 0)
		return -ENOSPC;
	dirs_host(host);
	format_text(file, sizeof file, "%s.%d.%ld", host, sys_getpid(),
	            (long)sys_now_ns(CLOCK_REALTIME));
	if (path_in(dir, s->dir, name) < 0 ||
	    path_join(path, sizeof path, dir, file) >= sizeof path || dirs_make(dir) < 0)
		return -EROFS;
	bytes = arena_alloc(&a, size);
	if (bytes)
		n = sys_read_all(fd, bytes, size);
	to = n > 0 ? sys_open_made(path, O_WRONLY | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)
	           : (int)n;
	if (to >= 0) {
		n = sys_write_all(to, bytes, (size_t)n);
		sys_close(to);
		if (n < 0)
			sys_unlink(path);
	}
	arena_free(&a);
	return n < 0 ? (int)n : to < 0 ? to : 0;
}

/* c: the job's slot, or NULL. */
static void move_file(struct store *s, const char *name, struct job_counts *c)
{
	int64_t *here = counters_word(s, COUNTER_WORD_EVENTS);
	char path[PATH_SIZE], work[PATH_SIZE + 32];
	struct statx st;
	int fd;

	/* Of several processes one renames it. */
	if (path_in(path, s->runtime_dir, name) < 0)
		return;
	format_text(work, sizeof work, "%s%s%d", path, MOVING, sys_getpid());
	if (sys_rename(path, work) < 0)
		return;
	fd = sys_open(work, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd >= 0 && sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) == 0 &&
	    S_ISREG(st.stx_mode)) {
		int64_t size = (int64_t)st.stx_size;
		int lost = (size_t)size > MOVE_MAX || write_to_store(s, name, fd, (size_t)size) < 0;

		if (here)
			__atomic_sub_fetch(here, size, __ATOMIC_RELAXED);
		if (c)
			__atomic_sub_fetch(&c->here, size, __ATOMIC_RELAXED);
		if (c && lost)
			__atomic_add_fetch(&c->dropped, size / EVENT_BYTES, __ATOMIC_RELAXED);
	}
	if (fd >= 0)
		sys_close(fd);
	sys_unlink(work);
}

static int move_one(void *ctx, int dirfd, const char *path, const char *name)
{
	(void)dirfd;
	(void)path;
	/* Which job has a digest's name is not known. */
	if (!strchr(name, MOVING[0]))
		move_file(ctx, name, job_list_name_ok(name) ? job_counts_of(ctx, name, 0) : NULL);
	return 0;
}

void events_move(struct store *s, const char *job)
{
	char name[EVENTS_NAME_MAX + 1], dir[PATH_SIZE];

	if (job) {
		events_name(name, job);
		move_file(s, name, job_counts_of(s, job, 0));
	} else if (events_runtime_path(dir, s, NULL) == 0) {
		walk_names(dir, move_one, s);
	}
}

/* 1: the event is written. */
static int append(const struct store *s, const char *job, const struct event *e, int ends)
{
	unsigned char bytes[EVENT_BYTES];
	char path[PATH_SIZE], dir[PATH_SIZE];
	int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, fd;
	ssize_t n;

	if (events_runtime_path(path, s, job) < 0)
		return 0;
	event_encode(bytes, e);
	fd = sys_open_made(path, flags, 0600);
	if (fd == -ENOENT && events_runtime_path(dir, s, NULL) == 0 && dirs_make(dir) == 0)
		fd = sys_open_made(path, flags, 0600);
	if (fd < 0)
		return 0;
	n = sys_write(fd, bytes, sizeof bytes);
	if (!ends)
		sys_close(fd);
	return n == sizeof bytes;
}

void events_add(struct store *s, const char *job, const struct event *e, int ends)
{
	struct job_counts *c = job ? job_counts_of(s, job, 1) : NULL;
	int64_t *all = c ? counters_word(s, COUNTER_WORD_EVENTS) : NULL;

	/* Without the page nothing bounds the files. */
	if (!c)
		return;
	job_counts_add(c, e);
	if (__atomic_load_n(all, __ATOMIC_RELAXED) >= EVENTS_NODE_BYTES_MAX)
		events_move(s, NULL);
	else if (__atomic_load_n(&c->here, __ATOMIC_RELAXED) >= EVENTS_JOB_BYTES_MAX)
		events_move(s, job);
	if (__atomic_load_n(all, __ATOMIC_RELAXED) >= EVENTS_NODE_BYTES_MAX ||
	    !append(s, job, e, ends)) {
		__atomic_add_fetch(&c->dropped, 1, __ATOMIC_RELAXED);
		return;
	}
	__atomic_add_fetch(&c->here, EVENT_BYTES, __ATOMIC_RELAXED);
	__atomic_add_fetch(all, EVENT_BYTES, __ATOMIC_RELAXED);
}

struct dropping {
	int64_t before;
	uint64_t removed;
};

static int drop_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct dropping *d = ctx;
	struct statx st;

	(void)path;
	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MTIME, &st) == 0 &&
	    S_ISREG(st.stx_mode) && st.stx_mtime.tv_sec < d->before &&
	    SYS3(SYS_unlinkat, dirfd, name, 0) == 0)
		d->removed++;
	return 0;
}

static int drop_job(void *ctx, int dirfd, const char *path, const char *name)
{
	(void)path;
	walk_names_at(dirfd, name, drop_file, ctx);
	/* Fails where some are left. */
	SYS3(SYS_unlinkat, dirfd, name, AT_REMOVEDIR);
	return 0;
}

uint64_t events_drop_old(const struct store *s, int64_t before)
{
	struct dropping d = {before, 0};
	char path[PATH_SIZE];

	if (events_store_path(path, s, NULL) == 0)
		walk_names(path, drop_job, &d);
	return d.removed;
}
