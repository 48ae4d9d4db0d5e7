/* store/writers.c - files that processes of two recorded tools write at the same time. */
#include "store/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/trace.h"
#include "store/shared_page.h"

#include "shim/banned.h"

#define XFS_MAGIC 0x58465342

struct note {
	uint64_t made;
	int64_t at;
};

/* 1: a regular file, whose locks are the kernel's own. Many processes write /dev/null at once. */
static int locks_locally(int fd)
{
	struct statfs fs;
	struct statx st;

	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0 || !S_ISREG(st.stx_mode) ||
	    sys_fstatfs(fd, &fs) < 0)
		return 0;
	switch ((unsigned long)fs.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case OVERLAYFS_SUPER_MAGIC:
		return 1;
	default:
		return 0;
	}
}

static uint32_t slot_of(uint64_t made)
{
	return (uint32_t)(made >> 32 ^ made) % WRITERS_SLOTS;
}

/* -errno, or the notes in the directory of this length. The only path buffer of the callers. */
static int open_notes(const char *dir, size_t len, int make)
{
	static const char name[] = "/writers";
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	char path[PATH_SIZE];

	if (len + sizeof name > sizeof path)
		return -ENAMETOOLONG;
	memcpy(path, dir, len);
	memcpy(path + len, name, sizeof name);
	return make ? sys_above_streams(sys_open_made(path, O_RDWR | flags, 0600))
	            : sys_open(path, O_RDONLY | flags, 0);
}

static void leave_note(int fd, const char *dir, size_t len)
{
	struct note n = {trace_made(fd), sys_now_ns(CLOCK_MONOTONIC)};
	int notes = open_notes(dir, len, 1);

	if (notes < 0)
		return;
	slots_put(notes, slot_of(n.made), &n, sizeof n);
	sys_close(notes);
}

/* --- public, in header order --- */

int writers_met(int fd, const char *runtime_dir, size_t len)
{
	if (!runtime_dir || !locks_locally(fd) ||
	    SYS2(SYS_flock, fd, LOCK_EX | LOCK_NB) != -EWOULDBLOCK)
		return 0;
	leave_note(fd, runtime_dir, len);
	return 1;
}

int writers_noted(const char *runtime_dir, uint64_t made, int64_t since)
{
	int fd = runtime_dir ? open_notes(runtime_dir, strlen(runtime_dir), 0) : -1, found;
	struct note n;

	if (fd < 0)
		return 0;
	found = slots_get(fd, slot_of(made), &n, sizeof n) && n.made == made && n.at >= since;
	sys_close(fd);
	return found;
}
