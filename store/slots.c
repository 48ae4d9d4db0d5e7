/* store/slots.c - slots of a record and a check. */
#include "store/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

enum { CHECK = sizeof(uint64_t) };

int slots_open(const char *runtime_dir, const char *name)
{
	char path[PATH_SIZE];

	if (!runtime_dir || path_join(path, sizeof path, runtime_dir, name) >= sizeof path)
		return -ENOENT;
	return sys_above_streams(sys_open_made(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	                                       0600));
}

uint32_t slots_of(const struct digest *key, uint32_t count)
{
	uint32_t v;

	memcpy(&v, key->b + 8, sizeof v);
	return v % count;
}

int slots_get(int fd, uint32_t slot, void *record, size_t size)
{
	unsigned char bytes[SLOTS_RECORD_MAX + CHECK];
	size_t all = size + CHECK;
	uint64_t check;

	if (size > SLOTS_RECORD_MAX ||
	    sys_pread(fd, bytes, all, (off_t)(slot * all)) != (ssize_t)all)
		return 0;
	memcpy(&check, bytes + size, CHECK);
	if (check != digest_check(bytes, size))
		return 0;
	memcpy(record, bytes, size);
	return 1;
}

void slots_put(int fd, uint32_t slot, const void *record, size_t size)
{
	unsigned char bytes[SLOTS_RECORD_MAX + CHECK];
	size_t all = size + CHECK;
	uint64_t check;

	if (size > SLOTS_RECORD_MAX)
		return;
	memcpy(bytes, record, size);
	check = digest_check(bytes, size);
	memcpy(bytes + size, &check, CHECK);
	sys_pwrite(fd, bytes, all, (off_t)(slot * all));
}

int slots_lock(int fd, off_t at, off_t n, short type)
{
	struct flock fl = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = n};
	unsigned tries = 0;
	int rc;

	do
		rc = sys_fcntl(fd, F_OFD_SETLK, (long)&fl);
	while (sys_interrupted(rc, &tries));
	return rc;
}
