/* judge/facts.h - what the headers of a unit say together is kept in the local store, so that the next
 * unit that reads the same headers need not search them. */
#ifndef JUDGE_FACTS_H
#define JUDGE_FACTS_H

#include "judge/start.h"
#include "tools/asks.h"

/* As asks_answer(). Where the headers are many it looks for their facts (class TEXTS) first, and leaves
 * them there if there are none and the store may be written. THREAD. */
enum asks_answer facts_answer(struct start *a, struct asks *x);

#endif
