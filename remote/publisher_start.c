/* remote/publisher_start.c - starts the publisher.
 *
 * The job must not notice it: neither by its wait(2) nor by SIGCHLD (shim/kernel/hidden_child.h).
 * The publisher keeps no descriptor of the job. It runs in a session and process group of its own,
 * in
 * /. It has default signals and no LD_PRELOAD. The program is
 * the `reprise` that belongs to the object (shim/kernel/process.h). */
#include "remote/remote.h"

#include "remote/server.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/process.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Enough for two clones and an exec. */
#define PATIENCE_NS 2000000000ll
#define PATIENCE_S 5

/* Runs in the hidden child: the child of that child belongs to init. */
_Noreturn static void start(const char *program, char **env)
{
	static char name[] = "reprise", verb[] = "publish", option[] = "--daemon";
	char *argv[] = {name, verb, option, NULL};

	SYS0(SYS_setsid);
	SYS1(SYS_umask, 077);
	long pid = SYS5(SYS_clone, 0, 0, 0, 0, 0);
	if (pid == 0)
		SYS3(SYS_execve, program, argv, env);
	sys_exit_group(pid < 0);
}

static int wanted(const struct remote *r)
{
	return remote_may_publish(r) && r->server->store->runtime_dir &&
	       !spool_publisher_busy(r->server->store);
}

int publisher_start(struct remote *r, const char *object, char *const envp[], struct fault *fault)
{
	char program[PATH_SIZE];
	char **env;

	if (!wanted(r))
		return 0;
	if (command_find(program, sizeof program, object) < 0) {
		fault_set(fault, ENOENT, "no `reprise` that belongs to %s: nothing is published",
		          object);
		log_once("starter", "%s", fault->text);
		return -1;
	}
	env = command_environment(envp, r->arena);
	pid_t pid = env ? hidden_child_fork(NULL, 0, PATIENCE_S) : -ENOMEM;
	if (pid == 0)
		start(program, env);
	if (pid < 0) {
		fault_sys(fault, -pid, "start the publisher", program);
		log_once("starter", "%s", fault->text);
		return -1;
	}
	hidden_child_reap(pid, PATIENCE_NS);
	return 1;
}

int publisher_resume(struct remote *r, const char *object, char *const envp[], struct fault *fault)
{
	size_t records = 0;
	int64_t age;

	if (!wanted(r) || spool_pending(r->server->store, &records, &age) < 0 || !records)
		return 0;
	return publisher_start(r, object, envp, fault);
}
