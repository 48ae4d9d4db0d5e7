/* jit/rules.h - what differs from library to library. Each row of LIBRARY has these three
 * functions, with its prefix, in jit/<prefix>.c. THREAD. */
#ifndef JIT_RULES_H
#define JIT_RULES_H

#include "jit/call.h"

/* ROLE_CREATE, ROLE_ADD, ROLE_COMPILE: the call, done; its status. c->library is there. */
int rules_create(struct call *c);
int rules_add(struct call *c);
int rules_compile(struct call *c);

#endif
