/* store/entry/result.c - result, the payload of a STORE_RESULT entry; little-endian, no padding
 *
 *   offset 0   4  exit_status  0-255
 *          4   8  wall_ns      of the recorded run
 *         12   4  number of names, each: 1 kind, 1 index, string text
 *          .   4  number of outputs, at most RESULT_OUTPUTS_MAX, each:
 *                   string spec, 1 style (enum write_style of tools/tool.h), 1 mode_kind (1 plain,
 *                   2 executable, 3 exact, 4 made, 5 set), 2 mode, 1 packing (0 as is, 1 zstd
 *                   frame), 8 len (unpacked), 8 stored, patches, then `stored` bytes
 *          .   4  number of chunks, each:
 *                   1 stream (1 or 2), 8 len, patches, then len bytes
 *   patches:  4 number, at most PATCHES_MAX, each: 8 offset, 1 kind, 1 index
 *
 * A string is 4 length, bytes, one NUL that is not counted. The sum of all len is RESULT_BYTES_MAX
 * at most. The payload ends with the last chunk. Specimen: tests/data/result-v2.bin, decoded by
 * tests/unit/test_result.c. */
#include "store/entry/result.h"

#include <errno.h>

#include "shim/kernel/sys.h"
#include "shim/pack.h"
#include "store/entry/candidate.h"

#include "shim/banned.h"

/* --- compress --- */

#define COMPRESS_LEVEL 1
/* Done once for all nodes, by a process that no job waits for. */
#define TRAVEL_LEVEL 3

/* 1: a file of n bytes is compressed where that pays. */
static int is_compressed(size_t n, enum compress_mode mode)
{
	size_t from = mode == COMPRESS_AUTO ? COMPRESS_SMALL
	                                    : mode == COMPRESS_TRANSFER ? COMPRESS_LARGE + 1 : 1,
	       upto = mode == COMPRESS_AUTO ? COMPRESS_LARGE : SIZE_MAX;

	return mode != COMPRESS_NEVER && n >= from && n <= upto;
}

void *compress_bytes(const void *data, size_t n, enum compress_mode mode, size_t *packed,
                     struct arena *a)
{
	if (!is_compressed(n, mode))
		return NULL;
	return pack(data, n, mode == COMPRESS_TRANSFER ? TRAVEL_LEVEL : COMPRESS_LEVEL,
	            (mode == COMPRESS_ALWAYS ? n : n / 4 * 3) - 1, packed, a);
}

/* A process writes few results. Each chunk of a stream was one read(2), so this is 64 GiB of
 * text. */
#define RESULT_CHUNKS_MAX (1u << 20)
/* The least that each takes: a larger count than the rest can hold is wrong. */
enum { NAME_MIN = 2 + 5, OUTPUT_MIN = 5 + 5 + 16 + 4, CHUNK_MIN = 1 + 8 + 4, PATCH_BYTES = 10 };

static void encode_patches(struct buf *out, const struct patch_list *l)
{
	if (l->overflow || l->count > PATCHES_MAX)
		/* such a result is bound to its names: the caller drops the list */
		out->failed = 1;
	buf_u32(out, (unsigned)l->count);
	for (size_t i = 0; i < l->count && !out->failed; i++) {
		buf_u64(out, l->v[i].offset);
		names_put_kind(out, l->v[i].kind, l->v[i].index);
	}
}

/* All of an output but its bytes. */
static void encode_head(struct buf *out, const struct result_output *o, enum packing packing,
                        size_t stored_len)
{
	buf_lstr(out, o->spec, o->spec_len);
	buf_u8(out, o->style);
	buf_u8(out, o->mode_kind);
	buf_u16(out, o->mode);
	buf_u8(out, packing);
	buf_u64(out, o->len);
	buf_u64(out, stored_len);
	encode_patches(out, &o->patches);
}

/* apart: NULL, or receives the first output of this size and more, whose bytes are left out: their
 * copy would take new pages of memory. */
#define APART_FROM (16u << 10)
static void encode_output(struct buf *out, const struct result_output *o, enum compress_mode mode,
                          struct tmp_part *apart, size_t *apart_at)
{
	const unsigned char *stored = o->data;
	size_t stored_len = o->len, n;

