/* units/gather_check.c - checks of names and binaries. */
#include "units/gather_check.h"

#include <sodium.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "shim/path.h"
#include "units/gather_pickle.h"
#include "units/whole.h"

/* 256 bits, five a letter. */
enum { BASE32_FULL = 52, BASE32_CUT = 51 };
/* The content of a zlib stream is not kept. */
#define INFLATED_AT_ONCE 16384

static int is_zlib_stream(const unsigned char *bytes, size_t n)
{
	unsigned char content[INFLATED_AT_ONCE];
	z_stream z = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)n};
	int rc = Z_OK;

	if (n != z.avail_in || inflateInit(&z) != Z_OK)
		return 0;
	while (rc == Z_OK) {
		z.next_out = content;
		z.avail_out = sizeof content;
		rc = inflate(&z, Z_NO_FLUSH);
	}
	n = z.avail_in;
	inflateEnd(&z);
	return rc == Z_STREAM_END && !n;
}

int check_digest_name(const char *name)
{
	size_t n = strlen(name);

	return (n == BASE32_CUT || n == BASE32_FULL) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz234567") == n;
}

int check_digest(const char *name, const void *bytes, size_t n)
{
	unsigned char digest[crypto_hash_sha256_BYTES + 1] = {0};
	char text[BASE32_FULL];

	crypto_hash_sha256(digest, bytes, n);
	for (unsigned i = 0; i < BASE32_FULL; i++) {
		unsigned at = 5 * i, two = (unsigned)digest[at / 8] << 8 | digest[at / 8 + 1];

		text[i] = "abcdefghijklmnopqrstuvwxyz234567"[two >> (11 - at % 8) & 31];
	}
	return check_digest_name(name) && memcmp(name, text, strlen(name)) == 0;
}

int check_kernel(const char *name, const void *bytes, size_t n)
{
	return strstr(name, "_sass_") ? whole_elf(bytes, n) : whole_ptx(bytes, n);
}

int check_compressed(const void *bytes, size_t n)
{
	static const unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd}; /* of zstd, RFC 8878 */

	if (n >= sizeof frame && memcmp(bytes, frame, sizeof frame) == 0)
		return ZSTD_findFrameCompressedSize(bytes, n) == n;
	return is_zlib_stream(bytes, n);
}

int check_damaged(const char *name, const void *bytes, size_t n)
{
	static const char *const pickled[] = {".nbi", ".nbc", ".pkl", ".pickle"};
	unsigned char first = n ? *(const unsigned char *)bytes : 0;

	/* Programs call other formats .pkl, too, such as compressed pickles. */
	for (size_t i = 0; i < sizeof pickled / sizeof *pickled; i++)
		if (path_ends(name, pickled[i]) && (i < 2 || first == 0x80 || !first))
			return check_pickles(bytes, n) != CHECK_WHOLE;
	return whole_file(name, bytes, n) == WHOLE_NO;
}
