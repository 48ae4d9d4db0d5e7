/* store/inbox.c - what the agent brought for tools. */
#include "store/inbox.h"

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

void inbox_done(const struct store *inbox, const struct digest *k1)
{
	char path[PATH_SIZE];

	for (int slot = 0; slot < STORE_SLOTS; slot++)
		if (store_path(path, sizeof path, inbox->dir, STORE_MANIFEST, k1, slot) >=
		    sizeof path || sys_unlink(path) < 0)
			return;
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
