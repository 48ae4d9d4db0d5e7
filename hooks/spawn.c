/* hooks/spawn.c - posix_spawn, system, popen. libc starts the child internally, where no hook sees
 * it. */
#include <alloca.h>
#include <string.h>

#include "hooks/path_search.h"
#include "shim/arena.h"
#include "shim/kernel/sys.h"
#include "shim/loader/childenv.h"
#include "shim/loader/real.h"
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
	/* The caller's own variable: glibc fills it before a handler of SIGCHLD can read it. */
	pid_t child = 0, *to = pid ? pid : &child;
	int rc = REAL(posix_spawn) ? REAL(posix_spawn)(to, path, actions, attr, argv, (char **)env)
	                           : ENOSYS;

	if (rc == E2BIG && need)
		rc = real.posix_spawn(to, path, actions, attr, argv, (char **)envp);
	started(path, rc, rc == 0 ? *to : 0);
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
	pid_t child = 0, *to = pid ? pid : &child;
	int rc = REAL(posix_spawnp) ? REAL(posix_spawnp)(to, file, actions, attr, argv,
	                                                 (char **)env) : ENOSYS;

	if (rc == E2BIG && need)
		rc = real.posix_spawnp(to, file, actions, attr, argv, (char **)envp);
	started(hit ? found : file, rc, rc == 0 ? *to : 0);
	return rc;
}

/* system() and popen() pass `environ` to the shell, and in a traced tool `environ` lacks our
 * marker. So at the first such call environ is replaced by the environment that an exec of /bin/sh
 * would get. nvcc -t makes such calls from several threads at once. The old environment stays in
 * memory; later changes apply to the new one. Hosts are left alone. */
#define MARK_TRIES 5000 /* of 1 ms */

static struct arena marked_arena = ARENA_INIT;
static int marker; /* pid of the process whose thread is marking now, 0: none */

/* One thread at a time. A forked child inherits a marker without an owner: it takes over. */
static int marking_begin(void)
{
	const struct timespec pause = {0, 1000000};
	int me = sys_getpid();

	for (int tries = 0; tries < MARK_TRIES; tries++) {
		int holder = __atomic_load_n(&marker, __ATOMIC_RELAXED);

		if (holder != me && __atomic_compare_exchange_n(&marker, &holder, me, 0,
		                                                __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return 1;
		sys_nanosleep(&pause);
	}
	return 0;
}

static void mark_environment(void)
{
	struct childenv_plan p;
	size_t need;
	void *room;

	if (!marking_begin())
		return;
	need = childenv_plan(&p, "/bin/sh", environ);
	if (need && (p.preload_len || !childenv_is_marked(environ)) &&
	    (room = arena_alloc(&marked_arena, need)))
		environ = childenv_fill(&p, room);
	__atomic_store_n(&marker, 0, __ATOMIC_RELEASE);
}

EXPORT int system(const char *command)
{
	if (!REAL(system)) {
		errno = ENOSYS;
		return -1;
	}
	if (!trace_active || !command)
		return REAL(system)(command);
	mark_environment();
	trace_text(TRACE_SYSTEM, 0, "/bin/sh", "", 0);
	return REAL(system)(command);
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	if (!REAL(popen)) {
		errno = ENOSYS;
		return NULL;
	}
	if (!trace_active)
		return REAL(popen)(command, mode);
	mark_environment();
	trace_text(TRACE_SYSTEM, 0, "/bin/sh", "", 0);
	return REAL(popen)(command, mode);
}
