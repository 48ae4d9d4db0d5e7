/* hooks/path_search.c - walks PATH as execvp does. */
#include "hooks/path_search.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/settings/settings.h"
#include "shim/trace.h"

extern char **environ;

static int is_program(const char *path, int *error)
{
	struct statx st;
	int rc = sys_access(path, X_OK);

	if (rc == 0)
		rc = sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st);
	*error = rc < 0 ? -rc : 0;
	return rc == 0 && (st.stx_mode & S_IFMT) == S_IFREG;
}

int search_path(char *out, size_t cap, const char *file)
{
	size_t name = strlen(file);
	const char *path;
	int error;

	if (!name)
		return -1;
	if (strchr(file, '/')) {
		if (name >= cap)
			return -1;
		memcpy(out, file, name + 1);
		return 0;
	}
	path = environ ? env_get(environ, "PATH") : NULL;
	if (!path)
		path = "/bin:/usr/bin"; /* glibc's default */
	for (;;) {
		size_t n = strcspn(path, ":");

		if (n + 1 + name >= cap) {
			/* libc will look there, and no event shows it. */
			if (trace_active)
				trace_text(TRACE_ABSENT, TRACE_FLAG_CUT, "", "", 0);
			return -1;
		}
		memcpy(out, path, n);
		if (n)
			out[n++] = '/';
		memcpy(out + n, file, name + 1);
		if (is_program(out, &error))
			return 0;
		if (trace_active)
			trace_probe(TRACE_PRESENT, 0, AT_FDCWD, out, error, 0);
		n = strcspn(path, ":");
		if (!path[n])
			return -1;
		path += n + 1;
	}
}
