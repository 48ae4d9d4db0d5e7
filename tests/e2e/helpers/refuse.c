/* refuse.c - runs a command for which the kernel refuses a system call.
 *
 *	refuse NUMBER ERROR COMMAND...    each call of that number fails with errno ERROR;
 *	                                  where ERROR is `kill`, its caller is killed
 *
 * By a seccomp filter, which all processes below the command have, too. Status 77: no filter can
 * be installed here. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	unsigned number = (unsigned)atoi(argv[1]);
	unsigned answer = SECCOMP_RET_ERRNO | (unsigned)atoi(argv[2]);
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	if (strcmp(argv[2], "kill") == 0)
		filter[2].k = SECCOMP_RET_KILL_PROCESS;
	struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		fprintf(stderr, "refuse: no filter: %s\n", strerror(errno));
		return 77;
	}
	execvp(argv[3], argv + 3);
	return 127;
}
