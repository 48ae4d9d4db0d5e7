/* units/format/whole.c - checks of single files. */
#include "units/format/whole.h"

#include <elf.h>
#include <string.h>

#include "shim/path.h"
#include "units/format/scan.h"

#include "shim/banned.h"

/* No framework nests deeper. */
#define DEPTH_MAX 64
/* A file system loses whole blocks of at least this size. */
#define ZEROS_MIN 64

/* 1: size bytes at that offset are inside n bytes. */
static int inside(uint64_t at, uint64_t size, size_t n)
{
	return at <= n && size <= n - at;
}

/* Only the first section has no type. Zeros in place of the table are such sections. */
static int has_sections(const unsigned char *p, size_t n, const Elf64_Ehdr *h)
{
	for (size_t i = 1; i < h->e_shnum; i++) {
		Elf64_Shdr s;

		memcpy(&s, p + h->e_shoff + i * sizeof s, sizeof s);
		if (s.sh_type == SHT_NULL ||
		    (s.sh_type != SHT_NOBITS && !inside(s.sh_offset, s.sh_size, n)))
			return 0;
	}
	return h->e_shnum > 1;
}

/* 1: the last entry of the table that ends the file is there to its end: it has an alignment. */
static int has_last_entry(const unsigned char *p, const Elf64_Ehdr *h)
{
	Elf64_Shdr section;
	Elf64_Phdr segment;

	if (h->e_phnum && h->e_phoff > h->e_shoff) {
		memcpy(&segment, p + h->e_phoff + (h->e_phnum - 1u) * sizeof segment,
		       sizeof segment);
		return segment.p_align != 0;
	}
	if (!h->e_shnum)
		return 1;
	memcpy(&section, p + h->e_shoff + (h->e_shnum - 1u) * sizeof section, sizeof section);
	return section.sh_addralign != 0;
}

static int has_segments(const unsigned char *p, size_t n, const Elf64_Ehdr *h)
{
	for (size_t i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr s;

		memcpy(&s, p + h->e_phoff + i * sizeof s, sizeof s);
		if (s.p_type == PT_NULL || !inside(s.p_offset, s.p_filesz, n))
			return 0;
	}
	return h->e_phnum > 0;
}

static int is_elf64(const unsigned char *p, size_t n)
{
	return n > EI_CLASS && memcmp(p, ELFMAG, SELFMAG) == 0 && p[EI_CLASS] == ELFCLASS64;
}

/* Braces in a string of LLVM's or MLIR's text do not count. */
static int has_balanced_braces(const char *p, size_t n)
{
	size_t depth = 0;
	int quoted = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\n')
			quoted = 0;
		else if (p[i] == '"')
			quoted = !quoted;
		else if (p[i] == '\\' && quoted)
			i++;
		else if (!quoted)
			depth += (size_t)(p[i] == '{') - (size_t)(p[i] == '}');
	}
	return depth == 0;
}

static int is_text(const char *p, size_t n)
{
	return n && (p[n - 1] == '\n' || p[n - 1] == '}') && !memchr(p, 0, n);
}

static int take_word(struct scan *t)
{
	const char *from = t->p;

	while (t->p < t->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"
	                               "PQRSTUVWXYZ", *t->p) && *t->p)
		t->p++;
	return t->p > from;
}

/* Takes a value that is no object and no array. */
static int take_leaf(struct scan *t)
{
	size_t n;

	scan_space(t);
	return t->p < t->end && (*t->p == '"' ? scan_string(t, &n) != NULL : take_word(t));
}

/* Takes a member's name and its colon. */
static int take_name(struct scan *t)
{
	size_t n;

	return scan_string(t, &n) && scan_take(t, ':');
}

/* --- public, in header order --- */

enum whole whole_file(const char *name, const void *bytes, size_t n)
{
	static const char metadata_end[] = "\t.end_amdgpu_metadata\n";
	static const char *const structured[] = {".ttir", ".ttgir", ".llir", ".source"};

	if (path_ends(name, ".json"))
		return whole_json(bytes, n) ? WHOLE_YES : WHOLE_NO;
	if (path_ends(name, ".ptx"))
		return whole_ptx(bytes, n) ? WHOLE_YES : WHOLE_NO;
	if (path_ends(name, ".cubin") || path_ends(name, ".hsaco") || is_elf64(bytes, n))
		return whole_elf(bytes, n) ? WHOLE_YES : WHOLE_NO;
	for (size_t i = 0; i < sizeof structured / sizeof *structured; i++)
		if (path_ends(name, structured[i]))
			return is_text(bytes, n) && has_balanced_braces(bytes, n) ? WHOLE_YES
			                                                          : WHOLE_NO;
	/* The metadata come last but for the lines of debuggers. */
	if (path_ends(name, ".amdgcn"))
		return is_text(bytes, n) && memmem(bytes, n, metadata_end, sizeof metadata_end - 1)
		               ? WHOLE_YES : WHOLE_NO;
	return WHOLE_UNKNOWN;
}

