/* hooks/temp.c - files and directories with a random name. tmpfile leaves no name, and mktemp and
 * tempnam make nothing, so these three are not hooked. */
#include "hooks/event.h"

/* A failure is not attributed to the name, which does not exist; a bad template is not an event. */
static void event_temp(const char *template, int rc, unsigned mode)
{
	if (!trace_active || (rc < 0 && (errno == EINVAL || errno == EFAULT)))
		return;
	if (rc >= 0)
		trace_path(TRACE_TEMP, 0, AT_FDCWD, template, mode);
	else
		trace_path(TRACE_FAILED, 0, AT_FDCWD, template, (unsigned)errno);
}

/* HOOK_LATE of the name, else of its other name. */
#define TEMP_CALL(name, twin, args)                                      \
	({                                                               \
		__typeof__(real.name) temp_call = HOOK_LATE(name);       \
		int temp_fd;                                             \
                                                                         \
		if (!temp_call)                                          \
			temp_call = HOOK_LATE(twin);                     \
		temp_fd = temp_call ? temp_call args : hook_result(-ENOSYS); \
		event_temp(template, temp_fd, S_IFREG | 0600);           \
		temp_fd;                                                 \
	})

HOOK_SPLIT(int, mkstemp, (char *template), real.mkstemp(template),
           TEMP_CALL(mkstemp, mkstemp64, (template)))
HOOK_SPLIT(int, mkstemp64, (char *template), real.mkstemp64(template),
           TEMP_CALL(mkstemp64, mkstemp, (template)))
HOOK_SPLIT(int, mkstemps, (char *template, int suffix), real.mkstemps(template, suffix),
           TEMP_CALL(mkstemps, mkstemps64, (template, suffix)))
HOOK_SPLIT(int, mkstemps64, (char *template, int suffix), real.mkstemps64(template, suffix),
           TEMP_CALL(mkstemps64, mkstemps, (template, suffix)))
HOOK_SPLIT(int, mkostemp, (char *template, int flags), real.mkostemp(template, flags),
           TEMP_CALL(mkostemp, mkostemp64, (template, flags)))
HOOK_SPLIT(int, mkostemp64, (char *template, int flags), real.mkostemp64(template, flags),
           TEMP_CALL(mkostemp64, mkostemp, (template, flags)))
HOOK_SPLIT(int, mkostemps, (char *template, int suffix, int flags),
           real.mkostemps(template, suffix, flags),
           TEMP_CALL(mkostemps, mkostemps64, (template, suffix, flags)))
HOOK_SPLIT(int, mkostemps64, (char *template, int suffix, int flags),
           real.mkostemps64(template, suffix, flags),
           TEMP_CALL(mkostemps64, mkostemps, (template, suffix, flags)))
HOOK_LATE_TRACED(char *, mkdtemp, (char *template), (template), hook_missing(),
                 event_temp(template, rc ? 0 : -1, S_IFDIR | 0700))
