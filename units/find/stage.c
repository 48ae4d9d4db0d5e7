/* units/find/stage.c - a private directory beside a unit, where the unit is prepared. */
#include "units/find/stage.h"

#include <sys/stat.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/dirs.h"
#include "store/tmp.h"
#include "store/walk.h"

#include "shim/banned.h"

#define OPEN_DIR (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
/* Another process may remove the box between our two calls, each time one leaves at that moment. */
#define BOX_TRIES 32
/* Names are added while a directory is emptied, and the kernel lists it in pieces. A call may also
 * fail once. */
#define DROP_TRIES 4

static int open_dir(int at, const char *name)
{
	return sys_above_streams(sys_openat(at, name, OPEN_DIR, 0));
}

static int make_dir(int at, const char *name, mode_t mode)
{
	return (int)SYS3(SYS_mkdirat, at, name, mode);
}

/* A name that no thread of any process of any host uses, a killed one included. */
static void fresh_name(char out[STAGE_NAME_SIZE])
{
	static unsigned serial;
	char host[DIRS_HOST];

	dirs_host(host);
	format_text(out, STAGE_NAME_SIZE, "%s.%d.%lx.%u", host, (int)sys_getpid(),
	            (unsigned long)sys_now_ns(CLOCK_REALTIME),
	            __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
}

static void drop_stage(int box, const char *name)
{
	for (int i = 0, absent = 0; i < DROP_TRIES; i++) {
		int rc = (int)SYS3(SYS_unlinkat, box, name, AT_REMOVEDIR);

		absent += rc == -ENOENT;
		if (rc == 0 || absent > 1)
			return;
		walk_drop_files(box, name);
	}
}

/* Removes a stale stage. ctx: seconds since 1970. Anything that is not a directory, or that holds
 * one, is not ours and stays. */
static int drop_stale(void *ctx, int dirfd, const char *path, const char *name)
{
	int64_t before = *(int64_t *)ctx;
	char mine[STAGE_NAME_SIZE];
	struct statx st;

	if (sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MTIME, &st) < 0 ||
	    !S_ISDIR(st.stx_mode) || st.stx_mtime.tv_sec >= before)
		return 0;
	fresh_name(mine);
	if (SYS5(SYS_renameat2, dirfd, name, dirfd, mine, 0) == 0)
		drop_stage(dirfd, mine);
	return 0;
}

static int drop_box(const struct stage *s)
{
	int rc, tries = 0;

	do
		rc = (int)SYS3(SYS_unlinkat, s->parent, s->box_name, AT_REMOVEDIR);
	while (rc < 0 && rc != -ENOTEMPTY && rc != -EEXIST &&
	       ++tries < (rc == -ENOENT ? 2 : DROP_TRIES));
	return rc;
}

/* The clock of the file system: our stage has just changed the box. */
static void clean_box(const struct stage *s)
{
	int rc = drop_box(s);
	struct statx st;
	int64_t before;

	if ((rc != -ENOTEMPTY && rc != -EEXIST) ||
	    sys_statx(s->box, "", AT_EMPTY_PATH, STATX_MTIME, &st) < 0)
		return;
	before = st.stx_mtime.tv_sec - STAGE_STALE_S;
	walk_names_at(s->parent, s->box_name, drop_stale, &before);
	drop_box(s);
}

static int open_box(struct stage *s)
{
	int rc = make_dir(s->parent, s->box_name, 0700);

	if (rc < 0 && rc != -EEXIST)
		return rc;
	s->box = open_dir(s->parent, s->box_name);
	if (s->box < 0)
		return s->box;
	fresh_name(s->name);
	rc = make_dir(s->box, s->name, 0777);
	if (rc == 0)
		return 0;
	s->name[0] = '\0';
	sys_close(s->box);
	s->box = -1;
	return rc;
}

/* In a directory that all users may write to, another user may have created the box. The stage
 * tells our user id: a file server may use another one than the kernel. */
static int box_is_ours(const struct stage *s)
{
	struct statx box, dir;

	return sys_statx(s->box, "", AT_EMPTY_PATH, STATX_UID | STATX_MODE, &box) == 0 &&
	       sys_statx(s->dir, "", AT_EMPTY_PATH, STATX_UID, &dir) == 0 &&
	       box.stx_uid == dir.stx_uid &&
	       !(box.stx_mode & (S_IWGRP | S_IWOTH));
}

