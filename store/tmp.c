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

/* Small entries take one call, and the parts of large ones some calls each. */
static int write_parts(int fd, const struct tmp_part *parts, int count)
{
	struct iovec v[TMP_PARTS_MAX];
	size_t all = 0;
	ssize_t n;

	for (int i = 0; i < count; i++) {
		v[i] = (struct iovec){(void *)parts[i].data, parts[i].len};
		all += parts[i].len;
	}
	n = all <= SYS_WRITE_PIECE ? SYS3(SYS_writev, fd, v, count) : 0;
	if (n == (ssize_t)all)
		return 0;
	if (n < 0 && n != -EINTR)
		return (int)n;
	n = n < 0 ? 0 : n;
	for (int i = 0; i < count; i++) {
		size_t done = (size_t)n < parts[i].len ? (size_t)n : parts[i].len;
		ssize_t rc = sys_write_all(fd, (const char *)parts[i].data + done,
		                           parts[i].len - done);

		if (rc < 0)
			return (int)rc;
		n -= (ssize_t)done;
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

int tmp_open(char *out, size_t cap, const char *dir)
{
	int fd = -EEXIST;

	for (int i = 0; i < PLACE_TRIES && (fd == -EEXIST || fd == -ENOENT); i++) {
		if (tmp_name(out, cap, dir) < 0)
			return -ENAMETOOLONG;
		fd = sys_open(out, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
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

int tmp_close(int fd, char *out, int rc)
{
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

int tmp_unnamed(const char *dir)
{
	char path[PATH_SIZE];
	int fd = tmp_open(path, sizeof path, dir);

	if (fd >= 0)
		tmp_drop(path);
	return fd;
}

int tmp_write(char *out, size_t cap, const char *dir, const struct tmp_part *parts, int count)
{
	int fd = tmp_open(out, cap, dir);

	if (fd >= 0)
		return tmp_close(fd, out, write_parts(fd, parts, count));
	out[0] = '\0';
	return fd;
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
