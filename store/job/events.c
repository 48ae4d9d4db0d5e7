/* store/job/events.c - appends events, and moves them to the store. */
#include "store/job/events.h"

#include <sys/stat.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/settings/job.h"
#include "store/dirs.h"
#include "store/job/counters.h"
#include "store/job/job_list.h"
#include "store/walk.h"

#include "shim/banned.h"

/* A file may exceed its limit: writers may append between its counting and its renaming. */
#define MOVE_MAX (2 * (size_t)EVENTS_JOB_BYTES_MAX)
/* In the name of a file that is being moved; in no job's file name. */
#define MOVING "~"
/* PID_MAX_LIMIT of Linux is below. */
#define PID_MOST 100000000
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

/* The name of n bytes of events in the store: that of their first event. So a mover that is killed
 * and the one that adopts its file write the same file. */
static void moved_name(char out[DIRS_HOST + 48], const unsigned char *bytes, size_t n)
{
	struct event first = {.start = sys_now_ns(CLOCK_REALTIME), .pid = sys_getpid()};
	struct event_texts t;
	char host[DIRS_HOST];

	if (n >= EVENT_BYTES)
		event_decode(&first, &t, bytes);
	dirs_host(host);
	format_text(out, DIRS_HOST + 48, "%s.%d.%ld", host, first.pid, (long)first.start);
}

/* 0 or -errno. */
static int write_moved(const char *path, const unsigned char *bytes, size_t n)
{
	struct statx st;
	ssize_t rc;
	int to;

	if (sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_SIZE, &st) == 0 &&
	    st.stx_size >= n)
		return 0;
	to = sys_open_made(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (to < 0)
		return to;
	rc = sys_write_all(to, bytes, n);
	sys_close(to);
	if (rc < 0)
		sys_unlink(path);
	return rc < 0 ? (int)rc : 0;
}

/* Writes what fd holds into the store. 0 or -errno. name: the job's file name. */
static int write_to_store(struct store *s, const char *name, int fd, size_t size)
{
	char dir[PATH_SIZE], path[PATH_SIZE], file[DIRS_HOST + 48];
	struct arena a = ARENA_INIT;
	unsigned char *bytes;
	ssize_t n = -ENOMEM;

	if (!s->writable || path_in(dir, s->dir, "") < 0)
		return -EROFS;
	if (make_place(s, dir, size) < 0)
		return -ENOSPC;
	bytes = arena_alloc(&a, size);
	if (bytes)
		n = sys_read_all(fd, bytes, size);
	if (n > 0) {
		moved_name(file, bytes, (size_t)n);
		if (path_in(dir, s->dir, name) < 0 || dirs_make(dir) < 0 ||
		    path_join(path, sizeof path, dir, file) >= sizeof path)
			n = -EROFS;
	}
	if (n > 0)
		n = write_moved(path, bytes, (size_t)n);
	arena_free(&a);
	return n < 0 ? (int)n : 0;
}

