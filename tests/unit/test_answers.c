/* Answers of a library about a compiled program: round trips, malformed bytes. */
#include <criterion/criterion.h>
#include <string.h>

#include "jit/product.h"
#include "shim/buf.h"

static struct arena arena;
static void fini(void) { arena_free(&arena); }
TestSuite(answers, .fini = fini);

static struct buf sample(void)
{
	struct answers a = {.status = 6, .arena = &arena};
	struct buf out = BUF_INIT(&arena);
	char text[] = "with\0NUL";

	answers_add(&a, &(struct answer){ANSWER_DATA, "PTX", 0, 1, text, sizeof text});
	answers_add(&a, &(struct answer){ANSWER_DATA, "CUBIN", 0, 1, "", 0});
	answers_add(&a, &(struct answer){ANSWER_NAME, "t<int>", 0, 1, "_Z1tIiEvv", 9});
	answers_add(&a, &(struct answer){ANSWER_NAME, "PTX", 9, 0, "", 0});
	answers_encode(&out, &a);
	cr_assert(!out.failed);
	return out;
}

Test(answers, round_trip)
{
	struct buf b = sample();
	const struct answer *one;
	struct answers a;

	cr_assert_eq(answers_decode(&a, b.data, b.len, &arena), 0);
	cr_expect_eq(a.status, 6);
	cr_expect_eq(a.count, 4);
	one = answers_find(&a, ANSWER_DATA, "PTX");
	cr_assert(one);
	cr_expect_eq(one->len, 9);
	cr_expect_arr_eq(one->value, "with\0NUL", 9);
	/* A name expression may be called like a product. */
	one = answers_find(&a, ANSWER_NAME, "PTX");
	cr_assert(one);
	cr_expect_eq(one->status, 9);
	cr_expect_eq(one->there, 0);
	cr_expect_str_eq(answers_find(&a, ANSWER_NAME, "t<int>")->value, "_Z1tIiEvv");
	cr_expect_null(answers_find(&a, ANSWER_NAME, "t<float>"));
}

Test(answers, every_truncation_and_every_longer_one_is_refused)
{
	struct buf b = sample();
	struct answers a;

	for (size_t n = 0; n < b.len; n++)
		cr_expect_lt(answers_decode(&a, b.data, n, &arena), 0, "%zu bytes", n);
	buf_u8(&b, 0);
	cr_expect_lt(answers_decode(&a, b.data, b.len, &arena), 0);
}

/* The program did not ask for the size, so its buffer may be too small. */
Test(answers, an_empty_answer_is_written_as_a_nul_at_most)
{
	static const struct {
		const char *value;
		size_t len;
		int good;
	} rows[] = {{"", 0, 1}, {"\0", 1, 1}, {"x", 1, 0}, {"\0\0", 2, 0}, {"xxxxxxxx", 8, 0}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct answers a = {.arena = &arena}, back;
		struct buf out = BUF_INIT(&arena);

		answers_add(&a, &(struct answer){ANSWER_EMPTY, "PTX", 0, 1, rows[i].value,
		                                 rows[i].len});
		answers_encode(&out, &a);
		cr_expect_eq(answers_decode(&back, out.data, out.len, &arena) == 0, rows[i].good,
		             "%zu", i);
	}
}

Test(answers, another_format_and_unknown_kinds_are_refused)
{
	struct buf b = sample();
	struct answers a;

	b.data[0] = ANSWERS_FORMAT + 1;
	cr_expect_lt(answers_decode(&a, b.data, b.len, &arena), 0);
	b.data[0] = ANSWERS_FORMAT;
	b.data[9] = 7;
	cr_expect_lt(answers_decode(&a, b.data, b.len, &arena), 0);
}

Test(answers, a_count_beyond_the_bytes_is_refused)
{
	struct buf b = sample();
	struct answers a;

	memset(b.data + 5, 0xff, 4);
	cr_expect_lt(answers_decode(&a, b.data, b.len, &arena), 0);
	b.data[5] = 5, memset(b.data + 6, 0, 3);
	cr_expect_lt(answers_decode(&a, b.data, b.len, &arena), 0);
}

Test(answers, too_many_fail)
{
	struct answers a = {.arena = &arena};
	struct buf out = BUF_INIT(&arena);

	for (unsigned i = 0; i <= ANSWERS_MAX; i++)
		answers_add(&a, &(struct answer){ANSWER_DATA, "x", 0, 1, "", 0});
	answers_encode(&out, &a);
	cr_expect(out.failed);
}
