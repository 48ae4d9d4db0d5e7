/* jit/call.h - a call that came in, and calls of the library's own functions, by libffi.
 *
 * libffi lays out arguments by a prepared description (ffi_cif) of each signature. These are made
 * when a process loads its first library; a process without such a library prepares nothing. Only
 * ffi_prep_cif and ffi_call are used: a closure would need memory that is writable and executable.
 * THREAD. */
#pragma once

#include <stdint.h>

#include "jit/library.h"

struct program;
struct call {
	int entry;
	struct jit_library *library; /* that the caller means. NULL: not found (forked child), real
	                                is to be called */
	void *real;
	struct program *program;    /* of the handle; NULL: unknown */
	uintptr_t word[CALL_WORDS]; /* arguments, as wide as their types say */
};

/* 0, or -1: libffi does not know this machine's calls. */
int call_prepare(void);
/* Cuts each word to its type. */
void call_set_words(struct call *c, const uintptr_t *word);
/* Calls the library's own function with the caller's arguments. The library is the program's, else
 * the caller's. If that build lacks the function, returns the library's status for an internal
 * error. */
int call_real(const struct call *c);
/* Another function of a library. word: one for each of its arguments. */
int call_entry(const struct jit_library *l, int entry, const uintptr_t *word);
#define CALL(library, entry, ...) call_entry(library, entry, (const uintptr_t[]){__VA_ARGS__})

static inline void *call_pointer(const struct call *c, int i)
{
	return (void *)c->word[i];
}
