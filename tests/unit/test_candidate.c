/* Candidates: all kinds of input there and back, hostile bytes refused, the specimen. */
#include "store_fixture.h"

#include "keying/probe.h"
#include "shim/buf.h"
#include "store/entry/candidate.h"

TestSuite(candidate, .init = fixture_start, .fini = fixture_stop);

static const char *const absent[] = {"stdio.h", "", "with\nnewline"};
static const char *const duplicates[] = {"A/a/h", "C\1T0/h"};
static struct bound_name names[] = {{'T', 0, "tmpabcdefgh", 11, NAME_FREE},
                                    {'P', 3, "/x/y.py", 7, NAME_BOUND}};
static struct input inputs[] = {
	{.kind = INPUT_FILE, .spec = "A/usr/include/a.h", .spec_len = 17},
	{.kind = INPUT_ABSENT, .spec = "A/usr/local/include", .spec_len = 19, .names = absent,
	 .name_count = 3},
	{.kind = INPUT_NODIR, .spec = "Cnone", .spec_len = 5},
	{.kind = INPUT_NODIR, .type = S_IFREG, .spec = "Ca.c/none", .spec_len = 9},
	{.kind = INPUT_PRESENT, .type = S_IFDIR, .spec = "A/usr", .spec_len = 5},
	{.kind = INPUT_SYMLINK, .spec = "A/l", .spec_len = 3, .text = "target", .text_len = 6},
	{.kind = INPUT_STAT, .spec = "Ax", .spec_len = 2, .size = 1ull << 40, .mtime_ns = -5},
	{.kind = INPUT_DIRECTORY, .spec = "A\0binary", .spec_len = 8},
	{.kind = INPUT_ENV, .type = 1, .spec = "CPATH", .spec_len = 5, .text = "", .text_len = 0},
	{.kind = INPUT_ENV, .type = 0, .spec = "UNSET", .spec_len = 5, .text = "", .text_len = 0},
	{.kind = INPUT_CWD, .spec = "", .spec_len = 0, .text = "A/home/u", .text_len = 8},
	{.kind = INPUT_REALPATH, .spec = "A/l", .spec_len = 3, .text = "A/t", .text_len = 3},
	{.kind = INPUT_PWD, .spec = "", .spec_len = 0, .text = "A/h", .text_len = 3},
	{.kind = INPUT_SEARCH, .spec = "as", .spec_len = 2, .text = "/usr/bin/as", .text_len = 11},
	{.kind = INPUT_PROGRAM, .spec = "A/p", .spec_len = 3},
	{.kind = INPUT_REAL, .spec = "A/r", .spec_len = 3},
	{.kind = INPUT_REAL_FILE, .spec = "A/f", .spec_len = 3},
	{.kind = INPUT_DUPLICATES, .type = DUPLICATES_TIME | DUPLICATES_FILE, .spec = "",
	 .names = duplicates,
	 .name_count = 2},
	{.kind = INPUT_STREAM, .type = 90, .spec = "2", .spec_len = 1, .text = "error: no terminal",
	 .text_len = 18},
	{.kind = INPUT_FOLDED, .spec = "C../s.c", .spec_len = 7},
	{.kind = INPUT_ORDER, .type = 2, .spec = "A/s.c", .spec_len = 5},
};
#define COUNT (sizeof inputs / sizeof inputs[0])

static struct candidate sample(void)
{
	struct candidate c = {.name = names, .name_count = 2, .v = inputs, .count = COUNT,
	                      .made_at = 1700000000};

	c.result = key_of("result");
	inputs[0].value = key_of("content");
	inputs[1].value = key_of("set");
	inputs[5].value = key_of("target");
	inputs[7].value = key_of("listing");
	inputs[8].value = key_of("");
	for (size_t i = 10; i < COUNT; i++)
		if (inputs[i].kind != INPUT_REAL && inputs[i].kind != INPUT_ORDER &&
		    inputs[i].kind != INPUT_FOLDED)
			inputs[i].value = key_of(inputs[i].text ? inputs[i].text : inputs[i].spec);
	return c;
}

