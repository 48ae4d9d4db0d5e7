/* action/action.c - functions that the steps of an action share. */
#include "action/action.h"

#include "keying/memo_file.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/loader/childenv.h"
#include "shim/log.h"
#include "store/job/counters.h"

#include "shim/banned.h"

void action_untraced(const struct action *a)
{
	if (!start_nests(&a->start))
		childenv_set_trace(CHILDENV_UNTRACED);
}

void action_close_remote(struct action *a)
{
	if (!a->agent)
		return;
	if (a->waited_ns)
		log_write(LOG_DEBUG, "remote: waited %ld us", (long)(a->waited_ns / 1000));
	a->waited_ns = 0;
	agent_close(a->agent);
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
