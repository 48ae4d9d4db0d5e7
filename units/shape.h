/* units/shape.h - which paths belong to a framework's cache, told by their shape under any root.
 *
 * Pure and quick: what hooks ask for every call that failed. A path that is no unit's costs its length
 * and some comparisons. Paths are taken as they are: neither made absolute nor tidied; "//" or "/./" inside
 * the part that is a shape makes it none.
 *
 * Shapes (B: 51 of A-Z2-7, then A or Q; in Triton 3.2: 43 of A-Za-z0-9_-; c: 51 of a-z2-7; x: 64 of 0-9a-f):
 *   triton       <root>/B/name; __grp__<name>.json is PART_INDEX
 *   fxgraph      <root>/fxgraph/<2>/f<c>[/c]            <2> is the key's 2nd and 3rd letter
 *   aotautograd  <root>/aotautograd/a<c>[/c]            torch 2.6 and 2.7: a<c>/entry, which is not named by its content
 *   autotune     <root>/<2>/x.best_config
 *   gemm         <root>/cache/x
 *   jiterator    <root>/<name>_arch<M>.<m>_nvrtc<M>.<m>_(ptx|sass)_<len>_<40 hex>
 *   torchair     <root>/<Class>_(dynamic|static)[_aclgraphcache][_gecache]_<32 hex>[/ranks]/<method>[/compiled_module]
 *                ranks: world<W>global_rank<R>, tp_rank<T>, pp_rank<P>, those there are, in this order, joined by "_"
 * Temporary names of the frameworks (".<pid>...tmp", "tmp.pid_...", "tmp.<uuid>", "<file>_tmp_<pid>") are no members, nor is
 * any name with a leading dot. CHILD. */
#ifndef UNITS_SHAPE_H
#define UNITS_SHAPE_H

#include <stddef.h>

enum unit_class {
#define UNIT_CLASS(id, number, name, form, share, help) UNIT_##id = number,
#include "units/units.def"
#undef UNIT_CLASS
};
#define UNIT_CLASSES_MAX 16 /* numbers stay below */
enum unit_form { UNIT_WHOLE, UNIT_SET, UNIT_FILE, UNIT_MERGED };
enum unit_share { SHARE_ALL, SHARE_GRAPH, SHARE_DEVICE, SHARE_SOURCE };
struct unit_row {
	enum unit_class class; /* 0: no such number */
	const char *name, *help;
	enum unit_form form;
	enum unit_share share;
};
extern const struct unit_row unit_rows[UNIT_CLASSES_MAX];

/* What of the unit a path names. */
enum unit_part {
	PART_NONE,   /* the path is no unit's */
	PART_UNIT,   /* the unit itself: its directory, or its file */
	PART_MEMBER, /* a file of the directory */
	PART_INDEX   /* the file whose presence says that the directory is complete */
};
struct unit_path {
	enum unit_class class;
	enum unit_part part;
	size_t unit_len;         /* path[0 .. unit_len): the unit's own path */
	size_t root_len;         /* path[0 .. root_len): what it lies in, without the slash; 0 for "/" and for no root at all */
	size_t name_at, name_len; /* the unit's name below any root, as it enters keys: "f<key>", "x.best_config" ... */
	const char *member;      /* PART_MEMBER, PART_INDEX: its name, to the end of the path; else NULL */
};
/* PART_NONE unless the path has a shape; then *u is set. */
enum unit_part unit_shape(struct unit_path *u, const char *path);

/* A call that asks for this part is the class's look-up (docs/frameworks.md): of a WHOLE the index alone, since the framework
 * makes the directory first; else the unit or a member. */
static inline int unit_looked_up(const struct unit_path *u)
{
	return unit_rows[u->class].form == UNIT_WHOLE ? u->part == PART_INDEX : u->part != PART_NONE;
}
/* A rename to this part completes the unit; opened: so does its last close, for what some versions write in place. */
static inline int unit_completes(const struct unit_path *u, int opened)
{
	switch (unit_rows[u->class].form) {
	case UNIT_WHOLE:
		return !opened && u->part != PART_MEMBER;
	case UNIT_SET:
		return u->part == PART_MEMBER && (!opened || unit_rows[u->class].share == SHARE_SOURCE);
	default:
		return u->part == PART_UNIT;
	}
}

#endif
