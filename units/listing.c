/* units/listing.c - the marks of open directory streams, by descriptor. */
#include "units/listing.h"

#include "store/walk.h"
#include "units/mark.h"

#include "shim/banned.h"

/* A process seldom has more descriptors. Those above share one mark, and keep it: of several marks,
 * none counts. */
#define LISTING_FDS 4096

int listing_on;
/* 0: all names are shown. Pages that no stream uses take no memory. */
static uint64_t mark_at[LISTING_FDS + 1];

/* ctx: the mark. */
static int is_shown(void *ctx, int dirfd, const char *path, const char *name)
{
	(void)dirfd;
	(void)path;
	return !mark_is_of_other(name, *(uint64_t *)ctx);
}

void listing_set(int fd, uint64_t mark)
{
	uint64_t *at = &mark_at[fd < LISTING_FDS ? fd : LISTING_FDS];

	if (fd >= LISTING_FDS) {
		uint64_t was = 0;

		if (mark && !__atomic_compare_exchange_n(at, &was, mark, 0, __ATOMIC_RELAXED,
		                                         __ATOMIC_RELAXED) && was != mark)
			__atomic_store_n(at, MARK_NONE, __ATOMIC_RELAXED);
	} else {
		__atomic_store_n(at, mark, __ATOMIC_RELAXED);
	}
	if (mark)
		__atomic_store_n(&listing_on, 1, __ATOMIC_RELAXED);
}

int listing_leaves_out(int fd, const char *name)
{
	uint64_t mark;

	if (fd < 0)
		return 0;
	mark = __atomic_load_n(&mark_at[fd < LISTING_FDS ? fd : LISTING_FDS], __ATOMIC_RELAXED);
	return mark && mark_is_of_other(name, mark);
}

int listing_is_empty(const char *path, uint64_t mark)
{
	return walk_names(path, is_shown, &mark) == 0;
}
