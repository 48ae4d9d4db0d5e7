/* units/format/member.c - member, the payload of a STORE_SET entry; little-endian, no padding
 *
 *   offset 0  32  parcel   key of its STORE_UNIT entry; first: store_add_candidate compares it
 *         32   8  made_at  seconds since 1970
 *         40   .  name     string, of the file
 *          .   4  number of conditions, at most MEMBER_CONDITIONS_MAX, each:
 *                   string path, absolute; 32 digest of what that file must hold
 *
 * A string is 4 length, bytes without a NUL, one NUL that is not counted. The payload ends with
 * the last condition.
 * Specimen: tests/data/member-v1.bin, decoded by tests/unit/test_member.c. */
#include "units/format/member.h"

#include <string.h>

#include "keying/key.h"
#include "shim/buf.h"
#include "shim/format.h"
#include "store/entry/entry.h"
#include "units/format/parcel.h"

#include "shim/banned.h"

/* The smallest condition; a count above what the remaining bytes can hold is false. */
enum { CONDITION_MIN = 6 + DIGEST_SIZE };

static void decode_digest(struct reader *r, struct digest *d)
{
	const void *p = reader_bytes(r, DIGEST_SIZE);

	if (p)
		memcpy(d->b, p, DIGEST_SIZE);
}

void member_encode(struct buf *out, const struct member *m)
{
	if (m->conditions > MEMBER_CONDITIONS_MAX || !parcel_name_ok(m->name)) {
		out->failed = 1;
		return;
	}
	buf_add(out, m->parcel.b, DIGEST_SIZE);
	buf_u64(out, (unsigned long long)m->made_at);
	buf_lstr(out, m->name, strlen(m->name));
	buf_u32(out, m->conditions);
	for (unsigned i = 0; i < m->conditions; i++) {
		if (m->condition[i].path[0] != '/')
			out->failed = 1;
		buf_lstr(out, m->condition[i].path, strlen(m->condition[i].path));
		buf_add(out, m->condition[i].content.b, DIGEST_SIZE);
	}
}

int member_decode(struct member *m, const void *bytes, size_t n, struct arena *a)
{
	struct reader r = reader_of(bytes, n);

	memset(m, 0, sizeof *m);
	decode_digest(&r, &m->parcel);
	m->made_at = (int64_t)reader_u64(&r);
	m->name = reader_text(&r);
	size_t count = reader_u32(&r);
	if (r.failed || !parcel_name_ok(m->name) || count > MEMBER_CONDITIONS_MAX ||
	    count > (size_t)(r.end - r.p) / CONDITION_MIN)
		return -1;
	m->condition = arena_alloc(a, (count + 1) * sizeof *m->condition);
	if (!m->condition)
		return -1;
	for (size_t i = 0; i < count; i++) {
		m->condition[i].path = reader_text(&r);
		decode_digest(&r, &m->condition[i].content);
		if (m->condition[i].path[0] != '/')
			r.failed = 1;
	}
	m->conditions = (unsigned)count;
	return r.failed || r.p != r.end ? -1 : 0;
}

/* Keys of units and of their members, field by field (keying/key.h). */

void unit_key(struct digest *out, enum unit_class class, const char *scope, const char *name,
              size_t name_len)
{
	char number[16], version[16];
	struct key k;

	format_text(number, sizeof number, "%u", (unsigned)class);
	format_text(version, sizeof version, "%u", ENTRY_VERSION);
	key_init(&k, NULL);
	key_add_str(&k, KEY_FORMAT, "of entries", version);
	key_add(&k, KEY_UNIT, number, name, name_len);
	key_add_str(&k, KEY_SCOPE, "", scope);
	key_final(&k, out);
}

void unit_member_key(struct digest *out, const struct digest *set, const char *name,
                     const struct digest *content)
{
	struct key k;

	/* The set's key holds version and class. */
	key_init(&k, NULL);
	key_add_digest(&k, KEY_SET, "", set);
	key_add_str(&k, KEY_MEMBER, "", name);
	if (content)
		key_add_digest(&k, KEY_MEMBER_CONTENT, "", content);
	key_final(&k, out);
}
