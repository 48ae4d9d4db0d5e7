/* tests/unit/test_digest.c */
#include "shim/digest.h"

#include <criterion/criterion.h>

Test(digest, known_value)
{
	struct digest d;
	char hex[DIGEST_HEX + 1];

	/* XXH3-128 of nothing, as in xxHash's own specification of the canonical form. */
	digest_of(&d, NULL, 0);
	digest_hex(&d, hex);
	cr_assert_str_eq(hex, "99aa06d3014798d86001c324468d497f"
	                      "00000000000000000000000000000001");
}

Test(digest, running_equals_one_shot_whatever_the_steps)
{
	static unsigned char bytes[5000];
	struct digest_state s;
	struct digest whole, steps;

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 7 + (i >> 8));
	for (size_t n = 0; n <= sizeof bytes; n += n < 300 ? 1 : 611) {
		digest_of(&whole, bytes, n);
		digest_init(&s);
		for (size_t at = 0, step = 1; at < n; at += step, step = step * 3 % 257 + 1) {
			if (step > n - at)
				step = n - at;
			digest_add(&s, bytes + at, step);
		}
		digest_final(&s, &steps);
		cr_assert(digest_equal(&whole, &steps), "length %zu", n);
	}
}

Test(digest, hex_round_trip_and_refusals)
{
	struct digest d, back;
	char hex[DIGEST_HEX + 2];

	digest_of(&d, "abc", 3);
	digest_hex(&d, hex);
	cr_assert_eq(strlen(hex), DIGEST_HEX);
	cr_assert_eq(digest_parse(&back, hex), 0);
	cr_assert(digest_equal(&d, &back));
	for (int i = 0; i < DIGEST_HEX; i++) {
		static const char bad[] = {'g', 'A', ' ', '/', ':', '`', 0};

		for (size_t k = 0; k < sizeof bad; k++) {
			char keep = hex[i];

			hex[i] = bad[k];
			cr_assert_eq(digest_parse(&back, hex), -1, "%d %c", i, bad[k]);
			hex[i] = keep;
		}
	}
	hex[DIGEST_HEX] = '0';
	hex[DIGEST_HEX + 1] = 0;
	cr_assert_eq(digest_parse(&back, hex), -1, "too long");
}

Test(digest, blake2b_known_values)
{
	struct digest d;
	char hex[DIGEST_HEX + 1];

	digest_of_as(DIGEST_BLAKE2B, &d, NULL, 0);
	digest_hex(&d, hex);
	cr_expect_str_eq(hex, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
	digest_of_as(DIGEST_BLAKE2B, &d, "abc", 3);
	digest_hex(&d, hex);
	cr_expect_str_eq(hex, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

Test(digest, blake2b_running_equals_one_shot)
{
	static unsigned char bytes[5000];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 251);
	for (size_t step = 1; step < 300; step += 37) {
		struct digest whole, parts;
		struct digest_state s;

		digest_of_as(DIGEST_BLAKE2B, &whole, bytes, sizeof bytes);
		digest_init_as(&s, DIGEST_BLAKE2B);
		for (size_t at = 0; at < sizeof bytes; at += step)
			digest_add(&s, bytes + at,
			           at + step < sizeof bytes ? step : sizeof bytes - at);
		digest_final(&s, &parts);
		cr_expect(digest_equal(&whole, &parts), "steps of %zu", step);
	}
}

/* Criterion runs each test in a process of its own. */
Test(digest, the_process_uses_one)
{
	struct digest plain, used, as;

	cr_expect_eq(digest_in_use(), DIGEST_XXH3);
	digest_of(&plain, "x", 1);
	digest_use(DIGEST_BLAKE2B);
	cr_expect_eq(digest_in_use(), DIGEST_BLAKE2B);
	digest_of(&used, "x", 1);
	digest_of_as(DIGEST_BLAKE2B, &as, "x", 1);
	cr_expect(digest_equal(&used, &as));
	digest_name(&as, "x", 1);
	cr_expect(digest_equal(&plain, &as), "names do not change");
	digest_use(DIGEST_XXH3);
	digest_of(&used, "x", 1);
	cr_expect(digest_equal(&plain, &used));
}

Test(digest, the_algorithm_shows)
{
	struct digest d;

	for (unsigned i = 0; i < 1000; i++) {
		digest_of_as(DIGEST_XXH3, &d, &i, sizeof i);
		cr_assert_eq(digest_algorithm(&d), DIGEST_XXH3);
		digest_of_as(DIGEST_BLAKE2B, &d, &i, sizeof i);
		cr_assert_eq(digest_algorithm(&d), DIGEST_BLAKE2B);
	}
	digest_of_as(DIGEST_XXH3, &d, "", 0);
	for (int at = 16; at < DIGEST_SIZE; at++) {
		d.b[at] ^= 4;
		cr_expect_eq(digest_algorithm(&d), DIGEST_BLAKE2B, "byte %d", at);
		d.b[at] ^= 4;
	}
}
