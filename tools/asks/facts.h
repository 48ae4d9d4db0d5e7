/* tools/asks/facts.h - facts: a summary of all texts that are not a unit's own.
 *
 * Facts serve every unit that reads the same set of texts, in any order and any number of times, as
 * long as the code is the same. asks_declare() alone changes x. Pure code. THREAD. */
#ifndef TOOLS_ASKS_FACTS_H
#define TOOLS_ASKS_FACTS_H

#include "shim/buf.h"
#include "tools/asks/asks.h"

/* Text i of x: 1; 0 if it is the unit's own text; -1 if there is no text i. */
int asks_header(const struct asks *x, unsigned i, const char **text, size_t *n);
/* 1: asks_add_given() added text i. */
int asks_is_given(const struct asks *x, unsigned i);
/* Adds an empty definition of each macro that the unit's own texts define, as a header. The facts
 * then hold for units that define these macros: an #ifdef of a header may find them. -1: no
 * memory. */
int asks_declare(struct asks *x);
/* 1: the unit's own texts settle it, so the answer is ASKS_FREELY: what headers add can make a unit
 * ask more, never less. */
int asks_own_freely(const struct asks *x);
/* Appends the facts of x's headers. -1: no memory. */
int asks_facts(const struct asks *x, struct buf *facts);
/* The answer that asks_answer() would give for x, whose headers have these facts. ASKS_UNKNOWN: the
 * facts do not settle it. The bytes may be anything. */
#define ASKS_UNKNOWN (-1)
int asks_by_facts(const struct asks *x, const void *facts, size_t n);

#endif
