/* SHA-1 against the examples of FIPS 180-4 and sha1sum. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/object/build_id.h"

static void hex(struct sha1 *s, char out[2 * SHA1_SIZE + 1])
{
	unsigned char digest[SHA1_SIZE];

	sha1_final(s, digest);
	for (int i = 0; i < SHA1_SIZE; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

Test(sha1, published_examples)
{
	static const struct {
		const char *text, *digest;
	} rows[] = {
		{"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
		{"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char got[2 * SHA1_SIZE + 1];
		struct sha1 s;

		sha1_init(&s);
		sha1_add(&s, rows[i].text, strlen(rows[i].text));
		hex(&s, got);
		cr_expect_str_eq(got, rows[i].digest);
	}
}

/* Every length around the ends of blocks, in pieces of 1 to 70 bytes, as sha1sum says. */
Test(sha1, lengths_and_pieces_as_sha1sum)
{
	char bytes[200], text[64], got[2 * SHA1_SIZE + 1];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)('a' + i % 23);
	for (size_t n = 50; n < 135; n++) {
		struct sha1 s;
		FILE *in, *f = fopen("sha1-input", "w");

		cr_assert(f);
		fwrite(bytes, 1, n, f);
		fclose(f);
		in = popen("sha1sum sha1-input", "r");
		cr_assert(in && fgets(text, sizeof text, in));
		pclose(in);
		sha1_init(&s);
		for (size_t at = 0, len; at < n; at += len) {
			len = 1 + at * 7 % 70 < n - at ? 1 + at * 7 % 70 : n - at;
			sha1_add(&s, bytes + at, len);
		}
		hex(&s, got);
		cr_expect(memcmp(got, text, 2 * SHA1_SIZE) == 0, "%zu bytes", n);
	}
	remove("sha1-input");
}
