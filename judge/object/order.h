/* judge/object/order.h - the order in which debug information holds a source's name and the working
 * directory (tools/object/debug_strings.h): an input of the result. THREAD. */
#pragma once

#include "judge/start.h"

/* Adds the order to c's inputs. -1: the outputs of r do not hold the two strings as expected. */
int judge_order(struct start *s, struct candidate *c, const struct result *r);
/* Fills *other and *made with the candidate and result of the same run under names of the other
 * order. -1: other outputs than one object or assembly, an object of a text that holds assembler
 * text, or c has no such input. Both share memory with c and r. */
int judge_other_order(struct start *s, const struct candidate *c, const struct result *r,
                      struct candidate *other, struct result *made);
