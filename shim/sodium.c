/* shim/sodium.c - functions that libsodium's Ed25519 and BLAKE2b need from its other parts.
 *
 * libsodium's own utils.o would pull in most of the library: 100 KB, allocators of locked memory, a
 * mutex, a random source with a descriptor. Names and types are libsodium's; a build that links
 * utils.o after all fails with a double definition. */
#include <sodium/core.h>
#include <sodium/randombytes.h>
#include <sodium/utils.h>
#include <string.h>

#include "shim/kernel/sys.h"

#include "shim/banned.h"

void sodium_memzero(void *const p, const size_t n)
{
	explicit_bzero(p, n);
}

int sodium_memcmp(const void *const a, const void *const b, size_t n)
{
	const unsigned char *x = a, *y = b;
	unsigned char differs = 0;

	for (size_t i = 0; i < n; i++)
		differs |= x[i] ^ y[i];
	return differs ? -1 : 0;
}

int sodium_is_zero(const unsigned char *p, const size_t n)
{
	unsigned char any = 0;

	for (size_t i = 0; i < n; i++)
		any |= p[i];
	return !any;
}

/* Only functions that generate keys call it, and we call none of them. */
void randombytes_buf(void *const p, const size_t n)
{
	size_t done = 0;
	unsigned tries = 0;

	while (done < n) {
		long got = SYS3(SYS_getrandom, (char *)p + done, n - done, 0);

		if (got < 0 && !sys_interrupted(got, &tries))
			__builtin_trap(); /* no key is better than a key without randomness */
		done += got > 0 ? (size_t)got : 0;
	}
}

/* Called for a wrong length in one of our calls. */
void sodium_misuse(void)
{
	__builtin_trap();
}
