/* judge/name_list.h - all names of a start in one list: a result is bound to them, or they are
 * exchanged in it (docs/internals/names.md).
 *
 * judge_names() fills it (judge/names.h). Memory: the start's arena. THREAD. */
#ifndef JUDGE_NAME_LIST_H
#define JUDGE_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "keying/patch.h"

/* A set of names is one word: bit i is name i. Names behind these are in no set, and bind. */
#define NAMES_MOST 64

struct name_list {
	/* volatile and base names, hashes of source paths, names in the input text; behind these,
	 * names of files */
	struct patch_name *v;
	size_t count;        /* without those of files */
	size_t files;        /* NAME_KIND_FILE */
	size_t output_count; /* an output may hold the first output_count names */
};

/* The number of names of all kinds. */
size_t name_list_all(const struct name_list *l);
/* The name of this kind, other than NAME_KIND_FILE, and index. NULL: there is none. */
const struct patch_name *name_list_find(const struct name_list *l, unsigned kind, unsigned index);
/* 1: the text spells a name that is no file's. */
int name_list_occurs(const struct name_list *l, const void *text, size_t n);
/* The set of the names that the text spells. */
uint64_t name_list_spelled(const struct name_list *l, const void *text, size_t n);
/* The set of the generated names of which the text has a piece. A text that computes names of files
 * could put the name together from it. */
uint64_t name_list_pieces(const struct name_list *l, const char *text, size_t n);
/* The set of the names that a spec holds (keying/names.h). */
uint64_t name_list_in_spec(const struct name_list *l, const char *spec, size_t len);

#endif
