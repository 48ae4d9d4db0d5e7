/* store/queue/queue.c - queues: append, take by rename, take over. */
#include "store/queue/queue.h"

#include <sys/stat.h>

#include "shim/ascii.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/list.h"
#include "shim/sort.h"
#include "store/dirs.h"
#include "store/walk.h"

#include "shim/banned.h"

/* --- queue unused --- */

struct unused {
	int64_t before; /* s since 1970 */
	int64_t newest; /* of the current directory */
	uint64_t removed;
};

static int see(void *ctx, int dirfd, const char *path, const char *name)
{
	struct unused *u = ctx;
	struct statx st;

	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &st) == 0 &&
	    st.stx_mtime.tv_sec > u->newest)
		u->newest = st.stx_mtime.tv_sec;
	return 0;
}

/* Names of any queue: "queue", "work.<time>...", "offers", "offers.<time>...". A directory that a
 * user named may have had a spool/ of its own. */
static int is_queue(const char *name)
{
	static const char digits[] = "0123456789abcdef.";
	size_t n = strcspn(name, ".");

	return list_has_n("queue\0work\0offers\0", name, n) &&
	       (!name[n] || (name[n + 1] && !name[n + 1 + strspn(name + n + 1, digits)]));
}

/* The time is checked again just before, since a process may have appended. */
static int drop(void *ctx, int dirfd, const char *path, const char *name)
{
	struct unused *u = ctx;

	if (is_queue(name))
		u->removed += walk_drop_old(dirfd, name, u->before);
	return 0;
}

/* All queues of a remote stay if one of them is used: a server that is away must not lose its
 * oldest records. */
static int queue_unused_visit_remote(void *ctx, int dirfd, const char *path, const char *name)
{
	struct unused *u = ctx;
	struct statx st;

	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MTIME, &st) < 0 ||
	    !S_ISDIR(st.stx_mode))
		return 0;
	u->newest = st.stx_mtime.tv_sec;
	walk_names_at(dirfd, name, see, u);
	if (u->newest >= u->before)
		return 0;
	walk_names_at(dirfd, name, drop, u);
	SYS3(SYS_unlinkat, dirfd, name, AT_REMOVEDIR);
	return 0;
}

static int visit_host(void *ctx, int dirfd, const char *path, const char *name)
{
	walk_names_at(dirfd, name, queue_unused_visit_remote, ctx);
	SYS3(SYS_unlinkat, dirfd, name, AT_REMOVEDIR);
	return 0;
}

uint64_t queue_drop_unused(struct store *s)
{
	struct unused u = {.before = sys_now_ns(CLOCK_REALTIME) / 1000000000 - QUEUE_UNUSED_S};
	char path[PATH_SIZE];

	if (s->dir && path_join(path, sizeof path, s->dir, "spool") < sizeof path)
		walk_names(path, visit_host, &u);
	return u.removed;
}

/* The publisher takes a queue at most fifty times a second: two takes rarely happen while a process
 * appends. */
#define ADD_TRIES 64
/* Processes that adopt or clean up remove directories that are empty for a moment. */
#define MAKE_TRIES 4

/* Path below the directory of the store's remote; name NULL: the directory. 0 or -1. */
static int path_of(char out[PATH_SIZE], const struct store *s, const char *host, const char *name)
{
	char rest[sizeof "spool///" + DIRS_HOST + STORE_REMOTE + QUEUE_NAME];

	if (!s->dir || !*s->remote)
		return -1;
	format_text(rest, sizeof rest, name ? "spool/%s/%s/%s" : "spool/%s/%s", host, s->remote,
	            name);
	return path_join(out, PATH_SIZE, s->dir, rest) < PATH_SIZE ? 0 : -1;
}

/* Directory of all remotes; host NULL: of all hosts. 0 or -1. */
static int path_above(char out[PATH_SIZE], const struct store *s, const char *host)
{
	char rest[sizeof "spool/" + DIRS_HOST];

	format_text(rest, sizeof rest, host ? "spool/%s" : "spool", host);
	return s->dir && path_join(out, PATH_SIZE, s->dir, rest) < PATH_SIZE ? 0 : -1;
}

