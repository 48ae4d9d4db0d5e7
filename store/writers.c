/* store/writers.c - files that processes of two recorded tools write at the same time. */
#include "store/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/trace.h"
#include "store/shared_page.h"

#include "shim/banned.h"

struct note {
	uint64_t made;
	int64_t at;
};

static uint32_t slot_of(uint64_t made)
{
	return (uint32_t)(made >> 32 ^ made) % WRITERS_SLOTS;
}

/* -errno, or the notes. */
static int open_notes(const char *dir, int make)
{
	static const char name[] = "/writers";
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	size_t len = dir ? strlen(dir) : PATH_SIZE;
	char path[PATH_SIZE];

	if (len + sizeof name > sizeof path)
		return -ENAMETOOLONG;
	memcpy(path, dir, len);
	memcpy(path + len, name, sizeof name);
	return make ? sys_above_streams(sys_open_made(path, O_RDWR | flags, 0600))
	            : sys_open(path, O_RDONLY | flags, 0);
}

static void leave_note(int fd, const char *dir)
{
	struct note n = {trace_made(fd), sys_now_ns(CLOCK_MONOTONIC)};
	int notes = open_notes(dir, 1);

	if (notes < 0)
		return;
	slots_put(notes, slot_of(n.made), &n, sizeof n);
	sys_close(notes);
}

/* --- public, in header order --- */

int writers_met(int fd, int kind, const char *runtime_dir)
{
	int rc = sys_lease(fd, kind);

	/* Nobody shall wait for us. */
	if (rc == 0)
		sys_fcntl(fd, F_SETLEASE, F_UNLCK);
	if (rc != -EAGAIN)
		return 0;
	leave_note(fd, runtime_dir);
	return 1;
}

int writers_noted(const char *runtime_dir, uint64_t made, int64_t since)
{
	int fd = open_notes(runtime_dir, 0), found;
	struct note n;

	if (fd < 0)
		return 0;
	found = slots_get(fd, slot_of(made), &n, sizeof n) && n.made == made && n.at >= since;
	sys_close(fd);
	return found;
}
