/* tools/object/objects.h - generated names in the debug information of objects that a link reads.
 *
 * GNU ld copies debug sections, and merges the strings of two of them, .debug_str and
 * .debug_line_str (bfd/merge.c, binutils 2.20 to 2.44). Each string is written once, in order of
 * appearance, except one that ends another string: that is the end of the first such string in the
 * order of reversed strings. So another name of equal length at the same places leaves every byte
 * at its place if that order does not depend on the names wherever it counts (objects_merge_alike).
 * The linker looks into debug information for its messages alone.
 *
 * Calling sequence: objects_learn() and objects_add() for each file that the command names, then
 * the others. Memory: the arena. Pure code. THREAD. */
#pragma once

#include "names/names.h"
#include "names/patch.h"
#include "shim/digest.h"

/* One object. */
struct linked_object {
	unsigned char *bytes;
	size_t n;
	struct patch_list places; /* of the names */
};
struct objects {
	struct arena *arena;
	struct linked_object *v;
	size_t count, cap;
};

#define OBJECTS_HEAD 64 /* bytes by which a shared library is told */

/* 1: a file that begins with these bytes is a shared library: its debug information is not
 * linked. */
int objects_shared(const void *head, size_t n);
/* Puts the two first strings of an object's debug information in an order that depends on no
 * generated name. 1: their order was another one; 0: it was this one; -1: they have no generated
 * name, or the object has another form. found: the temporary roots, and memory. */
int objects_settle_order(void *bytes, size_t n, const struct names *found);
/* Adds the generated names in the paths of an object's debug information to `found`. 0, or -1: too
 * many. */
int objects_learn(const void *bytes, size_t n, struct names *found);
/* A file that the command names. The number of its object; -1: an archive without debug
 * information; -2: a file whose strings or names may count in another way. */
int objects_add(struct objects *o, void *bytes, size_t n);
/* Finds the places of these names, whose indexes are their numbers here. 0, or -1: a name stands
 * outside of debug information. */
int objects_find(struct objects *o, const struct patch_name *names, size_t count);
/* 1: the order of strings depends on no name wherever it counts. */
int objects_merge_alike(struct objects *o, const struct patch_name *names);
/* The digest of object i with its names blanked. */
void objects_blanked(const struct objects *o, size_t i, const struct patch_name *names,
                     struct digest *out);
/* 1: a file that the link also read adds no strings to those of the objects. */
int objects_allow(const void *bytes, size_t n);
/* 1: the program is GNU ld; 0: it only starts the linker; -1: it is another one. */
int objects_program(const void *bytes, size_t n, const char *path);