	if (!stored && o->packed) { /* decoded and not decompressed: stored as it came */
		stored = o->packed;
		stored_len = o->packed_len;
	} else {
		void *packed = compress_bytes(o->data, o->len, mode, &n, out->arena);
		if (packed) {
			stored = packed;
			stored_len = n;
		}
	}
	encode_head(out, o, stored != o->data ? PACKING_ZSTD : PACKING_NONE, stored_len);
	if (apart && !apart->len && stored_len >= APART_FROM) {
		*apart = (struct tmp_part){stored, stored_len};
		*apart_at = out->len;
	} else {
		buf_add(out, stored, stored_len);
	}
}

static void decode_patches(struct reader *r, struct patch_list *l, size_t len, struct arena *a)
{
	size_t n = reader_u32(r);

	if (r->failed || n > PATCHES_MAX || n > (size_t)(r->end - r->p) / PATCH_BYTES)
		goto bad;
	if (n == 0)
		return;
	l->v = arena_alloc(a, n * sizeof *l->v);
	if (!l->v)
		goto bad;
	for (size_t i = 0; i < n; i++) {
		l->v[i].offset = reader_u64(r);
		names_read_kind(r, &l->v[i].kind, &l->v[i].index);
		if (l->v[i].offset >= len)
			goto bad;
	}
	l->count = n;
	return;
bad:
	r->failed = 1;
}

static void decode_output(struct reader *r, struct result_output *o, uint64_t *left,
                          struct arena *a)
{
	o->spec = reader_lstr(r, &o->spec_len);
	o->style = (unsigned char)reader_u8(r);
	o->mode_kind = (unsigned char)reader_u8(r);
	o->mode = reader_u16(r);
	unsigned packing = reader_u8(r);
	uint64_t len = reader_u64(r), stored = reader_u64(r);
	if (len > *left || packing > PACKING_ZSTD || o->mode_kind < MODE_PLAIN ||
	    o->mode_kind > MODE_SET || o->mode > 07777 ||
	    (packing == PACKING_NONE && stored != len)) {
		r->failed = 1;
		return;
	}
	*left -= len;
	o->len = len;
	decode_patches(r, &o->patches, len, a);
	const unsigned char *p = reader_bytes(r, stored);
	if (packing == PACKING_ZSTD) {
		o->packed = p;
		o->packed_len = stored;
		if (!p || !pack_holds(p, stored, len))
			r->failed = 1;
	} else {
		o->data = p;
	}
}

static void decode_chunk(struct reader *r, struct result_chunk *c, uint64_t *left, struct arena *a)
{
	c->stream = (unsigned char)reader_u8(r);
	uint64_t len = reader_u64(r);
	if (len > *left || c->stream < 1 || c->stream > 2) {
		r->failed = 1;
		return;
	}
	*left -= len;
	c->len = len;
	decode_patches(r, &c->patches, len, a);
	c->data = reader_bytes(r, len);
}

/* Reads a count and returns zeroed memory for count + 1 elements, so that an empty array is not
 * NULL. */
static void *decode_array(struct reader *r, size_t *count, size_t max, size_t least, size_t size,
                          struct arena *a)
{
	size_t n = reader_u32(r);
	void *p = NULL;

	if (!r->failed && n <= max && n <= (size_t)(r->end - r->p) / least)
		p = arena_alloc(a, (n + 1) * size);
	if (!p) {
		r->failed = 1;
		n = 0;
	}
	*count = n;
	return p;
}

/* What precedes the outputs. */
static void encode_front(struct buf *out, const struct result *r)
{
	if (r->exit_status < 0 || r->exit_status > 255 || r->out_count > RESULT_OUTPUTS_MAX ||
	    r->chunk_count > RESULT_CHUNKS_MAX) {
		out->failed = 1;
		return;
	}
	buf_u32(out, (unsigned)r->exit_status);
	buf_u64(out, r->wall_ns);
	buf_u32(out, (unsigned)r->name_count);
	for (size_t i = 0; i < r->name_count; i++) {
		names_put_kind(out, r->name[i].kind, r->name[i].index);
		buf_lstr(out, r->name[i].text, r->name[i].len);
	}
	buf_u32(out, (unsigned)r->out_count);
}

