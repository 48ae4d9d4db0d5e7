/* units/offer_record.c - record of a completed unit that waits to be packed (where: units/offer.c);
 * little-endian, no padding.
 *
 *   offset 0   4  magic    "RPO1", "RPO2", "RPO3"; the last byte is the version
 *          4   4  length   of the whole record, at most OFFER_RECORD_MAX
 *          8   4  class    number of units/units.def
 *         12   4  opened   bits 1 opened, 2 local (earlier versions leave such an offer out)
 *         16  32  key
 *         48   4  uid
 *         52   8  dev      major << 32 | minor
 *         60   8  ino
 *         68   8  size
 *         76   8  ctime_ns
 *         84   8  made_at  s since 1970
 *         92   8  began_at s since 1970, of the process; 0: not known
 *        100   .  path, member, scope, name, job: each 4 length, bytes, one NUL that is not counted
 *          .   .  writer   in version 2 alone, for units that their writer may remove: 4 pid, not
 *                          0; 8 start, in 1/100 s since the boot; 8 digest of its boot and pid
 *                          namespace
 *          .   .  content  in version 3 alone, for files that were closed: 32 digest, XXH3
 *          .  16  check    first bytes of the XXH3 digest of all before it */
#include "units/offer_record.h"

#include <string.h>

#include "units/offer.h"

#include "shim/banned.h"

enum { OPENED = 1, LOCAL = 2 };
enum { OFF_TEXTS = 100, CHECK = 16, TEXTS = 5, MAKER = 20,
      RECORD_MIN = OFF_TEXTS + TEXTS * 5 + CHECK };
_Static_assert(OFF_TEXTS == 16 + DIGEST_SIZE + 4 + 6 * 8, "table above");
_Static_assert((int)RECORD_MIN == (int)OFFER_RECORD_MIN, "offer_record.h");

void offer_encode(struct buf *out, const struct offer *o)
{
	const char *texts[TEXTS] = {o->path, o->member, o->scope, o->name, o->job};
	size_t length = RECORD_MIN, begin = out->len;
	struct digest check;

	for (int i = 0; i < TEXTS; i++)
		length += strlen(texts[i]);
	length += o->closed ? DIGEST_SIZE : o->writer_pid ? MAKER : 0;
	if (length > OFFER_RECORD_MAX)
		out->failed = 1;
	buf_add(out, OFFER_MAGIC, OFFER_MAGIC_SIZE);
	buf_u8(out, o->closed ? '3' : o->writer_pid ? '2' : '1');
	buf_u32(out, (unsigned)length);
	buf_u32(out, o->class);
	buf_u32(out, (o->opened ? OPENED : 0) | (o->local ? LOCAL : 0));
	buf_add(out, o->key.b, DIGEST_SIZE);
	buf_u32(out, o->uid);
	buf_u64(out, o->dev);
	buf_u64(out, o->ino);
	buf_u64(out, o->size);
	buf_u64(out, (uint64_t)o->ctime_ns);
	buf_u64(out, (uint64_t)o->made_at);
	buf_u64(out, (uint64_t)o->began_at);
	for (int i = 0; i < TEXTS; i++)
		buf_lstr(out, texts[i], strlen(texts[i]));
	if (o->writer_pid && !o->closed) {
		buf_u32(out, o->writer_pid);
		buf_u64(out, (uint64_t)o->writer_began);
		buf_u64(out, o->writer_space);
	}
	if (o->closed)
		buf_add(out, o->content.b, DIGEST_SIZE);
	if (out->failed)
		return;
	digest_name(&check, out->data + begin, length - CHECK);
	buf_add(out, check.b, CHECK);
}

size_t offer_length(const unsigned char *p, size_t n)
{
	struct reader r = {p + OFFER_AT_LENGTH, p + n, 0};
	unsigned length = 0;
	struct digest check;

	if (n >= RECORD_MIN && memcmp(p, OFFER_MAGIC, OFFER_MAGIC_SIZE) == 0)
		length = reader_u32(&r);
	if (length < RECORD_MIN || length > OFFER_RECORD_MAX || length > n)
		return 0;
	digest_name(&check, p, length - CHECK);
	return memcmp(check.b, p + length - CHECK, CHECK) == 0 ? length : 0;
}

size_t offer_decode(struct offer *o, const void *bytes, size_t n)
{
	const unsigned char *p = bytes, *content;
	size_t length = offer_length(p, n);
	struct reader r = {p + OFFER_AT_CLASS, p + length, 0};
	unsigned version = length ? p[OFFER_MAGIC_SIZE] : 0;

	if (version < '1' || version > '3')
		return 0;
	r.end = p + length - CHECK;
	unsigned class = reader_u32(&r), how = reader_u32(&r);
	memcpy(o->key.b, reader_bytes(&r, DIGEST_SIZE), DIGEST_SIZE);
	o->uid = reader_u32(&r);
	o->dev = reader_u64(&r);
	o->ino = reader_u64(&r);
	o->size = reader_u64(&r);
	o->ctime_ns = (int64_t)reader_u64(&r);
	o->made_at = (int64_t)reader_u64(&r);
	o->began_at = (int64_t)reader_u64(&r);
	o->path = reader_text(&r);
	o->member = reader_text(&r);
	o->scope = reader_text(&r);
	o->name = reader_text(&r);
	o->job = reader_text(&r);
	o->writer_pid = version == '2' ? reader_u32(&r) : 0;
	o->writer_began = version == '2' ? (int64_t)reader_u64(&r) : 0;
	o->writer_space = version == '2' ? reader_u64(&r) : 0;
	o->closed = version == '3';
	if (o->closed && (content = reader_bytes(&r, DIGEST_SIZE)))
		memcpy(o->content.b, content, DIGEST_SIZE);
	o->class = (enum unit_class)class;
	o->opened = (how & OPENED) != 0;
	o->local = (how & LOCAL) != 0;
	return !r.failed && r.p == r.end && class < UNIT_CLASSES_MAX && unit_rows[class].class &&
	       how <= (OPENED | LOCAL) &&
	       (version != '2' || o->writer_pid) && o->path[0] == '/' ? length : 0;
}

