/* action/facts.h - what headers say together is kept, so that the next unit that reads the same ones costs little. */
#ifndef ACTION_FACTS_H
#define ACTION_FACTS_H

#include "action/action.h"
#include "tools/asks.h"

/* As asks_answer(), with facts of the local store (class TEXTS); many texts that are not the unit's own leave theirs
 * there. THREAD. */
enum asks_answer facts_answer(struct action *a, struct asks *x);

#endif
