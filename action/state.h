/* action/state.h - functions that the steps of an action share. Memory: the start's arena. */
#ifndef ACTION_STATE_H
#define ACTION_STATE_H

#include "action/action.h"

/* The tool and the processes that it starts run without Reprise. If the tool nests, the steps below
 * it are served like the children of any program. */
void action_untraced(const struct action *a);
/* For a process that is about to fork. Closes connections and forgets secrets. A later call of
 * remote_store.h opens a new connection. */
void action_close_remote(struct action *a);
/* Frees everything, the action included. */
void action_free(struct action *a);

#endif
