/* units/member.h - member record: one file of a unit that is a set. Payload of STORE_SET, one entry a slot.
 *
 *   offset 0  32  parcel     key of its STORE_UNIT entry; first, since store_add_candidate compares it
 *         32   8  made_at    s since 1970
 *         40   .  name       lstr
 *             4   conditions, then each: path lstr, digest 32 - the member is laid only where these files have these
 *                 contents (TorchAir's key does not cover the source it was made from)
 * THREAD. */
#ifndef UNITS_MEMBER_H
#define UNITS_MEMBER_H

#include "shim/arena.h"
#include "shim/digest.h"

#define MEMBER_CONDITIONS_MAX 64
struct member_condition {
	const char *path;
	struct digest content;
};
struct member {
	struct digest parcel;
	int64_t made_at;
	const char *name;
	struct member_condition *condition;
	unsigned conditions;
};
void member_encode(struct buf *out, const struct member *m);
/* 0 or -1. */
int member_decode(struct member *m, const void *bytes, size_t n, struct arena *a);

#endif
