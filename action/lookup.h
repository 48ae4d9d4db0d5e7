/* action/lookup.h - the local store is asked: candidates whose inputs hold, and the result of one. THREAD. */
#ifndef ACTION_LOOKUP_H
#define ACTION_LOOKUP_H

#include "action/action.h"

/* 1 and a result to replay under this start's names; 0 and a->reason. */
int action_lookup(struct action *a, struct result **out);
/* c was read and does not hold; once each, as many as find room. A key of another kind (sloppy) begins
 * with none. */
void action_saw(struct action *a, struct candidate *c);
int action_seen(const struct action *a, const struct digest *k2);
/* 1 when c may serve this start; else *why, and a->detail. */
int action_candidate_holds(struct action *a, struct candidate *c, enum reason *why);
/* Result under K2, decoded; NULL with a->reason set when it is gone or damaged. */
struct result *action_result(struct action *a, const struct digest *k2);

#endif
