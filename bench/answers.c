/* answers.c - an object that answers the calls of calls.c without a system call. Preloaded behind
 * libreprise.so, it shows the cost of a hook alone: a system call takes a hundred times as long and
 * its noise would hide that cost. */
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
