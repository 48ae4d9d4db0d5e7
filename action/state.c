/* action/state.c - functions that the steps of an action share. */
#include "action/state.h"

#include "keying/memo_file.h"
#include "shim/childenv.h"
#include "shim/format.h"
#include "shim/log.h"
#include "shim/signals.h"
#include "shim/sys.h"
#include "store/counters.h"
#include "store/journal.h"

#include "shim/banned.h"

void action_untraced(const struct action *a)
{
	if (!start_nests(&a->start))
		childenv_set_trace(CHILDENV_UNTRACED);
}

void action_close_remote(struct action *a)
{
	if (!a->remote)
		return;
	if (a->remote->waited_ns)
		log_write(LOG_DEBUG, "remote: waited %ld us", (long)(a->remote->waited_ns / 1000));
	remote_close(a->remote);
	a->remote = NULL;
}

/* The action lies in its own arena. */
void action_free(struct action *a)
{
	struct arena arena = a->start.arena;

	if (a->size_limited)
		signal_handler(SIGXFSZ, a->xfsz);
	action_close_remote(a);
	memo_close(&a->start.memo);
	arena_free(&arena);
}
