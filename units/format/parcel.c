/* units/format/parcel.c - parcel, the payload of a STORE_UNIT entry; little-endian, no padding
 *
 *   offset 0   4  class  number from units/units.def
 *          4   .  note   string, for people
 *          .   4  number of files, 1 to PARCEL_FILES_MAX, each:
 *                   string name, 2 mode (at most 0777), 1 exact (1 that very mode, 0 as of a new
 *                   file), 1 packing (0 as is, 1 zstd frame), 8 len (unpacked), 8 stored, 4 number
 *                   of marks, each 8 offset in the unpacked bytes, ascending; then `stored` bytes
 *
 * A string is 4 length, bytes without a NUL, one NUL that is not counted. The sum of all len is
 * PARCEL_BYTES_MAX at most, names differ. At a mark stands the path of the unit's directory, as
 * Python's json.dumps escapes it. The payload ends with the last file.
 * Specimen: tests/data/parcel-v1.bin, decoded by tests/unit/test_parcel.c. */
#include "units/format/parcel.h"

#include <string.h>

#include "shim/pack.h"
#include "units/format/json_path.h"

#include "shim/banned.h"

/* The smallest file record; a count above what the remaining bytes can hold is false. */
enum { FILE_MIN = 6 + 2 + 1 + 1 + 8 + 8 + 4, MARK_BYTES = 8 };
#define MODE_MAX 0777u

int parcel_name_ok(const char *name)
{
	size_t n = strlen(name);

	return n > 0 && n <= PARCEL_NAME_MAX && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0 && strncmp(name, ".reprise", 8) != 0;
}

static int name_is_new(const struct parcel *p, unsigned count, const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(p->file[i].name, name) == 0)
			return 0;
	return 1;
}

static int marks_ok(const struct parcel_file *f)
{
	if (f->marks > PARCEL_MARKS_MAX)
		return 0;
	for (unsigned i = 0; i < f->marks; i++)
		if (f->mark[i] > f->len || (i && f->mark[i] <= f->mark[i - 1]))
			return 0;
	return 1;
}

static void encode_file(struct buf *out, const struct parcel_file *f, enum compress_mode mode)
{
	const unsigned char *stored = f->packed ? f->packed : f->data;
	uint64_t stored_len = f->packed ? f->packed_len : f->len;
	enum packing packing = f->packed ? PACKING_ZSTD : PACKING_NONE;
	size_t n;

	if (!f->packed) {
		/* A graph may have a hundred megabytes, which the fetcher would write to the store
		 * once more. */
		if (mode == COMPRESS_AUTO && f->len > COMPRESS_LARGE)
			mode = COMPRESS_TRANSFER;
		void *packed = compress_bytes(f->data, f->len, mode, &n, out->arena);
		if (packed) {
			stored = packed;
			stored_len = n;
			packing = PACKING_ZSTD;
		}
	}
	buf_lstr(out, f->name, strlen(f->name));
	buf_u16(out, f->mode);
	buf_u8(out, f->exact != 0);
	buf_u8(out, packing);
	buf_u64(out, f->len);
	buf_u64(out, stored_len);
	buf_u32(out, f->marks);
	for (unsigned i = 0; i < f->marks; i++)
		buf_u64(out, f->mark[i]);
	buf_add(out, stored, stored_len);
}

static void decode_marks(struct reader *r, struct parcel_file *f, struct arena *a)
{
	size_t n = reader_u32(r);
	uint64_t *mark;

	if (r->failed || n > PARCEL_MARKS_MAX || n > (size_t)(r->end - r->p) / MARK_BYTES ||
	    !(mark = arena_alloc(a, (n + 1) * sizeof *mark))) {
		r->failed = 1;
		return;
	}
	for (size_t i = 0; i < n; i++)
		mark[i] = reader_u64(r);
	f->mark = mark;
	f->marks = (unsigned)n;
	if (!marks_ok(f))
		r->failed = 1;
}

