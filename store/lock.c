/* store/lock.c - single flight on a node.
 *
 * <runtime>/locks: byte 2^32 + the key's first 62 bits is locked, and the file itself holds the
 * table of runs that could not be stored, UNSTORABLE_SLOTS of
 *   0 16  the key's first bytes, which are its hash
 *  16  8  time, CLOCK_BOOTTIME ns
 * and a check (store/slots.h), in the slot that the key's bytes 8 to 11 choose. */
#include "store/lock.h"

#include <string.h>

#include "shim/sys.h"
#include "store/slots.h"

#include "shim/banned.h"

#define UNSTORABLE_SLOTS 1024u
/* How long a mark is valid for processes that find the lock held: as long as some compiles. A
 * process that finds the lock free always gets it, so an action that becomes storable is recorded
 * by the next run alone. */
#define UNSTORABLE_NS 10000000000ll
#define PAUSE_FIRST_NS 200000ll
#define PAUSE_MAX_NS 5000000ll

struct mark {
	unsigned char key[16];
	int64_t at;
};
_Static_assert(sizeof(struct mark) == 24, "table above");

static uint64_t lock_offset(const struct digest *key)
{
	uint64_t v;

	memcpy(&v, key->b, sizeof v);
	return (1ull << 32) + (v >> 2); /* positive as off_t, and beyond the table */
}

/* True if the key's last run was marked between the two times. A mark from the future was made
 * before the last boot. */
static int marked(int fd, const struct digest *key, int64_t since, int64_t until)
{
	struct mark m;

	return slots_get(fd, slots_of(key, UNSTORABLE_SLOTS), &m, sizeof m) &&
	       memcmp(m.key, key->b, sizeof m.key) == 0 && m.at >= since && m.at <= until;
}

static int set_lock(int fd, uint64_t at, short type)
{
	return slots_lock(fd, (off_t)at, 1, type);
}

enum lock_status lock_take(struct lock *l, const char *runtime_dir, const struct digest *key,
                           int64_t wait_ns, int64_t *waited_ns)
{
	enum lock_status status = LOCK_FAULT;
	int64_t pause = PAUSE_FIRST_NS, start = 0, now = 0;
	uint64_t at = lock_offset(key);
	int fd = slots_open(runtime_dir, "locks");

	*l = (struct lock)LOCK_INIT;
	if (waited_ns)
		*waited_ns = 0;
	if (fd < 0)
		return LOCK_FAULT;
	int rc = set_lock(fd, at, F_WRLCK);
	/* Linux returns EAGAIN if the lock is held. POSIX also allows EACCES, which is a refusal
	 * here. */
	if (rc == -EAGAIN)
		start = now = sys_now_ns(CLOCK_BOOTTIME);
	while (rc == -EAGAIN) {
		if (marked(fd, key, start - UNSTORABLE_NS, now)) {
			status = LOCK_UNSTORABLE;
			goto out;
		}
		if (now - start >= wait_ns) {
			status = LOCK_TIMEOUT;
			goto out;
		}
		sys_sleep_ns(pause < wait_ns - (now - start) ? pause : wait_ns - (now - start));
		pause = pause * 3 / 2 < PAUSE_MAX_NS ? pause * 3 / 2 : PAUSE_MAX_NS;
		now = sys_now_ns(CLOCK_BOOTTIME);
		rc = set_lock(fd, at, F_WRLCK);
	}
	if (rc < 0)
		goto out;
	l->fd = fd;
	l->at = at;
	status = LOCK_HELD;
	if (start && marked(fd, key, start, now)) {
		/* the run that we waited for was not storable, so ours would not be either */
		lock_release(l);
		fd = -1;
		status = LOCK_UNSTORABLE;
	}
out:
	if (waited_ns && start)
		*waited_ns = now - start;
	if (status != LOCK_HELD && fd >= 0)
		sys_close(fd);
	return status;
}

void lock_release(struct lock *l)
{
	if (l->fd < 0)
		return;
	/* Unlocked explicitly: a forked child may still have the descriptor. */
	set_lock(l->fd, l->at, F_UNLCK);
	lock_forget(l);
}

void lock_forget(struct lock *l)
{
	if (l->fd >= 0)
		sys_close(l->fd);
	*l = (struct lock)LOCK_INIT;
}

int lock_busy(const char *runtime_dir, const struct digest *key)
{
	struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET,
	                   .l_start = (off_t)lock_offset(key), .l_len = 1};
	int fd = slots_open(runtime_dir, "locks");

	if (fd < 0)
		return 0;
	int rc = sys_fcntl(fd, F_OFD_GETLK, (long)&fl);
	sys_close(fd);
	return rc == 0 && fl.l_type != F_UNLCK;
}

void lock_mark_unstorable(struct lock *l, const struct digest *key)
{
	struct mark m;

	if (l->fd < 0)
		return;
	memcpy(m.key, key->b, sizeof m.key);
	m.at = sys_now_ns(CLOCK_BOOTTIME);
	slots_put(l->fd, slots_of(key, UNSTORABLE_SLOTS), &m, sizeof m);
}
