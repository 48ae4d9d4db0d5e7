/* names/bases.h - the directories of names: temporary roots, below which components may be
 * generated names, and bases, @B<n>. names/names.h says what both are.
 *
 * Pure code. THREAD. */
#pragma once

#include "names/names.h"

/* Colon lists; each may be NULL or "". The roots are TMPDIR's value, the built-in roots (/tmp
 * /var/tmp /dev/shm /run/user/<uid>) and REPRISE_TEMP_ROOTS. The bases are the values of
 * TORCHINDUCTOR_CACHE_DIR, TRITON_CACHE_DIR and TORCH_EXTENSIONS_DIR, then REPRISE_BASE_DIRS and
 * FLASHINFER_WORKSPACE_BASE. The first three have the places 0, 1, 2 even where unset, so that
 * @B<n> means the same everywhere in a job. Relative or empty elements and "/" are ignored. */
void names_init(struct names *n, struct arena *a, unsigned uid, const char *tmpdir,
                const char *more_roots, const char *base_dirs, char *const envp[]);

/* Gives each REPRISE_BASE_DIRS element that ends with a slash and an asterisk its directory: the
 * one directly in it that cwd is or lies below. The element matches nothing where cwd lies
 * elsewhere. To be called before any name is spelled. */
void names_children(struct names *n, const char *cwd);

/* Makes TMPDIR's value a base as well. Use it for a start whose result depends neither on TMPDIR
 * nor on names in argv, before any name is spelled. A value shorter than NAME_VOLATILE_MIN stays a
 * part of names, since it could not be patched. */
void names_move_tmpdir(struct names *n, const char *tmpdir);
/* Makes the first len bytes of dir the base of this kind. 0, or -1: it is shorter than
 * NAME_VOLATILE_MIN, not plain (names/name_shape.h), or memory ran out. */
int names_set_base(struct names *n, enum name_kind kind, const char *dir, size_t len);
/* Undoes it, if no name was learnt since. */
void names_drop_base(struct names *n, enum name_kind kind);
/* Sets NAME_KIND_TRIED for the directory of a source, whatever its name: no tool has both. -1 also
 * where it lies below a base or is a temporary root. */
int names_source(struct names *n, const char *dir, size_t len);
/* 1: the token of len bytes behind this slash of an absolute path is a generated name. */
int names_is_generated(const struct names *n, const char *path, size_t slash, size_t len);
/* Bytes of dir up to its last component with a generated name, that component included; 0: there is
 * none. */
size_t names_generated(const struct names *n, const char *dir, size_t len);
/* 1: a component of this absolute path has the form of a generated name, and is none of the known
 * names. Those of a directory that prefix maps hide are known by its name. */
int names_unknown(const struct names *n, const char *path);
/* Ends the list of names. From now on a base that has not occurred is an ordinary part of paths,
 * since no result would be bound to its value. TMPDIR is excepted: a bound result never depends on
 * it. */
void names_close(struct names *n);
/* The base directory of @B<i>, or NULL. */
const char *names_base(const struct names *n, int i);
/* The longest base that path[0..len) is or lies below; -1: there is none. */
int names_base_of(const struct names *n, const char *path, size_t len);
/* @B<i> occurs. An element of REPRISE_BASE_DIRS that has not occurred before gets the next free
 * number: checkouts that each list all of them then have equal keys. Returns its number. */
int names_use_base(struct names *n, int i);
/* True where path[0..len), without its final slashes, is a temporary root or lies below one. */
int names_below_root(const struct names *n, const char *path, size_t len);
