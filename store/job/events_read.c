/* store/job/events_read.c - reads the events of jobs. */
#include "store/job/events_read.h"

#include <sys/stat.h>

#include "shim/kernel/sys.h"
#include "shim/sort.h"
#include "store/dirs.h"
#include "store/walk.h"

enum { AT_ONCE = 128 };

struct reading {
	struct events *out;
	struct arena *a;
	size_t cap, run_cap;
	const char *host; /* of the file that is read */
};

static void take(struct reading *r, const unsigned char *bytes)
{
	struct event_texts *t = arena_alloc(r->a, sizeof *t);
	struct events *out = r->out;
	struct event e, *v;

	if (!t)
		return;
	if (event_decode(&e, t, bytes) < 0) {
		out->malformed++;
		return;
	}
	e.host = r->host;
	if (e.kind == EVENT_JOB) {
		v = arena_grow(r->a, out->run, out->runs, &r->run_cap, sizeof *v, 16);
		if (v) {
			out->run = v;
			v[out->runs++] = e;
		}
		return;
	}
	v = arena_grow(r->a, out->v, out->count, &r->cap, sizeof *v, 1024);
	if (v) {
		out->v = v;
		v[out->count++] = e;
	}
}

/* An incomplete record at the end was cut by a full disk. No whole file is longer than the store
 * may hold. */
static void read_fd(struct reading *r, int fd)
{
	unsigned char bytes[AT_ONCE * EVENT_BYTES];
	uint64_t left = EVENTS_STORE_BYTES_MAX;
	ssize_t n;

	for (; left >= sizeof bytes && (n = sys_read_all(fd, bytes, sizeof bytes)) > 0;
	     left -= (uint64_t)n)
		for (ssize_t at = 0; at + EVENT_BYTES <= n; at += EVENT_BYTES)
			take(r, bytes + at);
}

/* <host>.<pid>.<ns> */
static const char *host_of(const char *name, struct arena *a)
{
	size_t n = strlen(name);

	for (int dots = 0; n > 0 && dots < 2; n--)
		dots += name[n - 1] == '.';
	name = arena_memdup(a, name, n);
	return name ? name : "";
}

static int read_at(void *ctx, int dirfd, const char *path, const char *name)
{
	struct reading *r = ctx;
	int fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
	                    0);

	if (fd >= 0) {
		if (path)
			r->host = host_of(name, r->a);
		read_fd(r, fd);
		sys_close(fd);
	}
	return 0;
}

static int by_start(const void *x, const void *y)
{
	const struct event *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

struct telling {
	void (*each)(void *ctx, const char *name, int64_t when);
	void *ctx;
	int64_t when;
};

static int64_t changed(int dirfd, const char *name)
{
	struct statx st;

	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &st) < 0)
		return 0;
	return st.stx_mtime.tv_sec * 1000000000ll + st.stx_mtime.tv_nsec;
}

static int newest(void *ctx, int dirfd, const char *path, const char *name)
{
	int64_t when = changed(dirfd, name);

	if (when > *(int64_t *)ctx)
		*(int64_t *)ctx = when;
	return 0;
}

static int tell_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct telling *t = ctx;

	if (!strchr(name, '~'))
		t->each(t->ctx, name, changed(dirfd, name));
	return 0;
}

static int tell_directory(void *ctx, int dirfd, const char *path, const char *name)
{
	struct telling *t = ctx;
	int64_t when = 0;

	walk_names_at(dirfd, name, newest, &when);
	if (when)
		t->each(t->ctx, name, when);
	return 0;
}

void events_jobs(struct store *s, void (*each)(void *ctx, const char *name, int64_t when),
                 void *ctx)
{
	struct telling t = {each, ctx, 0};
	char path[PATH_SIZE];

	if (events_runtime_path(path, s, NULL) == 0)
		walk_names(path, tell_file, &t);
	if (events_store_path(path, s, NULL) == 0)
		walk_names(path, tell_directory, &t);
}

struct last {
	char name[EVENTS_NAME_MAX + 1];
	int64_t when;
};

static void later(void *ctx, const char *name, int64_t when)
{
	struct last *l = ctx;

	if (when <= l->when || strlen(name) >= sizeof l->name)
		return;
	l->when = when;
	strcpy(l->name, name);
}

const char *events_last(struct store *s, struct arena *a, int64_t *when)
{
	struct last l = {"", 0};

	events_jobs(s, later, &l);
	if (when)
		*when = l.when;
	return *l.name ? arena_strdup(a, l.name) : NULL;
}

static void read_job(struct reading *r, struct store *s, const char *job)
{
	char path[PATH_SIZE], host[DIRS_HOST];
	const char *own;

	if (events_store_path(path, s, job) == 0)
		walk_names(path, read_at, r);
	dirs_host(host);
	own = arena_strdup(r->a, host);
	r->host = own ? own : "";
	if (events_runtime_path(path, s, job) == 0)
		read_at(r, AT_FDCWD, NULL, path);
}

struct every {
	struct reading *r;
	struct store *s;
	const char **name;
	size_t count, cap;
};

static void read_every(void *ctx, const char *name, int64_t when)
{
	struct every *e = ctx;

	for (size_t i = 0; i < e->count; i++)
		if (strcmp(e->name[i], name) == 0)
			return;
	if (!arena_room(e->r->a, e->name, e->count, &e->cap, 16))
		return;
	e->name[e->count++] = arena_strdup(e->r->a, name);
	read_job(e->r, e->s, name);
}

void events_sort(struct events *e, struct arena *a)
{
	e->v = sort_stable(a, e->v, e->count, sizeof *e->v, by_start);
	if (!e->v)
		e->count = 0;
	e->run = sort_stable(a, e->run, e->runs, sizeof *e->run, by_start);
	if (!e->run)
		e->runs = 0;
}

/* The sums of a node are younger than its first events after a reboot, and where the job lost its
 * slot. Then the events count. */
static void correct_sums(struct events *e)
{
	uint64_t counted = 0;
	struct job_counts sums = {.id = e->sums.id, .here = e->sums.here,
	                          .dropped = e->sums.dropped};

	for (int i = 0; i < EVENT_KINDS * EVENT_VERDICTS; i++)
		counted += (uint64_t)e->sums.count[i];
	if (counted >= e->count)
		return;
	for (size_t i = 0; i < e->count; i++)
		job_counts_add(&sums, &e->v[i]);
	e->sums = sums;
}

int events_read(struct events *out, struct store *s, const char *job, struct arena *a)
{
	struct reading r = {.out = out, .a = a};
	struct job_counts *c = job ? job_counts_of(s, job, 0) : NULL;

	memset(out, 0, sizeof *out);
	if (c)
		out->sums = *c;
	if (job)
		read_job(&r, s, job);
	else
		events_jobs(s, read_every, &(struct every){.r = &r, .s = s});
	events_sort(out, a);
	if (job)
		correct_sums(out);
	return out->count || out->sums.id ? 0 : -1;
}
