/* tools/object/build_id.h - the build id that GNU ld writes into an ELF output: by default the
 * SHA-1 of the output's own headers and sections.
 *
 * Taken from bfd's elfcode.h (checksum_contents), and the same from binutils 2.35 to 2.44. Hashed
 * are the head, without the places of its tables; the segments; then of each section the header,
 * without its place, and the content. The symbols, their names and those of sections are left out.
 * The id's own section counts as zeros. Bounded: the bytes may be anything. Pure code. THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* 1: the output holds no build id, or this one of its bytes. */
int build_id_holds(const void *output, size_t n);
/* Writes the id of the present bytes, if the output has one. */
void build_id_renew(void *output, size_t n);

/* SHA-1 (FIPS 180-4), in which linkers write build ids. No use for secrets: it only
 * makes the bytes that a linker would make. */

#define SHA1_SIZE 20

struct sha1 {
	uint32_t h[5];
	uint64_t length; /* bytes so far */
	unsigned char block[64];
};

void sha1_init(struct sha1 *s);
void sha1_add(struct sha1 *s, const void *p, size_t n);
void sha1_final(struct sha1 *s, unsigned char out[SHA1_SIZE]);