static void encode_chunks(struct buf *out, const struct result *r)
{
	buf_u32(out, (unsigned)r->chunk_count);
	for (size_t i = 0; i < r->chunk_count && !out->failed; i++) {
		buf_u8(out, r->chunk[i].stream);
		buf_u64(out, r->chunk[i].len);
		encode_patches(out, &r->chunk[i].patches);
		buf_add(out, r->chunk[i].data, r->chunk[i].len);
	}
}

static void encode(struct buf *out, const struct result *r, enum compress_mode mode,
                   struct tmp_part *apart, size_t *apart_at)
{
	encode_front(out, r);
	for (size_t i = 0; i < r->out_count && !out->failed; i++)
		encode_output(out, &r->out[i], mode, apart, apart_at);
	if (!out->failed)
		encode_chunks(out, r);
}

void result_encode(struct buf *out, const struct result *r, enum compress_mode mode)
{
	encode(out, r, mode, NULL, NULL);
}

void result_encode_parts(struct tmp_part parts[RESULT_PARTS], struct buf *b,
                         const struct result *r, enum compress_mode mode)
{
	struct tmp_part apart = {"", 0};
	size_t at = 0;

	encode(b, r, mode, &apart, &at);
	parts[0] = (struct tmp_part){b->data, at};
	parts[1] = apart;
	parts[2] = (struct tmp_part){b->failed ? NULL : b->data + at, b->failed ? 0 : b->len - at};
}

uint64_t result_wall_ns(const void *first)
{
	return le_get((const unsigned char *)first + 4, 8);
}

int result_decode(struct result *r, const void *bytes, size_t n, struct arena *a)
{
	struct reader rd = {bytes, (const unsigned char *)bytes + n, 0};
	uint64_t left = RESULT_BYTES_MAX;

	memset(r, 0, sizeof *r);
	r->exit_status = (int)reader_u32(&rd);
	r->wall_ns = reader_u64(&rd);
	r->name = decode_array(&rd, &r->name_count, n, NAME_MIN, sizeof *r->name, a);
	for (size_t i = 0; i < r->name_count && !rd.failed; i++) {
		names_read_kind(&rd, &r->name[i].kind, &r->name[i].index);
		r->name[i].text = reader_lstr(&rd, &r->name[i].len);
	}
	r->out = decode_array(&rd, &r->out_count, RESULT_OUTPUTS_MAX, OUTPUT_MIN, sizeof *r->out,
	                      a);
	for (size_t i = 0; i < r->out_count && !rd.failed; i++)
		decode_output(&rd, &r->out[i], &left, a);
	r->chunk = decode_array(&rd, &r->chunk_count, RESULT_CHUNKS_MAX, CHUNK_MIN,
	                        sizeof *r->chunk, a);
	for (size_t i = 0; i < r->chunk_count && !rd.failed; i++)
		decode_chunk(&rd, &r->chunk[i], &left, a);
	if (rd.failed || rd.p != rd.end || r->exit_status < 0 || r->exit_status > 255)
		return -1;
	return 0;
}

unsigned char *result_output_bytes(struct result_output *o, struct arena *a)
{
	unsigned char *p = arena_alloc(a, o->len ? o->len : 1);

	if (!p)
		return NULL;
	if (!o->packed) {
		memcpy(p, o->data ? (const void *)o->data : "", o->len);
		return p;
	}
	return unpack(p, o->len, o->packed, o->packed_len, a) < 0 ? NULL : p;
}

int result_output_streams(const struct result_output *o)
{
	return o->packed && o->len > COMPRESS_LARGE && !o->patches.count;
}

/* --- into a file --- */

/* What was encoded so far. */
static int flush(struct buf *b, int (*take)(void *arg, const void *p, size_t n), void *arg)
{
	int rc = b->failed ? -ENOMEM : take(arg, b->data, b->len);

	b->len = 0;
	return rc;
}

struct sink {
	int fd;
	uint64_t at, most; /* where the next bytes go; no further than that */
};

