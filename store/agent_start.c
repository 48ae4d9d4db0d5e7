/* store/agent_start.c - starts the agent. */
#include "store/agent_start.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>

#include "shim/format.h"
#include "shim/kernel/exe.h"
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
	if (clone(run, s->stack, CLONE_VM | CLONE_VFORK | SIGCHLD, s) < 0)
		s->error = EAGAIN;
	sys_exit_group(0);
}

int agent_program(char out[PATH_SIZE], const char *name)
{
	/* Beside the agent; build tree; beside PREFIX/bin/reprise; beside
	 * PREFIX/lib/reprise/libreprise.so. */
	static const char places[][24] = {"", "libexec/", "../libexec/reprise/",
	                                  "../../libexec/reprise/"};
	char at[sizeof places[0] + AGENT_PROGRAM];
	char self[PATH_SIZE];
	const char *object = object_path();
	ssize_t n = (ssize_t)strlen(object);

	if (n)
		memcpy(self, object, (size_t)n + 1);
	else
		n = sys_readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return -1;
	self[n] = '\0';
	self[path_dir_len(self)] = '\0';
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (format_text(at, sizeof at, "%s%s", places[i], name) < sizeof at &&
		    path_join(out, PATH_SIZE, self, at) < PATH_SIZE && sys_access(out, X_OK) == 0)
			return 0;
	return -1;
}

int agent_find(char out[PATH_SIZE])
{
	return agent_program(out, "reprise-agent");
}

int agent_start(char *const envp[], struct arena *a, struct fault *fault)
{
	char name[] = "reprise-agent";
	char *argv[] = {name, NULL};
	struct start s = {.argv = argv, .env = command_environment(envp, a)};
	char *stacks = arena_alloc(a, 2 * STACK), program[PATH_SIZE];
	uint64_t all = ~0ull, was;
	unsigned tries = 0;
	long rc;
	int pid;

	if (!s.env || !stacks)
		return fault_set(fault, ENOMEM, "no memory to start a process");
	if (agent_find(program) < 0)
		return fault_set(fault, ENOENT, "no `reprise-agent` that belongs to %s",
		                 *object_path() ? object_path() : "this program");
	s.program = program;
	s.stack = stacks + STACK;
	/* No handler of the host may run in a child that has its memory. */
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &was, SIGNALS_SET_SIZE);
	pid = clone(part, stacks + 2 * STACK, CLONE_VM | CLONE_VFORK, &s);
	if (pid < 0 && emulator_refused(-errno))
		pid = clone(part, stacks + 2 * STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, &s);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &was, NULL, SIGNALS_SET_SIZE);
	if (pid > 0)
		do
			rc = SYS4(SYS_wait4, pid, NULL, __WALL, NULL);
		while (sys_interrupted(rc, &tries));
	if (pid < 0 || s.error) {
		fault_sys(fault, pid < 0 ? EAGAIN : s.error, "start", program);
		return -1;
	}
	return 0;
}
