/* tools/asks/calls.h - functions that pass their caller's place on. Pure code. THREAD. */
#ifndef TOOLS_ASKS_CALLS_H
#define TOOLS_ASKS_CALLS_H

#include "tools/asks/parts.h"

/* For headers: every name of a function that passes its caller's place on becomes a
 * word with TAKES and CALLS. 1: a function may pass it on in a way that is not followed, or a
 * header itself asks for the source's name. */
int asks_calls(struct asks *x);

#endif
