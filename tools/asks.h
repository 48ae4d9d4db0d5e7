/* tools/asks.h - whether a unit could ask what its source is called.
 *
 * __FILE__ gives the name of the text in which the outermost macro's use stands, so a source's own name comes out only
 * where its own words lead there: by themselves, or by a macro that any text defines. __builtin_FILE, as a default
 * argument, gives the name of the caller's text: so does a function of a header that has it behind "=" in its
 * parameters, and each function that has a call of such a one there. What can be put together by ## counts as used.
 *
 * No preprocessor: whichever #if holds, every #define counts, and comments and strings of own texts as if they were
 * code. What is not understood asks. Measured with gcc 12, clang 14 and NVRTC of seven releases (docs/internals/names.md, "What a
 * text can ask"). Pure code. THREAD. */
#ifndef TOOLS_ASKS_H
#define TOOLS_ASKS_H

#include <stddef.h>

#include "shim/arena.h"

/* Whose words they are. */
enum {
	ASKS_CXX = 1,    /* texts may hold C++: default arguments */
	ASKS_NVRTC = 2,  /* assert is a macro of the compiler's own, and so are some that paste */
	ASKS_PRETTY = 4  /* clang: __PRETTY_FUNCTION__ spells the place of a lambda or an unnamed type */
};
enum asks_answer {
	ASKS_NOT,   /* shown: it cannot */
	ASKS_TELLS, /* its name goes, as it is, to functions that are only declared, such as __assert_fail */
	ASKS_FREELY /* it may do anything with it; also where memory ran out */
};

struct asks {
	struct arena *arena;
	struct buf texts, macros, uses, bodies, lines, dead; /* of the structures in tools/asks_parts.h */
	struct buf flagged;                    /* places of macros by which a text could take a name, as of asks_spread() */
	unsigned char *hints;                  /* asks_hint() */
	unsigned *buckets;
	unsigned words;                        /* ASKS_ bits */
	int unclear;                           /* something was seen that is not understood */
	struct asks *pieces;                   /* of tools/asks_paste.c */
};
void asks_init(struct asks *x, struct arena *arena, unsigned words);
/* A compiler passes over a backslash that ends a line, even within a word. The text without such
 * line ends, if one stands between two characters that are no blanks; else the text itself. *n:
 * its bytes, before and after. NULL: no memory. */
const char *asks_joined(struct arena *arena, const char *text, size_t *n);
/* A text that the compile read. own: the source, what it finds by its own name, an option. It is kept by its address. */
void asks_add(struct asks *x, const char *text, size_t n, int own);
/* Once. */
enum asks_answer asks_answer(struct asks *x);

/* Facts are what the texts that are not a unit's own say together. They serve every unit that reads
 * the same texts in the same order (tools/asks_facts.c), as long as the code is the same. The
 * functions leave x as it was. */
/* Text i of x: 1; 0 if it is the unit's own; -1 if there is none. */
int asks_header(const struct asks *x, unsigned i, const char **text, size_t *n);
/* Appends the facts of x's headers. -1: no memory. */
int asks_facts(const struct asks *x, struct buf *facts);
/* What asks_answer() would say of x, whose headers have these facts. ASKS_UNKNOWN: the facts do not
 * settle it. The bytes may be anything. */
#define ASKS_UNKNOWN (-1)
int asks_by_facts(const struct asks *x, const void *facts, size_t n);

#endif
