/* answers.c - a libc that answers the calls of calls.c at once, as a preload behind ours: what a hook costs without
 * the noise of a system call, which is a hundred times as long. */
#include <errno.h>
#include <sys/stat.h>

static int absent(const char *path)
{
	if (path[5] != 'n') /* /etc/passwd, /etc/no-such-file */
		return 0;
	errno = ENOENT;
	return -1;
}

int open(const char *path, int flags, ...)
{
	(void)flags;
	return absent(path) ? -1 : 1000;
}

int close(int fd)
{
	(void)fd;
	return 0;
}

int stat(const char *restrict path, struct stat *restrict st)
{
	(void)st;
	return absent(path);
}
