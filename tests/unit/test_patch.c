/* Occurrences of names in recorded bytes, found and replaced. */
#include <criterion/criterion.h>
#include <string.h>

#include "names/patch.h"
#include "shim/buf.h"

static struct arena arena;
static void fini(void) { arena_free(&arena); }
TestSuite(patch, .fini = fini);

#define NAME(k, i, t) {(k), (i), (t), sizeof(t) - 1}
static const struct patch_name from[] = {
	NAME('T', 0, "tmpab12cd34"), NAME('B', 1, "/srv/uu/cache"),
	NAME('P', 0, "/srv/uu/cache/ab"), NAME('P', 1, "short.p"), NAME('T', 1, "tmpab12cd3"),
};
static const struct patch_name to[] = {
	NAME('P', 0, "/data/2/store/cd"), NAME('B', 1, "/data/2/store"), NAME('T', 1, "tmpzzzzzzz"),
	NAME('T', 0, "tmpxxxxxxxx"), NAME('P', 1, "short.p"),
};
static const char data[] = "tmpab12cd34 tmpab12cd3\0/srv/uu/cache/ab/x.py /srv/uu/cache/b short.p "
			   "tmpab12cd34tmpab12cd34";
static const char want[] = "tmpxxxxxxxx tmpzzzzzzz\0/data/2/store/cd/x.py /data/2/store/b short.p "
			   "tmpxxxxxxxxtmpxxxxxxxx";
#define N(a) (sizeof(a) / sizeof((a)[0]))

Test(patch, finds_longest_in_order)
{
	static const struct patch expect[] = {
		{0, 'T', 0}, {12, 'T', 1}, {23, 'P', 0}, {45, 'B', 1}, {69, 'T', 0}, {80, 'T', 0},
	};
	struct patch_list l;

	patch_find(&l, data, sizeof data, from, N(from), &arena);
	cr_assert_eq(l.count, N(expect));
	cr_assert(!l.overflow);
	for (size_t i = 0; i < l.count; i++) {
		cr_expect_eq(l.v[i].offset, expect[i].offset, "%zu: %zu", i, (size_t)l.v[i].offset);
		cr_expect_eq(l.v[i].kind, expect[i].kind);
		cr_expect_eq(l.v[i].index, expect[i].index);
	}
}

Test(patch, applies_equal_lengths)
{
	char copy[sizeof data];
	struct patch_list l;

	memcpy(copy, data, sizeof data);
	patch_find(&l, data, sizeof data, from, N(from), &arena);
	cr_assert_eq(patch_apply(copy, sizeof copy, l.v, l.count, from, N(from), to, N(to)), 0);
	cr_assert_arr_eq(copy, want, sizeof want);
}

Test(patch, rewrites_any_length)
{
	static const struct patch_name a[] = {NAME('T', 0, "tmpab12cd34")},
		b[] = {NAME('T', 0, "x")};
	static const char text[] = "at tmpab12cd34: /tmp/tmpab12cd34";
	struct buf out = BUF_INIT(&arena);
	struct patch_list l;

	patch_find(&l, text, sizeof text - 1, a, 1, &arena);
	cr_assert_eq(patch_rewrite(&out, text, sizeof text - 1, l.v, l.count, a, 1, b, 1), 0);
	cr_assert_eq(out.len, strlen("at x: /tmp/x"));
	cr_assert_arr_eq(out.data, "at x: /tmp/x", out.len);
	struct buf empty = BUF_INIT(&arena);
	cr_assert_eq(patch_rewrite(&empty, NULL, 0, NULL, 0, a, 1, b, 1), 0);
	cr_assert_eq(empty.len, 0);
}

