/* shim/kernel/realpath.c - follows the links of a path. */
#include "shim/kernel/realpath.h"

#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"

#include "shim/banned.h"

/* --- fdpath --- */

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

#define HOPS_MAX 40 /* the kernel's limit */

/* Replaces rest by the link's text and what is left of the path. 0 or -ENAMETOOLONG. */
static int put_before(char rest[PATH_SIZE], const char *link, size_t n, const char *left)
{
	size_t m = strlen(left);

	if (n + m + 2 > PATH_SIZE)
		return -ENAMETOOLONG;
	memmove(rest + n + 1, left, m + 1);
	memcpy(rest, link, n);
	rest[n] = '/';
	return 0;
}

/* Appends one component of path to out, or follows it if it is a link. */
static int step(char *out, size_t cap, char rest[PATH_SIZE], size_t part, unsigned *hops)
{
	char link[PATH_SIZE];
	size_t len = strlen(out);
	ssize_t n;

	if (part == 0 || (part == 1 && rest[0] == '.')) {
		memmove(rest, rest + part, strlen(rest + part) + 1);
		return 0;
	}
	if (part == 2 && memcmp(rest, "..", 2) == 0) {
		len = path_dir_len(out);
		out[len > 1 ? len : 0] = '\0'; /* the root is "" here */
		memmove(rest, rest + part, strlen(rest + part) + 1);
		return 0;
	}
	if (len + part + 2 > cap)
		return -ENAMETOOLONG;
	out[len] = '/';
	memcpy(out + len + 1, rest, part);
	out[len + 1 + part] = '\0';
	n = sys_readlink(out, link, sizeof link);
	if (n <= 0) {
		memmove(rest, rest + part, strlen(rest + part) + 1);
		return n == -EINVAL ? 0 : (int)n; /* EINVAL: no link */
	}
	if (++*hops > HOPS_MAX)
		return -ELOOP;
	out[link[0] == '/' ? 0 : len] = '\0';
	return put_before(rest, link, (size_t)n, rest + part);
}

ssize_t path_real(char *out, size_t cap, const char *path)
{
	char rest[PATH_SIZE];
	unsigned hops = 0;
	int rc = 0;

	if (strlen(path) >= sizeof rest)
		return -ENAMETOOLONG;
	strcpy(rest, path);
	out[0] = '\0';
	if (path[0] != '/' && sys_getcwd(out, cap) <= 0)
		return -ENOENT;
	if (strcmp(out, "/") == 0)
		out[0] = '\0';
	while (rc == 0 && *rest) {
		size_t slashes = strspn(rest, "/");

		memmove(rest, rest + slashes, strlen(rest + slashes) + 1);
		rc = step(out, cap, rest, strcspn(rest, "/"), &hops);
	}
	if (rc == 0 && !*out)
		strcpy(out, "/");
	return rc < 0 ? rc : (ssize_t)strlen(out);
}