/* Closes it: network file systems report a full disk here. Returns rc, or the error of the
 * close. */
static int finish(int fd, int rc)
{
	int closed = sys_close(fd);

	return rc == 0 && closed < 0 && closed != -EINTR ? closed : rc;
}

/* A new file's descriptor, never 0 to 2. */
static int create(struct stage *s, const char *name, mode_t mode, int exact)
{
	int fd = sys_above_streams(
		sys_openat(s->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		           mode));
	int rc = fd >= 0 && exact ? sys_fchmod(fd, mode) : 0;

	return rc < 0 ? finish(fd, rc) : fd;
}

int stage_begin(struct stage *s, const char *path, struct arena *a)
{
	size_t n = path_dir_len(path);
	char *parent = arena_memdup(a, path, n);

	*s = (struct stage){.parent = -1, .box = -1, .dir = -1, .base = path_base(path)};
	if (!parent)
		return -ENOMEM;
	if (path[0] != '/' || !*s->base)
		return -EINVAL;
	/* Links on the way are the user's: the framework follows them. */
	for (int i = 0; i < 2; i++) {
		int fd = sys_open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
		s->parent = sys_above_streams(fd);
		if (s->parent >= 0)
			return 0;
		if (s->parent != -ENOENT)
			return s->parent;
		int rc = dirs_make_plain(parent);
		if (rc < 0)
			return rc;
	}
	return s->parent;
}

int stage_taken(const struct stage *s)
{
	struct statx st;

	if (sys_statx(s->parent, s->base, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st) < 0)
		return 0;
	return !S_ISDIR(st.stx_mode) || walk_finds_names(s->parent, s->base);
}

int stage_open(struct stage *s)
{
	int rc = -ENOENT;

	format_text(s->box_name, sizeof s->box_name, ".reprise-%u", (unsigned)sys_geteuid());
	for (int i = 0; i < BOX_TRIES && (rc == -ENOENT || rc == -ESTALE || rc == -EEXIST); i++)
		rc = open_box(s);
	if (rc < 0)
		return rc == -EEXIST ? -EBUSY : rc; /* to callers EEXIST means the unit */
	s->dir = open_dir(s->box, s->name);
	if (s->dir < 0)
		return s->dir;
	return box_is_ours(s) ? 0 : -EACCES;
}

int stage_write(struct stage *s, const char *name, const void *bytes, uint64_t n, mode_t mode,
                int exact)
{
	int fd = create(s, name, mode, exact);

	if (fd < 0)
		return fd;
	ssize_t rc = sys_write_all(fd, bytes, n);
	return finish(fd, rc < 0 ? (int)rc : 0);
}

int stage_place_dir(struct stage *s)
{
	int rc = (int)SYS5(SYS_renameat2, s->box, s->name, s->parent, s->base, 0);

	if (rc == 0)
		s->name[0] = '\0';
	return rc == -ENOTEMPTY || rc == -ENOTDIR ? -EEXIST : rc;
}

int stage_place_file(struct stage *s, const char *name)
{
	return tmp_link_new(s->dir, name, s->parent, s->base);
}

int stage_place_member(struct stage *s, const char *name)
{
	int unit = open_dir(s->parent, s->base), rc;

	if (unit < 0)
		return unit == -ENOTDIR || unit == -ELOOP ? -EEXIST : unit;
	rc = tmp_link_new(s->dir, name, unit, name);
	sys_close(unit);
	return rc;
}

void stage_end(struct stage *s)
{
	if (s->dir >= 0)
		sys_close(s->dir);
	if (s->name[0])
		drop_stage(s->box, s->name);
	if (s->box >= 0) {
		clean_box(s);
		sys_close(s->box);
	} else if (s->box_name[0]) {
		drop_box(s); /* it may have been created and not opened */
	}
	if (s->parent >= 0)
		sys_close(s->parent);
	*s = (struct stage){.parent = -1, .box = -1, .dir = -1};
}
