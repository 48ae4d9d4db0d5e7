/* cli/run/job_child.c - runs a job and waits for its end.
 *
 * The job is a child of `reprise run`. At the job's end `reprise run` says what was saved, and
 * publishes what a remote store is to hold. As process 1 of a container it waits for orphaned
 * processes. Where none of these is wanted, and where a service manager expects the job in this
 * very process, `reprise run` becomes the job by exec. The terminal sends its signals to both
 * processes, so these are not passed on. All other signals are, except while the job is stopped: it
 * continues when this process continues. */

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/report/report.h"
#include "units/gather/gather.h"

static int names_us(const char *variable)
{
	const char *pid = getenv(variable);

	return pid && strtol(pid, NULL, 10) == getpid();
}

/* 1: a service manager knows this process by its number: it hands sockets over to this process, or
 * accepts a watchdog's or readiness message from this process alone. systemd before 248 sets no
 * SYSTEMD_EXEC_PID; a service of the system is then a child of process 1. A container can have the
 * socket as well (podman --sdnotify=container): its process 1 is no systemd (sd_booted(3)). */
static int is_service(void)
{
	int notifies = getenv("NOTIFY_SOCKET") != NULL;

	if (names_us("LISTEN_PID") || names_us("WATCHDOG_PID"))
		return 1;
	if (getenv("SYSTEMD_EXEC_PID"))
		return notifies && names_us("SYSTEMD_EXEC_PID");
	return notifies && getppid() == 1 && access("/run/systemd/system", F_OK) == 0;
}

/* 1: what the job leaves is packed and sent before the end. */
static int drains(struct cli *c)
{
	return setting_number(&c->settings, SETTING_DRAIN) &&
	       !setting_number(&c->settings, SETTING_FORCE_DISABLE) &&
	       !settings_disabled(c->envp);
}

int cli_publishes(struct cli *c)
{
	struct remote_use use;

	return drains(c) && !is_service() &&
	       remote_use_load(&use, &c->settings, c->envp, &c->arena) && !use.readonly;
}

int cli_waits_for_job(struct cli *c, int packs, int quiet)
{
	return !is_service() &&
	       (!quiet || getpid() == 1 || (packs && drains(c)) || cli_publishes(c));
}

/* Handles state changes of the child and, in process 1, of inherited processes. 1: the child has
 * ended. */
static int reap(pid_t pid, int *status)
{
	pid_t rc, whom = getpid() == 1 ? -1 : pid;
	unsigned tries = 0;

	while ((rc = waitpid(whom, status, WNOHANG | WUNTRACED | WCONTINUED)) != 0) {
		if (rc < 0 && !sys_interrupted(-errno, &tries))
			return 1;
		if (rc != pid || WIFCONTINUED(*status))
			continue;
		if (!WIFSTOPPED(*status))
			return 1;
		raise(SIGSTOP); /* our caller sees a stopped job, and continues both */
		kill(pid, SIGCONT);
	}
	return 0;
}

/* The next signal; 0: it is time to look at the job's processes. */
static int next_signal(const sigset_t *all, siginfo_t *si, int wait_ms)
{
	struct timespec t = {wait_ms / 1000, wait_ms % 1000 * 1000000l};
	int sig = wait_ms ? sigtimedwait(all, si, &t) : sigwaitinfo(all, si);

	return sig < 0 && wait_ms && errno == EAGAIN ? 0 : sig;
}

static int wait_for(pid_t pid, const sigset_t *all, struct job_line *line)
{
	unsigned tries = 0;
	int status = 0, wait_ms = line->unseen.wait_ms;
	siginfo_t si;

	for (;;) {
		int sig = next_signal(all, &si, wait_ms);

		if (sig == 0) {
			wait_ms = job_line_look(line, pid);
			continue;
		}

		/* A system call filter refuses sigwaitinfo: only the end of the job can be waited
		 * for. */
		if (sig < 0 && !sys_interrupted(-errno, &tries)) {
			waitpid(pid, &status, 0);
			return status;
		}
		if (sig > 0)
			tries = 0;
		if (sig == SIGCHLD && reap(pid, &status))
			return status;
		if (sig > 0 && sig != SIGCHLD && si.si_code != SI_KERNEL)
			kill(pid, sig);
	}
}