/* Moves a file that is this process's, named work. c: the job's slot, or NULL. */
static void move_work(struct store *s, const char *name, const char *work, struct job_counts *c)
{
	int64_t *here = counters_word(s, COUNTER_WORD_EVENTS);
	struct statx st;
	int fd = sys_open(work, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);

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

/* from: a job's file, or that of a mover that was killed. Of several processes one renames it. */
static void move_file(struct store *s, const char *from, const char *name, struct job_counts *c)
{
	char path[PATH_SIZE], at[PATH_SIZE], work[PATH_SIZE + 32];

	if (path_in(path, s->runtime_dir, from) < 0 || path_in(at, s->runtime_dir, name) < 0)
		return;
	/* Of the thread: two of a process may move at once. */
	format_text(work, sizeof work, "%s%s%d", at, MOVING, sys_gettid());
	if (sys_rename(path, work) == 0)
		move_work(s, name, work, c);
}

struct moving {
	struct store *s;
	int all; /* 0: only what killed movers left */
};

/* Which job has a digest's name is not known. */
static struct job_counts *slot_of(struct store *s, const char *name)
{
	return job_list_name_ok(name) ? job_counts_of(s, name, 0) : NULL;
}

static int move_one(void *ctx, int dirfd, const char *path, const char *name)
{
	const struct moving *m = ctx;
	const char *mark = strchr(name, MOVING[0]);
	char job[EVENTS_NAME_MAX + 1];
	size_t n = mark ? (size_t)(mark - name) : 0;
	int pid = 0;

	if (!mark && m->all)
		move_file(m->s, name, name, slot_of(m->s, name));
	if (!mark || n >= sizeof job)
		return 0;
	for (mark++; *mark >= '0' && *mark <= '9' && pid < PID_MOST; mark++)
		pid = 10 * pid + (*mark - '0');
	/* A mover in another PID namespace looks as if it were gone. Then both move the file, to
	 * one place. */
	if (!pid || *mark || sys_kill(pid, 0) != -ESRCH)
		return 0;
	memcpy(job, name, n);
	job[n] = '\0';
	move_file(m->s, name, job, slot_of(m->s, job));
	return 0;
}

void events_move(struct store *s, const char *job)
{
	char name[EVENTS_NAME_MAX + 1], dir[PATH_SIZE];

	if (job) {
		events_name(name, job);
		move_file(s, name, name, job_counts_of(s, job, 0));
	}
	if (events_runtime_path(dir, s, NULL) == 0)
		walk_names(dir, move_one, &(struct moving){s, !job});
}

void events_adopt(struct store *s)
{
	char dir[PATH_SIZE];

	if (events_runtime_path(dir, s, NULL) == 0)
		walk_names(dir, move_one, &(struct moving){s, 0});
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
	if (e->kind != EVENT_JOB)
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

	d->removed += walk_drop_old(dirfd, name, d->before);
	return 0;
}

static int drop_job(void *ctx, int dirfd, const char *path, const char *name)
{
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

/* Slots of jobs in the counters' page. */

static int64_t id_of(const char *job)
{
	struct digest d;

	digest_name(&d, job, strlen(job));
	return (int64_t)(le_get(d.b, 8) | 1);
}

/* Makes the slot the job's, if it is still as it was. */
static int claim(struct job_counts *c, int64_t was, int64_t id)
{
	if (!__atomic_compare_exchange_n(&c->id, &was, id, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 0;
	/* Another process of the job may add meanwhile: what it adds to an old job's sums is lost
	 * with them. A free slot is zero. */
	if (was)
		memset((char *)c + sizeof c->id, 0, sizeof *c - sizeof c->id);
	return 1;
}

struct job_counts *job_counts_of(struct store *s, const char *job, int make)
{
	unsigned char *page = counters_jobs(s);
	int64_t id = id_of(job);

	/* A page that is read first faults a second time when it is changed. */
	if (page && make)
		__atomic_fetch_or((int64_t *)page, 0, __ATOMIC_RELAXED);
	for (int tries = 0; page && tries < 4; tries++) {
		struct job_counts *free_one = NULL;
		int64_t was = 0;

		for (int i = 0; i < JOB_COUNTS_SLOTS; i++) {
			struct job_counts *c = (void *)(page + i * JOB_COUNTS_WORDS * 8);
			int64_t owner = __atomic_load_n(&c->id, __ATOMIC_ACQUIRE);

			if (owner == id)
				return c;
			if (!free_one || (was && (!owner || c->used < free_one->used))) {
				free_one = c;
				was = owner;
			}
		}
		if (!make)
			return NULL;
		if (claim(free_one, was, id))
			return free_one;
	}
	return NULL;
}

static void add(int64_t *word, int64_t n)
{
	__atomic_add_fetch(word, n, __ATOMIC_RELAXED);
}

void job_counts_add(struct job_counts *c, const struct event *e)
{
	__atomic_store_n(&c->used, e->start / 1000000000, __ATOMIC_RELAXED);
	add(&c->spent, e->spent);
	add(&c->waited, e->waited);
	add(&c->worth, e->worth);
	add(&c->bytes, (int64_t)e->bytes);
	add(&c->count[e->kind * EVENT_VERDICTS + e->verdict], 1);
}
