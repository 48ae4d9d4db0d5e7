/* units/shape/shape.h - recognises the paths of frameworks' cache files, below any root, by the
 * patterns of units/units.def.
 *
 * Pure and quick: hooks ask it for every call that failed. A path of no unit costs its length and
 * some comparisons. Paths are taken as they are, neither made absolute nor normalised; "//" and
 * "/./" inside a pattern's part match nothing. Names with a leading dot, as frameworks give
 * temporary files, match nothing, but for files of a user's directory that is renamed. CHILD. */
#pragma once

#include <stddef.h>

#include "units/class.h"

/* Which part of a unit a path names. */
enum unit_part {
	PART_NONE,   /* the path belongs to no unit */
	PART_UNIT,   /* the unit itself: its directory, or its file */
	PART_MEMBER, /* a file of the directory */
	PART_INDEX   /* the file whose presence says that the directory is complete */
};
struct unit_path {
	enum unit_class class;
	enum unit_part part;
	size_t unit_len;         /* path[0 .. unit_len) is the unit's own path */
	/* path[0 .. root_len) is its root, without the slash; 0 for "/" and for no root */
	size_t root_len;
	/* the unit's name below any root, as it is keyed: "f<key>", "x.best_config" ... */
	size_t name_at, name_len;
	/* PART_MEMBER, PART_INDEX: its name, to the end of the path; else NULL */
	const char *member;
	unsigned char declared; /* of the user's own classes: which one (units/shape/declared.h) */
};
/* PART_NONE unless the path fits a class; then *u is set. */
enum unit_part unit_shape(struct unit_path *u, const char *path);

/* A call on this part is the framework's look-up (docs/frameworks.md). For a WHOLE with an index
 * only a call on the index is a look-up, since the framework makes the directory first. Otherwise a
 * call on the unit or a member is. */
static inline int unit_looked_up(const struct unit_path *u)
{
	return *unit_text(unit_rows[u->class].index) ? u->part == PART_INDEX
	       : u->part != PART_NONE;
}
/* 1: a unit of the class is a directory that grows: each file counts, however it came there. */
static inline int unit_grows(unsigned class)
{
	return unit_rows[class].form == UNIT_WHOLE && unit_rows[class].complete & COMPLETE_CLOSED;
}
