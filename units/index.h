/* units/index.h - Triton's __grp__<name>.json: {"child_paths": {"<file>": "<its path>", ...}}.
 *
 * Read strictly: an object of one member "child_paths", itself an object of 1 to INDEX_NAMES_MAX
 * members, each named once, whose values are strings that are all <dir>/<key>; dir is absolute,
 * the same for all, spelled as json.dumps spells it, and returned. What does not look so is no
 * index. Pure; memory from the arena. THREAD. */
#ifndef UNITS_INDEX_H
#define UNITS_INDEX_H

#include "shim/arena.h"
#include "units/parcel.h"

#define INDEX_NAMES_MAX (PARCEL_FILES_MAX - 1) /* with the index itself they make a parcel */
#define INDEX_TEXT_MAX (1u << 20)              /* a longer file is no index; Triton writes 8 paths */
struct index {
	const char *dir;                   /* what all paths begin with, unescaped */
	const char *name[INDEX_NAMES_MAX]; /* of the children, as parcel_name_ok */
	unsigned names;
	uint64_t at[INDEX_NAMES_MAX];      /* offsets of dir's text in the file, ascending */
	size_t dir_text_len;               /* of dir as it is written there, escapes and all */
};
/* 0 or -1. */
int index_parse(struct index *x, const void *text, size_t n, struct arena *a);
/* The text without dir: offsets for parcel_file.mark in *mark, x->names of them. NULL without
 * memory. */
unsigned char *index_strip(const struct index *x, const void *text, size_t n, size_t *len,
                           uint64_t **mark, struct arena *a);
/* A child that is the kernel's description and says `"ir_override": "/x/k.ttgir"`: made of that file, of which the key holds
 * no more than the name. */
int index_is_overridden(const char *name, const void *text, size_t n);
/* A child that triton-ascend makes, whose key, in its versions for Triton 3.2, holds no version of CANN, by which it was compiled. */
int index_is_of_npu(const char *name);

#endif
