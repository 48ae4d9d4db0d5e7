/* action/state.h - what the steps of an action share. Memory: the start's arena. */
#ifndef ACTION_STATE_H
#define ACTION_STATE_H

#include "action/action.h"

/* The tool runs without us, and what it starts with it; but the steps of one that nests are tools
 * below it as below any program. */
void action_untraced(const struct action *a);
/* Closes connections and forgets secrets, for the process that is about to fork. A later call of remote_store.h opens anew. */
void action_close_remote(struct action *a);
/* Frees everything, the action included. */
void action_free(struct action *a);

#endif