static struct buf encoded(const struct candidate *c)
{
	struct buf b = BUF_INIT(&arena);

	candidate_encode(&b, c);
	cr_assert(!b.failed);
	return b;
}

static struct candidate decoded(const struct candidate *c)
{
	struct candidate back;
	struct buf b = encoded(c);

	cr_assert_eq(candidate_decode(&back, b.data, b.len, &arena), 0);
	return back;
}

static void expect_same_text(const char *a, size_t an, const char *b, size_t bn, size_t i)
{
	cr_expect_eq(an, bn, "input %zu", i);
	cr_expect_eq(memcmp(a ? a : "", b ? b : "", an < bn ? an : bn), 0, "input %zu", i);
	if (b)
		cr_expect_eq(b[bn], '\0');
}

static void expect_same_input(const struct input *a, const struct input *b, size_t i)
{
	cr_expect_eq(a->kind, b->kind, "input %zu", i);
	cr_expect_eq(a->type, b->type, "input %zu", i);
	cr_expect(digest_equal(&a->value, &b->value), "input %zu", i);
	cr_expect_eq(!a->form, !b->form, "input %zu", i);
	if (a->form && b->form)
		cr_expect(digest_equal(a->form, b->form), "input %zu", i);
	cr_expect_eq(a->size, b->size, "input %zu", i);
	cr_expect_eq(a->mtime_ns, b->mtime_ns, "input %zu", i);
	expect_same_text(a->spec, a->spec_len, b->spec, b->spec_len, i);
	expect_same_text(a->text, a->text_len, b->text, b->text_len, i);
	cr_assert_eq(a->name_count, b->name_count, "input %zu", i);
	for (size_t k = 0; k < a->name_count; k++)
		cr_expect_str_eq(a->names[k], b->names[k]);
}

