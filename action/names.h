/* action/names.h - the names of a start. */
#ifndef ACTION_NAMES_H
#define ACTION_NAMES_H

#include "action/action.h"

/* THREAD. In one list, once all arguments are spelled. 0, or -1: no memory. */
int action_names(struct action *a);

#endif
