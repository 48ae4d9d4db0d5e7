/* action/remote_store.h - an action's use of the remote store.
 *
 * The remote store is asked after the local store. It receives the results that this node compiles
 * (action/remote_flight.c).
 *
 * Nothing here costs time if no remote store is configured. Connections are closed before a process
 * forks.
 *
 * All functions: constructor of a tool, or its supervisor. Memory: the action's arena. */
#pragma once

#include "action/action.h"

/* Call it after a miss of the local store. 1: *out is a result that may be replayed. The local
 * store has this result, or gets it after the replay if an output is not unpacked yet. 0:
 * start_missed() may know more. */
int remote_store_lookup(struct action *a, struct result **out);

/* All outputs of the fetched result unpack. Stores the fetched entries in the local store. */
void remote_store_fill(struct action *a);

/* Call it instead of remote_store_fill() if an output does not unpack. Counts and logs the refusal,
 * and the local store does not get the result. */
void remote_store_refuse(struct action *a);

/* For action/remote_flight.c. NULL: there is no remote store; the first call opens the agent's
 * client. */
struct agent *remote_store_agent(struct action *a);
/* A question about this action, and its answer. */
struct agent_question remote_store_question(struct action *a, enum agent_verb verb,
                                            enum store_class class, const struct digest *key);
enum agent_answer remote_store_ask(struct action *a, const struct agent_question *q,
                                   struct agent_reply *out);
/* Asks for all candidates and tries them. 1: *out is a result that may be replayed. 0: none serves.
 * -1: do not try others, since a bad result's memory stays in use. again: a wait for another node's
 * result, so remembered absences do not count. */
int remote_store_look_up(struct action *a, int again, struct result **out);
