/* hooks/clock.c - calendar time. gcc and clang ask for it only where __DATE__, __TIME__ or
 * __TIMESTAMP__ stands in the source, so that one call means a result that time is part of. */
#include "hooks/event.h"

/* All are alike but for their type: look, call, say so. `local` as TRACE_CLOCK's arg. */
#define CLOCK(name, local, args)                                          \
	({                                                                \
		__typeof__(real.name) clock_call = HOOK_LATE(name);       \
                                                                          \
		if (trace_active)                                         \
			trace_text(TRACE_CLOCK, 0, #name, NULL, (local)); \
		clock_call ? clock_call args : hook_missing();            \
	})

EXPORT struct tm *localtime(const time_t *t)
{
	if (HOOK_FAST(localtime))
		return real.localtime(t);
	return CLOCK(localtime, 1, (t));
}

EXPORT struct tm *localtime_r(const time_t *t, struct tm *tm)
{
	if (HOOK_FAST(localtime_r))
		return real.localtime_r(t, tm);
	return CLOCK(localtime_r, 1, (t, tm));
}

EXPORT struct tm *gmtime(const time_t *t)
{
	if (HOOK_FAST(gmtime))
		return real.gmtime(t);
	return CLOCK(gmtime, 0, (t));
}

EXPORT struct tm *gmtime_r(const time_t *t, struct tm *tm)
{
	if (HOOK_FAST(gmtime_r))
		return real.gmtime_r(t, tm);
	return CLOCK(gmtime_r, 0, (t, tm));
}

EXPORT char *ctime(const time_t *t)
{
	if (HOOK_FAST(ctime))
		return real.ctime(t);
	return CLOCK(ctime, 1, (t));
}

EXPORT char *ctime_r(const time_t *t, char *out)
{
	if (HOOK_FAST(ctime_r))
		return real.ctime_r(t, out);
	return CLOCK(ctime_r, 1, (t, out));
}
