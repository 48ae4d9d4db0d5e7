/* tests/unit/test_arena.c - arena, buf and reader. */
#include "shim/arena.h"
#include "shim/buf.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

Test(arena, an_array_grows)
{
	struct arena a = ARENA_INIT;
	size_t cap = 0;
	int *v = NULL, *before;

	for (size_t n = 0; n < 1000; n++) {
		before = v;
		v = arena_grow(&a, v, n, &cap, sizeof *v, 3);
		cr_assert(v && cap > n);
		cr_assert(n % 3 || n || cap == 3);
		cr_assert(n == 0 || n == cap / 2 || v == before, "it moves when it is full");
		v[n] = (int)n;
	}
	for (int n = 0; n < 1000; n++)
		cr_assert_eq(v[n], n);
	arena_free(&a);
}

Test(arena, pieces_are_zeroed_aligned_and_apart)
{
	struct arena a = ARENA_INIT;
	unsigned char *p[3000];

	for (int i = 0; i < 3000; i++) {
		size_t n = (size_t)i % 97;

		p[i] = arena_alloc(&a, n);
		cr_assert(p[i]);
		cr_assert_eq((uintptr_t)p[i] % 16, 0);
		for (size_t k = 0; k < n; k++)
			cr_assert_eq(p[i][k], 0);
		memset(p[i], i & 255, n);
	}
	for (int i = 0; i < 3000; i++)
		for (int k = 0; k < i % 97; k++)
			cr_assert_eq(p[i][k], i & 255, "piece %d was overwritten", i);
	arena_free(&a);
	cr_assert_null(a.last);
}

Test(arena, remembers_that_memory_was_refused)
{
	struct arena a = ARENA_INIT, b = ARENA_INIT;
	struct rlimit was, none = {0, 0};

	cr_assert(arena_alloc(&a, 16));
	getrlimit(RLIMIT_AS, &was);
	none.rlim_max = was.rlim_max;
	setrlimit(RLIMIT_AS, &none);
	char *large = arena_alloc(&a, 1 << 20), *small = arena_alloc(&a, 16);
	int expected = arena_expect(&b, 1 << 20), b_refused = b.refused;
	char *first = arena_alloc(&b, 16);
	setrlimit(RLIMIT_AS, &was);
	cr_assert_null(large);
	cr_assert(small && a.refused, "what fits is given all the same, and the flag stays");
	cr_assert(expected < 0 && !b_refused, "nothing was asked for yet");
	cr_assert(!first && b.refused);
	struct arena c = ARENA_INIT;
	arena_recycle(&c, &b);
	cr_assert(c.refused && !b.refused);
	arena_free(&a);
	cr_assert(!a.refused);
}

Test(arena, a_large_piece_leaves_the_chunk_in_use)
{
	struct arena a = ARENA_INIT;
	char *before = arena_alloc(&a, 16);
	char *large = arena_alloc(&a, 1 << 20);
	char *after = arena_alloc(&a, 16);

	memset(large, 1, 1 << 20);
	cr_assert_eq(after, before + 16);
	arena_free(&a);
}

Test(arena, a_large_piece_may_be_the_first)
{
	struct arena a = ARENA_INIT;
	char *large = arena_alloc(&a, ARENA_CHUNK);
	char *small = arena_alloc(&a, 100);

	memset(large, 1, ARENA_CHUNK);
	for (int i = 0; i < 100; i++)
		cr_assert_eq(small[i], 0);
	arena_free(&a);
}

Test(arena, absurd_sizes_are_refused)
{
	struct arena a = ARENA_INIT;

	cr_assert_null(arena_alloc(&a, SIZE_MAX));
	cr_assert_null(arena_alloc(&a, SIZE_MAX / 2));
	cr_assert_null(arena_alloc(&a, (size_t)1 << 60));
	cr_assert_null(arena_memdup(&a, "", SIZE_MAX));
	arena_free(&a);
}

