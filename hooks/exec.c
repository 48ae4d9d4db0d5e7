/* hooks/exec.c - the exec family, posix_spawn, system and popen: recorded, and with our environment
 * kept.
 *
 * Each hook is guard, policy, real call. They run in vfork children: stack only, errno of the real
 * call, no lock. libc's exec functions do not call each other's hooks, so each hook does everything
 * itself. PATH is searched here as well as in libc, since names that were not found are inputs. */
#include <alloca.h>
#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/loader/childenv.h"
#include "shim/loader/real.h"
#include "shim/settings/settings.h"
#include "shim/trace.h"

extern char **environ;

/* The search ends at a PATH element longer than this: libc finds the program, and the trace is
 * refused. The limit keeps the frame small. */
#define SEARCH_PATH_MAX 1536

static int is_program(const char *path, int *error)
{
	struct statx st;
	int rc = sys_access(path, X_OK);

	if (rc == 0)
		rc = sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &st);
	*error = rc < 0 ? -rc : 0;
	return rc == 0 && (st.stx_mode & S_IFMT) == S_IFREG;
}

/* The PATH search of libc's execvp and posix_spawnp repeated, so that a trace shows it: writes the
 * file that execvp(file) would run to out, 0; -1 if none is found. A traced process records the
 * candidates that do not exist. */
static int search_path(char *out, size_t cap, const char *file)
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

/* Does what libc would, before our constructor has run. */
static int early_execve(const char *path, char *const argv[], char *const envp[])
{
	long rc = SYS3(SYS_execve, path, argv, envp);

	errno = (int)-rc;
	return -1;
}

static int failed(const char *path)
{
	int error = errno;

	if (trace_active)
		trace_path(TRACE_EXEC_FAILED, 0, AT_FDCWD, path, (unsigned)error);
	errno = error;
	return -1;
}

static int run(const char *path, char *const argv[], char *const envp[])
{
	struct childenv_plan p;
	size_t need = childenv_plan(&p, path, envp);
	char *const *env = need ? childenv_fill(&p, alloca(need)) : envp;

	if (!real.execve)
		return early_execve(path, argv, env);
	if (trace_active)
		trace_path(TRACE_EXEC, 0, AT_FDCWD, path, 0);
	/* E2BIG with our variables: try again without them. */
	if (real.execve(path, argv, (char **)env) < 0 && errno == E2BIG && need)
		real.execve(path, argv, (char **)envp);
	return failed(path);
}

/* libc searches PATH of environ; envp is the environment of the program. */
static int run_search(const char *file, char *const argv[], char *const envp[])
{
	char found[SEARCH_PATH_MAX];
	struct childenv_plan p;
	int rc = search_path(found, sizeof found, file);
	size_t need = childenv_plan(&p, rc == 0 ? found : NULL, envp);
	char *const *env = need ? childenv_fill(&p, alloca(need)) : envp;

	if (!REAL(execvpe)) {
		errno = ENOENT;
		return rc == 0 ? run(found, argv, envp) : -1;
	}
	if (trace_active && rc == 0)
		trace_path(TRACE_EXEC, 0, AT_FDCWD, found, 0);
	if (REAL(execvpe)(file, argv, (char **)env) < 0 && errno == E2BIG && need)
		REAL(execvpe)(file, argv, (char **)envp);
	if (rc == 0)
		return failed(found);
	return -1;
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return run(path, argv, envp);
}