static void expect_sample(const void *bytes, size_t n)
{
	struct candidate want = sample(), c;

	cr_assert_eq(candidate_decode(&c, bytes, n, &arena), 0);
	cr_expect(digest_equal(&c.result, &want.result));
	cr_expect_eq(c.made_at, want.made_at);
	cr_assert_eq(c.name_count, 2);
	for (size_t i = 0; i < 2; i++) {
		cr_expect_eq(c.name[i].kind, names[i].kind);
		cr_expect_eq(c.name[i].index, names[i].index);
		expect_same_text(names[i].text, names[i].len, c.name[i].text, c.name[i].len, i);
	}
	cr_assert_eq(c.count, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		expect_same_input(&inputs[i], &c.v[i], i);
}

Test(candidate, round_trip)
{
	struct candidate c = sample();
	struct buf b = encoded(&c);

	expect_sample(b.data, b.len);
}

/* What judge/inputs.def says of a kind. */
enum { PATH, WORD, NONE };
enum { TYPE = 1, SET = 2, VALUE = 4, FORM = 8, NAMES = 16, TEXT = 32, TIMES = 64 };

/* An input with all fields of its row. */
static struct input filled(unsigned kind, int spec, int fields)
{
	static const char *const words[] = {"A=0123", "liba-12", ""};
	static struct digest form;
	struct input in = {.kind = (unsigned char)kind};

	/* Both relations of DUPLICATES. */
	in.type = fields & TYPE ? DUPLICATES_TIME | DUPLICATES_FILE : (fields & SET) != 0;
	form = key_of("form");
	in.spec = spec == PATH ? "A\001B3/src/a.c" : spec == WORD ? "SLURM_*" : "";
	in.spec_len = strlen(in.spec);
	in.form = fields & FORM ? &form : NULL;
	in.names = words;
	in.name_count = fields & NAMES ? 3 : 0;
	if (fields & VALUE)
		in.value = key_of("value");
	if (fields & TEXT)
		in.text = "descriptors none", in.text_len = 16;
	if (fields & TIMES)
		in.size = 1ull << 40, in.mtime_ns = -5;
	return in;
}

Test(candidate, each_kind_of_the_table)
{
	struct input v[] = {
#define INPUT(kind, number, spec, fields, ...) filled(number, spec, fields),
#include "judge/inputs.def"
#undef INPUT
	};
	size_t count = sizeof v / sizeof *v;
	struct candidate c = {.v = v, .count = count}, back = decoded(&c), cut;
	struct buf b = encoded(&c);

	cr_assert_eq(back.count, count);
	for (size_t i = 0; i < count; i++)
		expect_same_input(&v[i], &back.v[i], i);
	for (size_t n = 0; n < b.len; n++)
		cr_expect_eq(candidate_decode(&cut, b.data, n, &arena), -1, "%zu of %zu", n, b.len);
}

Test(candidate, each_name_has_its_own_binding)
{
	struct bound_name held[] = {
		{'T', 0, "tmpabcdefgh", 11, NAME_BOUND}, {'B', 3, "/home/u", 7, NAME_LENGTH},
		{'P', 5, "/x/y.py", 7, NAME_FREE}};
	struct candidate c = sample(), back;

	c.name = held;
	c.name_count = 3;
	back = decoded(&c);
	cr_assert_eq(back.name_count, 3);
	for (size_t i = 0; i < 3; i++) {
		cr_expect_eq(back.name[i].kind, held[i].kind);
		cr_expect_eq(back.name[i].index, held[i].index);
		cr_expect_eq(back.name[i].binding, held[i].binding);
		cr_expect_str_eq(back.name[i].text, held[i].text);
	}
}

Test(candidate, empty_round_trip)
{
	struct candidate c = {.name_count = 0}, d;

	d = decoded(&c);
	cr_expect_eq(d.count, 0);
	cr_expect_eq(d.name_count, 0);
}

Test(candidate, every_prefix_and_a_tail_are_refused)
{
	struct candidate c = sample(), d;
	struct buf b = encoded(&c);

	for (size_t n = 0; n < b.len; n++)
		cr_expect_eq(candidate_decode(&d, b.data, n, &arena), -1, "%zu of %zu", n, b.len);
	buf_u8(&b, 0);
	cr_expect_eq(candidate_decode(&d, b.data, b.len, &arena), -1);
}

Test(candidate, counts_that_lie_are_refused)
{
	/* result, made_at, bits, then a number of names, of inputs */
	unsigned char lie[32 + 8 + 1 + 8] = {0};
	struct candidate d;

	cr_expect_eq(candidate_decode(&d, lie, sizeof lie, &arena), 0);
	memset(lie + 41, 0xff, 4);
	cr_expect_eq(candidate_decode(&d, lie, sizeof lie, &arena), -1);
	memset(lie + 41, 0, 4);
	memset(lie + 45, 0xff, 3);
	cr_expect_eq(candidate_decode(&d, lie, sizeof lie, &arena), -1);
	memset(lie + 45, 0, 4);
	lie[40] = 2;
	cr_expect_eq(candidate_decode(&d, lie, sizeof lie, &arena), 0);
	lie[40] = 4;
	cr_expect_eq(candidate_decode(&d, lie, sizeof lie, &arena), -1);
}

Test(candidate, what_cannot_be_read_back_is_not_written)
{
	struct input odd = {.kind = 99, .spec = "x", .spec_len = 1};
	struct candidate c = {.v = &odd, .count = 1};
	struct buf b = BUF_INIT(&arena);

	candidate_encode(&b, &c);
	cr_expect(b.failed);
}

Test(candidate, duplicates_are_two_and_in_a_known_relation)
{
	struct input odd = {.kind = INPUT_DUPLICATES, .spec = "", .names = duplicates,
	                    .name_count = 2};
	struct candidate c = {.v = &odd, .count = 1}, d;
	static const struct { unsigned type; size_t count; int rc; } rows[] = {
		{0, 2, -1}, {DUPLICATES_FILE, 2, 0}, {4, 2, -1}, {DUPLICATES_FILE, 1, -1},
		{DUPLICATES_FILE, 0, -1},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		odd.type = rows[i].type;
		odd.name_count = rows[i].count;
		struct buf b = encoded(&c);
		cr_expect_eq(candidate_decode(&d, b.data, b.len, &arena), rows[i].rc, "row %zu", i);
	}
}

Test(candidate, notes_of_proofs_are_kept_and_not_in_the_result_key)
{
	struct digest k1 = key_of("k1"), first, second;
	struct input in[] = {{.kind = INPUT_FILE, .spec = "A/a.h", .spec_len = 5},
	                     {.kind = INPUT_PROOF, .type = 6, .spec = "asks", .spec_len = 4,
	                      .value = key_of("left out")}};
	struct candidate c = {.v = in, .count = 2}, back = decoded(&c);

	cr_assert_eq(back.count, 2);
	expect_same_input(&in[1], &back.v[1], 1);
	candidate_result_key(&c, &k1, &first);
	c.count = 1;
	candidate_result_key(&c, &k1, &second);
	cr_expect(digest_equal(&first, &second));
}

Test(candidate, both_digests_of_a_text_are_in_the_result_key)
{
	struct digest form = key_of("form"), other = key_of("other"), k1 = key_of("k1"), first,
		second;
	struct input text = {.kind = INPUT_TEXT, .spec = "A/a.h", .spec_len = 5,
	                     .value = key_of("bytes"), .form = &form};
	struct candidate c = {.v = &text, .count = 1};

	candidate_result_key(&c, &k1, &first);
	text.form = &other;
	candidate_result_key(&c, &k1, &second);
	cr_expect(!digest_equal(&first, &second));
}

Test(candidate, values_of_variables_are_cut)
{
	static char text[1000];
	struct input env = {.kind = INPUT_ENV, .type = 1, .spec = "V", .spec_len = 1, .text = text,
	                    .text_len = sizeof text};
	struct candidate c = {.v = &env, .count = 1}, d;

	memset(text, 'v', sizeof text);
	d = decoded(&c);
	cr_expect_eq(d.v[0].text_len, 256);
	cr_expect_eq(strlen(d.v[0].text), 256);
}

/* Made by tests/data/make-specimens.py from the table above candidate.c, not by the encoder. */
Test(candidate, specimen)
{
	unsigned char file[4096];
	size_t n = read_whole("tests/data/candidate-v3.bin", file, sizeof file), less;
	struct candidate c = sample();
	struct buf b = encoded(&c);

	expect_sample(file, n);
	less = read_whole("tests/data/candidate-short-v3.bin", file, sizeof file);
	cr_expect_lt(less, n);
	expect_sample(file, less);
	cr_expect_eq(b.len, less);
	cr_expect_eq(memcmp(b.data, file, less), 0,
	             "the writer makes other bytes than version 3 has");
	file[40] |= 1; /* as earlier builds wrote it */
	expect_sample(file, less);
}

/* BLAKE2b's: no byte may be left out, of any digest. */
Test(candidate, one_long_digest)
{
	for (int form = 0; form <= 1; form++) {
		struct candidate c = sample(), d;
		struct digest odd = key_of("form");
		struct input text[] = {
			{.kind = INPUT_TEXT, .spec = "A/a.h", .spec_len = 5,
			 .value = key_of("bytes"), .form = &odd},
			{.kind = INPUT_FILE, .spec = "A/b.h", .spec_len = 5, .value = key_of("b")},
		};
		struct buf less, b;

		c.v = text;
		c.count = 2;
		less = encoded(&c);
		(form ? &odd : &text[1].value)->b[20] = 7;
		b = encoded(&c);
		cr_expect_eq(b.len, less.len + 3 * 15);
		cr_assert_eq(candidate_decode(&d, b.data, b.len, &arena), 0);
		for (size_t i = 0; i < 2; i++)
			cr_expect(digest_equal(&d.v[i].value, &text[i].value));
		cr_expect(digest_equal(d.v[0].form, &odd));
	}
}

Test(candidate, binding_of_a_name)
{
	struct candidate c = sample();

	cr_expect_eq(candidate_binding(&c, 'T', 0), NAME_FREE);
	cr_expect_eq(candidate_binding(&c, 'P', 3), NAME_BOUND);
	cr_expect_eq(candidate_binding(&c, 'P', 0), NAME_NONE);
	cr_expect_eq(candidate_binding(&c, 'F', -1), NAME_NONE);
}
