/* keying/patch.h - a recorded result under other names: occurrences found, and replaced.
 *
 * Only names of NAME_VOLATILE_MIN bytes and more, only by names of equal length in outputs; streams
 * take any length. Offsets are those of the recorded bytes. Pure code. THREAD. */
#ifndef KEYING_PATCH_H
#define KEYING_PATCH_H

#include <stdint.h>

#include "keying/names.h"

/* 'T', 'B', 'X' as in names.h; 'P' a PTX source name (tools/ptx.h); 'H' the hash of a source's
 * path (tools/module_hash.h). */
struct patch {
	uint64_t offset;
	unsigned char kind, index;
};
#define PATCHES_MAX 65536 /* a debug object names its directory once a line-table entry; more: bound */

struct patch_list {
	struct patch *v;
	size_t count;
	int overflow;
};

/* A flat view over all names of one action, whatever their kind. */
struct patch_name {
	unsigned char kind, index;
	const char *text;
	size_t len;
};

/* Every occurrence of every name of NAME_VOLATILE_MIN bytes and more in data, ascending, longest name first where several begin at one
 * byte, none overlapping. overflow: more than PATCHES_MAX, or memory refused. */
void patch_find(struct patch_list *out, const void *data, size_t n, const struct patch_name *names,
                size_t name_count, struct arena *a);
/* True when a result recorded under `from` can be given under `to`: the same set of kinds and indexes,
 * equal lengths, and names too short to be found (below NAME_VOLATILE_MIN) the same. */
int patch_names_fit(const struct patch_name *from, size_t from_count, const struct patch_name *to,
                    size_t to_count);
/* In place, equal lengths. 0, or -1 and data partly changed when a patch has no equal-length name in
 * `to`, lies outside or does not stand where data holds its `from` name: the caller drops the copy. */
int patch_apply(void *data, size_t n, const struct patch *v, size_t count,
                const struct patch_name *from, size_t from_count, const struct patch_name *to,
                size_t to_count);
/* Any length, into out. 0 or -1 as above. */
int patch_rewrite(struct buf *out, const void *data, size_t n, const struct patch *v, size_t count,
                  const struct patch_name *from, size_t from_count, const struct patch_name *to,
                  size_t to_count);

#endif
