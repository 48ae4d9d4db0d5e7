/* clocks LOG COMMAND... - runs COMMAND. LOG gets a line for each call for the time of day or for
 * random bytes by any of its processes: process, call, the call's second argument, program, and the
 * object that calls.
 *
 * With a vdso, clocks are no system calls. So the word that names the vdso (AT_SYSINFO_EHDR) is
 * removed at each exec. Status: that of COMMAND; 77 if the kernel allows no ptrace or is older than
 * 5.3. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OPTIONS \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)

static FILE *log_to;

static int asked(pid_t pid, struct __ptrace_syscall_info *info)
{
	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof *info, info) > 0 ? 0 : -1;
}

static int word_at(pid_t pid, unsigned long at, unsigned long *word)
{
	struct iovec to = {word, sizeof *word}, from = {(void *)at, sizeof *word};

	return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)sizeof *word ? 0 : -1;
}

/* The stack of a program that begins: argc, arguments, 0, variables, 0, pairs of words. */
static void take_vdso(pid_t pid)
{
	struct __ptrace_syscall_info info;
	unsigned long at, word;
	int zeros = 0;

	if (asked(pid, &info) < 0)
		return;
	for (at = info.stack_pointer + sizeof word; zeros < 2; at += sizeof word) {
		if (word_at(pid, at, &word) < 0)
			return;
		zeros += word == 0;
	}
	for (; word_at(pid, at, &word) == 0 && word != AT_NULL; at += 2 * sizeof word)
		if (word == AT_SYSINFO_EHDR)
			ptrace(PTRACE_POKEDATA, pid, (void *)at, (void *)(unsigned long)AT_IGNORE);
}

static const char *name_of(const struct __ptrace_syscall_info *info)
{
	unsigned long first = info->entry.args[0];

	switch (info->entry.nr) {
	case SYS_getrandom: return "getrandom";
#ifdef SYS_time
	case SYS_time: return "time";
#endif
	case SYS_gettimeofday: return "gettimeofday";
	case SYS_clock_gettime:
		return first == CLOCK_REALTIME || first == CLOCK_REALTIME_COARSE ||
		       first == CLOCK_TAI ? "clock_gettime" : NULL;
	}
	return NULL;
}

/* The process of a thread. */
static pid_t process_of(pid_t tid)
{
	char path[64], line[256];
	int tgid = tid;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	if (f)
		fclose(f);
	return tgid;
}

static void object_at(pid_t pid, unsigned long at, char *out, size_t cap)
{
	char path[64], line[4400];
	FILE *f;

	snprintf(out, cap, "?");
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f)) {
		unsigned long from, to;
		const char *file = strchr(line, '/');

		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && at >= from && at < to) {
			snprintf(out, cap, "%.*s", (int)strcspn(file ? file : "?", "\n"),
			         file ? file : "?");
			break;
		}
	}
	if (f)
		fclose(f);
}

static void note(pid_t tid)
{
	struct __ptrace_syscall_info info;
	char path[64], program[4096], object[4400];
	const char *name;
	ssize_t n;

	if (asked(tid, &info) < 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY ||
	    !(name = name_of(&info)))
		return;
	snprintf(path, sizeof path, "/proc/%d/exe", tid);
	n = readlink(path, program, sizeof program - 1);
	program[n > 0 ? n : 0] = '\0';
	object_at(tid, info.instruction_pointer, object, sizeof object);
	fprintf(log_to, "%d\t%s\t%llu\t%s\t%s\n", process_of(tid), name,
	        (unsigned long long)info.entry.args[1], program, object);
}

/* The signal with which a stopped thread continues. */
static int stopped(pid_t pid, int status)
{
	int event = status >> 16, signal = WSTOPSIG(status);

	if (signal == (SIGTRAP | 0x80)) {
		note(pid);
		return 0;
	}
	if (event == PTRACE_EVENT_EXEC)
		take_vdso(pid);
	return event || signal == SIGSTOP ? 0 : signal;
}

int main(int argc, char **argv)
{
	int status, result = 77;
	pid_t child, pid;

	if (argc < 3 || !(log_to = fopen(argv[1], "we"))) {
		fprintf(stderr, "usage: clocks LOG COMMAND...\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(77);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)OPTIONS) < 0)
		return 77;
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid > 0 && WIFSTOPPED(status)) {
			int signal = stopped(pid, status);

			ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(unsigned long)signal);
		} else if (pid == child) {
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		}
	}
	return fclose(log_to) ? 2 : result;
}
