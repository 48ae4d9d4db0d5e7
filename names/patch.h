/* names/patch.h - finds names in a recorded result, and replaces them by other names.
 *
 * Only names of NAME_VOLATILE_MIN bytes and more are found. In outputs a name is replaced only by a
 * name of equal length; streams take any length. Offsets are those of the recorded bytes. Pure
 * code. THREAD. */
#pragma once

#include <stdint.h>

#include "names/names.h"
#include "shim/buf.h"

struct patch {
	uint64_t offset;
	unsigned char kind, index; /* enum name_kind */
};
/* A debug object names its directory once for each line-table entry. A result with more patches is
 * bound. */
#define PATCHES_MAX 65536

struct patch_list {
	struct patch *v;
	size_t count;
	int overflow;
};

/* All names of one action in one list, whatever their kind. */
struct patch_name {
	unsigned char kind, index;
	const char *text;
	size_t len;
};

/* Finds every occurrence of every name of NAME_VOLATILE_MIN bytes and more in data. Occurrences
 * ascend and do not overlap; where several names begin at one byte, the longest is taken. overflow:
 * more than PATCHES_MAX, or memory refused. */
void patch_find(struct patch_list *out, const void *data, size_t n, const struct patch_name *names,
                size_t name_count, struct arena *a);
/* 1: a name that the patches use has another length in `to`, or is short and differs. */
int patch_needs_rewrite(const struct patch *v, size_t count, const struct patch_name *from,
                        size_t from_count, const struct patch_name *to, size_t to_count);
/* Patches in place, with equal lengths. Returns 0, or -1 with data partly changed: the caller drops
 * the copy. It fails when a patch has no name of equal length in `to` or lies outside. It also
 * fails when data does not hold the `from` name there. */
int patch_apply(void *data, size_t n, const struct patch *v, size_t count,
                const struct patch_name *from, size_t from_count, const struct patch_name *to,
                size_t to_count);
/* Writes into out, with any length. 0 or -1 as above. */
int patch_rewrite(struct buf *out, const void *data, size_t n, const struct patch *v, size_t count,
                  const struct patch_name *from, size_t from_count, const struct patch_name *to,
                  size_t to_count);
