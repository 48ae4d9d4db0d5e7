/* store/inbox.c - what the agent brought for tools. */
#include "store/inbox.h"

#include <errno.h>
#include <string.h>

#include "shim/kernel/sys.h"
#include "store/eviction.h"
#include "store/job/counters.h"
#include "store/walk.h"

#include "shim/banned.h"

static const char *place(const struct store *s)
{
	return s->dir && s->writable ? s->dir : s->runtime_dir;
}

int inbox_open(struct store *inbox, const struct store *s, struct arena *a)
{
	const char *at = place(s);

	/* Without a runtime directory it counts nothing, and is never measured. */
	*inbox = (struct store){.writable = 1, .reads = s->reads};
	inbox->dir = at && *s->remote ? arena_cat(a, at, STORE_INBOX "/", s->remote, NULL) : NULL;
	return inbox->dir ? 0 : -1;
}

/* The agent may have put other bytes under this name since, which nobody checked. */
static int is_file_of(const char *path, const struct entry *e)
{
	struct statx st;

	return sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_MTIME, &st) == 0 &&
	       e->ino && st.stx_ino == e->ino && st.stx_mtime.tv_sec == e->mtime &&
	       st.stx_mtime.tv_nsec == e->mtime_ns;
}

void inbox_account(struct store *s, uint64_t bytes)
{
	if (s->dir && s->writable)
		gc_account(s, (int64_t)bytes);
}

int inbox_accept(const struct store *inbox, struct store *s, const struct entry *e)
{
	char path[PATH_SIZE], tmp[PATH_SIZE];

	if (!s->dir || !s->writable || tmp_name(tmp, sizeof tmp, inbox->dir) < 0 ||
	    store_path(path, sizeof path, inbox->dir, STORE_RESULT, &e->key, 0) >= sizeof path ||
	    sys_rename(path, tmp) < 0)
		return -1;
	if (!is_file_of(tmp, e) ||
	    store_path(path, sizeof path, s->dir, STORE_RESULT, &e->key, 0) >= sizeof path ||
	    tmp_rename(tmp, path) < 0) {
		tmp_drop(tmp);
		return -1;
	}
	return 0;
}

int inbox_move(const struct store *inbox, struct store *s, enum store_class class,
               const struct digest *key)
{
	char from[PATH_SIZE], to[PATH_SIZE];

	if (!s->dir || !s->writable)
		return -EROFS;
	if (store_path(from, sizeof from, inbox->dir, class, key, 0) >= sizeof from ||
	    store_path(to, sizeof to, s->dir, class, key, 0) >= sizeof to)
		return -ENAMETOOLONG;
	return tmp_rename(from, to);
}

/* 1: the candidate names that result. */
static int names(const char *path, const unsigned char *result)
{
	unsigned char first[DIGEST_SIZE];
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	long n = fd < 0 ? -1 : SYS4(SYS_pread64, fd, first, sizeof first, ENTRY_HEAD);

	if (fd >= 0)
		sys_close(fd);
	return n == (long)sizeof first && memcmp(first, result, sizeof first) == 0;
}

static int slot_path(char out[PATH_SIZE], const struct store *inbox, const struct digest *k1,
                     int slot)
{
	return store_path(out, PATH_SIZE, inbox->dir, STORE_MANIFEST, k1, slot) < PATH_SIZE &&
	       sys_access(out, F_OK) == 0;
}

void inbox_done(const struct store *inbox, const struct digest *k1, const unsigned char *result)
{
	char path[PATH_SIZE], last[PATH_SIZE];
	int slots = 0, slot = 0;

	while (slots < STORE_SLOTS && slot_path(path, inbox, k1, slots))
		slots++;
	/* The last one takes the place of one that goes: readers stop at a gap. */
	while (slot < slots && slot_path(path, inbox, k1, slot)) {
		if (result && !names(path, result)) {
			slot++;
			continue;
		}
		if (!slot_path(last, inbox, k1, --slots) ||
		    (slots == slot ? sys_unlink(last) : sys_rename(last, path)) < 0)
			return;
	}
}

struct sweep {
	int64_t before;
	uint64_t removed, bytes;
	struct store at;
};

static int drop(void *ctx, enum store_class class, const char *path)
{
	struct sweep *w = ctx;
	struct statx st;

	if (sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_MTIME | STATX_SIZE, &st) == 0 &&
	    st.stx_mtime.tv_sec < w->before && sys_unlink(path) == 0) {
		w->removed++;
		w->bytes += class == STORE_MANIFEST ? 0 : st.stx_size;
	}
	return 0;
}

/* The inbox of one remote store. */
static int sweep_one(void *ctx, int dirfd, const char *path, const char *name)
{
	struct sweep *w = ctx;
	char dir[PATH_SIZE];

	(void)dirfd;
	if (path_join(dir, sizeof dir, path, name) >= sizeof dir)
		return 0;
	w->at = (struct store){.dir = dir, .writable = 1};
	gc_each(&w->at, drop, w);
	w->removed += walk_drop_litter(&w->at);
	return 0;
}

uint64_t inbox_sweep(struct store *s, int64_t age_s, struct arena *a)
{
	struct sweep w = {.before = sys_now_ns(CLOCK_REALTIME) / 1000000000 - age_s};
	const char *at = place(s), *dir = at ? arena_cat(a, at, STORE_INBOX, NULL) : NULL;

	if (dir)
		walk_names(dir, sweep_one, &w);
	if (age_s != INBOX_ALL && s->dir && s->writable)
		counters_add(s, COUNTER_STORE_SIZE, -(int64_t)w.bytes);
	return w.removed;
}
