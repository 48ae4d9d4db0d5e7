/* interpose_stress MODE - hooked calls where a hook may do little: in a small stack, a vfork child,
 * a signal handler, after all descriptors were closed. Works in the current directory on "file" and
 * "link". Status 0 when every call answered as it should; the trace is judged by the caller.
 *
 *   threads   THREADS threads with 16 KiB of stack, ROUNDS rounds each
 *   vfork     ROUNDS vfork children that swap environ, as libiberty's do
 *   signal    a handler that opens and asks, ROUNDS times, interrupting the same calls
 *   closed    close_range of everything, then the calls
 *   fork      a child without exec */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range /* headers of Linux 5.8 and before */
#define SYS_close_range 436
#endif
#define THREADS 8
#define ROUNDS 100
#define SMALL_STACK 16384

static int failures;
static volatile sig_atomic_t handled;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
	dprintf(2, "%s: errno %d\n", what, errno);
}

/* One call of each kind, by relative names: these have the widest frames. */
static void calls(const char *mine)
{
	struct stat st;
	char text[16];
	int fd = open("file", O_RDONLY);

	check(fd >= 0 && close(fd) == 0, "open");
	fd = open(mine, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	check(fd >= 0 && close(fd) == 0, "create");
	errno = 0;
	check(open("none", O_RDONLY) == -1 && errno == ENOENT, "open none");
	check(stat("file", &st) == 0 && S_ISREG(st.st_mode), "stat");
	check(lstat("link", &st) == 0 && S_ISLNK(st.st_mode), "lstat");
	errno = 0;
	check(access("none", F_OK) == -1 && errno == ENOENT, "access");
	check(readlink("link", text, sizeof text) == 4, "readlink");
	check(rename(mine, mine) == 0, "rename");
	check(fchmodat(AT_FDCWD, mine, 0640, 0) == 0, "fchmodat");
	check(unlink(mine) == 0, "unlink");
	check(getenv("HOME") != NULL, "getenv");
}

static void *thread_main(void *arg)
{
	char mine[16];
	int i;

	snprintf(mine, sizeof mine, "mine%d", (int)(long)arg);
	for (i = 0; i < ROUNDS; i++)
		calls(mine);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	pthread_attr_t attr;
	long i;

	pthread_attr_init(&attr);
	check(pthread_attr_setstacksize(&attr, SMALL_STACK) == 0, "stack size");
	for (i = 0; i < THREADS; i++)
		check(pthread_create(&threads[i], &attr, thread_main, (void *)i) == 0, "thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* The status of one child. */
static int vfork_once(void)
{
	static char *swapped[] = {"HOME=child", NULL};
	struct stat st;
	int status = -1;
	pid_t pid = vfork();

	if (pid == 0) {
		environ = swapped;
		/* No check() here: it would write what the parent reads. */
		if (open("none", O_RDONLY) != -1 || stat("file", &st) != 0 ||
		    access("link", F_OK) != 0 || strcmp(getenv("HOME"), "child") != 0)
			_exit(1);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void run_vfork(void)
{
	char **mine = environ;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		check(vfork_once() == 0, "vfork child");
		environ = mine;
	}
	check(strcmp(getenv("HOME"), "child") != 0, "environ");
}

static void on_signal(int sig)
{
	int keep = errno, fd = open("file", O_RDONLY);
	struct stat st;

	(void)sig;
	if (fd >= 0 && close(fd) == 0 && stat("link", &st) == 0 && getenv("HOME"))
		handled++;
	errno = keep;
}

static void run_signal(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	int i;

	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < ROUNDS; i++) {
		raise(SIGUSR1);
		calls("mine");
	}
	check(handled == ROUNDS, "handler");
}

static void run_fork(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		calls("child");
		exit(failures != 0);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "fork child");
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";

	if (strcmp(mode, "threads") == 0)
		run_threads();
	else if (strcmp(mode, "vfork") == 0)
		run_vfork();
	else if (strcmp(mode, "signal") == 0)
		run_signal();
	else if (strcmp(mode, "fork") == 0)
		run_fork();
	else if (strcmp(mode, "closed") == 0 && syscall(SYS_close_range, 3, ~0U, 0) == 0)
		calls("mine");
	else
		return 2;
	return failures != 0;
}
