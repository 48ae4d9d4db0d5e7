/* units/gather/declared_files.c - a directory of the user's own class, of Warp, of TileLang or of
 * deep_jit. It holds plain files. It was renamed as a whole, or it grows and the process that wrote
 * in it has ended. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/walk.h"
#include "units/gather/gather.h"

/* Of a file that a living process may be writing. */
#define REST_NS 2000000000ll

/* The rename was the last thing that happened to the directory and its files. */
static int is_same(struct gathering *g, int fd)
{
	struct statx st;

	return sys_statx(fd, "", AT_EMPTY_PATH, OFFER_STATX, &st) == 0 && S_ISDIR(st.stx_mode) &&
	       offer_same(g->o, &st);
}

struct listed_names {
	struct gathering *g;
	const char *name[PARCEL_FILES_MAX];
	unsigned count;
	int too_many;
};

static int add_name(void *ctx, int dirfd, const char *path, const char *name)
{
	struct listed_names *n = ctx;

	if (n->count == PARCEL_FILES_MAX)
		return n->too_many = 1;
	n->name[n->count] = arena_strdup(n->g->a, name);
	return !n->name[n->count++];
}

static const char *refusal(const struct gathering *g, const struct parcel_file *f)
{
	if (unit_rows[g->o->class].check == CHECK_AS_WARP_DIRECTORY)
		return warp_refusal(f->name, f->data, f->len);
	if (unit_rows[g->o->class].check == CHECK_AS_TILELANG_DIRECTORY)
		return tilelang_refusal(f->name, f->data, f->len);
	if (unit_rows[g->o->class].check == CHECK_AS_DEEP_JIT_DIRECTORY)
		return deep_jit_refusal(f->name, f->data, f->len);
	return check_damaged(f->name, f->data, f->len) ? "is damaged" : NULL;
}

/* 1: the empty file which deep_jit touches each time that a process takes the kernel. */
static int is_used(const struct gathering *g, const struct parcel_file *f)
{
	return !f->len && unit_rows[g->o->class].check == CHECK_AS_DEEP_JIT_DIRECTORY;
}

static enum gather_status read_file(struct gathering *g, int fd, const char *name, uint64_t *sum)
{
	struct parcel_file *f = &g->parcel.file[g->parcel.files];
	enum gather_status status;
	const char *why;
	struct statx st;

	if (!parcel_name_ok(name))
		return gather_drop(g, "it holds a file of a name that is not carried");
	status = gather_read(g, fd, name, 0, f, &st);
	if (status != GATHER_KEPT)
		return status;
	/* Another process may be writing it: its own offer waits for its end. */
	if (unit_grows(g->o->class) && sys_now_ns(CLOCK_REALTIME) - gather_ctime(&st) < REST_NS)
		return gather_wait(g, "a file was written a moment ago");
	/* Its link count and contents are of before the rename. */
	if (!unit_grows(g->o->class) && gather_ctime(&st) > g->o->ctime_ns && !is_used(g, f))
		return gather_drop(g, "%s changed since the directory was renamed", name);
	if (!g->parcel.files || gather_ctime(&st) < g->changed_ns)
		g->changed_ns = gather_ctime(&st);
	f->name = name;
	if ((why = refusal(g, f)))
		return gather_drop(g, "%s %s", name, why);
	*sum += f->len;
	if (*sum > PARCEL_BYTES_MAX)
		return gather_drop(g, "its files are too large");
	g->parcel.files++;
	return GATHER_KEPT;
}

struct below {
	const char *dir; /* as the kernel spells it */
	size_t n;
};

/* ctx: struct below. 1: the descriptor is open for writing, and is that of a file in it. */
static int is_written(void *ctx, int dirfd, const char *path, const char *name)
{
	const struct below *b = ctx;
	char to[PATH_SIZE];
	struct stat st;
	ssize_t n = readlinkat(dirfd, name, to, sizeof to - 1);

	if (n <= (ssize_t)b->n || memcmp(to, b->dir, b->n) != 0 || to[b->n] != '/')
		return 0;
	/* The link's own mode says how it was opened. */
	return fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mode & S_IWUSR;
}

