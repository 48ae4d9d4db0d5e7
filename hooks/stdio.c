/* hooks/stdio.c - fopen and freopen, recorded as the open that they make. */
#include "hooks/event.h"

/* glibc reads this many characters of a mode. */
#define MODE_CHARS 7

/* The open flags of an fopen mode as glibc 2.36 parses it; -1 for a mode that it refuses. */
static int open_flags(const char *mode)
{
	int flags, i;

	switch (mode[0]) {
	case 'r':
		flags = O_RDONLY;
		break;
	case 'w':
		flags = O_WRONLY | O_CREAT | O_TRUNC;
		break;
	case 'a':
		flags = O_WRONLY | O_CREAT | O_APPEND;
		break;
	default:
		return -1;
	}
	for (i = 1; i < MODE_CHARS && mode[i]; i++) {
		if (mode[i] == '+')
			flags = (flags & ~O_ACCMODE) | O_RDWR;
		else if (mode[i] == 'x' && (flags & O_CREAT))
			flags |= O_EXCL;
	}
	return flags;
}

static FILE *fopen_traced(FILE *(*call)(const char *, const char *), const char *path,
                          const char *mode)
{
	struct event_open e;
	int flags = open_flags(mode);
	FILE *file;

	if (!call)
		return hook_missing();
	if (flags < 0)
		return call(path, mode);
	event_open_before(&e, AT_FDCWD, path, flags, 0666);
	file = call(path, mode);
	event_open_after(&e, file ? fileno(file) : -1);
	return file;
}

/* Without a path, freopen opens the stream's own file again. If it is only read, the trace has it
 * already; if it is written, the trace does not say which file it is. */
static FILE *freopen_traced(FILE *(*call)(const char *, const char *, FILE *), const char *path,
                            const char *mode, FILE *stream)
{
	struct event_open e;
	int flags = open_flags(mode);
	FILE *file;

	if (!call)
		return hook_missing();
	if (flags >= 0 && path)
		event_open_before(&e, AT_FDCWD, path, flags, 0666);
	file = call(path, mode, stream);
	if (flags >= 0 && path)
		event_open_after(&e, file ? fileno(file) : -1);
	else if (file && (flags & O_ACCMODE) != O_RDONLY)
		event_other("freopen", AT_FDCWD, "", 0);
	return file;
}

/* No trace is recorded. */
static FILE *fopen_plain(FILE *(*call)(const char *, const char *), const char *path,
                         const char *mode)
{
	FILE *file = call(path, mode);

	if (!file && mode[0] == 'r' && unit_lookup_failed(AT_FDCWD, path))
		file = call(path, mode);
	return file;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	if (HOOK_FAST(fopen) ||
	    (mode[0] != 'r' && HOOK_ASKED_BY_OTHER(fopen, PRELOADED_LOG)))
		return fopen_plain(real.fopen, path, mode);
	return fopen_traced(HOOK_LATE(fopen), path, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
	if (HOOK_FAST(fopen64) ||
	    (mode[0] != 'r' && HOOK_ASKED_BY_OTHER(fopen64, PRELOADED_LOG)))
		return fopen_plain(real.fopen64, path, mode);
	return fopen_traced(HOOK_LATE(fopen64) ?: HOOK_LATE(fopen), path, mode);
}

EXPORT FILE *freopen(const char *path, const char *mode, FILE *stream)
{
	if (HOOK_FAST(freopen))
		return real.freopen(path, mode, stream);
	return freopen_traced(HOOK_LATE(freopen), path, mode, stream);
}

EXPORT FILE *freopen64(const char *path, const char *mode, FILE *stream)
{
	if (HOOK_FAST(freopen64))
		return real.freopen64(path, mode, stream);
	return freopen_traced(HOOK_LATE(freopen64) ?: HOOK_LATE(freopen), path, mode, stream);
}