int whole_ends_in_zeros(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t zeros = 0;

	while (zeros < n && zeros < ZEROS_MIN && !p[n - 1 - zeros])
		zeros++;
	return zeros == n || zeros == ZEROS_MIN;
}

int whole_elf(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	Elf64_Ehdr h;

	if (n < sizeof h || !is_elf64(p, n))
		return 0;
	memcpy(&h, p, sizeof h);
	if ((h.e_shnum && h.e_shentsize != sizeof(Elf64_Shdr)) ||
	    (h.e_phnum && h.e_phentsize != sizeof(Elf64_Phdr)) ||
	    !inside(h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr), n) ||
	    !inside(h.e_phoff, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr), n))
		return 0;
	return (h.e_shnum || h.e_phnum) && (!h.e_shnum || has_sections(p, n, &h)) &&
	       (!h.e_phnum || has_segments(p, n, &h)) && has_last_entry(p, &h);
}

int whole_ptx(const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n && (p[n - 1] == '\0' || strchr("\n\t ", p[n - 1])))
		n--;
	return n && (p[n - 1] == '}' || p[n - 1] == ';') && !memchr(p, 0, n) &&
	       has_balanced_braces(p, n) && memmem(p, n, ".version", 8) &&
	       memmem(p, n, ".target", 7);
}

int whole_json(const void *bytes, size_t n)
{
	struct scan t = {bytes, bytes, (const char *)bytes + n};
	char close[DEPTH_MAX];
	size_t depth = 0;

	if (memchr(bytes, 0, n))
		return 0;
	do {
		char ends = scan_take(&t, '{') ? '}' : scan_take(&t, '[') ? ']' : 0;

		if (ends && depth == DEPTH_MAX)
			return 0;
		if (ends)
			close[depth++] = ends;
		else if (!depth || !take_leaf(&t))
			return 0;
		/* Where a container has just begun, its end or its first value follows. Behind a
		 * value, ends and one comma do. */
		while (depth && scan_take(&t, close[depth - 1])) {
			depth--;
			ends = 0;
		}
		if (depth && !ends && !scan_take(&t, ','))
			return 0;
		if (depth && close[depth - 1] == '}' && !take_name(&t))
			return 0;
	} while (depth);
	scan_space(&t);
	return t.p == t.end;
}

/* The form of max-autotune's file. */

static int is(const char *s, size_t n, const char *text)
{
	return s && strlen(text) == n && memcmp(s, text, n) == 0;
}

/* Skips a value of any kind, without a check of what is inside. -1: no value stands here. */
static int skip_value(struct scan *t)
{
	size_t depth = 0, n;
	const char *from;

	do {
		if (scan_take(t, '{') || scan_take(t, '[')) {
			depth++;
		} else if (scan_take(t, '}') || scan_take(t, ']')) {
			if (!depth)
				return -1;
			depth--;
		} else if (depth && (scan_take(t, ',') || scan_take(t, ':'))) {
			continue;
		} else if (t->p < t->end && *t->p == '"') {
			if (!scan_string(t, &n))
				return -1;
		} else {
			/* A number, true, false, null, NaN, Infinity. */
			for (from = t->p; t->p < t->end && !strchr(" \t\r\n,:{}[]\"", *t->p);
			     t->p++)
				;
			if (t->p == from)
				return -1;
		}
	} while (depth);
	return 0;
}

/* "<key>": *key is NULL where there is none. */
static int take_key(struct scan *t, const char **key, size_t *n)
{
	*key = scan_string(t, n);
	return *key && scan_take(t, ':');
}

/* {..., "hash": "<name>", ...} */
static int is_system(struct scan *t, const char *name)
{
	const char *key, *value;
	size_t n, len = 0;
	int named = 0;

	if (!scan_take(t, '{'))
		return 0;
	do {
		if (!take_key(t, &key, &n))
			return 0;
		if (is(key, n, "hash")) {
			value = scan_string(t, &len);
			if (named++ || !is(value, len, name))
				return 0;
		} else if (skip_value(t) < 0) {
			return 0;
		}
	} while (scan_take(t, ','));
	return named && scan_take(t, '}');
}

static int is_object(struct scan *t)
{
	scan_space(t);
	return t->p < t->end && *t->p == '{' && skip_value(t) == 0;
}

int choices_are(const char *name, const void *bytes, size_t n)
{
	struct scan t = {bytes, bytes, (const char *)bytes + n};
	int systems = 0, caches = 0;
	const char *key;
	size_t len = 0;

	if (!scan_take(&t, '{'))
		return 0;
	do {
		if (!take_key(&t, &key, &len))
			return 0;
		if (is(key, len, "system") ? systems++ || !is_system(&t, name)
		                           : !is(key, len, "cache") || caches++ || !is_object(&t))
			return 0;
	} while (scan_take(&t, ','));
	if (!systems || !caches || !scan_take(&t, '}'))
		return 0;
	scan_space(&t);
	return t.p == t.end;
}
