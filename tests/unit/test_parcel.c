/* Parcels: there and back in each way of packing, hostile bytes refused, marks filled, the
 * specimen. */
#include "store_fixture.h"

#include "shim/buf.h"
#include "units/format/parcel.h"

TestSuite(parcel, .init = fixture_start, .fini = fixture_stop);

static unsigned char text[200000], noise[150000];
static const uint64_t marks[] = {0, 5, 100};
static struct parcel_file files[4];
static struct parcel sample;

static void make(void)
{
	unsigned state = 1;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = "all work and no play "[i % 21];
	for (size_t i = 0; i < sizeof noise; i++) {
		state = state * 1103515245 + 12345;
		noise[i] = (unsigned char)(state >> 16);
	}
	files[0] = (struct parcel_file){.name = "k.ptx", .mode = 0644, .data = text,
	                                .len = sizeof text};
	files[1] = (struct parcel_file){.name = "k.cubin", .mode = 0755, .data = noise,
	                                .len = sizeof noise};
	files[2] = (struct parcel_file){.name = "__grp__k.json", .mode = 0600, .exact = 1,
	                                .data = text, .len = 100,
	                                .mark = marks, .marks = 3};
	files[3] = (struct parcel_file){.name = "empty", .mode = 0, .data = NULL, .len = 0};
	sample = (struct parcel){.class = UNIT_TRITON, .note = "triton k", .file = files,
	                         .files = 4};
}

static struct buf encoded(enum compress_mode mode)
{
	struct buf b = BUF_INIT(&arena);

	make();
	parcel_encode(&b, &sample, mode);
	cr_assert(!b.failed);
	return b;
}

static void round_trip(enum compress_mode mode, const int packed[3])
{
	struct buf b = encoded(mode), again = BUF_INIT(&arena);
	struct parcel p;

	cr_assert_eq(parcel_decode(&p, b.data, b.len, &arena), 0);
	cr_expect_eq(p.class, UNIT_TRITON);
	cr_expect_str_eq(p.note, "triton k");
	cr_assert_eq(p.files, 4);
	for (int i = 0; i < 4; i++) {
		const struct parcel_file *want = &files[i], *f = &p.file[i];
		uint64_t n;

		cr_expect_str_eq(f->name, want->name);
		cr_expect_eq(f->mode, want->mode);
		cr_expect_eq(f->exact, want->exact);
		cr_expect_eq(f->packed != NULL, i < 3 && packed[i], "file %d, mode %d", i, mode);
		cr_assert_eq(f->marks, want->marks);
		cr_expect_eq(memcmp(f->mark, marks, f->marks * sizeof *marks), 0);
		const unsigned char *bytes = parcel_file_bytes(f, NULL, &n, &arena);
		cr_assert_not_null(bytes);
		cr_assert_eq(n, want->len);
		cr_expect_eq(memcmp(bytes, want->data ? want->data : bytes, n), 0);
	}
	parcel_encode(&again, &p, COMPRESS_NEVER);
	cr_assert(!again.failed);
	cr_assert_eq(again.len, b.len);
	cr_expect_eq(memcmp(again.data, b.data, b.len), 0);
}

Test(parcel, its_first_bytes_say_the_class)
{
	cr_expect_eq(parcel_class((const unsigned char[]){1, 0, 0, 0}), 1);
	cr_expect_eq(parcel_class((const unsigned char[]){UNIT_CLASSES_MAX - 1, 0, 0, 0}),
	             UNIT_CLASSES_MAX - 1);
	cr_expect_eq(parcel_class((const unsigned char[]){UNIT_CLASSES_MAX, 0, 0, 0}), 0);
	cr_expect_eq(parcel_class((const unsigned char[]){1, 0, 0, 1}), 0);
}
Test(parcel, never_packed) { round_trip(COMPRESS_NEVER, (int[]){0, 0, 0}); }
Test(parcel, small_ones_stay) { round_trip(COMPRESS_AUTO, (int[]){0, 0, 0}); }
Test(parcel, a_large_file_is_packed_as_well)
{
	static unsigned char large[COMPRESS_LARGE + 1];
	struct parcel_file f = {.name = "graph", .mode = 0644, .data = large, .len = sizeof large};
	struct parcel p = {.class = UNIT_FXGRAPH, .note = "", .file = &f, .files = 1}, got;
	struct buf b = BUF_INIT(&arena);
	uint64_t n;

	parcel_encode(&b, &p, COMPRESS_AUTO);
	cr_assert(!b.failed);
	cr_expect_lt(b.len, sizeof large / 2);
	cr_assert_eq(parcel_decode(&got, b.data, b.len, &arena), 0);
	const unsigned char *bytes = parcel_file_bytes(&got.file[0], "/", &n, &arena);
	cr_assert(bytes && n == sizeof large);
	cr_expect_eq(memcmp(bytes, large, n), 0);
}
Test(parcel, packed_wherever_it_shrinks) { round_trip(COMPRESS_ALWAYS, (int[]){1, 0, 1}); }

