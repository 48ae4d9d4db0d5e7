/* judge/name/name_list.h - all names of a start in one list: a result is bound to them, or they are
 * exchanged in it (docs/internals/names.md).
 *
 * judge_names() fills it. Memory: the start's arena. THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "names/patch.h"

struct start;

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
/* The set of the generated names. */
uint64_t name_list_components(const struct name_list *l);
/* The set of the generated names and of the bases. */
uint64_t name_list_places(const struct name_list *l);
/* The set of the generated names of which the text has a piece. A text that computes names of files
 * could put the name together from it. */
uint64_t name_list_pieces(const struct name_list *l, const char *text, size_t n);
/* Adds to the sets what name_list_spelled() and name_list_pieces() find, in fewer searches. */
void name_list_search(const struct name_list *l, const char *text, size_t n, uint64_t *spelled,
                      uint64_t *pieces);
/* The set of the names that a spec holds (names/names.h). */
uint64_t name_list_in_spec(const struct name_list *l, const char *spec, size_t len);

/* The names of a start (names/names.h), which it learns in this order:
 *
 *   1. judge_names_begin()    bases of variables and settings; the tool's own name
 *   2. judge_names_command()  the directories of CMake's try_compile and of prefix maps
 *   3. judge_names_text()     TMPDIR, and the directory of the only source
 *   4. the key's arguments    files of the command (key_files.h) and generated names, both numbered
 *                             as they come
 *   5. judge_directory_name() the working directory
 *   6. judge_names()          closes the list: from now on no name is new
 *
 * Steps 1 to 3 come before any name is spelled. A library's compile (jit/) has no step 2, and
 * names_source() alone in step 3. THREAD. */

/* When the start has its working directory. */
void judge_names_begin(struct start *s);
/* When the command is classified. Sets CMD_MAPS_DEBUG and CMD_MAPS_MACRO. */
void judge_names_command(struct start *s);
/* When the command's texts are read. */
void judge_names_text(struct start *s);
/* Puts the names in one list. 0, or -1: no memory. */
int judge_names(struct start *s);
