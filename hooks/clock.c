/* hooks/clock.c - the time of day, and calendar time. gcc and clang ask for calendar time only if
 * __DATE__, __TIME__ or __TIMESTAMP__ is in the source. So one call means that the result depends
 * on the time. tools/chance.c says which programs ask for the time of day without effect on the
 * result. Clocks that count from an arbitrary start only measure durations: they do not matter. */
#include "hooks/caller.h"

/* All differ only in type: look up, record, call. `local` as TRACE_CLOCK's arg. */
#define CLOCK(name, local, args)                                          \
	({                                                                \
		__typeof__(real.name) clock_call = HOOK_LATE(name);       \
                                                                          \
		if (trace_active)                                         \
			trace_text(TRACE_CLOCK, 0, #name, NULL, (local)); \
		clock_call ? clock_call args : hook_missing();            \
	})

HOOK_SPLIT(struct tm *, localtime, (const time_t *t), real.localtime(t), CLOCK(localtime, 1, (t)))
HOOK_SPLIT(struct tm *, localtime_r, (const time_t *t, struct tm *tm), real.localtime_r(t, tm),
           CLOCK(localtime_r, 1, (t, tm)))
HOOK_SPLIT(struct tm *, gmtime, (const time_t *t), real.gmtime(t), CLOCK(gmtime, 0, (t)))
HOOK_SPLIT(struct tm *, gmtime_r, (const time_t *t, struct tm *tm), real.gmtime_r(t, tm),
           CLOCK(gmtime_r, 0, (t, tm)))
HOOK_SPLIT(char *, ctime, (const time_t *t), real.ctime(t), CLOCK(ctime, 1, (t)))
HOOK_SPLIT(char *, ctime_r, (const time_t *t, char *out), real.ctime_r(t, out),
           CLOCK(ctime_r, 1, (t, out)))

static int is_time_of_day(clockid_t id)
{
	return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI;
}

EXPORT time_t time(time_t *t)
{
	time_t now;

	if (HOOK_FAST(time))
		return real.time(t);
	CHANCE_EVENT(CHANCE_TIME, "time");
	if (real.time)
		return real.time(t);
	now = (time_t)(sys_now_ns(CLOCK_REALTIME_COARSE) / 1000000000);
	if (t)
		*t = now;
	return now;
}

EXPORT int gettimeofday(struct timeval *t, void *zone)
{
	if (HOOK_FAST(gettimeofday))
		return real.gettimeofday(t, zone);
	CHANCE_EVENT(CHANCE_TIME, "gettimeofday");
	return HOOK_CALL(gettimeofday, SYS2(SYS_gettimeofday, t, zone), (t, zone));
}

EXPORT int clock_gettime(clockid_t id, struct timespec *t)
{
	if (HOOK_FAST(clock_gettime))
		return real.clock_gettime(id, t);
	if (is_time_of_day(id))
		CHANCE_EVENT(CHANCE_TIME, "clock_gettime");
	return HOOK_CALL(clock_gettime, SYS2(SYS_clock_gettime, id, t), (id, t));
}

EXPORT int timespec_get(struct timespec *t, int base)
{
	if (HOOK_FAST(timespec_get))
		return real.timespec_get(t, base);
	if (base == TIME_UTC)
		CHANCE_EVENT(CHANCE_TIME, "timespec_get");
	if (real.timespec_get)
		return real.timespec_get(t, base);
	return base == TIME_UTC && SYS2(SYS_clock_gettime, CLOCK_REALTIME, t) == 0 ? base : 0;
}
