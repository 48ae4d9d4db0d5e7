/* judge/order.h - the order in which gcc -g writes a source's name and its working directory
 * (tools/gcc_order.h): an input of the result. THREAD. */
#ifndef JUDGE_ORDER_H
#define JUDGE_ORDER_H

#include "judge/start.h"

/* Adds the order to c's inputs. -1: r's outputs do not hold the two strings as expected. */
int judge_order(struct start *a, struct candidate *c, const struct result *r);
/* Writes into *other and *made what the same run would have left under names of the other order.
 * That can be written of assembly alone: -1 for anything else, or where c has no such input.
 * They share memory with c and r. */
int judge_other_order(struct start *a, const struct candidate *c, const struct result *r,
                      struct candidate *other, struct result *made);

#endif
