/* tools/object/build_id.c - computes the build id of a linked file. */
#include "tools/object/build_id.h"

#include <elf.h>
#include <string.h>

#include "tools/object/sections.h"

#include "shim/banned.h"

/* --- sha1 --- */

static uint32_t left(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static uint32_t word(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t mixed(unsigned t, uint32_t b, uint32_t c, uint32_t d)
{
	switch (t / 20) {
	case 0: return ((b & c) | (~b & d)) + 0x5a827999;
	case 1: return (b ^ c ^ d) + 0x6ed9eba1;
	case 2: return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	default: return (b ^ c ^ d) + 0xca62c1d6;
	}
}

static void add_block(struct sha1 *s, const unsigned char *p)
{
	uint32_t a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4], w[16];

	for (unsigned t = 0; t < 80; t++) {
		uint32_t next;

		w[t % 16] = t < 16 ? word(p + 4 * t)
		                   : left(w[(t + 13) % 16] ^ w[(t + 8) % 16] ^ w[(t + 2) % 16] ^
		                                  w[t % 16], 1);
		next = left(a, 5) + mixed(t, b, c, d) + e + w[t % 16];
		e = d;
		d = c;
		c = left(b, 30);
		b = a;
		a = next;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
}

/* --- public, in header order --- */

void sha1_init(struct sha1 *s)
{
	*s = (struct sha1){{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, 0, {0}};
}

void sha1_add(struct sha1 *s, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t held = s->length % sizeof s->block;

	s->length += n;
	while (n) {
		size_t len = sizeof s->block - held < n ? sizeof s->block - held : n;

		if (len == sizeof s->block) {
			add_block(s, p);
		} else {
			memcpy(s->block + held, p, len);
			held = (held + len) % sizeof s->block;
			if (!held)
				add_block(s, s->block);
		}
		p += len;
		n -= len;
	}
}

void sha1_final(struct sha1 *s, unsigned char out[SHA1_SIZE])
{
	static const unsigned char padding[64] = {0x80};
	uint64_t bits = s->length * 8;
	unsigned char length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha1_add(s, padding, 1 + (119 - s->length % 64) % 64);
	sha1_add(s, length, sizeof length);
	for (int i = 0; i < SHA1_SIZE; i++)
		out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

#define NOTE "\4\0\0\0\24\0\0\0\3\0\0\0GNU" /* with its last zero: the head of a note of 20 bytes */

static int is_within(size_t n, uint64_t at, uint64_t len)
{
	return at <= n && len <= n - at;
}

/* The linker hashes the sections that it has read or made itself. */
static int is_hashed(const Elf64_Ehdr *head, size_t i, const Elf64_Shdr *s)
{
	return s->sh_type != SHT_NULL && s->sh_type != SHT_NOBITS && s->sh_type != SHT_SYMTAB &&
	       i != head->e_shstrndx && (s->sh_type != SHT_STRTAB || s->sh_flags & SHF_ALLOC);
}

/* 0, or -1: no ELF file with complete tables. id: the section of the id. */
static int compute(const unsigned char *p, size_t n, const struct section *id,
                   unsigned char out[SHA1_SIZE])
{
	static const unsigned char zeros[sizeof NOTE + SHA1_SIZE];
	Elf64_Ehdr head, hashed;
	struct sha1 sha;

	memcpy(&head, p, sizeof head); /* it has a section, so it has a head */
	if (!is_within(n, head.e_phoff, (uint64_t)head.e_phnum * sizeof(Elf64_Phdr)) ||
	    !is_within(n, head.e_shoff, (uint64_t)head.e_shnum * sizeof(Elf64_Shdr)))
		return -1;
	hashed = head;
	hashed.e_phoff = hashed.e_shoff = 0;
	sha1_init(&sha);
	sha1_add(&sha, &hashed, sizeof hashed);
	sha1_add(&sha, p + head.e_phoff, head.e_phnum * sizeof(Elf64_Phdr));
	for (size_t i = 0; i < head.e_shnum; i++) {
		Elf64_Shdr s, shown;

		memcpy(&s, p + head.e_shoff + i * sizeof s, sizeof s);
		shown = s;
		shown.sh_offset = 0;
		sha1_add(&sha, &shown, sizeof shown);
		if (!is_hashed(&head, i, &s))
			continue;
		if (!is_within(n, s.sh_offset, s.sh_size))
			return -1;
		if (p + s.sh_offset == id->data && s.sh_size == id->len)
			sha1_add(&sha, zeros, sizeof zeros);
		else
			sha1_add(&sha, p + s.sh_offset, s.sh_size);
	}
	sha1_final(&sha, out);
	return 0;
}

/* The section that holds the id and nothing else. 0, or -1. */
static int find_id(struct section *id, const void *output, size_t n)
{
	return section_named(id, output, n, ".note.gnu.build-id") == 0 &&
	               id->len == sizeof NOTE + SHA1_SIZE &&
	               memcmp(id->data, NOTE, sizeof NOTE) == 0
	       ? 0 : -1;
}

/* --- public, in header order --- */

int build_id_holds(const void *output, size_t n)
{
	unsigned char now[SHA1_SIZE];
	struct section id;

	if (find_id(&id, output, n) < 0)
		return section_named(&id, output, n, ".note.gnu.build-id") < 0 &&
		       !memmem(output, n, NOTE, sizeof NOTE);
	return compute(output, n, &id, now) == 0 &&
	       memcmp(now, (const unsigned char *)id.data + sizeof NOTE, SHA1_SIZE) == 0;
}

void build_id_renew(void *output, size_t n)
{
	unsigned char now[SHA1_SIZE];
	struct section id;

	if (find_id(&id, output, n) == 0 && compute(output, n, &id, now) == 0)
		memcpy((unsigned char *)output + ((const unsigned char *)id.data + sizeof NOTE -
		                                  (const unsigned char *)output),
		       now, SHA1_SIZE);
}