Test(parcel, marks_become_the_escaped_directory)
{
	struct parcel_file f = {.name = "i", .data = (const unsigned char *)"0123456789",
	                        .len = 10};
	static const struct { uint64_t mark[3]; unsigned marks; const char *dir, *want; } rows[] = {
		{{3}, 0, "/d", "0123456789"},
		{{3}, 1, "/d", "012/d3456789"},
		{{0, 5, 10}, 3, "/\303\251\"", "/\\u00e9\\\"01234/\\u00e9\\\"56789/\\u00e9\\\""},
		{{0, 10}, 2, "", "0123456789"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t n;

		f.mark = rows[i].mark;
		f.marks = rows[i].marks;
		const unsigned char *bytes = parcel_file_bytes(&f, rows[i].dir, &n, &arena);
		cr_assert_not_null(bytes);
		cr_assert_eq(n, strlen(rows[i].want), "row %zu", i);
		cr_expect_eq(memcmp(bytes, rows[i].want, n), 0, "row %zu", i);
	}
}

Test(parcel, names)
{
	char most[PARCEL_NAME_MAX + 2];
	static const char *const good[] = {"a", "...", ".a", "__grp__k.json", "\303\251 \n\xff",
	                                   "x.reprise"},
		*const bad[] = {"", ".", "..", "a/b", "/", ".reprise", ".reprise-0-h"};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		cr_expect(parcel_name_ok(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_expect(!parcel_name_ok(bad[i]), "%s", bad[i]);
	memset(most, 'a', sizeof most);
	most[PARCEL_NAME_MAX + 1] = '\0';
	cr_expect(!parcel_name_ok(most));
	most[PARCEL_NAME_MAX] = '\0';
	cr_expect(parcel_name_ok(most));
}

Test(parcel, every_prefix_and_a_tail_are_refused)
{
	struct buf b = encoded(COMPRESS_ALWAYS);
	struct parcel p;

	for (size_t n = 0; n < b.len; n += n < 300 ? 1 : 97)
		cr_expect_eq(parcel_decode(&p, b.data, n, &arena), -1, "%zu of %zu", n, b.len);
	buf_u8(&b, 0);
	cr_expect_eq(parcel_decode(&p, b.data, b.len, &arena), -1);
}

/* Files that the encoder must not write. */
static void refuse(void (*spoil)(void), const char *what)
{
	struct buf b = BUF_INIT(&arena);

	make();
	spoil();
	parcel_encode(&b, &sample, COMPRESS_NEVER);
	cr_expect(b.failed, "%s", what);
}

static void no_files(void) { sample.files = 0; }
static void too_many(void) { sample.files = PARCEL_FILES_MAX + 1; }
static void no_class(void) { sample.class = 0; }
static void high_class(void) { sample.class = UNIT_CLASSES_MAX; }
static void path_name(void) { files[1].name = "../x"; }
static void same_name(void) { files[1].name = files[0].name; }
static void setuid_mode(void) { files[1].mode = 04755; }
static void too_large(void) {
	files[3].len = PARCEL_BYTES_MAX - sizeof text - sizeof noise - 100 + 1; }
static void mark_outside(void) { files[2].len = 99; }
static void marks_unsorted(void)
{
	static const uint64_t v[] = {5, 5};

	files[2].mark = v;
	files[2].marks = 2;
}
static void marks_many(void)
{
	static uint64_t v[PARCEL_MARKS_MAX + 1];

	for (unsigned i = 0; i <= PARCEL_MARKS_MAX; i++)
		v[i] = i;
	files[2].len = sizeof text / 2;
	files[2].mark = v;
	files[2].marks = PARCEL_MARKS_MAX + 1;
}

Test(parcel, what_cannot_be_read_back_is_not_written)
{
	refuse(no_files, "no files");
	refuse(too_many, "too many");
	refuse(no_class, "class 0");
	refuse(high_class, "class out of range");
	refuse(path_name, "a name with a slash");
	refuse(same_name, "two files of one name");
	refuse(setuid_mode, "a setuid file");
	refuse(too_large, "too many bytes");
	refuse(mark_outside, "a mark outside");
	refuse(marks_unsorted, "two marks at one place");
	refuse(marks_many, "too many marks");
}

/* The first file's fields: class, note, number, then name. */
enum { AT_FILES = 4 + 4 + 8 + 1, AT_NAME = AT_FILES + 4 + 4, AT_MODE = AT_NAME + 5 + 1,
       AT_EXACT = AT_MODE + 2, AT_PACKING, AT_LEN, AT_STORED = AT_LEN + 8, AT_MARKS = AT_STORED + 8,
       AT_DATA = AT_MARKS + 4 };

static void lie(size_t at, unsigned long long v, size_t n, const char *what)
{
	struct buf b = encoded(COMPRESS_NEVER);
	struct parcel p;

	memcpy(b.data + at, &v, n);
	cr_expect_eq(parcel_decode(&p, b.data, b.len, &arena), -1, "%s", what);
}

Test(parcel, fields_that_lie_are_refused)
{
	struct buf b = encoded(COMPRESS_NEVER);

	cr_assert_eq(memcmp(b.data + AT_NAME, "k.ptx", 6), 0);
	cr_assert_eq(memcmp(b.data + AT_DATA, text, 100), 0);
	lie(0, 0, 4, "class 0");
	lie(0, UNIT_CLASSES_MAX, 4, "class out of range");
	lie(8, 0, 1, "a note with a NUL");
	lie(AT_FILES, 0, 4, "no files");
	lie(AT_FILES, 3, 4, "fewer files than follow");
	lie(AT_FILES, 0xffffffff, 4, "files without end");
	lie(AT_NAME, '/', 1, "a path for a name");
	lie(AT_NAME, 0, 1, "a name with a NUL");
	lie(AT_MODE, 01000, 2, "a sticky file");
	lie(AT_EXACT, 2, 1, "exact 2");
	lie(AT_PACKING, 1, 1, "no frame");
	lie(AT_PACKING, 2, 1, "an unknown packing");
	lie(AT_LEN, PARCEL_BYTES_MAX + 1, 8, "a length above the limit");
	lie(AT_LEN, sizeof text - 1, 8, "two lengths");
	lie(AT_STORED, ~0ull, 8, "stored without end");
	lie(AT_MARKS, 0xffffffff, 4, "marks without end");
}

/* A frame that says another length than the file's never gets memory. */
Test(parcel, bombs_are_refused_before_memory_is_asked_for)
{
	struct buf b = encoded(COMPRESS_ALWAYS);
	struct parcel p;
	unsigned long long len = PARCEL_BYTES_MAX / 2;

	cr_assert_eq(parcel_decode(&p, b.data, b.len, &arena), 0);
	memcpy(b.data + AT_LEN, &len, 8);
	cr_expect_eq(parcel_decode(&p, b.data, b.len, &arena), -1);
}

Test(parcel, a_damaged_frame_gives_no_bytes)
{
	struct buf b = encoded(COMPRESS_ALWAYS);
	struct parcel p;
	int refused = 0;

	cr_assert_eq(parcel_decode(&p, b.data, b.len, &arena), 0);
	unsigned char *frame = (unsigned char *)p.file[0].packed;
	for (size_t i = 0; i < p.file[0].packed_len; i++) {
		struct arena one = ARENA_INIT;
		uint64_t n;

		frame[i] ^= 0xff;
		refused += !parcel_file_bytes(&p.file[0], "/d", &n, &one);
		frame[i] ^= 0xff;
		arena_free(&one);
	}
	cr_expect_gt(refused, 0);
}

/* Made by tests/data/make-specimens.py from the table above parcel.c, not by the encoder. */
Test(parcel, specimen)
{
	unsigned char file[4096];
	size_t n = read_whole("tests/data/parcel-v1.bin", file, sizeof file);
	struct buf b = BUF_INIT(&arena);
	struct parcel p;
	uint64_t len;

	cr_assert_eq(parcel_decode(&p, file, n, &arena), 0);
	cr_expect_eq(p.class, UNIT_TRITON);
	cr_expect_str_eq(p.note, "triton k");
	cr_assert_eq(p.files, 4);
	cr_expect_str_eq(p.file[0].name, "k.ptx");
	cr_expect_eq(p.file[0].mode, 0644);
	cr_expect_eq(p.file[0].exact, 0);
	const unsigned char *bytes = parcel_file_bytes(&p.file[0], "/d", &len, &arena);
	cr_assert_not_null(bytes);
	cr_assert_eq(len, 8192);
	for (size_t i = 0; i < len; i++)
		cr_assert_eq(bytes[i], "0123456789abcdef"[i % 16]);
	cr_expect_eq(p.file[1].mode, 0600);
	cr_expect_eq(p.file[1].exact, 1);
	cr_expect_eq(memcmp(p.file[1].data, "{}", 2), 0);
	static const char want[] =
		"{\"child_paths\": {\"k.ptx\": \"/d/k.ptx\", \"k.json\": \"/d/k.json\"}}";
	bytes = parcel_file_bytes(&p.file[2], "/d", &len, &arena);
	cr_assert_not_null(bytes);
	cr_assert_eq(len, sizeof want - 1);
	cr_expect_eq(memcmp(bytes, want, len), 0);
	cr_expect_eq(p.file[3].len, 0);
	parcel_encode(&b, &p, COMPRESS_NEVER);
	cr_assert_eq(b.len, n);
	cr_expect_eq(memcmp(b.data, file, n), 0, "the writer makes other bytes than version 1 has");
}