int queue_path(char out[PATH_SIZE], const struct store *s, const char *name)
{
	char host[DIRS_HOST];

	dirs_host(host);
	return path_of(out, s, host, name);
}

static int open_queue(const char *path)
{
	/* NONBLOCK: no process waits if another user put a FIFO there. */
	int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	    fd = sys_open_made(path, flags, 0600);

	for (int i = 0; i < MAKE_TRIES && fd == -ENOENT; i++) {
		char dir[PATH_SIZE];

		if (path_parent(dir, sizeof dir, path) == 0 && dirs_make(dir) == 0)
			fd = sys_open_made(path, flags, 0600);
	}
	return fd;
}

static int same_file(int fd, const char *path)
{
	struct statx a, b;

	return sys_statx(fd, "", AT_EMPTY_PATH, STATX_INO, &a) == 0 &&
	       sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO, &b) == 0 &&
	       sys_same_file(&a, &b);
}

/* 1: the record is in the queue. 0: the queue was taken meanwhile. -1: it cannot be kept. */
static int append(const char *path, const void *bytes, size_t n, uint64_t max_bytes)
{
	int fd = open_queue(path), kept = -1;
	struct statx st;

	if (fd < 0)
		return -1;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &st) == 0 && st.stx_size < max_bytes &&
	    sys_write(fd, bytes, n) == (ssize_t)n)
		kept = same_file(fd, path);
	sys_close(fd);
	return kept;
}

int queue_append(struct store *s, const struct queue *q, const void *bytes, size_t n,
                 uint64_t max_bytes)
{
	char path[PATH_SIZE];
	int kept = 0;

	if (!s->writable || queue_path(path, s, q->name) < 0)
		return -1;
	for (int i = 0; i < ADD_TRIES && kept == 0; i++)
		kept = append(path, bytes, n, max_bytes);
	return kept > 0 ? 0 : -1;
}

int queue_owns(const struct queue *q, const char *name)
{
	return strlen(name) < QUEUE_NAME &&
	       (strcmp(name, q->name) == 0 || strncmp(name, q->work, strlen(q->work)) == 0);
}

/* "<work><time>.<pid>", a name that no other publisher uses, not even in a container with our host
 * name. */
static void work_name(char out[QUEUE_NAME], const struct queue *q)
{
	char time[17] = "";

	ascii_put_hex(time, (uint64_t)sys_now_ns(CLOCK_REALTIME), 16);
	format_text(out, QUEUE_NAME, "%s%s.%d", q->work, time, sys_getpid());
}

struct adoption {
	struct store *s;
	const struct queue *q;
	const char *own, *host;
	int64_t before;
};

static int adopt_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct adoption *a = ctx;
	char to[PATH_SIZE], work[QUEUE_NAME], from[PATH_SIZE];
	struct statx st;

	if (!queue_owns(a->q, name) ||
	    sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &st) < 0 ||
	    st.stx_mtime.tv_sec > a->before)
		return 0;
	work_name(work, a->q);
	/* If that host is alive after all, its appenders notice that the queue has changed. */
	if (path_of(from, a->s, a->host, name) == 0 && path_of(to, a->s, a->own, work) == 0)
		sys_rename(from, to);
	return 0;
}

static int adopt_host(void *ctx, int dirfd, const char *path, const char *name)
{
	struct adoption *a = ctx;
	char dir[PATH_SIZE];

	if (strcmp(name, a->own) == 0 || strlen(name) >= DIRS_HOST ||
	    path_of(dir, a->s, name, NULL) < 0)
		return 0;
	a->host = name;
	walk_names(dir, adopt_file, a);
	sys_rmdir(dir);
	if (path_above(dir, a->s, name) == 0)
		sys_rmdir(dir); /* it stays if it has other queues */
	return 0;
}

