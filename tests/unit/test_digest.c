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
	cr_assert(!digest_is_zero(&d));
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
