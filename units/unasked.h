/* units/unasked.h - notices classes whose key is another one in each process, as where it holds a
 * random number. No other process can ask for such a unit, so it is not sent to the remote store.
 *
 * A start counts if it offers a unit, and began after the last start that counted for the same
 * command, class and scope. After UNASKED_STARTS such starts the units of the next ones stay
 * local. The count ends when a process finds a unit of that class and scope in a store, or when a
 * later process offers one of the same units again. So it never begins where the key is the same.
 * A command is its arguments, its directory, and size and time of each file that an argument
 * names: an edited script makes other units. The records are in the node's store. THREAD. */
#pragma once

#include "units/find/unit_lookup.h"

/* An edited program that no argument names also offers other units at each start. */
#define UNASKED_STARTS 8

/* The process offers the unit. 1: it stays local. */
int unasked_offers(struct unit_lookup *l);
/* The unit was found in a store and placed. */
void unasked_found(struct unit_lookup *l);
