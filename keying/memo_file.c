/* keying/memo_file.c - the memo's file: complete before it gets its name, for one boot and one
 * user, mapped once enough is asked. */
#include "keying/memo_file.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "shim/format.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Makes a new file under a temporary name first: no process maps a file that has holes. */
static int memo_make(const char *path, const char *dir)
{
	char tmp[PATH_SIZE], name[32];
	int fd;
	int rc;

	format_text(name, sizeof name, "memo.%d", (int)sys_getpid());
	if (path_join(tmp, sizeof tmp, dir, name) >= sizeof tmp)
		return -1;
	sys_unlink(tmp); /* left by a killed process that had this pid */
	fd = sys_open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	sys_fchmod(fd, 0600); /* a umask may remove the owner's bits */
	rc = sys_fallocate(fd, 0, 0, MEMO_SIZE);
	if (rc == 0)
		rc = sys_link(tmp, path);
	if (rc == -EPERM) /* no hard links here; the loser of a race keeps a file of its own */
		rc = sys_rename(tmp, path);
	else
		sys_unlink(tmp);
	if (rc == 0)
		return fd;
	sys_close(fd);
	/* Another process was first; its file is complete. */
	return rc == -EEXIST ? sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0) : -1;
}

static int memo_usable(int fd, struct statx *st)
{
	return sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, st) == 0 &&
	       (st->stx_mode & S_IFMT) == S_IFREG && st->stx_uid == sys_geteuid() &&
	       (st->stx_mode & 077) == 0 && st->stx_size == MEMO_SIZE;
}

static int memo_boot_id(struct digest *out)
{
	char text[64];
	int fd = sys_open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = sys_read(fd, text, sizeof text);
	sys_close(fd);
	if (n < 36) /* a UUID */
		return -1;
	digest_of(out, text, (size_t)n);
	return 0;
}

/* A file on a tmpfs disappears with the boot that made it. Its birth time distinguishes it from a
 * copy that a checkpoint restored. Elsewhere the boot id must be read, which costs ten times as
 * much. */
static int memo_boot(int fd, const struct statx *st, struct digest *out)
{
	struct {
		uint32_t major, minor;
		uint64_t ino;
		int64_t sec;
		uint64_t nsec;
	} file = {st->stx_dev_major, st->stx_dev_minor, st->stx_ino, st->stx_btime.tv_sec,
		  st->stx_btime.tv_nsec};
	struct statfs fs;

	if (!(st->stx_mask & STATX_BTIME) || SYS2(SYS_fstatfs, fd, &fs) < 0 ||
	    (unsigned long)fs.f_type != TMPFS_MAGIC)
		return memo_boot_id(out);
	digest_of(out, &file, sizeof file);
	return 0;
}

static int memo_file(const char *runtime_dir, struct statx *st)
{
	char path[PATH_SIZE];
	int fd;

	if (path_join(path, sizeof path, runtime_dir, "memo") >= sizeof path)
		return -1;
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd == -ENOENT)
		fd = memo_make(path, runtime_dir);
	fd = sys_above_streams(fd); /* it stays open while the key is made */
	if (fd < 0)
		return -1;
	if (memo_usable(fd, st))
		return fd;
	/* The file has another size or was truncated: a process that maps the old file keeps it. */
	sys_close(fd);
	if (sys_unlink(path) < 0)
		return -1;
	fd = sys_above_streams(memo_make(path, runtime_dir));
	if (fd < 0 || memo_usable(fd, st))
		return fd < 0 ? -1 : fd;
	sys_close(fd);
	return -1;
}

void memo_open(struct memo *m, const char *runtime_dir)
{
	struct statx st;
	int fd;

	memset(m, 0, offsetof(struct memo, page));
	m->page_at = MEMO_SIZE;
	if (!runtime_dir || (fd = memo_file(runtime_dir, &st)) < 0)
		return;
	if (memo_boot(fd, &st, &m->boot) < 0) {
		sys_close(fd);
		return;
	}
	m->dir = runtime_dir;
	m->fd = fd;
	m->reads = MEMO_READS;
}

void memo_map(struct memo *m)
{
	unsigned char *map;

	if (!m->reads)
		return;
	m->reads = 0;
	m->page_at = MEMO_SIZE;
	map = sys_mmap(NULL, MEMO_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	sys_close(m->fd);
	if (sys_mmap_failed(map))
		return;
	m->map = map;
	m->size = MEMO_SIZE;
}

void memo_close(struct memo *m)
{
	if (m->map)
		sys_munmap(m->map, m->size);
	if (m->reads)
		sys_close(m->fd);
	m->map = NULL;
	m->size = 0;
	m->reads = 0;
	m->page_at = MEMO_SIZE;
}
