/* tools/object/line_strings.h - the strings of .debug_line_str: their order in an object of gcc -g,
 * and in the file that GNU ld makes of such objects. For x86-64.
 *
 * An object begins with two strings, in an order that its names decide (tools/object/gcc_order.h).
 * Relocations refer to strings by their offsets, and nothing else depends on the order.
 *
 * GNU ld writes each string once, in order of appearance (bfd/merge.c, binutils 2.20 to 2.44). A
 * string that ends another one lies in that one, and which one does not depend on the order. ld
 * puts the debug sections of one name one behind the other. So the file for objects of another
 * order can be computed from a file and from these objects. Entering the strings of the objects
 * that a file was made of changes no byte of it: this shows that the file has the expected form.
 *
 * Bounded: the bytes may be anything. Pure code. THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "shim/arena.h"

struct line_section {
	const char *name;
	uint64_t len;   /* of the sections of this name in all objects */
	uint64_t align; /* the largest one */
};
/* A reference to a string, by its place in the linked section. */
struct line_reference {
	const char *text;
	size_t section; /* its index in line_strings.section */
	uint64_t offset;
};
/* What the objects of a link bring along. */
struct line_strings {
	struct arena *arena;
	const char **text; /* in order of appearance */
	size_t count, cap;
	struct line_section *section;
	size_t section_count, section_cap;
	struct line_reference *ref;
	size_t ref_count, ref_cap;
};

/* The two strings at the begin of an object's .debug_line_str. 0, or -1: it has none. */
int line_strings_first(const void *object, size_t n, const char *first[2]);
/* Exchanges these two. 0, or -1 with the object unchanged: it has another form. */
int line_strings_exchange(void *object, size_t n);
/* Adds an object, of which nothing is kept but copies. 0, or -1: it has another form. */
int line_strings_add(struct line_strings *l, const void *object, size_t n);
/* Enters the strings of these objects, in their order, into the linked file. 0; 1: the file has no
 * such debug information. -1, with the file partly changed: it has another form. */
int line_strings_enter(const struct line_strings *l, void *file, size_t n);
