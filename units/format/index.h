/* units/format/index.h - Triton's __grp__<name>.json: {"child_paths": {"<file>": "<its path>",
 * ...}}.
 *
 * Read strictly: the text is an object of one member "child_paths". This member is an object of 1
 * to INDEX_NAMES_MAX members, each named once. Their values are strings <dir>/<key>. dir is
 * absolute, the same for all, and spelled as json.dumps spells it. Any other text is refused. Pure;
 * memory from the arena. THREAD. */
#pragma once

#include "shim/arena.h"
#include "units/format/parcel.h"

#define INDEX_NAMES_MAX (PARCEL_FILES_MAX - 1) /* with the index itself they make a parcel */
#define INDEX_TEXT_MAX (1u << 20)              /* a longer file is refused; Triton writes 8 paths */
struct index {
	const char *dir;                   /* what all paths begin with, unescaped */
	const char *name[INDEX_NAMES_MAX]; /* of the children, as parcel_name_ok */
	unsigned names;
	uint64_t at[INDEX_NAMES_MAX];      /* offsets of dir's text in the file, ascending */
	size_t dir_text_len;               /* of dir as it is written there, escapes and all */
};
/* 0 or -1. */
int index_parse(struct index *x, const void *text, size_t n, struct arena *a);
/* The text without dir, and in *mark x->names offsets for parcel_file.mark. NULL without memory. */
unsigned char *index_strip(const struct index *x, const void *text, size_t n, size_t *len,
                           uint64_t **mark, struct arena *a);
/* 1: the child is the kernel's description and says `"ir_override": "/x/k.ttgir"`. The kernel was
 * made from that file, and its key holds only the file's name. */
int index_is_overridden(const char *name, const void *text, size_t n);
/* 1: the child is not whole by its format (units/format/whole.h), or ends in zeros. A power failure
 * leaves such files. */
int index_file_is_damaged(const char *name, const void *bytes, size_t n);
/* 1: the child is triton-ascend's. Its versions for Triton 3.2 key no version of CANN, which
 * compiles the kernel. */
int index_is_of_npu(const char *name);