static int put_at(void *arg, const void *p, size_t n)
{
	struct sink *s = arg;
	ssize_t rc;

	if (n > s->most - s->at)
		return -E2BIG;
	rc = sys_pwrite_all(s->fd, p, n, (off_t)s->at);
	s->at += n;
	return rc < 0 ? (int)rc : 0;
}

/* Packs an output's bytes, if that pays. 1: it does; 0; or -errno. */
static int pack_at(struct sink *s, const struct result_output *o, struct arena *a)
{
	struct sink packed = {s->fd, s->at, s->at + o->len / 4 * 3};
	struct packer k;
	int rc = packer_begin(&k, put_at, &packed, o->len, TRAVEL_LEVEL, a);

	if (rc == 0)
		rc = packer_add(&k, o->data, o->len);
	if (rc == 0)
		rc = packer_end(&k);
	if (rc == 0)
		s->at = packed.at;
	return rc == 0 ? 1 : rc == -E2BIG ? 0 : rc;
}

/* An output whose bytes are packed into the file; its head, which says how many they are, has the
 * place before them. */
static int pack_output(struct sink *s, const struct result_output *o, struct arena *a)
{
	struct buf head = BUF_INIT(a);
	struct sink to = *s;
	int rc;

	encode_head(&head, o, PACKING_ZSTD, 0);
	if (head.failed)
		return -ENOMEM;
	to.at += head.len;
	rc = pack_at(&to, o, a);
	if (rc == 0)
		rc = put_at(&to, o->data, o->len);
	else if (rc > 0)
		rc = 0;
	if (rc < 0)
		return rc;
	uint64_t stored = to.at - s->at - head.len;
	head.len = 0;
	encode_head(&head, o, stored < o->len ? PACKING_ZSTD : PACKING_NONE, stored);
	rc = put_at(s, head.data, head.len);
	s->at = to.at;
	return rc;
}

int result_pack_into(int fd, uint64_t at, const struct result *r, uint64_t *len, struct arena *a)
{
	struct sink s = {fd, at, UINT64_MAX};
	struct buf b = BUF_INIT(a);
	int rc = 0;

	encode_front(&b, r);
	for (size_t i = 0; i < r->out_count && rc == 0; i++) {
		const struct result_output *o = &r->out[i];

		if (!o->data || !is_compressed(o->len, COMPRESS_TRANSFER)) {
			encode_output(&b, o, COMPRESS_NEVER, NULL, NULL);
			continue;
		}
		rc = flush(&b, put_at, &s);
		if (rc == 0)
			rc = pack_output(&s, o, a);
	}
	encode_chunks(&b, r);
	if (rc == 0)
		rc = flush(&b, put_at, &s);
	*len = s.at - at;
	return rc;
}

/* --- unpacked --- */

static int is_unpacked(const struct result_output *o, enum compress_mode mode)
{
	return o->packed && !is_compressed(o->len, mode);
}

uint64_t result_unpacking(const struct result *r, enum compress_mode mode)
{
	uint64_t more = 0;

	for (size_t i = 0; i < r->out_count; i++)
		if (is_unpacked(&r->out[i], mode) && r->out[i].len > r->out[i].packed_len)
			more += r->out[i].len - r->out[i].packed_len;
		else if (is_unpacked(&r->out[i], mode))
			return 0;
	return more;
}

int result_unpack_to(int (*take)(void *arg, const void *p, size_t n), void *arg,
                     const struct result *r, enum compress_mode mode, struct arena *a)
{
	struct buf b = BUF_INIT(a);
	int rc = 0;

	encode_front(&b, r);
	for (size_t i = 0; i < r->out_count && rc == 0; i++) {
		const struct result_output *o = &r->out[i];

		if (!is_unpacked(o, mode)) {
			encode_output(&b, o, COMPRESS_NEVER, NULL, NULL);
			continue;
		}
		encode_head(&b, o, PACKING_NONE, o->len);
		rc = flush(&b, take, arg);
		if (rc == 0)
			rc = unpack_to(take, arg, o->len, o->packed, o->packed_len, a);
	}
	encode_chunks(&b, r);
	return rc ? rc : flush(&b, take, arg);
}
