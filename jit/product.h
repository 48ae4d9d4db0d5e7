/* jit/product.h - what there is to ask of a compiled program: pairs of functions, one for the size, one for the bytes.
 * From the store on a hit, else from the library. THREAD. */
#ifndef JIT_PRODUCT_H
#define JIT_PRODUCT_H

#include "jit/answers.h"
#include "jit/jit.h"

struct product {
	int size, get; /* entries of its library */
	const char *name;
};

/* Both functions as the caller asked for them; l: of the caller, for a handle that nobody knows. */
int product_size(struct jit_library *l, const struct product *product, void *handle, size_t *size);
int product_bytes(struct jit_library *l, const struct product *product, void *handle, void *to);
/* What the store says; NULL: the library is to be asked, and can be. p may be NULL. */
const struct answer *product_answered(struct program *p, enum answer_kind kind, const char *name);
/* The library's own answer, to be kept. */
void product_take(struct program *p, struct answers *a, const struct product *product);

#endif
