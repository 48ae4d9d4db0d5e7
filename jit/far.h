/* jit/far.h - an action inside a host and the remote store: asked through the fetcher (units/ask.h), told through the spool
 * and a publisher that is started behind the host's back (units/background.h). THREAD. */
#ifndef JIT_FAR_H
#define JIT_FAR_H

#include "action/action.h"

/* After a miss of the local store: 1 when that may hold more now. Waits for the fetcher's deadlines at most, and holds no
 * lock meanwhile. */
int jit_ask(struct action *a);
/* It was stored: to be sent, where there is a remote store. */
void jit_publish(struct action *a, const struct digest *k2, int64_t took);

#endif
