/* jit/libraries.h - jit/libraries.def as numbers and texts. THREAD.
 *
 * Entries of all libraries have one numbering. The entries of a library begin at JIT_FIRST_<id>.
 * The tables hold characters, not pointers: a pointer would be relocated in every process. */
#pragma once

enum jit_id {
#define LIBRARY(id, ...) JIT_##id,
#include "jit/libraries.def"
	JIT_LIBRARIES
};
enum jit_entry {
	JIT_BEFORE_ALL = -1,
#define LIBRARY(id, ...) JIT_FIRST_##id, JIT_BEFORE_##id = JIT_FIRST_##id - 1,
#define ENTRY(library, name, signature, role, answer) library##_##name,
#include "jit/libraries.def"
	JIT_ENTRIES
};
/* The most that one library has. */
#define JIT_ENTRIES_MAX 24

enum jit_role {
	ROLE_CREATE,   /* (handle *, ...): makes a program */
	ROLE_DESTROY,  /* (handle *) */
	ROLE_ADD,      /* (handle, ...): an input, before the compile */
	ROLE_COMPILE,  /* (handle, ...) */
	ROLE_CALLBACK, /* (handle, ...): the program is not served from now on */
	ROLE_SIZE,     /* (handle, size_t *): size of a product */
	ROLE_BYTES,    /* (handle, char *): its bytes */
	ROLE_STATUS,   /* (handle): the status is the answer */
	ROLE_NUMBER,   /* (handle, size_t *) */
	ROLE_NAME,     /* (handle, name, const char **): a text for each name that was added */
};

#define CALL_WORDS 8
/* Entries of a library are first to first + count - 1. */
int libraries_first(enum jit_id id);
int libraries_count(enum jit_id id);
/* Columns of LIBRARY. */
const char *libraries_label(enum jit_id id);
const char *libraries_symbols(enum jit_id id);
const char *libraries_linked(enum jit_id id);
const char *libraries_release(enum jit_id id);
const char *libraries_companion(enum jit_id id);
int libraries_failure(enum jit_id id);
/* enum counter: COUNTER_<id>_HITS and COUNTER_<id>_MISSES. */
int libraries_hits(enum jit_id id);
int libraries_misses(enum jit_id id);
/* 1: an object of that soname is a build of the library. */
int libraries_is(enum jit_id id, const char *soname);
/* 1: a row of HARMLESS, of whichever library. */
int libraries_harmless(const char *name);

/* Columns of ENTRY. */
enum jit_id entry_library(int entry);
const char *entry_name(int entry);
const char *entry_signature(int entry);
enum jit_role entry_role(int entry);
const char *entry_answer(int entry);