static void say_left(struct store *s, const struct fault *fault)
{
	size_t count = 0;
	int64_t age;

	spool_pending(s, &count, &age);
	if (count)
		fprintf(stderr,
		        "reprise-run: %zu result%s for the remote store: %s; "
		        "the next job, or `reprise publish`, sends %s\n",
		        count, count == 1 ? " waits" : "s wait", fault->text,
		        count == 1 ? "it" : "them");
}

static void drain(struct cli *c, int quiet)
{
	struct fault fault = {0, ""};
	struct publisher p;
	struct remote r;
	struct store s;

	if (cli_find_store(c, &s, &fault) < 0)
		return;
	cli_publisher_open(c, &p, &s, &r, &fault);
	p.progress = quiet ? NULL : cli_publish_progress;
	int rc = cli_drain(&p, setting_number(&c->settings, SETTING_DRAIN), 1, &fault);
	cli_progress_end();
	if (rc < 0 && !quiet && cli_publishes(c))
		say_left(&s, &fault);
	remote_close(&r);
}

/* Events outlive the node's boot in the store. What the node did in the job outlives the node in
 * the remote store. -1: that one does not take it. */
static int events_end(struct cli *c, int quiet)
{
	const char *job = getenv("REPRISE_JOB");
	struct fault fault = {0, ""};
	struct store s;

	if (settings_disabled(c->envp) || !setting_number(&c->settings, SETTING_EVENTS) ||
	    cli_find_store(c, &s, &fault) < 0)
		return 0;
	events_move(&s, job);
	if (!job || !cli_publishes(c) || job_remote_leave(c, &s, job, &fault) == 0)
		return 0;
	if (!quiet && job_remote_expected(c))
		fprintf(stderr, "reprise-run: other nodes cannot report what this one did: %s\n",
		        fault.text);
	return -1;
}

_Noreturn static void end_as(int status)
{
	struct rlimit none = {0, 0};

	if (WIFSIGNALED(status)) {
		/* If the job wrote a core file, it exists already. */
		setrlimit(RLIMIT_CORE, &none);
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
		_exit(128 + WTERMSIG(status));
	}
	_exit(WEXITSTATUS(status));
}

int cli_supervise(struct cli *c, char **argv, const struct job_ahead *h, int quiet)
{
	sigset_t all, before;
	struct job_line line = {0};
	int error = 0, said[2];
	pid_t self = getpid();
	struct sigaction chld, plain = {.sa_handler = SIG_DFL};

	if (pipe2(said, O_CLOEXEC) < 0)
		return errno;
	job_line_begin(&line, c, argv, quiet);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	/* with SIGCHLD ignored, the kernel would discard the child's status */
	sigaction(SIGCHLD, &plain, &chld);
	pid_t pid = fork();
	if (pid == 0) {
		/* If this process is killed, the job is killed, too. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(128 + SIGKILL);
		sigaction(SIGCHLD, &chld, NULL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(argv[0], argv);
		error = errno;
		if (write(said[1], &error, sizeof error) < 0)
			_exit(CLI_RUN_FAILED);
		_exit(CLI_RUN_NOT_FOUND);
	}
	error = pid < 0 ? errno : 0;
	close(said[1]);
	if (pid > 0 && read(said[0], &error, sizeof error) != sizeof error)
		error = 0;
	close(said[0]);
	int status = pid > 0 ? error ? 0 : wait_for(pid, &all, &line) : 0;
	if (error && pid > 0)
		waitpid(pid, &status, 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (error)
		return error;
	if (drains(c))
		drain(c, quiet);
	job_line_end(&line, c);
	job_ahead_end(h, c, events_end(c, quiet) == 0, quiet);
	end_as(status);
}
