/* judge/facts.h - the facts that all headers of a unit give together. The local store keeps them,
 * so the next unit with the same headers need not search the headers. */
#ifndef JUDGE_FACTS_H
#define JUDGE_FACTS_H

#include "judge/start.h"
#include "tools/asks.h"

/* As asks_answer(). If the headers are many, it first looks for their facts (class TEXTS). If there
 * are none and the store is writable, it stores them. THREAD. */
enum asks_answer facts_answer(struct start *s, struct asks *x);

#endif
