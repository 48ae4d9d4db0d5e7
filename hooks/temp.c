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

EXPORT int mkstemp(char *template)
{
	if (HOOK_FAST(mkstemp))
		return real.mkstemp(template);
	return TEMP_CALL(mkstemp, mkstemp64, (template));
}

EXPORT int mkstemp64(char *template)
{
	if (HOOK_FAST(mkstemp64))
		return real.mkstemp64(template);
	return TEMP_CALL(mkstemp64, mkstemp, (template));
}

EXPORT int mkstemps(char *template, int suffix)
{
	if (HOOK_FAST(mkstemps))
		return real.mkstemps(template, suffix);
	return TEMP_CALL(mkstemps, mkstemps64, (template, suffix));
}

EXPORT int mkstemps64(char *template, int suffix)
{
	if (HOOK_FAST(mkstemps64))
		return real.mkstemps64(template, suffix);
	return TEMP_CALL(mkstemps64, mkstemps, (template, suffix));
}

EXPORT int mkostemp(char *template, int flags)
{
	if (HOOK_FAST(mkostemp))
		return real.mkostemp(template, flags);
	return TEMP_CALL(mkostemp, mkostemp64, (template, flags));
}

EXPORT int mkostemp64(char *template, int flags)
{
	if (HOOK_FAST(mkostemp64))
		return real.mkostemp64(template, flags);
	return TEMP_CALL(mkostemp64, mkostemp, (template, flags));
}

EXPORT int mkostemps(char *template, int suffix, int flags)
{
	if (HOOK_FAST(mkostemps))
		return real.mkostemps(template, suffix, flags);
	return TEMP_CALL(mkostemps, mkostemps64, (template, suffix, flags));
}

EXPORT int mkostemps64(char *template, int suffix, int flags)
{
	if (HOOK_FAST(mkostemps64))
		return real.mkostemps64(template, suffix, flags);
	return TEMP_CALL(mkostemps64, mkostemps, (template, suffix, flags));
}

EXPORT char *mkdtemp(char *template)
{
	__typeof__(real.mkdtemp) call;
	char *name;

	if (HOOK_FAST(mkdtemp))
		return real.mkdtemp(template);
	call = HOOK_LATE(mkdtemp);
	if (!call)
		return hook_missing();
	name = call(template);
	event_temp(template, name ? 0 : -1, S_IFDIR | 0700);
	return name;
}
