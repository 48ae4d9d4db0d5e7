/* units/member.h - member record: one file of a unit that is a set. Payload of STORE_SET, one
 * entry a slot.
 *
 * Format: table above member.c and docs/internals/formats.md. A member is laid only where the files of its
 * conditions have these contents (TorchAir's key does not cover the source it was made from).
 * Strings point into what was decoded. THREAD. */
#ifndef UNITS_MEMBER_H
#define UNITS_MEMBER_H

#include <stdint.h>

#include "shim/arena.h"
#include "shim/digest.h"

#define MEMBER_CONDITIONS_MAX 64
#define MEMBER_SOURCE_MAX (64u << 20) /* of a file that a condition names, in bytes */
struct member_condition {
	const char *path; /* absolute; a regular file, or it does not hold */
	struct digest content;
};
struct member {
	struct digest parcel;
	int64_t made_at;
	const char *name;      /* as parcel_name_ok */
	struct member_condition *condition;
	unsigned conditions;
};
/* Times in s since 1970; began: of the process, 0: not known. What a process imported is what stood there when it began: a
 * source that changed later, or so shortly before that clocks of file servers may disagree, is perhaps another. */
#define MEMBER_SKEW_S 2
static inline int member_is_imported(int64_t source_ctime, int64_t began)
{
	return source_ctime + MEMBER_SKEW_S < began;
}
/* out->failed where a limit is passed. */
void member_encode(struct buf *out, const struct member *m);
/* 0 or -1. */
int member_decode(struct member *m, const void *bytes, size_t n, struct arena *a);

#endif
