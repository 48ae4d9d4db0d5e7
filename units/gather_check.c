/* units/gather_check.c - checks of names and binaries. */
#include "units/gather_check.h"

#include <elf.h>
#include <sodium.h>
#include <string.h>

/* 256 bits, five a letter. */
enum { BASE32_FULL = 52, BASE32_CUT = 51 };

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

static int elf_is_whole(const unsigned char *p, size_t n)
{
	Elf64_Ehdr h;

	if (n < sizeof h || memcmp(p, ELFMAG, SELFMAG) != 0 || p[EI_CLASS] != ELFCLASS64)
		return 0;
	memcpy(&h, p, sizeof h);
	/* Both tables stand behind the sections, the section headers last or last but one. */
	return h.e_shoff <= n && (size_t)h.e_shnum * h.e_shentsize <= n - h.e_shoff &&
	       h.e_phoff <= n &&
	       (size_t)h.e_phnum * h.e_phentsize <= n - h.e_phoff && h.e_shnum + h.e_phnum > 0;
}

static int ptx_is_whole(const unsigned char *p, size_t n)
{
	size_t depth = 0;

	for (size_t i = 0; i < n; i++)
		depth += (size_t)(p[i] == '{') - (size_t)(p[i] == '}');
	while (n && (p[n - 1] == '\0' || p[n - 1] == '\n' || p[n - 1] == ' '))
		n--;
	return n && depth == 0 && (p[n - 1] == '}' || p[n - 1] == ';') && !memchr(p, 0, n) &&
	       memmem(p, n, ".version", 8) &&
	       memmem(p, n, ".target", 7);
}

int check_kernel(const char *name, const void *bytes, size_t n)
{
	return strstr(name, "_sass_") ? elf_is_whole(bytes, n) : ptx_is_whole(bytes, n);
}
