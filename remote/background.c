/* remote/background.c - a program of ours, started from a host. */
#include "remote/background.h"

#include <sched.h>
#include <sys/wait.h>

#include "shim/kernel/hidden_child.h"
#include "shim/kernel/process.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/loader/object.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Each of the two children: closing descriptors and resetting signals takes some hundred bytes. */
#define STACK ((size_t)32 << 10)

struct start {
	const char *program;
	char **argv, **env;
	char *stack; /* of the second child, its end */
	int error;   /* errno of the exec or the second clone, 0 */
};

/* Runs in the host's memory: writes nothing but *s and makes raw system calls. */
static int run(void *arg)
{
	struct start *s = arg;

	hidden_child_enter(NULL, 0);
	SYS3(SYS_execve, s->program, s->argv, s->env);
	s->error = ENOEXEC;
	sys_exit_group(1);
}

/* Its child is init's. */
static int part(void *arg)
{
	struct start *s = arg;

	SYS0(SYS_setsid);
	SYS1(SYS_umask, 077);
	if (clone(run, s->stack, CLONE_VM | CLONE_VFORK, s) < 0)
		s->error = EAGAIN;
	sys_exit_group(0);
}

static char **arguments(const char *const words[], struct arena *a)
{
	char **argv = arena_alloc(a, (BACKGROUND_WORDS + 2) * sizeof *argv);
	size_t n = 0;

	if (!argv)
		return NULL;
	argv[0] = arena_strdup(a, "reprise");
	for (; words[n] && n < BACKGROUND_WORDS; n++)
		argv[n + 1] = arena_strdup(a, words[n]);
	for (size_t i = 0; i <= n; i++)
		if (!argv[i])
			return NULL;
	return argv;
}

int background_start(const char *const words[], char *const envp[], struct arena *a,
                     struct fault *fault)
{
	struct start s = {.argv = arguments(words, a), .env = command_environment(envp, a)};
	char *stacks = arena_alloc(a, 2 * STACK), program[PATH_SIZE];
	uint64_t all = ~0ull, was;
	unsigned tries = 0;
	long rc;
	int pid;

	if (!s.argv || !s.env || !stacks) {
		fault_set(fault, ENOMEM, "no memory to start a process");
		return -1;
	}
	if (command_find(program, sizeof program, object_path()) < 0) {
		fault_set(fault, ENOENT, "no `reprise` that belongs to %s", object_path());
		return -1;
	}
	s.program = program;
	s.stack = stacks + STACK;
	/* No handler of the host may run in a child that has its memory. */
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &was, SIGNALS_SET_SIZE);
	pid = clone(part, stacks + 2 * STACK, CLONE_VM | CLONE_VFORK, &s);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &was, NULL, SIGNALS_SET_SIZE);
	if (pid > 0)
		do
			rc = SYS4(SYS_wait4, pid, NULL, __WCLONE, NULL);
		while (sys_interrupted(rc, &tries));
	if (pid < 0 || s.error) {
		fault_sys(fault, pid < 0 ? EAGAIN : s.error, "start", program);
		return -1;
	}
	return 0;
}
