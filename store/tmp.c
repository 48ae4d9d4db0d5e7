/* store/tmp.c - writes whole files or none. */
#include "store/tmp.h"

#include <string.h>
#include <sys/uio.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "store/dirs.h"

#include "shim/banned.h"

/* A cleaner may remove a directory that was just made, at worst a few times in a row. */
#define PLACE_TRIES 4
/* RENAME_NOREPLACE of linux/fs.h, a header that includes too much */
#define RENAME_NOREPLACE_FLAG 1

int tmp_name(char *out, size_t cap, const char *dir)
{
	static unsigned serial;
	char name[64];

	format_text(name, sizeof name, "tmp/%d.%lx.%u", (int)sys_getpid(),
	            (unsigned long)sys_now_ns(CLOCK_REALTIME),
	            __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED));
	return path_join(out, cap, dir, name) < cap ? 0 : -ENAMETOOLONG;
}

static int tmp_create(char *out, size_t cap, const char *dir)
{
	int fd = -EEXIST;

	for (int i = 0; i < PLACE_TRIES && (fd == -EEXIST || fd == -ENOENT); i++) {
		if (tmp_name(out, cap, dir) < 0)
			return -ENAMETOOLONG;
		fd = sys_open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd == -ENOENT) {
			char at[PATH_SIZE];
			int rc = dirs_make_root(dir);

			if (rc == 0 && path_join(at, sizeof at, dir, "tmp") < sizeof at)
				rc = dirs_make(at);
			if (rc < 0)
				return rc;
		}
	}
	return fd;
}

static int write_parts(int fd, const struct tmp_part *parts, int count)
{
	struct iovec v[TMP_PARTS_MAX];
	unsigned tries = 0;
	int at = 0;

	for (int i = 0; i < count; i++)
		v[i] = (struct iovec){(void *)parts[i].data, parts[i].len};
	while (at < count) {
		ssize_t n = SYS3(SYS_writev, fd, v + at, count - at);

		if (sys_interrupted(n, &tries))
			continue;
		if (n <= 0 && v[at].iov_len)
			return n < 0 ? (int)n : -EIO;
		tries = 0;
		for (; at < count && (size_t)n >= v[at].iov_len; at++)
			n -= (ssize_t)v[at].iov_len;
		if (at < count) {
			v[at].iov_base = (char *)v[at].iov_base + n;
			v[at].iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int make_parent(const char *path)
{
	char parent[PATH_SIZE];

	return path_parent(parent, sizeof parent, path) < 0 ? -ENAMETOOLONG : dirs_make(parent);
}

/* Places the file under a name that must be free. */
static int place_once(const char *tmp, const char *path)
{
	/* Changes directories once less than a link does; NFS and some other file systems do not
	 * support it. */
	int rc = (int)SYS5(SYS_renameat2, AT_FDCWD, tmp, AT_FDCWD, path, RENAME_NOREPLACE_FLAG);

	if (rc == 0 || rc == -EEXIST || rc == -ENOENT || rc == -ENOSPC || rc == -EDQUOT ||
	    rc == -EROFS)
		return rc;
	rc = tmp_link_new(AT_FDCWD, tmp, AT_FDCWD, path);
	if (rc == 0)
		tmp_drop(tmp);
	if (rc != -EINVAL && rc != -ENOSYS)
		return rc;
	/* Two writers may be here at the same moment; then the later rename wins. */
	if (sys_access(path, F_OK) == 0)
		return -EEXIST;
	return sys_rename(tmp, path);
}

/* Tries again after each missing parent that could be made. */
static int place(const char *tmp, const char *path, int (*once)(const char *, const char *))
{
	int rc = -ENOENT;

	for (int i = 0; i < PLACE_TRIES && rc == -ENOENT; i++) {
		rc = once(tmp, path);
		if (rc == -ENOENT) {
			int made = make_parent(path);
			if (made < 0)
				return made;
		}
	}
	return rc;
}

int tmp_write(char *out, size_t cap, const char *dir, const struct tmp_part *parts, int count)
{
	int fd = tmp_create(out, cap, dir);

	if (fd < 0) {
		out[0] = '\0';
		return fd;
	}
	int rc = write_parts(fd, parts, count);
	/* The umask may have removed the owner's bits. */
	if (rc == 0)
		rc = sys_fchmod(fd, 0600);
	/* Network file systems report a full disk here. */
	int closed = sys_close(fd);
	if (rc == 0 && closed < 0 && closed != -EINTR)
		rc = closed;
	if (rc < 0)
		tmp_drop(out);
	return rc;
}

int tmp_rename(const char *tmp, const char *path)
{
	return place(tmp, path, sys_rename);
}

int tmp_place_new(const char *tmp, const char *path)
{
	return place(tmp, path, place_once);
}

int tmp_link_new(int from_dir, const char *from, int to_dir, const char *to)
{
	int rc = (int)SYS5(SYS_linkat, from_dir, from, to_dir, to, 0);

	if (rc == 0 || rc == -EEXIST || rc == -ENOENT || rc == -ENOSPC || rc == -EDQUOT ||
	    rc == -EROFS)
		return rc;
	/* No hard links here (vfat, some FUSE and SMB mounts, containers that forbid them). */
	return (int)SYS5(SYS_renameat2, from_dir, from, to_dir, to, RENAME_NOREPLACE_FLAG);
}

void tmp_drop(const char *tmp)
{
	if (*tmp)
		sys_unlink(tmp);
}
