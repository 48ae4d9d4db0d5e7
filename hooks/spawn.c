/* hooks/spawn.c - posix_spawn, system, popen. The child's start itself is inside libc and unseen. */
#include <alloca.h>
#include <errno.h>
#include <string.h>

#include "hooks/childenv.h"
#include "hooks/search.h"
#include "shim/real.h"
#include "shim/sys.h"
#include "shim/trace.h"

extern char **environ;

static void started(const char *path, int rc, pid_t pid)
{
	if (!trace_active)
		return;
	if (rc == 0)
		trace_path(TRACE_SPAWN, 0, AT_FDCWD, path, (unsigned)pid);
	else
		trace_path(TRACE_EXEC_FAILED, 0, AT_FDCWD, path, (unsigned)rc);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	struct childenv_plan p;
	size_t need = childenv_plan(&p, path, envp);
	char *const *env = need ? childenv_fill(&p, alloca(need)) : envp;
	pid_t child = 0;
	int rc = REAL(posix_spawn)(&child, path, actions, attr, argv, (char **)env);

	if (rc == E2BIG && need)
		rc = real.posix_spawn(&child, path, actions, attr, argv, (char **)envp);
	started(path, rc, child);
	if (rc == 0 && pid)
		*pid = child;
	return rc;
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	char found[SEARCH_PATH_MAX];
	struct childenv_plan p;
	int hit = search_path(found, sizeof found, file) == 0;
	size_t need = childenv_plan(&p, hit ? found : NULL, envp);
	char *const *env = need ? childenv_fill(&p, alloca(need)) : envp;
	pid_t child = 0;
	int rc = REAL(posix_spawnp)(&child, file, actions, attr, argv, (char **)env);

	if (rc == E2BIG && need)
		rc = real.posix_spawnp(&child, file, actions, attr, argv, (char **)envp);
	started(hit ? found : file, rc, child);
	if (rc == 0 && pid)
		*pid = child;
	return rc;
}

/* system() and popen() give the shell `environ`. In a traced tool that lacks our marker: it gets the
 * environment that an exec of /bin/sh would, for the length of the call. Tools that use these are
 * single-threaded while they do; hosts are left alone. */
#define WITH_MARKER(call)                                                                          \
	do {                                                                                       \
		struct childenv_plan p;                                                            \
		char **saved = environ;                                                            \
		size_t need = childenv_plan(&p, "/bin/sh", environ);                               \
		if (need)                                                                          \
			environ = childenv_fill(&p, alloca(need));                                 \
		trace_text(TRACE_SYSTEM, 0, "/bin/sh", "", 0);                                     \
		call;                                                                              \
		environ = saved;                                                                   \
	} while (0)

EXPORT int system(const char *command)
{
	int rc;

	if (!trace_active || !command)
		return REAL(system)(command);
	WITH_MARKER(rc = REAL(system)(command));
	return rc;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	FILE *f;

	if (!trace_active)
		return REAL(popen)(command, mode);
	WITH_MARKER(f = REAL(popen)(command, mode));
	return f;
}
