/* store/shared_page.c - shared pages in the runtime directory. */
#include "store/shared_page.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/trace.h"

#include "shim/banned.h"

#define STATE_OF (STATX_INO | STATX_SIZE | STATX_BLOCKS)

/* The page of this process that was closed last: mapping one costs ten times as much as asking
 * whether the file is still the same. Other pages that are open at the same time are not kept. */
enum { NONE, CHANGES, OPEN, CLOSED };
static START_DATA struct {
	int state;
	int64_t *page;
	size_t bytes;
	uint64_t ino;
	uint32_t major, minor;
} kept;

static int kept_becomes(int from, int to)
{
	return __atomic_load_n(&kept.state, __ATOMIC_RELAXED) == from &&
	       __atomic_compare_exchange_n(&kept.state, &from, to, 0, __ATOMIC_ACQUIRE,
	                                   __ATOMIC_RELAXED);
}

static void kept_is(int state)
{
	__atomic_store_n(&kept.state, state, __ATOMIC_RELEASE);
}

/* NULL: none is kept, or the file is another one, or has lost bytes that the mapping shows. */
static int64_t *reopen(const char *path, size_t bytes)
{
	struct statx st;

	if (!kept_becomes(CLOSED, CHANGES))
		return NULL;
	if (bytes == kept.bytes && sys_statx(AT_FDCWD, path, 0, STATE_OF, &st) == 0 &&
	    st.stx_ino == kept.ino && st.stx_dev_major == kept.major &&
	    st.stx_dev_minor == kept.minor && st.stx_size >= bytes &&
	    st.stx_blocks * 512 >= bytes) {
		kept_is(OPEN);
		return kept.page;
	}
	sys_munmap(kept.page, kept.bytes);
	kept_is(NONE);
	return NULL;
}

static void keep(int64_t *page, size_t bytes, const struct statx *st)
{
	if (!kept_becomes(NONE, CHANGES))
		return;
	kept.page = page;
	kept.bytes = bytes;
	kept.ino = st->stx_ino;
	kept.major = st->stx_dev_major;
	kept.minor = st->stx_dev_minor;
	kept_is(OPEN);
}

static int64_t *map(const char *path, size_t bytes)
{
	struct statx st;
	int64_t *page = reopen(path, bytes);
	int fd;

	if (page)
		return page;
	fd = sys_open_made(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return NULL;
	int rc = sys_statx(fd, "", AT_EMPTY_PATH, STATE_OF, &st);
	if (rc == 0 && (st.stx_size < bytes || st.stx_blocks * 512 < bytes))
		rc = sys_fallocate(fd, 0, 0, (off_t)bytes);
	page = rc < 0 ? NULL : sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sys_close(fd);
	if (!page || sys_mmap_failed(page))
		return NULL;
	keep(page, bytes, &st);
	return page;
}

/* 1: the page was new and is ours now. 0: it was ours. -1: it is damaged. */
static int claim(int64_t *page, int64_t magic)
{
	int64_t was = 0;

	if (__atomic_compare_exchange_n(page, &was, magic, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 1;
	return was == magic ? 0 : -1;
}

int64_t *shared_page_open(const char *runtime_dir, const char *name, size_t bytes, int64_t magic,
                          int *made)
{
	char path[PATH_SIZE];

	*made = 0;
	if (!runtime_dir || path_join(path, sizeof path, runtime_dir, name) >= sizeof path)
		return NULL;
	for (int i = 0; i < 2; i++) {
		int64_t *page = map(path, bytes);
		int claimed = page ? claim(page, magic) : 0;

		*made = claimed > 0;
		if (claimed >= 0)
			return page;
		shared_page_close(page, bytes);
		/* Processes that have it mapped keep it. */
		sys_unlink(path);
	}
	return NULL;
}

void shared_page_close(int64_t *page, size_t bytes)
{
	if (!page)
		return;
	if (__atomic_load_n(&kept.state, __ATOMIC_ACQUIRE) == OPEN && kept.page == page)
		kept_is(CLOSED);
	else
		sys_munmap(page, bytes);
}

/* Slots of a record and a check. */

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

int slots_put(int fd, uint32_t slot, const void *record, size_t size)
{
	unsigned char bytes[SLOTS_RECORD_MAX + CHECK];
	size_t all = size + CHECK;
	uint64_t check;

	if (size > SLOTS_RECORD_MAX)
		return -1;
	memcpy(bytes, record, size);
	check = digest_check(bytes, size);
	memcpy(bytes + size, &check, CHECK);
	return sys_pwrite(fd, bytes, all, (off_t)(slot * all)) == (ssize_t)all ? 0 : -1;
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

/* --- absent keys --- */

struct asked {
	unsigned char key[8];
	int64_t at;
};

int negative_cache_known(const struct store *s, const struct digest *key)
{
	int fd = slots_open(s->runtime_dir, "asked"), known;
	int64_t now = sys_now_ns(CLOCK_BOOTTIME);
	struct asked a;

	if (fd < 0)
		return 0;
	/* A time in the future was written before the last boot. */
	known = slots_get(fd, slots_of(key, NEGATIVE_CACHE_SLOTS), &a, sizeof a) &&
	        memcmp(a.key, key->b, sizeof a.key) == 0 && a.at <= now &&
	        a.at > now - NEGATIVE_CACHE_S * 1000000000ll;
	sys_close(fd);
	return known;
}

static int put(const struct store *s, const struct digest *key, int64_t at)
{
	int fd = slots_open(s->runtime_dir, "asked");
	struct asked a = {.at = at};

	if (fd < 0)
		return -1;
	memcpy(a.key, key->b, sizeof a.key);
	int rc = slots_put(fd, slots_of(key, NEGATIVE_CACHE_SLOTS), &a, sizeof a);
	sys_close(fd);
	return rc;
}

int negative_cache_note(const struct store *s, const struct digest *key)
{
	return put(s, key, sys_now_ns(CLOCK_BOOTTIME));
}

void negative_cache_forget(const struct store *s, const struct digest *key)
{
	if (negative_cache_known(s, key))
		put(s, key, 0);
}

/* --- files that two recorded tools write --- */

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