EXPORT int execv(const char *path, char *const argv[])
{
	return run(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return run_search(file, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return run_search(file, argv, envp);
}

/* Counts the arguments up to NULL, the first one included. Any number is fine: the caller's stack
 * already holds that many, and libc copies them to the stack as well. */
static size_t count_args(va_list ap)
{
	size_t n = 1;

	while (va_arg(ap, char *))
		n++;
	return n;
}

static void gather(char **argv, size_t n, const char *first, va_list ap)
{
	argv[0] = (char *)first;
	for (size_t i = 1; i < n; i++)
		argv[i] = va_arg(ap, char *);
	argv[n] = NULL;
}

/* The headers declare these non-NULL; not every caller complies. */
static __attribute__((noinline)) int is_set(const void *p)
{
	return p != NULL;
}

#define GATHER(argv, first, last, ap)                                                              \
	va_list ap;                                                                                \
	size_t argc_;                                                                              \
	va_start(ap, last);                                                                        \
	argc_ = is_set(first) ? count_args(ap) : 0; \
	va_end(ap);                                                                                \
	char **argv = alloca((argc_ + 1) * sizeof *argv);                                          \
	va_start(ap, last);                                                                        \
	if (argc_)                                                                                 \
		gather(argv, argc_, first, ap);                                                    \
	else                                                                                       \
		argv[0] = NULL

EXPORT int execl(const char *path, const char *arg, ...)
{
	GATHER(argv, arg, arg, ap);
	va_end(ap);
	return run(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	GATHER(argv, arg, arg, ap);
	va_end(ap);
	return run_search(file, argv, environ);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *envp;

	GATHER(argv, arg, arg, ap);
	/* gather() stopped before the NULL that ends the arguments. */
	if (argc_)
		(void)va_arg(ap, char *);
	envp = va_arg(ap, char *const *);
	va_end(ap);
	return run(path, argv, envp);
}

/* Room for the path of a program below a descriptor. A longer one is not judged. */
#define BELOW_MAX 512

/* A path that leads to the same program; NULL: it does not fit. */
static const char *below(char *out, int dirfd, const char *path)
{
	if (path[0] == '/' || (path[0] && dirfd == AT_FDCWD))
		return path;
	if (strlen(path) > BELOW_MAX - 32)
		return NULL;
	format_text(out, BELOW_MAX, path[0] ? "/proc/self/fd/%d/%s" : "/proc/self/fd/%d", dirfd,
	            path);
	return out;
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	char room[BELOW_MAX];
	struct childenv_plan p;
	size_t need = childenv_plan(&p, below(room, fd, ""), envp);
	char *const *env = need ? childenv_fill(&p, alloca(need)) : envp;
	int error;

	if (trace_active)
		trace_fd(TRACE_EXEC, 0, fd, 0);
	if (REAL(fexecve))
		REAL(fexecve)(fd, argv, (char **)env);
	else
		errno = (int)-SYS5(SYS_execveat, fd, "", argv, env, AT_EMPTY_PATH);
	error = errno;
	if (trace_active)
		trace_fd(TRACE_EXEC_FAILED, 0, fd, (unsigned)error);
	errno = error;
	return -1;
}

/* In headers since glibc 2.34. */
EXPORT int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags);

EXPORT int execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	char room[BELOW_MAX];
	struct childenv_plan p;
	size_t need = childenv_plan(&p, is_set(path) ? below(room, dirfd, path) : NULL, envp);
	char *const *env = need ? childenv_fill(&p, alloca(need)) : envp;
	int error, by_fd = is_set(path) && !path[0];

	if (trace_active && by_fd)
		trace_fd(TRACE_EXEC, 0, dirfd, 0);
	else if (trace_active)
		trace_path(TRACE_EXEC, 0, dirfd, path, 0);
	if (real.execveat)
		real.execveat(dirfd, path, argv, (char **)env, flags);
	else
		errno = (int)-SYS5(SYS_execveat, dirfd, path, argv, env, flags);
	error = errno;
	if (trace_active && by_fd)
		trace_fd(TRACE_EXEC_FAILED, 0, dirfd, (unsigned)error);
	else if (trace_active)
		trace_path(TRACE_EXEC_FAILED, 0, dirfd, path, (unsigned)error);
	errno = error;
	return -1;
}

/* libc starts the child of these internally, where no hook sees it. */
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
