/* store/lock.c - single flight on a node.
 *
 * <runtime>/locks: byte 2^32 + the key's first 62 bits is locked, and the file itself holds the
 * table of runs that could not be stored, UNSTORABLE_SLOTS of
 *   0 16  the key's first bytes, which are its hash
 *  16  8  time, CLOCK_BOOTTIME ns
 * and a check (store/shared_page.h), in the slot that the key's bytes 8 to 11 choose. Behind it is
 * the the table of holders, as many of
 *   0  8  the key's first bytes
 *   8  4  thread
 *  12  4  number of the pid namespace
 *  16  8  time, CLOCK_BOOTTIME ns
 * and a check, in the slot of the same number. */
#include "store/lock.h"

#include "shim/kernel/process.h"
#include "shim/kernel/sys.h"
#include "store/shared_page.h"

#include "shim/banned.h"

#define UNSTORABLE_SLOTS 1024u
/* How long a mark is valid for processes that find the lock held: as long as some compiles. A
 * process that finds the lock free always gets it, so an action that becomes storable is recorded
 * by the next run alone. */
#define UNSTORABLE_NS 10000000000ll
#define PAUSE_FIRST_NS 200000ll
#define PAUSE_MAX_NS 5000000ll
/* Between two looks at the holder's state, which cost 20 us each. */
#define STOPPED_LOOK_NS 20000000ll

struct mark {
	unsigned char key[16];
	int64_t at;
};
struct held {
	unsigned char key[8];
	int32_t tid;
	uint32_t namespace;
	int64_t at;
};
_Static_assert(sizeof(struct mark) == 24, "table above");
_Static_assert(sizeof(struct held) == sizeof(struct mark), "both tables have slots of one size");

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

/* A pid means nothing in another pid namespace. */
static uint32_t pid_namespace(void)
{
	struct statx st;

	return sys_statx(AT_FDCWD, "/proc/self/ns/pid", 0, STATX_INO, &st) == 0
	               ? (uint32_t)st.stx_ino : 0;
}

static void put_holder(int fd, const struct digest *key)
{
	struct held h = {.tid = sys_gettid(), .namespace = pid_namespace(),
	                 .at = sys_now_ns(CLOCK_BOOTTIME)};

	memcpy(h.key, key->b, sizeof h.key);
	slots_put(fd, UNSTORABLE_SLOTS + slots_of(key, UNSTORABLE_SLOTS), &h, sizeof h);
}

static struct lock_holder get_holder(int fd, const struct digest *key)
{
	struct lock_holder holder = {0};
	struct held h;

	if (slots_get(fd, UNSTORABLE_SLOTS + slots_of(key, UNSTORABLE_SLOTS), &h, sizeof h) &&
	    memcmp(h.key, key->b, sizeof h.key) == 0 && h.namespace == pid_namespace())
		holder = (struct lock_holder){h.tid, h.at};
	return holder;
}

static int is_stopped(const struct lock_holder *holder)
{
	struct process p;

	return holder->tid && process_read(&p, holder->tid) == 0 && p.state == PROCESS_STOPPED;
}

struct limit {
	int64_t wait_ns;
	int64_t looked_ns; /* when the holder's state was read */
};

static int within_limit(void *context, const struct lock_holder *holder, int64_t waited_ns)
{
	struct limit *l = context;

	if (waited_ns >= l->wait_ns)
		return 0;
	if (waited_ns < l->looked_ns + STOPPED_LOOK_NS)
		return 1;
	l->looked_ns = waited_ns;
	return !is_stopped(holder);
}

enum lock_status lock_take(struct lock *l, const char *runtime_dir, const struct digest *key,
                           int64_t wait_ns, int64_t *waited_ns)
{
	struct limit limit = {.wait_ns = wait_ns};

	return lock_take_while(l, runtime_dir, key, within_limit, &limit, waited_ns);
}

enum lock_status lock_take_while(struct lock *l, const char *runtime_dir, const struct digest *key,
                                 int (*goes_on)(void *context, const struct lock_holder *holder,
                                                int64_t waited_ns),
                                 void *context, int64_t *waited_ns)
{
	enum lock_status status = LOCK_FAULT;
	int64_t pause = PAUSE_FIRST_NS, start = 0, now = 0;
	struct lock_holder holder;
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
		holder = get_holder(fd, key);
		if (!goes_on(context, &holder, now - start)) {
			status = LOCK_TIMEOUT;
			goto out;
		}
		sys_sleep_ns(pause);
		pause = pause * 3 / 2 < PAUSE_MAX_NS ? pause * 3 / 2 : PAUSE_MAX_NS;
		now = sys_now_ns(CLOCK_BOOTTIME);
		rc = set_lock(fd, at, F_WRLCK);
	}
	if (rc < 0)
		goto out;
	l->fd = fd;
	l->at = at;
	status = LOCK_HELD;
	put_holder(fd, key);
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

int lock_stopped(const char *runtime_dir, const struct digest *key)
{
	int fd = slots_open(runtime_dir, "locks"), stopped;
	struct lock_holder holder;

	if (fd < 0)
		return 0;
	holder = get_holder(fd, key);
	stopped = is_stopped(&holder);
	sys_close(fd);
	return stopped;
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
