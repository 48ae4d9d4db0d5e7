/* tools/build_id.c - computes the build id of a linked file. */
#include "tools/build_id.h"

#include <elf.h>
#include <string.h>

#include "tools/sections.h"
#include "tools/sha1.h"

#include "shim/banned.h"

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
