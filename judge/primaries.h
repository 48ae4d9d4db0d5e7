/* judge/primaries.h - the primary inputs: files that argv names, and whose content is keyed.
 *
 * Memory: the start's arena. THREAD. */
#pragma once

#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/kernel/sys.h"

struct primary {
	const char *path;
	const char *whole;     /* the path as the trace spells it: absolute and tidy */
	struct digest content; /* of all its bytes */
	struct digest keyed;   /* of the bytes that enter the key, or of their form */
	struct digest text;    /* what `keyed` was before the form replaced it */
	int formed;            /* the key holds the form without comments */
	int strippable;        /* the key leaves out its trailing comments */
	struct statx st;
	int response;          /* a response file: its arguments are keyed, not its bytes */
};
struct primaries {
	struct primary *v;
	size_t count, cap;
};

/* Room for the next one, which the caller fills and then counts. NULL: no memory. */
struct primary *primaries_next(struct primaries *p, struct arena *a);
/* 1: an argument spells this path. */
int primaries_name(const struct primaries *p, const char *path);
/* The input with this path, absolute and tidy, or NULL. */
struct primary *primaries_at(const struct primaries *p, const char *whole);
/* 1: an input is this file. */
int primaries_have_file(const struct primaries *p, const struct statx *st);
/* 1: an input has this content. */
int primaries_hold(const struct primaries *p, const struct digest *content);
