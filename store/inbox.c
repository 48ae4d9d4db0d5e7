/* store/inbox.c - what the agent brought for tools. */
#include "store/inbox.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "store/eviction.h"

#include "shim/banned.h"

int inbox_open(struct store *inbox, const struct store *s, struct arena *a)
{
	const char *at = s->dir && s->writable ? s->dir : s->runtime_dir;

	/* Without a runtime directory it counts nothing, and is never measured. */
	*inbox = (struct store){.dir = at ? arena_cat(a, at, "/inbox", NULL) : NULL, .writable = 1,
	                        .maps = s->maps};
	return inbox->dir ? 0 : -1;
}

int inbox_accept(const struct store *inbox, struct store *s, const struct digest *key,
                 uint64_t len)
{
	char from[PATH_SIZE], to[PATH_SIZE];

	if (!s->dir || !s->writable ||
	    store_path(from, sizeof from, inbox->dir, STORE_RESULT, key, 0) >= sizeof from ||
	    store_path(to, sizeof to, s->dir, STORE_RESULT, key, 0) >= sizeof to ||
	    tmp_rename(from, to) < 0)
		return -1;
	gc_account(s, (int64_t)(len + ENTRY_HEAD + ENTRY_TAIL));
	return 0;
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
	uint64_t removed;
};

static int drop(void *ctx, enum store_class class, const char *path)
{
	struct sweep *w = ctx;
	struct statx st;

	if (sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &st) == 0 &&
	    st.stx_mtime.tv_sec < w->before && sys_unlink(path) == 0)
		w->removed++;
	return 0;
}

uint64_t inbox_sweep(const struct store *s, int64_t age_s, struct arena *a)
{
	struct sweep w = {sys_now_ns(CLOCK_REALTIME) / 1000000000 - age_s, 0};
	struct store inbox;

	if (inbox_open(&inbox, s, a) == 0 && sys_access(inbox.dir, F_OK) == 0)
		gc_each(&inbox, drop, &w);
	return w.removed;
}