static int writes_below(void *ctx, int dirfd, const char *path, const char *name)
{
	char fds[64];

	if (*name < '1' || *name > '9')
		return 0;
	snprintf(fds, sizeof fds, "%.20s/fd", name);
	return walk_names_at(dirfd, fds, is_written, ctx);
}

/* 1: a process of this user has a file of the directory open for writing. Processes of other pid
 * namespaces are not seen. */
static int is_open(struct gathering *g)
{
	char dir[PATH_SIZE];
	struct below b = {dir, 0};

	if (!realpath(g->o->path, dir))
		return 1;
	b.n = strlen(dir);
	return walk_names("/proc", writes_below, &b);
}

/* 1: now is then with its end cut off, or with zeros in place of its end. */
static int lost_its_end(const unsigned char *then, uint64_t then_len, const unsigned char *now,
                        uint64_t now_len)
{
	uint64_t n = now_len;

	while (now_len == then_len && n && !now[n - 1])
		n--;
	return now_len <= then_len && n < then_len && memcmp(then, now, n) == 0 &&
	       (now_len < then_len || memcmp(then, now, now_len) != 0);
}

const char *gather_directory_lost(const struct gathering *g, const struct parcel *older)
{
	for (unsigned i = 0; i < g->parcel.files; i++)
		for (unsigned k = 0; k < older->files; k++) {
			const struct parcel_file *f = &g->parcel.file[i];
			const unsigned char *then;
			uint64_t n;

			if (strcmp(f->name, older->file[k].name) != 0)
				continue;
			then = parcel_file_bytes(&older->file[k], NULL, &n, g->a);
			if (then && lost_its_end(then, n, f->data, f->len))
				return f->name;
		}
	return NULL;
}

enum gather_status gather_directory(struct gathering *g, int fd)
{
	struct listed_names *n = arena_alloc(g->a, sizeof *n);
	enum gather_status status = GATHER_KEPT;
	struct statx before, after;
	const char *why;
	uint64_t sum = 0;

	g->parcel.file = arena_alloc(g->a, PARCEL_FILES_MAX * sizeof *g->parcel.file);
	if (!n || !g->parcel.file)
		return gather_drop(g, "no memory");
	if (!is_same(g, fd))
		return gather_drop(g, "it was replaced or changed since");
	if (sys_statx(fd, "", AT_EMPTY_PATH, OFFER_STATX, &before) < 0)
		return gather_drop(g, "it cannot be read");
	n->g = g;
	walk_names_at(fd, ".", add_name, n);
	if (n->too_many || !n->count)
		return gather_drop(g, n->count ? "it holds more than 256 files" : "it is empty");
	for (unsigned i = 0; i < n->count && status == GATHER_KEPT; i++)
		status = n->name[i] ? read_file(g, fd, n->name[i], &sum)
		         : gather_drop(g, "no memory");
	if (status == GATHER_KEPT && unit_grows(g->o->class) && is_open(g))
		return gather_wait(g, "another process has a file of it open for writing");
	if (status == GATHER_KEPT &&
	    (!is_same(g, fd) || sys_statx(fd, "", AT_EMPTY_PATH, OFFER_STATX, &after) < 0 ||
	     gather_ctime(&before) != gather_ctime(&after)))
		return gather_drop(g, "it changed while it was read");
	if (status == GATHER_KEPT &&
	    unit_rows[g->o->class].check == CHECK_AS_DEEP_JIT_DIRECTORY &&
	    (why = deep_jit_command_refusal(&g->parcel, g->o->scope, g->changed_ns, g->a)))
		return gather_drop(g, "%s", why);
	return status;
}
