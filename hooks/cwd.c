/* hooks/cwd.c - calls that give a tool the name of the current directory. */
#include "hooks/event.h"

EXPORT char *__getcwd_chk(char *buf, size_t n, size_t size);

static void event_getcwd(const char *answer)
{
	if (trace_active && answer)
		trace_text(TRACE_GETCWD, 0, answer, NULL, 0);
}

HOOK_LATE_TRACED(char *, getcwd, (char *buf, size_t n), (buf, n), hook_missing(), event_getcwd(rc))
HOOK_LATE_TRACED(char *, __getcwd_chk, (char *buf, size_t n, size_t size), (buf, n, size),
                 hook_missing(), event_getcwd(rc))
HOOK_LATE_TRACED(char *, get_current_dir_name, (void), (), hook_missing(), event_getcwd(rc))
