/* shim/path.c - pure path arithmetic. */
#include "shim/path.h"

#include <string.h>

#include "shim/banned.h"

size_t path_join(char *out, size_t cap, const char *dir, const char *name)
{
	size_t d = strlen(dir), n = strlen(name);
	/* "/" and "a/" end in a slash; after an empty dir, a slash would make the path absolute. */
	size_t slash = d && dir[d - 1] != '/';

	if (d + slash + n >= cap) {
		if (cap)
			*out = 0;
		return d + slash + n;
	}
	memmove(out, dir, d); /* out may be dir */
	if (slash)
		out[d] = '/';
	memcpy(out + d + slash, name, n + 1);
	return d + slash + n;
}

/* The first slash that path_tidy changes something at, or the end. Most paths are tidy. */
static char *untidy(char *path)
{
	char *at = path;

	while (*(at = strchrnul(at, '/'))) {
		const char *next = at + 1;

		if (*next == '.')
			next++;
		if (!*next || *next == '/')
			break;
		at++;
	}
	return at;
}

size_t path_tidy(char *path)
{
	char *out = untidy(path);
	const char *in = out;

	while (*in) {
		if (*in != '/') {
			/* A leading "./" of a relative path is kept: some tools print that
			 * spelling. */
			*out++ = *in++;
			continue;
		}
		while (in[0] == '/' || (in[0] == '.' && (in[1] == '/' || !in[1])))
			in++;
		*out++ = '/';
	}
	if (out - path > 1 && out[-1] == '/')
		out--;
	*out = 0;
	return (size_t)(out - path);
}

size_t path_fold(char *path)
{
	size_t out = 0, n;

	path_tidy(path);
	for (const char *in = path; *in; in += n) {
		n = 1 + strcspn(in + 1, "/");
		if (n == 3 && memcmp(in, "/..", 3) == 0) {
			while (out && path[--out] != '/')
				;
			continue;
		}
		memmove(path + out, in, n);
		out += n;
	}
	if (!out)
		path[out++] = '/';
	path[out] = '\0';
	return out;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

size_t path_dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return 0;
	return slash == path ? 1 : (size_t)(slash - path);
}

int path_parent(char *out, size_t cap, const char *path)
{
	size_t n = path_dir_len(path);

	if (n == 0 || n >= cap)
		return -1;
	memcpy(out, path, n);
	out[n] = '\0';
	return 0;
}

int path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1 && *dir == '/')
		return *path == '/';
	return n && strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

int path_special(const char *path)
{
	return (path_below(path, "/dev") && !path_below(path, "/dev/shm")) ||
	       path_below(path, "/proc") || path_below(path, "/sys");
}

int path_ends(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && memcmp(path + n - m, end, m) == 0;
}
