/* Member records: there and back, hostile bytes refused, the specimen. */
#include "store_fixture.h"

#include "shim/buf.h"
#include "units/format/member.h"

static void stop(void)
{
	arena_free(&arena);
}
TestSuite(member, .fini = stop);

static struct member_condition conditions[MEMBER_CONDITIONS_MAX + 1];
static struct member sample;

static void make(void)
{
	conditions[0] = (struct member_condition){"/src/model.py", key_of("source")};
	conditions[1] = (struct member_condition){"/lib/torch/version.py", key_of("version")};
	sample = (struct member){key_of("parcel"), 1700000000, "compiled_module", conditions, 2};
}

static struct buf encoded(void)
{
	struct buf b = BUF_INIT(&arena);

	make();
	member_encode(&b, &sample);
	cr_assert(!b.failed);
	return b;
}

static void expect_sample(const void *bytes, size_t n)
{
	struct member m;

	make();
	cr_assert_eq(member_decode(&m, bytes, n, &arena), 0);
	cr_expect(digest_equal(&m.parcel, &sample.parcel));
	cr_expect_eq(memcmp(bytes, m.parcel.b, DIGEST_SIZE), 0, "first, for store_add_candidate");
	cr_expect_eq(m.made_at, 1700000000);
	cr_expect_str_eq(m.name, "compiled_module");
	cr_assert_eq(m.conditions, 2);
	for (int i = 0; i < 2; i++) {
		cr_expect_str_eq(m.condition[i].path, conditions[i].path);
		cr_expect(digest_equal(&m.condition[i].content, &conditions[i].content));
	}
}

Test(member, round_trip)
{
	struct buf b = encoded();

	expect_sample(b.data, b.len);
}

Test(member, without_conditions)
{
	struct buf b = BUF_INIT(&arena);
	struct member m = {.name = "a"}, back;

	member_encode(&b, &m);
	cr_assert_eq(member_decode(&back, b.data, b.len, &arena), 0);
	cr_expect_eq(back.conditions, 0);
}

Test(member, every_prefix_and_a_tail_are_refused)
{
	struct buf b = encoded();
	struct member m;

	for (size_t n = 0; n < b.len; n++)
		cr_expect_eq(member_decode(&m, b.data, n, &arena), -1, "%zu of %zu", n, b.len);
	buf_u8(&b, 0);
	cr_expect_eq(member_decode(&m, b.data, b.len, &arena), -1);
}

Test(member, fields_that_lie_are_refused)
{
	enum { NAME = 40 + 4, COUNT = NAME + 16, PATH = COUNT + 4 + 4 };
	static const struct { size_t at; const char *bytes; size_t n; } rows[] = {
		{NAME, "/", 1}, {NAME, "", 1}, {NAME, ".reprise", 8}, {COUNT, "\1", 1},
		{COUNT, "\101", 1},
		{COUNT, "\377\377\377\377", 4}, {PATH, "s", 1}, {PATH + 1, "", 1},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buf b = encoded();
		struct member m;

		cr_assert_eq(b.data[PATH], '/');
		memcpy(b.data + rows[i].at, rows[i].bytes, rows[i].n);
		cr_expect_eq(member_decode(&m, b.data, b.len, &arena), -1, "row %zu", i);
	}
}

Test(member, limits)
{
	struct member m;

	for (unsigned i = 0; i <= MEMBER_CONDITIONS_MAX; i++)
		conditions[i].path = "/x";
	for (unsigned more = 0; more < 2; more++) {
		struct buf b = BUF_INIT(&arena);

		m = (struct member){.name = "a", .condition = conditions,
		                    .conditions = MEMBER_CONDITIONS_MAX + more};
		member_encode(&b, &m);
		cr_expect_eq(b.failed, (int)more);
		cr_expect_eq(member_decode(&m, b.data, b.len, &arena), more ? -1 : 0);
	}
	conditions[0].path = "relative";
	m = (struct member){.name = "a", .condition = conditions, .conditions = 1};
	struct buf b = BUF_INIT(&arena);
	member_encode(&b, &m);
	cr_expect(b.failed);
	m = (struct member){.name = "a/b"};
	b = (struct buf)BUF_INIT(&arena);
	member_encode(&b, &m);
	cr_expect(b.failed);
}

/* Made by tests/data/make-specimens.py from the table above member.c, not by the encoder. */
Test(member, specimen)
{
	unsigned char file[1024];
	size_t n = read_whole("tests/data/member-v1.bin", file, sizeof file);
	struct buf b = encoded();

	expect_sample(file, n);
	cr_assert_eq(b.len, n);
	cr_expect_eq(memcmp(b.data, file, n), 0, "the writer makes other bytes than version 1 has");
}