Test(arena, strings)
{
	struct arena a = ARENA_INIT;

	cr_assert_str_eq(arena_strdup(&a, ""), "");
	cr_assert_str_eq(arena_cat(&a, "a", "", "bc", "/", NULL), "abc/");
	cr_assert_str_eq(arena_memdup(&a, "abcdef", 3), "abc");
	arena_free(&a);
}

Test(arena, what_is_expected_comes_from_one_mapping)
{
	struct arena a = ARENA_INIT;
	char *p, *q;

	cr_assert_eq(arena_expect(&a, 3 * ARENA_CHUNK), 0);
	p = arena_alloc(&a, ARENA_CHUNK);
	q = arena_alloc(&a, 2 * ARENA_CHUNK);
	cr_assert_eq(q - p, ARENA_CHUNK);
	cr_assert_eq(arena_expect(&a, SIZE_MAX), -1);
	arena_free(&a);
}

Test(arena, recycled_memory_is_zero_and_used_first)
{
	struct arena to = ARENA_INIT, from = ARENA_INIT;
	unsigned char *mine, *theirs, *again;

	mine = arena_alloc(&to, 100);
	memset(mine, 1, 100);
	cr_assert_eq(arena_expect(&from, ARENA_CHUNK), 0);
	theirs = arena_alloc(&from, 5000);
	memset(theirs, 0xff, 5000);
	arena_recycle(&to, &from);
	again = arena_alloc(&to, 4000);
	cr_assert_eq(again, theirs);
	/* The chunk was partly used before. */
	again = arena_alloc(&to, 4000);
	for (size_t i = 0; i < 4000; i++)
		cr_assert_eq(again[i], 0, "byte %zu", i);
	for (size_t i = 0; i < 4000; i++)
		cr_assert_eq(theirs[i], 0, "byte %zu", i);
	for (size_t i = 0; i < 100; i++)
		cr_assert_eq(mine[i], 1);
	/* Memory that was recycled once can be so again. */
	cr_assert_eq(arena_expect(&from, ARENA_CHUNK), 0);
	memset(again, 0xff, 4000);
	arena_recycle(&from, &to);
	again = arena_alloc(&from, 9000);
	for (size_t i = 0; i < 9000; i++)
		cr_assert_eq(again[i], 0, "byte %zu", i);
	arena_recycle(&from, &to); /* nothing there */
	arena_free(&from);
	cr_assert_null(from.last);
}

Test(buf, numbers_are_little_endian)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	static const unsigned char want[] = {0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 8, 7, 6, 5,
	                                     4, 3, 2, 1,    2,    0,    0,    0,    'h',  'i',  0};

	buf_u8(&b, 0x01);
	buf_u16(&b, 0x0203);
	buf_u32(&b, 0x04050607);
	buf_u64(&b, 0x0102030405060708ull);
	buf_lstr(&b, "hi", 2);
	cr_assert(!b.failed);
	cr_assert_eq(b.len, sizeof want);
	cr_assert_arr_eq(b.data, want, sizeof want);
	arena_free(&a);
}

Test(buf, grows_and_keeps_what_it_had)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);

	for (unsigned i = 0; i < 100000; i++)
		buf_u32(&b, i);
	cr_assert_eq(b.len, 400000);
	for (unsigned i = 0; i < 100000; i++)
		cr_assert_eq(b.data[4 * i] | b.data[4 * i + 1] << 8 | b.data[4 * i + 2] << 16, i);
	arena_free(&a);
}

Test(buf, a_failure_stays)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);

	buf_str(&b, "abc");
	cr_assert_null(buf_reserve(&b, SIZE_MAX / 2));
	cr_assert(b.failed);
	buf_str(&b, "def");
	cr_assert_eq(b.len, 3);
	arena_free(&a);
}

