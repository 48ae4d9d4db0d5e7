/* filter HOW CALL[@ARG=VALUE]... -- CMD...: CMD behind a system call filter (seccomp) that meets
 * each CALL, or those whose argument ARG is VALUE, with HOW: kill (the process), or the errno that
 * it answers. Status 77: there are no filters here. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range /* headers of Linux 5.8 and before */
#define SYS_close_range 436
#endif
#define CALLS(X) \
	X(bind) X(chdir) X(clock_gettime) X(clock_nanosleep) X(clone) X(close_range) \
	X(connect) X(copy_file_range) X(dup3) X(faccessat) X(fallocate) X(fchmod) \
	X(fchmodat) X(fchownat) X(fcntl) X(flock) X(fstatfs) X(fsync) X(ftruncate) X(getcwd) \
	X(getdents64) X(geteuid) X(getpid) X(getppid) X(getrandom) X(getsid) X(getsockname) \
	X(getsockopt) X(gettid) X(getuid) X(ioctl) X(kcmp) X(kill) X(linkat) X(listen) \
	X(madvise) X(memfd_create) X(mkdirat) X(mknodat) X(nanosleep) X(pidfd_open) X(pipe2) \
	X(ppoll) X(prctl) X(prlimit64) X(pwrite64) X(readlinkat) X(recvfrom) X(recvmsg) \
	X(renameat2) X(rt_sigaction) X(rt_sigpending) X(rt_sigprocmask) X(rt_sigtimedwait) \
	X(sched_getaffinity) X(sched_getscheduler) X(sched_yield) X(sendmsg) X(sendto) \
	X(setitimer) X(setpriority) X(setsid) \
	X(setsockopt) X(signalfd4) X(socket) X(socketpair) X(statfs) X(statx) X(symlinkat) \
	X(tee) X(umask) X(uname) X(unlinkat) X(utimensat) X(wait4) X(waitid) X(writev)

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
#define CALL(name) {#name, SYS_##name},
	CALLS(CALL)
};

#define LOAD(at) (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define UNLESS(k, skip) (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, 0, skip)
#define ANSWER(k) (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, k)

static unsigned number_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strlen(calls[i].name) == len && strncmp(calls[i].name, name, len) == 0)
			return calls[i].number;
	fprintf(stderr, "filter: no call %s\n", name);
	exit(2);
}

static unsigned answer(const char *how)
{
	if (strcmp(how, "kill") == 0)
		return SECCOMP_RET_KILL_PROCESS;
	return SECCOMP_RET_ERRNO | (unsigned)atoi(how);
}

int main(int argc, char **argv)
{
	static struct sock_filter f[1024];
	struct sock_fprog p = {0, f};
	unsigned short n = 0;
	int i;

	if (argc < 4)
		return 2;
	for (i = 2; i < argc - 1 && strcmp(argv[i], "--") != 0 && n < 1000; i++) {
		const char *at = strchr(argv[i], '@'), *is = at ? strchr(at, '=') : NULL;
		size_t len = at ? (size_t)(at - argv[i]) : strlen(argv[i]);

		f[n++] = LOAD(offsetof(struct seccomp_data, nr));
		f[n++] = UNLESS(number_of(argv[i], len), is ? 3 : 1);
		if (is) {
			f[n++] = LOAD(offsetof(struct seccomp_data, args) +
			              8u * (unsigned)atoi(at + 1));
			f[n++] = UNLESS((unsigned)strtoul(is + 1, NULL, 0), 1);
		}
		f[n++] = ANSWER(answer(argv[1]));
	}
	f[n++] = ANSWER(SECCOMP_RET_ALLOW);
	p.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return 77;
	execvp(argv[i + 1], argv + i + 1);
	return 126;
}
