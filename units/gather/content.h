/* units/gather/content.h - checks a shared object that a process compiled for its host. Pure, over
 * bytes that may be anything. TOOL. */
#ifndef UNITS_GATHER_CONTENT_H
#define UNITS_GATHER_CONTENT_H

#include <stddef.h>

#include "units/find/set_members.h"
#include "units/gather/unit_files.h"

/* NULL: a whole shared object for this machine that depends on nothing but what its scope names
 * (units/scope/native_scope.h). Else why it is not carried: it is cut, its tables lie outside of
 * it, it needs a library other than libc's and libcuda.so.1, or it names directories to search. */
const char *native_refusal(const void *bytes, size_t n);

/* The sources that a pickle's code was made from. */

enum gather_status gather_sources(struct gathering *g, struct member *m);

#endif
