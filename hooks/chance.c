/* hooks/chance.c - records that a tool asks for time or random bytes. */
#include "hooks/chance.h"

#include <string.h>

/* Threads keep the numbers for their hash tables. Macros run on another thread than the first. */
static const char *shared_seed(const char *what, const struct caller *c)
{
	if (!c->shared || strcmp(what, CHANCE_SEED) != 0)
		return what;
	return *c->guest || sys_gettid() != sys_getpid() ? CHANCE_SHARED_SEED : what;
}

static int is_recorded(enum chance_kind kind, const char *what)
{
	struct caller c = caller_find();
	const char *as = shared_seed(what, &c);

	if (!*c.guest && as == what)
		return 0;
	trace_text(TRACE_CHANCE, 0, as, c.guest, kind);
	return 1;
}

void chance_event(enum chance_kind kind, const char *what, int *told)
{
	if ((caller_matters && is_recorded(kind, what)) || __atomic_load_n(told, __ATOMIC_RELAXED))
		return;
	trace_text(TRACE_CHANCE, 0, what, "", kind);
	__atomic_store_n(told, 1, __ATOMIC_RELEASE);
}

void chance_opened(const char *path)
{
	is_recorded(CHANCE_RANDOM, path);
}