static void decode_file(struct reader *r, struct parcel_file *f, uint64_t *left, struct arena *a)
{
	f->name = reader_text(r);
	f->mode = reader_u16(r);
	f->exact = (int)reader_u8(r);
	unsigned packing = reader_u8(r);
	f->len = reader_u64(r);
	uint64_t stored = reader_u64(r);
	if (f->len > *left || packing > PACKING_ZSTD || f->exact > 1 || f->mode > MODE_MAX ||
	    (packing == PACKING_NONE && stored != f->len)) {
		r->failed = 1;
		return;
	}
	*left -= f->len;
	decode_marks(r, f, a);
	const unsigned char *p = reader_bytes(r, stored);
	if (packing == PACKING_NONE) {
		f->data = p;
		return;
	}
	f->packed = p;
	f->packed_len = stored;
	if (!p || !pack_holds(p, stored, f->len))
		r->failed = 1;
}

void parcel_encode(struct buf *out, const struct parcel *p, enum compress_mode mode)
{
	uint64_t left = PARCEL_BYTES_MAX;

	if (p->class < 1 || p->class >= UNIT_CLASSES_MAX || p->files < 1 ||
	    p->files > PARCEL_FILES_MAX)
		out->failed = 1;
	buf_u32(out, p->class);
	buf_lstr(out, p->note, strlen(p->note));
	buf_u32(out, p->files);
	for (unsigned i = 0; i < p->files && !out->failed; i++) {
		const struct parcel_file *f = &p->file[i];

		if (f->len > left || f->mode > MODE_MAX || !marks_ok(f) ||
		    !parcel_name_ok(f->name) ||
		    !name_is_new(p, i, f->name)) {
			out->failed = 1;
			return;
		}
		left -= f->len;
		encode_file(out, f, mode);
	}
}

unsigned parcel_class(const unsigned char first[PARCEL_CLASS])
{
	struct reader r = reader_of(first, PARCEL_CLASS);
	unsigned class = reader_u32(&r);

	return class < UNIT_CLASSES_MAX ? class : 0;
}

int parcel_decode(struct parcel *p, const void *bytes, size_t n, struct arena *a)
{
	struct reader r = reader_of(bytes, n);
	uint64_t left = PARCEL_BYTES_MAX;

	memset(p, 0, sizeof *p);
	unsigned class = reader_u32(&r);
	p->note = reader_text(&r);
	size_t files = reader_u32(&r);
	if (r.failed || class < 1 || class >= UNIT_CLASSES_MAX || files < 1 ||
	    files > PARCEL_FILES_MAX || files > (size_t)(r.end - r.p) / FILE_MIN)
		return -1;
	p->class = (enum unit_class)class;
	p->file = arena_alloc(a, files * sizeof *p->file);
	if (!p->file)
		return -1;
	for (unsigned i = 0; i < files; i++) {
		decode_file(&r, &p->file[i], &left, a);
		if (r.failed || !parcel_name_ok(p->file[i].name) ||
		    !name_is_new(p, i, p->file[i].name))
			return -1;
	}
	p->files = (unsigned)files;
	return r.p == r.end ? 0 : -1;
}

/* Puts dir's text in at the marks. */
static const unsigned char *fill_marks(const struct parcel_file *f, const unsigned char *data,
                                       const char *dir, uint64_t *len, struct arena *a)
{
	size_t dir_len;
	const char *text = json_path_escape(dir, &dir_len, a);
	uint64_t from = 0;

	/* At most 1 GiB and 1,024 paths: no overflow. */
	unsigned char *out = text ? arena_alloc(a, f->len + f->marks * dir_len + 1) : NULL,
	                     *at = out;
	if (!out)
		return NULL;
	for (unsigned i = 0; i < f->marks; i++) {
		memcpy(at, data + from, f->mark[i] - from);
		at += f->mark[i] - from;
		memcpy(at, text, dir_len);
		at += dir_len;
		from = f->mark[i];
	}
	memcpy(at, data + from, f->len - from);
	*len = f->len + f->marks * dir_len;
	return out;
}

const unsigned char *parcel_file_bytes(const struct parcel_file *f, const char *dir, uint64_t *len,
                                       struct arena *a)
{
	const unsigned char *data = f->data ? f->data : (const unsigned char *)"";

	if (f->packed) {
		unsigned char *p = arena_alloc(a, f->len ? f->len : 1);
		if (!p || unpack(p, f->len, f->packed, f->packed_len, a) < 0)
			return NULL;
		data = p;
	}
	*len = f->len;
	return f->marks && dir ? fill_marks(f, data, dir, len, a) : data;
}