void queue_adopt(struct store *s, const struct queue *q)
{
	struct adoption a = {.s = s, .q = q,
	                     .before = sys_now_ns(CLOCK_REALTIME) / 1000000000 - QUEUE_ADOPT_S};
	char path[PATH_SIZE], host[DIRS_HOST];

	dirs_host(host);
	a.own = host;
	if (path_of(path, s, host, NULL) < 0 || dirs_make(path) < 0 ||
	    path_above(path, s, NULL) < 0)
		return;
	walk_names(path, adopt_host, &a);
}

int queue_take(struct store *s, const struct queue *q, char name[QUEUE_NAME])
{
	char from[PATH_SIZE], to[PATH_SIZE];

	work_name(name, q);
	if (queue_path(from, s, q->name) < 0 || queue_path(to, s, name) < 0)
		return -ENAMETOOLONG;
	return sys_rename(from, to);
}

struct listing {
	const struct queue *q;
	struct arena *arena;
	struct queue_names *names;
};

static int list_work(void *ctx, int dirfd, const char *path, const char *name)
{
	struct listing *l = ctx;
	struct queue_names *n = l->names;

	if (!queue_owns(l->q, name) || strcmp(name, l->q->name) == 0)
		return 0;

	if (!arena_room(l->arena, n->v, n->count, &n->cap, 16))
		return -ENOMEM;
	strcpy(n->v[n->count++], name);
	return 0;
}

/* Sorts by time, which follows the prefix in the names. */
static int by_name(const void *x, const void *y)
{
	return strcmp(x, y);
}

int queue_taken(struct store *s, const struct queue *q, struct queue_names *out, struct arena *a)
{
	struct listing l = {q, a, out};
	char path[PATH_SIZE];

	*out = (struct queue_names){NULL, 0, 0};
	if (queue_path(path, s, NULL) < 0)
		return -ENAMETOOLONG;
	int rc = walk_names(path, list_work, &l);
	void *sorted = sort_stable(a, out->v, out->count, sizeof *out->v, by_name);
	if (!sorted)
		return out->count ? -ENOMEM : rc;
	out->v = sorted;
	return rc;
}

struct elsewhere {
	struct store *s;
	const struct queue *q;
	int (*visit)(void *ctx, int dirfd, const char *path, const char *name);
	void *ctx;
};

static int visit_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct elsewhere *e = ctx;
	int rc = queue_owns(e->q, name) ? e->visit(e->ctx, dirfd, path, name) : 0;

	return rc == QUEUE_GONE ? 0 : rc;
}

static int visit_remote(void *ctx, int dirfd, const char *path, const char *name)
{
	struct elsewhere *e = ctx;

	return strcmp(name, e->s->remote) != 0 ? walk_names_at(dirfd, name, visit_file, e) : 0;
}

int queue_walk(struct store *s, void (*begin)(void *ctx),
               int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx)
{
	char path[PATH_SIZE];
	int rc = QUEUE_GONE;

	if (queue_path(path, s, NULL) < 0)
		return -1;
	for (int i = 0; i < QUEUE_WALKS && rc == QUEUE_GONE; i++) {
		begin(ctx);
		rc = walk_names(path, visit, ctx);
	}
	return rc;
}

int64_t queue_age(int64_t made_at)
{
	int64_t age = sys_now_ns(CLOCK_REALTIME) / 1000000000 - made_at;

	return made_at < 0 ? -1 : age < 0 ? 0 : age;
}

void queue_elsewhere(struct store *s, const struct queue *q,
                     int (*visit)(void *ctx, int dirfd, const char *path, const char *name),
                     void *ctx)
{
	struct elsewhere e = {s, q, visit, ctx};
	char path[PATH_SIZE], host[DIRS_HOST];

	dirs_host(host);
	if (path_above(path, s, host) == 0)
		walk_names(path, visit_remote, &e);
}
