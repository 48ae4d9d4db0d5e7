/* jit/library.h - builds of the libraries that are loaded in this process.
 *
 * A record describes one build and one version of its functions. Records are never freed, since a
 * program of the host may still point to one. The record of a closed library is used for the next
 * library. THREAD. */
#pragma once

#include <stdint.h>

#include "jit/libraries.h"
#include "jit/symbols.h"
#include "shim/loader/elfobject.h"
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
	int sets_locale;             /* it calls setlocale, and so may change the host's */
	int release;                 /* 1305 for CUDA 13.5; 0 not known */
	void *real[JIT_ENTRIES_MAX]; /* by entry - libraries_first; NULL where this build lacks the
	                                function */
	int first_number;            /* entry_points.h; -1 without */
	int unseen;                  /* library_unseen() made it */
	struct jit_library *next;
};

/* The record of the library that holds this code. NULL: the code belongs to no build of that
 * library, or there is no memory. In a forked child: only what the parent knew. */
struct jit_library *library_at(enum jit_id id, const char *version, const void *code);
/* The record of this object. NULL: no memory. */
struct jit_library *library_of(enum jit_id id, const char *version, const struct elfobject *o);
/* In a forked child, for a library that the parent did not know. code is its function. Its calls
 * are passed on, and its compiles are counted. NULL: no memory. */
struct jit_library *library_unseen(int entry, const char *version, void *code);
/* 1: its compile may change the locale of the process. */
int library_changes_locale(const struct jit_library *l);
/* The library's own function; NULL where this build lacks it. */
static inline void *library_real(const struct jit_library *l, int entry)
{
	return l->real[entry - libraries_first(l->id)];
}

/* Numbers of the functions that callers get in place of a library's
 * (jit/jit.h).
 *
 * Numbers 0 to ENTRY_POINTS - 1 are handed out by dlsym. A library gets the numbers of all its
 * functions at once. If Reprise saw only some calls of a program, the program would be keyed wrong.
 * A library that was closed gives its numbers back. With too few left the caller gets the library's
 * own functions. Numbers from ENTRY_POINTS on are the exported names of hooks/linked.c, in its
 * order. */

/* Some 50 builds of a library at once, each version of nvJitLink's functions counting as one; 16
 * KiB of code. */
#define ENTRY_POINTS 1024

/* The number of l's entry. -1: too few are left. */
int entry_points_number(struct jit_library *l, int entry);
/* Gives l's numbers back. Under the lock of jit/state.c. */
void entry_points_release(struct jit_library *l);
/* What a number below ENTRY_POINTS stands for. NULL: no library has it. */
struct jit_library *entry_points_find(unsigned number, int *entry);
