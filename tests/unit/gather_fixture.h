/* Units as frameworks leave them, in a directory of the test's own, and offers as a host makes
 * them. */
#pragma once

#include "store_fixture.h"

#include <stdarg.h>

#include "store/queue/spool.h"
#include "units/format/member.h"
#include "units/format/parcel.h"
#include "units/gather/gather.h"

#define B32 "J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMQ"
#define C51 "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs"
#define X64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static inline void put_text(const char *path, const char *text)
{
	char dir[640];

	snprintf(dir, sizeof dir, "mkdir -p \"$(dirname '%s')\"", path);
	cr_assert_eq(system(dir), 0);
	write_file(path, text, strlen(text));
}

/* The offer of a host for a unit whose file (its index, its member, itself) exists now. */
static inline struct offer offer_of(enum unit_class class, const char *path, const char *member)
{
	static char kept[16][2][512];
	static int n;
	struct offer o = {.class = class, .scope = "scope", .job = "job", .member = ""};
	struct unit_path u;
	struct statx st;

	n = (n + 1) % 16;
	snprintf(kept[n][0], sizeof kept[n][0], "%s", path);
	snprintf(kept[n][1], sizeof kept[n][1], "%s%s%s", path, *member ? "/" : "", member);
	o.path = kept[n][0];
	if (*member)
		o.member = kept[n][1] + strlen(path) + 1;
	cr_assert_neq(unit_shape(&u, kept[n][1]), PART_NONE, "%s", kept[n][1]);
	cr_assert_eq(u.class, class);
	o.name = o.path + u.name_at;
	unit_key(&o.key, class, o.scope, o.path + u.name_at, u.name_len);
	cr_assert_eq(sys_statx(AT_FDCWD, kept[n][1], AT_SYMLINK_NOFOLLOW, OFFER_STATX, &st), 0,
	             "%s", kept[n][1]);
	offer_identify(&o, &st);
	o.made_at = time(NULL);
	return o;
}

static inline enum gather_status gathered(const struct offer *o)
{
	fault.text[0] = '\0';
	return gather_unit(&store, o, &(struct gather_terms){~0u, COMPRESS_AUTO}, &arena, &fault);
}

static inline int keeps(const struct offer *o)
{
	enum gather_status st = gathered(o);

	cr_expect_eq(st, GATHER_KEPT, "%s", fault.text);
	return st == GATHER_KEPT;
}

static inline void drops(const struct offer *o, const char *why)
{
	int64_t before = counted(COUNTER_UNITS_DROPPED);

	cr_expect_eq(gathered(o), GATHER_DROPPED, "%s", why);
	cr_expect(strstr(fault.text, why), "%s: %s", why, fault.text);
	cr_expect_eq(counted(COUNTER_UNITS_DROPPED), before + 1);
}

/* The parcel of a key; 0 files: there is none. */
static inline struct parcel parcel_of(const struct digest *key)
{
	struct parcel p = {0};
	struct entry e;

	if (store_get(&store, STORE_UNIT, key, 0, &e, &arena, &fault) == ENTRY_OK)
		cr_assert_eq(parcel_decode(&p, e.payload, e.len, &arena), 0);
	return p;
}

static inline const char *text_of(const struct parcel_file *f, const char *dir)
{
	uint64_t len;
	const unsigned char *bytes = parcel_file_bytes(f, dir, &len, &arena);

	cr_assert_not_null(bytes);
	return arena_memdup(&arena, bytes, len);
}

/* The number of records that wait to be sent. */
static inline size_t spooled(struct spool_batch *b)
{
	*b = (struct spool_batch)SPOOL_BATCH_INIT;
	cr_assert_eq(spool_take(&store, b, &fault), 0);
	return b->count;
}

/* A kernel as Triton leaves it. */
static inline const char *kernel(void)
{
	static char dir[256];
	char index[1024];

	snprintf(dir, sizeof dir, "%s/t/" B32, root);
	put_text(in_root("t/" B32 "/k.zebin"), "zebin");
	put_text(in_root("t/" B32 "/k.json"), "{}");
	snprintf(index, sizeof index, "{\"child_paths\": {\"k.zebin\": \"%s/k.zebin\", \"k.json\": "
	         "\"%s/k.json\"}}", dir, dir);
	put_text(in_root("t/" B32 "/__grp__k.json"), index);
	return dir;
}
