/* units/format/member.h - member record: one file of a unit that is a set. Payload of STORE_SET,
 * one entry in a slot.
 *
 * Format: table above member.c and docs/internals/formats.md. A member is placed only where the
 * files of its conditions have these contents: TorchAir's key does not cover the sources. Strings
 * point into the decoded bytes. THREAD. */
#pragma once

#include <stdint.h>

#include "shim/arena.h"
#include "shim/buf.h"
#include "shim/digest.h"
#include "units/shape/shape.h"

#define MEMBER_CONDITIONS_MAX 64
#define MEMBER_SOURCE_MAX (64u << 20) /* of a file that a condition names, in bytes */
struct member_condition {
	const char *path; /* absolute; the condition holds for a regular file only */
	struct digest content;
};
struct member {
	struct digest parcel;
	int64_t made_at;
	const char *name;      /* as parcel_name_ok */
	struct member_condition *condition;
	unsigned conditions;
};
/* 1: the process imported the source as it is now. Times in s since 1970; began: start of the
 * process, 0: not known. The process may have imported the old source in two cases. The source
 * changed after the start, or so shortly before it that clocks of file servers may disagree. */
#define MEMBER_SKEW_S 2
static inline int member_is_imported(int64_t source_ctime, int64_t began)
{
	return source_ctime + MEMBER_SKEW_S < began;
}
/* out->failed where a limit is passed. */
void member_encode(struct buf *out, const struct member *m);
/* 0 or -1. */
int member_decode(struct member *m, const void *bytes, size_t n, struct arena *a);

/* The keys of units in the store. Pure. THREAD.
 *
 *   WHOLE, FILE, MERGED   unit_key: entry STORE_UNIT, a parcel (units/format/parcel.h)
 *   SET                   unit_key: slots of STORE_SET, each a member record that
 *                         names the key of one parcel, STORE_UNIT
 * Both hold ENTRY_VERSION and the class's number, so that builds of two versions share a store but
 * not its entries. They use the digest that is in use (shim/digest.h), which the caller has chosen
 * before. */

void unit_key(struct digest *out, enum unit_class class, const char *scope, const char *name,
              size_t name_len);
/* The key of a member. set: its unit_key. content: digest of its bytes; NULL where the framework's
 * name is such a digest. */
void unit_member_key(struct digest *out, const struct digest *set, const char *name,
                     const struct digest *content);
