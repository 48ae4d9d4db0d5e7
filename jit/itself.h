/* jit/itself.h - whether a program could ask what it is called.
 *
 * __FILE__ gives the name of the text in which the outermost macro's use stands, so a program's own name comes out only
 * where its own words lead there: by themselves, or by a macro that any text defines. __builtin_FILE, as a default argument,
 * gives the name of the caller's text, so a header must not have it outside of a macro that nobody uses. What can be put
 * together by ## counts as used. Measured with NVRTC of seven releases (docs/names.md, "Programs"), by whose own macros only
 * assert asks. No preprocessor: whichever #if holds, every #define counts, and comments and strings as
 * if they were code. THREAD. */
#ifndef JIT_ITSELF_H
#define JIT_ITSELF_H

#include <stddef.h>

#include "shim/arena.h"

struct itself {
	struct arena *arena;
	struct buf texts, macros, uses; /* of the structures in jit/itself.c */
	unsigned *buckets;
	int unclear;                    /* something was seen that is not understood */
};
void itself_init(struct itself *x, struct arena *arena);
/* A text that the compile read; own: of the program itself, an option, a name expression. It is kept by its address. */
void itself_add(struct itself *x, const char *text, size_t n, int own);
/* 0: it was shown that it cannot. Once; also 1 where memory ran out. */
int itself_asks(struct itself *x);

#endif
