/* jit/product.h - what a caller may ask about a compiled program: sizes and bytes of products and
 * logs, values, names. On a hit the answer comes from the store, otherwise from the library.
 * THREAD. */
#ifndef JIT_PRODUCT_H
#define JIT_PRODUCT_H

#include "jit/answers.h"
#include "jit/call.h"

/* Serves the call of a function with this role; returns its status. */
int product_size(struct call *c);
int product_bytes(struct call *c);
int product_status(struct call *c);
int product_number(struct call *c);
int product_name(struct call *c);
/* Adds the library's answers about a program that it just compiled. */
void product_take(struct program *p, struct answers *a);

#endif
