/* tools/object/sections.h - sections of an ELF64 object of this byte order, and of assembly.
 * Bounded: the bytes may be anything. Pure code. THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct section {
	const char *name;
	const void *data;
	size_t len;
	uint64_t flags; /* SHF_ of the table */
	int merges;     /* a linker merges its strings of bytes, which need no alignment */
	uint32_t type, link, info; /* of the table */
	uint64_t align;
};
/* The section that holds this byte of the file. 0, or -1: no section holds it, or the section is
 * compressed. */
int section_at(struct section *out, const void *object, size_t n, uint64_t offset);
/* Whether the byte at `at` of gcc's assembly goes into a section whose name begins with `name`. */
int assembly_section_is(const char *text, size_t at, const char *name);
/* Whether names may stand in an object or in assembly where a search does not see them. They may
 * stand in compressed sections, which the compilers of some systems make by default. They may stand
 * in gcc's code for another processor, whose intermediate code holds paths of sources and the
 * working directory. In 32-bit objects compressed sections are not looked for. */
int sections_hide_names(const void *data, size_t n);
/* The section with that number in the table. 0, or -1: there is none, or it is compressed. */
int section_number(struct section *out, const void *object, size_t n, size_t number);
/* The first section with that name; 0 or -1. */
int section_named(struct section *out, const void *object, size_t n, const char *name);
