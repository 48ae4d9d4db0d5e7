/* tools/sha1.h - SHA-1 (FIPS 180-4), in which linkers write build ids. No use for secrets: it only
 * makes the bytes that a linker would make. Pure code. THREAD. */
#ifndef TOOLS_SHA1_H
#define TOOLS_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_SIZE 20

struct sha1 {
	uint32_t h[5];
	uint64_t length; /* bytes so far */
	unsigned char block[64];
};

void sha1_init(struct sha1 *s);
void sha1_add(struct sha1 *s, const void *p, size_t n);
void sha1_final(struct sha1 *s, unsigned char out[SHA1_SIZE]);

#endif
