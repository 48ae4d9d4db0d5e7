/* shim/command.c - finds the `reprise` command. */
#include "shim/command.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

static int is_program(const char *path)
{
	struct statx st;

	return sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st) == 0 && S_ISREG(st.stx_mode) &&
	       sys_access(path, X_OK) == 0;
}

int command_find(char *out, size_t cap, const char *object)
{
	static const char places[][20] = {"reprise", "../../bin/reprise"};
	char dir[PATH_SIZE];
	size_t n = path_dir_len(object);

	if (n == 0 || n >= sizeof dir)
		return -1;
	memcpy(dir, object, n);
	dir[n] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (path_join(out, cap, dir, places[i]) < cap && is_program(out))
			return 0;
	return -1;
}

char **command_environment(char *const envp[], struct arena *a)
{
	size_t n = 0, kept = 0;

	while (envp[n])
		n++;
	char **out = arena_alloc(a, (n + 1) * sizeof *out);
	for (size_t i = 0; out && i < n; i++)
		if (strncmp(envp[i], "LD_PRELOAD=", 11) != 0)
			out[kept++] = envp[i];
	return out;
}
