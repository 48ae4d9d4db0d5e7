/* jit/library.h - builds of the libraries that are loaded in this process.
 *
 * A record describes one build and one version of its functions. Records are never freed, since a
 * program of the host may still point to one. The record of a closed library is used for the next
 * library. THREAD. */
#ifndef JIT_LIBRARY_H
#define JIT_LIBRARY_H

#include <stdint.h>

#include "jit/libraries.h"
#include "jit/names.h"
#include "shim/elfobject.h"
#include "shim/path.h"

struct jit_library {
	enum jit_id id;
	char version[JIT_VERSION]; /* of the functions; "" for the plain names */
	uintptr_t base;
	char build[2 * ELFOBJECT_BUILD_ID + 1]; /* hex; "" where the library has no build id: the
	                                           file's content is keyed then */
	char name[32];                          /* its soname, for people */
	char path[PATH_SIZE];
	uint64_t changes; /* linked_passes_by: state of the loader's list at the last look, */
	int passed_by;    /* and the answer then */
	char companion[PATH_SIZE];   /* the companion that was keyed last; "" not known */
	int release;                 /* 1305 for CUDA 13.5; 0 not known */
	void *real[JIT_ENTRIES_MAX]; /* by entry - libraries_first; NULL where this build lacks the
	                                function */
	int first_number;            /* entry_points.h; -1 without */
	struct jit_library *next;
};

/* The record of the library that holds this code. NULL: the code belongs to no build of that
 * library, or there is no memory. In a forked child: only what the parent knew. */
struct jit_library *library_at(enum jit_id id, const char *version, const void *code);
/* The record of this object. NULL: no memory. */
struct jit_library *library_of(enum jit_id id, const char *version, const struct elfobject *o);
/* The library's own function; NULL where this build lacks it. */
static inline void *library_real(const struct jit_library *l, int entry)
{
	return l->real[entry - libraries_first(l->id)];
}

#endif
