/* jit/linked_calls.h - calls of objects that are linked against a library: hooks/linked.c exports
 * what they ask for. THREAD. */
#ifndef JIT_LINKED_CALLS_H
#define JIT_LINKED_CALLS_H

#include "jit/call.h"

/* Fills c->entry and c->library of the index-th exported function. Where the library is not found,
 * c->real is the function itself, or NULL. c->entry stays -1 for an index that is none. */
void linked_find(struct call *c, unsigned index);
/* 1: an object that is linked against l asks for functions that Reprise does not export. Calls of
 * these are not seen, and may be about any program. */
int linked_passes_by(struct jit_library *l);

#endif
