/* tools/asks/conditionals.h - what an #if says, as far as it is sure whatever the order of the
 * texts is. Pure code. THREAD. */
#ifndef TOOLS_ASKS_CONDITIONALS_H
#define TOOLS_ASKS_CONDITIONALS_H

#include "tools/asks/asks.h"
#include "tools/asks/parts.h"

enum { ASKS_FALSE, ASKS_TRUE, ASKS_UNSURE };

/* Whether the name is a macro wherever a text could look for it. */
int asks_is_macro(struct asks *x, const char *name, size_t n);
/* What the expression behind #if says, to the end of its line. */
int asks_expression(struct asks *x, const char *p, const char *end);
/* Enters what a definition's text, from s to the end of its line, says to an #if that holds the
 * macro. */
void asks_define_value(struct asks_macro *m, const char *s, const char *end);

#endif
