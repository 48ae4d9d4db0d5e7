/* judge/inherited.h - what a tool inherits from the process that starts it, and a script below the
 * tool can see: open descriptors above 2, ignored signals and blocked signals.
 *
 * Compilers do not look at these. A shell does: `>&5`, `read <&5`, and a trap for an ignored signal
 * has no effect. So where a script took part, they are an input. A script that used an inherited
 * descriptor is not stored, since a replay neither reads from it nor writes to it.
 *
 * Constructor of a tool and its supervisor only. */
#ifndef JUDGE_INHERITED_H
#define JUDGE_INHERITED_H

#include "judge/collect.h"

/* Looks at what this process has inherited, once for a start: before a supervisor changes any of
 * it. */
void inherited_look(struct start *s);
/* Adds the input if a script took part, or refuses. */
void collect_inherited(struct collect *k);
/* 1: this process has inherited the same. 0: the start's detail says what differs. */
int inherited_holds(struct start *s, const struct input *in);
/* 1: the signal was ignored when this process started. */
int inherited_ignores(int sig);

#endif
