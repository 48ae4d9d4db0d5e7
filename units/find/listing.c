/* units/find/listing.c - the marks of open directory streams, by descriptor. */
#include "units/find/listing.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/buf.h"
#include "shim/digest.h"
#include "store/walk.h"

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

/* Writes and reads marks in names. */

enum { PREFIX = sizeof MARK_PREFIX - 1, DIGITS = 16 };

uint64_t mark_of(const char *scope)
{
	struct digest d;
	uint64_t mark;

	digest_name(&d, scope, strlen(scope));
	mark = le_get(d.b, 8);
	return mark > MARK_NONE ? mark : mark + MARK_NONE + 1;
}

const char *mark_name(uint64_t mark, const char *member, struct arena *a)
{
	char hex[DIGITS + 1] = "";

	ascii_put_hex(hex, mark, DIGITS);
	return arena_cat(a, MARK_PREFIX, hex, "-", member, NULL);
}

int mark_is_of_other(const char *name, uint64_t mark)
{
	char hex[DIGITS];

	if (name[0] != MARK_PREFIX[0] || strncmp(name, MARK_PREFIX, PREFIX) != 0)
		return 0;
	ascii_put_hex(hex, mark, DIGITS);
	return mark <= MARK_NONE || strncmp(name + PREFIX, hex, DIGITS) != 0 ||
	       name[PREFIX + DIGITS] != '-' || !name[PREFIX + DIGITS + 1];
}
