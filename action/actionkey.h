/* action/actionkey.h - the key of an action. */
#ifndef ACTION_ACTIONKEY_H
#define ACTION_ACTIONKEY_H

#include "judge/start.h"

/* Fills key, k1 and streams. */
enum reason action_key(struct start *s);

#endif
