/* shim/fdpath.c - /proc/self/fd and getcwd. */
#include "shim/fdpath.h"

#include "shim/format.h"
#include "shim/sys.h"

#include "shim/banned.h"

ssize_t fdpath(char *out, size_t cap, int fd)
{
	char link[32];
	ssize_t n;

	format_text(link, sizeof link, "/proc/self/fd/%d", fd);
	n = sys_readlink(link, out, cap);
	if (n >= (ssize_t)cap)
		return -ENAMETOOLONG;
	if (n >= 0)
		out[n] = '\0';
	return n;
}

size_t fdpath_base(char *out, size_t cap, int dirfd)
{
	ssize_t n = dirfd == AT_FDCWD ? sys_getcwd(out, cap) - 1 : dirfd < 0 ? 0
	                                                                     : fdpath(out, cap,
	                                                                              dirfd);

	if (n <= 0 || out[0] != '/')
		return 0;
	if (n > 1)
		out[n++] = '/'; /* where the NUL was */
	return (size_t)n;
}
