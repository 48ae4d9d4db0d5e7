/* store/tracefile.c - makes trace files under a lock, and removes those that no process locks. */
#include "store/tracefile.h"

#include <sys/stat.h>

#include "shim/format.h"
#include "shim/kernel/sandbox.h"
#include "shim/kernel/sys.h"
#include "shim/trace.h"
#include "store/walk.h"

#include "shim/banned.h"

/* Names that are tried: processes of other namespaces may have our pid. */
#define TRIES 100

static int lock_all(int fd)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return sys_fcntl(fd, F_OFD_SETLK, (long)&all);
}

/* True if fd is the file at that path. */
static int stands_there(int fd, int dirfd, const char *path)
{
	struct statx x, y;

	return sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &x) == 0 && x.stx_nlink > 0 &&
	       sys_statx(dirfd, path, AT_SYMLINK_NOFOLLOW, STATX_INO, &y) == 0 &&
	       sys_same_file(&x, &y);
}

static int begin(int fd, unsigned umask)
{
	struct {
		char magic[8];
		uint64_t tail, backed;
		uint32_t overflow, filters;
	} head = {TRACE_MAGIC, TRACE_HEAD, TRACE_STEP, 0, sandbox_filters()};
	int rc;

	_Static_assert(sizeof head == TRACE_HEAD, "table in shim/trace.h");
	if (umask & 0600)
		sys_fchmod(fd, 0600);
	rc = sys_fallocate(fd, 0, 0, TRACE_STEP);
	if (rc == 0 && sys_write_all(fd, &head, sizeof head) != (ssize_t)sizeof head)
		rc = -ENOSPC;
	/* Sparse beyond: the file must be as long as the mapping, or stores fault. */
	return rc == 0 ? sys_ftruncate(fd, TRACE_CAPACITY) : rc;
}

int tracefile_make(struct tracefile *t, const char *runtime_dir, unsigned umask)
{
	char name[64];

	tracefile_sweep(runtime_dir);
	for (unsigned n = 0; n < TRIES; n++) {
		format_text(name, sizeof name, "trace.%d.%u", sys_getpid(), n);
		if (path_join(t->path, sizeof t->path, runtime_dir, name) >= sizeof t->path)
			return -1;
		t->fd = sys_open(t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		t->fd = sys_above_streams(t->fd);
		if (t->fd == -EEXIST)
			continue;
		if (t->fd < 0)
			return -1;
		/* A sweep may run between open and lock: then the file is removed or about to
		 * be. */
		if (lock_all(t->fd) == -EAGAIN || !stands_there(t->fd, AT_FDCWD, t->path)) {
			sys_close(t->fd);
			continue;
		}
		if (begin(t->fd, umask) == 0)
			return 0;
		tracefile_remove(t);
		return -1;
	}
	return -1;
}

void tracefile_forget(struct tracefile *t)
{
	if (t->fd >= 0)
		sys_close(t->fd);
	t->fd = -1;
}

void tracefile_remove(struct tracefile *t)
{
	sys_unlink(t->path);
	tracefile_forget(t);
}

/* "trace.<pid>.<n>" */
static int is_name(const char *name)
{
	static const char digits[] = "0123456789";
	size_t pid, n;

	if (strncmp(name, "trace.", 6) != 0)
		return 0;
	pid = strspn(name + 6, digits);
	if (!pid || name[6 + pid] != '.')
		return 0;
	n = strspn(name + 7 + pid, digits);
	return n && !name[7 + pid + n];
}

static int sweep_one(void *ctx, int dirfd, const char *path, const char *name)
{
	uint64_t *removed = ctx;
	int fd;

	if (!is_name(name))
		return 0;
	fd = sys_openat(dirfd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	if (lock_all(fd) == 0 && stands_there(fd, dirfd, name) &&
	    SYS3(SYS_unlinkat, dirfd, name, 0) == 0)
		++*removed;
	sys_close(fd);
	return 0;
}

uint64_t tracefile_sweep(const char *runtime_dir)
{
	uint64_t removed = 0;

	walk_names(runtime_dir, sweep_one, &removed);
	return removed;
}
