/* hooks/cwd.c - calls that give a tool the name of the current directory. */
#include "hooks/event.h"

EXPORT char *__getcwd_chk(char *buf, size_t n, size_t size);

static char *event_getcwd(char *answer)
{
	if (trace_active && answer)
		trace_text(TRACE_GETCWD, 0, answer, NULL, 0);
	return answer;
}

EXPORT char *getcwd(char *buf, size_t n)
{
	__typeof__(real.getcwd) call;

	if (HOOK_FAST(getcwd))
		return real.getcwd(buf, n);
	call = HOOK_LATE(getcwd);
	return call ? event_getcwd(call(buf, n)) : hook_missing();
}

EXPORT char *__getcwd_chk(char *buf, size_t n, size_t size)
{
	__typeof__(real.__getcwd_chk) call;

	if (HOOK_FAST(__getcwd_chk))
		return real.__getcwd_chk(buf, n, size);
	call = HOOK_LATE(__getcwd_chk);
	return call ? event_getcwd(call(buf, n, size)) : hook_missing();
}

EXPORT char *get_current_dir_name(void)
{
	__typeof__(real.get_current_dir_name) call;

	if (HOOK_FAST(get_current_dir_name))
		return real.get_current_dir_name();
	call = HOOK_LATE(get_current_dir_name);
	return call ? event_getcwd(call()) : hook_missing();
}
