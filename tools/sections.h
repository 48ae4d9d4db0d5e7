/* tools/sections.h - sections of an ELF64 object of this byte order, and of assembly. Bounded: the bytes may be anything. Pure code. THREAD. */
#ifndef TOOLS_SECTIONS_H
#define TOOLS_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

struct section {
	const char *name;
	const void *data;
	size_t len;
};
/* The section that this byte of the file lies in. 0, or -1: none, or it is compressed. */
int section_at(struct section *out, const void *object, size_t n, uint64_t offset);
/* Whether the byte at `at` of assembly as gcc writes it goes into a section whose name begins so. */
int assembly_section_is(const char *text, size_t at, const char *name);
/* Whether nobody can see which names stand in an object or assembly: it has compressed sections, as some systems'
 * compilers make them unasked, or gcc's code for another processor, which is the compiler's own trees with paths of
 * sources and the working directory among them. Of 32-bit objects only the latter is looked for. */
int sections_hide_names(const void *data, size_t n);
/* The first of that name; 0 or -1. */
int section_named(struct section *out, const void *object, size_t n, const char *name);

#endif
