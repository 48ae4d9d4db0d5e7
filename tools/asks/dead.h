/* tools/asks/dead.h - parts of a text that no compile reaches. Pure code. THREAD. */
#ifndef TOOLS_ASKS_DEAD_H
#define TOOLS_ASKS_DEAD_H

#include "tools/asks/parts.h"

/* Finds parts of a text that no compile reaches. To be called once all definitions are
 * known. */
void asks_find_dead(struct asks *x, struct asks_text *t);
/* at: a place of the text. defined: what a #define holds counts as well: it is reached only by the
 * macro's use. */
int asks_is_dead(const struct asks *x, const struct asks_text *t, const char *at, int defined);

#endif