Test(patch, refuses_what_does_not_fit)
{
	static const struct patch_name longer[] = {NAME('T', 0, "tmpab12cd345")};
	struct patch one = {0, 'T', 0};
	char copy[sizeof data];
	struct buf out = BUF_INIT(&arena);

	memcpy(copy, data, sizeof data);
	cr_expect_eq(patch_apply(copy, sizeof copy, &one, 1, from, N(from), longer, 1), -1);
	cr_expect_eq(patch_apply(copy, sizeof copy, &one, 1, from, N(from), NULL, 0), -1);
	cr_expect_eq(patch_apply(copy, sizeof copy, &one, 1, NULL, 0, to, N(to)), -1);
	/* not where data holds the name, over the end, far outside */
	uint64_t wrong[] = {1, sizeof data - 5, sizeof data, sizeof data + 1, UINT64_MAX,
	                    UINT64_MAX - 3};
	for (size_t i = 0; i < N(wrong); i++) {
		one.offset = wrong[i];
		cr_expect_eq(patch_apply(copy, sizeof copy, &one, 1, from, N(from), to, N(to)), -1);
		cr_expect_eq(patch_rewrite(&out, copy, sizeof copy, &one, 1, from, N(from), to,
		                           N(to)), -1);
	}
	cr_expect_arr_eq(copy, data, sizeof data);
	/* descending or overlapping */
	struct patch two[] = {{80, 'T', 0}, {69, 'T', 0}}, over[] = {{0, 'T', 0}, {0, 'T', 1}};
	cr_expect_eq(patch_rewrite(&out, copy, sizeof copy, two, 2, from, N(from), to, N(to)), -1);
	cr_expect_eq(patch_rewrite(&out, copy, sizeof copy, over, 2, from, N(from), to, N(to)), -1);
	cr_expect_eq(patch_apply(copy, sizeof copy, two, 2, from, N(from), to, N(to)), -1);
}

Test(patch, empty_and_short_names)
{
	static const struct patch_name none[] = {NAME('T', 0, ""), NAME('T', 1, "seven77")};
	struct patch_list l;

	patch_find(&l, "seven77seven77", 14, none, 2, &arena);
	cr_assert_eq(l.count, 0);
	patch_find(&l, NULL, 0, from, N(from), &arena);
	cr_assert_eq(l.count, 0);
	patch_find(&l, "tmpab12cd3", 10, from, N(from), &arena);
	cr_assert_eq(l.count, 1);
	patch_find(&l, "tmpab12cd", 9, from, N(from), &arena);
	cr_assert_eq(l.count, 0);
}

Test(patch, too_many)
{
	static char big[(PATCHES_MAX + 1) * 8];
	static const struct patch_name a[] = {NAME('T', 0, "aaaaaaaa")};
	struct patch_list l;

	memset(big, 'a', sizeof big);
	patch_find(&l, big, sizeof big - 8, a, 1, &arena);
	cr_assert(!l.overflow && l.count == PATCHES_MAX);
	patch_find(&l, big, sizeof big, a, 1, &arena);
	cr_assert(l.overflow);
}

/* The result of a comparison at each byte with each name. */
static size_t plainly(struct patch *out, const unsigned char *p, size_t n,
                      const struct patch_name *names, size_t count)
{
	size_t found = 0;

	for (size_t at = 0; at < n;) {
		const struct patch_name *best = NULL;

		for (size_t i = 0; i < count; i++)
			if (names[i].len >= NAME_VOLATILE_MIN && names[i].len <= n - at &&
			    !memcmp(p + at, names[i].text, names[i].len) &&
			    (!best || names[i].len > best->len))
				best = &names[i];
		if (best)
			out[found++] = (struct patch){at, best->kind, best->index};
		at += best ? best->len : 1;
	}
	return found;
}

Test(patch, names_that_begin_alike)
{
	static const struct patch_name alike[] = {
		NAME('T', 0, "tmpxft_00003a_0000-1"), NAME('T', 1, "tmpxft_00003a_0000-10"),
		NAME('X', 0, "tmpxft_00003a_0000"), NAME('T', 2, "tmpxft_t"),
	};
	static const struct patch_name apart[] = {NAME('T', 0, "tmpxft_00003a_0000-1"), NAME('T', 1,
		"other-name"), NAME('T', 2, "short")};
	static const char *const pieces[] = {"tmpxft_", "00003a_0000", "-1", "0", "t", "tmp",
	                                     "other-name", "x"};
	static unsigned char text[4096];
	static struct patch expect[sizeof text];
	unsigned seed = 1;

	for (int round = 0; round < 200; round++) {
		const struct patch_name *names = round % 2 ? apart : alike;
		size_t count = round % 2 ? N(apart) : N(alike), n = 0, found;
		struct patch_list l;

		while (n + 16 < sizeof text - (size_t)round) {
			const char *piece;

			seed = seed * 1103515245u + 12345u;
			piece = pieces[seed >> 16 & 7];
			memcpy(text + n, piece, strlen(piece));
			n += strlen(piece);
		}
		found = plainly(expect, text, n, names, count);
		patch_find(&l, text, n, names, count, &arena);
		cr_assert_eq(l.count, found, "round %d", round);
		cr_assert_gt(found, 0);
		for (size_t i = 0; i < found; i++)
			cr_assert(l.v[i].offset == expect[i].offset &&
			          l.v[i].kind == expect[i].kind && l.v[i].index == expect[i].index);
	}
}
