/* action/order.h - of gcc -g: the order of a source's name and its directory in .debug_line_str (tools/gcc_order.h), which is an
 * input of the result. THREAD. */
#ifndef ACTION_ORDER_H
#define ACTION_ORDER_H

#include "action/action.h"

/* Adds the order to c's inputs, if r's outputs have the strings that it was computed for; else -1. */
int judge_order(struct action *a, struct candidate *c, const struct result *r);
/* What the same run would have left under names of the other order, where that can be written: of assembly. other and made share
 * with c and r. 0, or -1: c has no such input, or r's outputs are no assembly. */
int judge_other_order(struct action *a, const struct candidate *c, const struct result *r, struct candidate *other,
                      struct result *made);

#endif