Test(reader, reads_what_buf_wrote)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	struct reader r;
	size_t len;

	buf_u8(&b, 250);
	buf_u16(&b, 65000);
	buf_u32(&b, 4000000000u);
	buf_u64(&b, 1ull << 63);
	buf_lstr(&b, "x\0y", 3);
	buf_lstr(&b, "", 0);
	r = (struct reader){b.data, b.data + b.len, 0};
	cr_assert_eq(reader_u8(&r), 250);
	cr_assert_eq(reader_u16(&r), 65000);
	cr_assert_eq(reader_u32(&r), 4000000000u);
	cr_assert_eq(reader_u64(&r), 1ull << 63);
	cr_assert_arr_eq(reader_lstr(&r, &len), "x\0y", 4);
	cr_assert_eq(len, 3);
	cr_assert_str_eq(reader_lstr(&r, NULL), "");
	cr_assert(!r.failed);
	cr_assert_eq(r.p, r.end);
	arena_free(&a);
}

Test(reader, every_cut_fails_and_stays_failed)
{
	static const unsigned char bytes[] = {3, 0, 0, 0, 'a', 'b', 'c', 0};
	size_t len;

	for (size_t n = 0; n < sizeof bytes; n++) {
		struct reader r = {bytes, bytes + n, 0};

		cr_assert_str_eq(reader_lstr(&r, &len), "");
		cr_assert_eq(len, 0);
		cr_assert(r.failed, "cut at %zu", n);
		cr_assert_eq(reader_u8(&r), 0);
		cr_assert_null(reader_bytes(&r, 0));
	}
}

Test(reader, refuses_a_string_without_its_end_and_huge_lengths)
{
	static const unsigned char open_end[] = {2, 0, 0, 0, 'a', 'b', 'c'};
	static const unsigned char huge[] = {255, 255, 255, 255, 'a', 0};
	struct reader r = {open_end, open_end + sizeof open_end, 0};

	reader_lstr(&r, NULL);
	cr_assert(r.failed);
	r = (struct reader){huge, huge + sizeof huge, 0};
	reader_lstr(&r, NULL);
	cr_assert(r.failed);
	r = (struct reader){huge, huge + sizeof huge, 0};
	cr_assert_null(reader_bytes(&r, SIZE_MAX));
}

Test(reader, a_text_has_no_nul_inside)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);

	buf_lstr(&b, "xy", 2);
	buf_lstr(&b, "x\0y", 3);
	struct reader r = {b.data, b.data + b.len, 0};
	cr_assert_str_eq(reader_text(&r), "xy");
	cr_assert(!r.failed);
	reader_text(&r);
	cr_assert(r.failed);
	arena_free(&a);
}

Test(arena, a_freed_chunk_comes_back_zeroed)
{
	struct arena a = ARENA_INIT, b = ARENA_INIT;
	unsigned char *p = arena_alloc(&a, 12000);

	cr_assert(p);
	memset(p, 0xa5, 12000);
	for (int i = 0; i < 8; i++)
		memset(arena_alloc(&a, 12000), 0x5a, 12000); /* more than one chunk */
	arena_free(&a);
	for (int i = 0; i < 8; i++) {
		p = arena_alloc(i % 2 ? &a : &b, 12000);
		for (int x = 0; x < 12000; x++)
			cr_assert_eq(p[x], 0, "%d", x);
		memset(p, 0xff, 12000);
	}
	arena_free(&a);
	arena_free(&b);
}

#ifndef __SANITIZE_ADDRESS__
/* A program's arena and its compile's, again and again. */
Test(arena, freed_chunks_are_kept_for_two_arenas)
{
	struct arena a = ARENA_INIT, b = ARENA_INIT;
	char *first = arena_alloc(&a, 16), *second = arena_alloc(&b, 16);

	for (int i = 0; i < 3; i++) {
		char *p, *q;

		arena_free(&a);
		arena_free(&b);
		p = arena_alloc(&a, 16);
		q = arena_alloc(&b, 16);
		cr_assert_neq(p, q);
		cr_assert((p == first && q == second) || (p == second && q == first));
	}
	arena_free(&a);
	arena_free(&b);
}
#endif
