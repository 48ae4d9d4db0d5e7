/* shim/kernel/sandbox.c, shim/kernel/ready.c, shim/kernel/sys.c: which calls a system call filter
 * permits, and what replaces the others. */
#include <criterion/criterion.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/kernel/ready.h"
#include "shim/kernel/sandbox.h"
#include "shim/kernel/sys.h"

enum { NO_FILTERS = 77 };
#define KILL SECCOMP_RET_KILL_PROCESS
#define REFUSE(error) (SECCOMP_RET_ERRNO | (error))

/* From now on the filter gives this verdict for this call of this process. */
static void filter(unsigned call, unsigned verdict)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, verdict),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = {sizeof f / sizeof *f, f};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		_exit(NO_FILTERS);
}

/* Runs what() in its own process; returns its result, or 128 and the signal that ended it. */
static int apart(int (*what)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(what());
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (status == NO_FILTERS)
		cr_skip_test("no system call filters here");
	return status;
}

static unsigned call, verdict;

static int asks(void)
{
	filter(call, verdict);
	return sandbox_begin(0);
}

static int asks_behind(unsigned number, unsigned how)
{
	call = number;
	verdict = how;
	return apart(asks);
}

Test(sandbox, without_a_filter_all_may_be_called)
{
	cr_expect_eq(sandbox_begin(0), 1);
	cr_expect_eq(sandbox_filters(), 0u);
}

Test(sandbox, a_call_that_ends_the_process)
{
	cr_expect_eq(asks_behind(SYS_statx, KILL), 0);
	cr_expect_eq(asks_behind(SYS_recvmsg, KILL), 0); /* the last one */
	cr_expect_eq(asks_behind(SYS_setitimer, KILL), 0);
	cr_expect_eq(asks_behind(SYS_memfd_create, KILL), 1); /* none of ours */
	cr_expect_eq(asks_behind(SYS_dup3, SECCOMP_RET_TRAP), 0);
}

Test(sandbox, a_call_that_is_refused)
{
	cr_expect_eq(asks_behind(SYS_kcmp, REFUSE(EPERM)), 1);
	cr_expect_eq(asks_behind(SYS_close_range, REFUSE(ENOSYS)), 1);
	cr_expect_eq(asks_behind(SYS_ppoll, REFUSE(EPERM)), 0);
	cr_expect_eq(asks_behind(SYS_ppoll, REFUSE(0)), 0);
	cr_expect_eq(asks_behind(SYS_wait4, REFUSE(ENOSYS)), 0);
	cr_expect_eq(asks_behind(SYS_clock_gettime, REFUSE(EPERM)), 0);
}

static int vouched(void)
{
	filter(SYS_clone, KILL); /* no child is made */
	return sandbox_begin(1) == 1 && sandbox_filters() == 1 ? 1 : 0;
}

static int vouched_for_others(void)
{
	filter(SYS_memfd_create, KILL);
	filter(SYS_statx, KILL);
	return sandbox_begin(1);
}

static int installed_since(void)
{
	filter(SYS_memfd_create, KILL);
	if (!sandbox_begin(0))
		return 2;
	filter(SYS_pidfd_open, KILL);
	return sandbox_permits() || sandbox_begin(2);
}

Test(sandbox, an_ancestors_answer_holds_for_the_same_number_of_filters)
{
	cr_expect_eq(apart(vouched), 1);
	cr_expect_eq(apart(vouched_for_others), 0);
	cr_expect_eq(apart(installed_since), 0);
}

static int waits(void)
{
	struct pollfd p[3] = {{-1, POLLIN, 0}, {0, POLLIN, 0}, {0, POLLOUT, 0}};
	int64_t start = sys_now_ns(CLOCK_MONOTONIC);
	int pipe[2];

	if (sys_pipe2(pipe, O_CLOEXEC) < 0)
		return 1;
	p[1].fd = pipe[0];
	if (ready_wait(p, 2, 20000000) != 0 || sys_now_ns(CLOCK_MONOTONIC) - start < 19000000)
		return 2;
	filter(SYS_ppoll, verdict);
	p[2].fd = pipe[1];
	if (ready_wait(p, 3, -1) != 2 || p[0].revents || p[1].revents != POLLIN ||
	    p[2].revents != POLLOUT)
		return 3;
	p[1].events = 0;
	return ready_wait(p, 2, 1000) == 0 ? 0 : 4;
}

Test(ready, where_no_wait_is_allowed_all_is_said_to_be_ready)
{
	verdict = REFUSE(EPERM);
	cr_expect_eq(apart(waits), 0);
	verdict = REFUSE(ENOSYS);
	cr_expect_eq(apart(waits), 0);
}

static int clock_moves_on(void)
{
	filter(SYS_clock_gettime, REFUSE(EPERM));
	int64_t end = sys_now_ns(CLOCK_MONOTONIC) + 1000000000;

	for (int i = 0; i < 1000; i++)
		if (sys_now_ns(CLOCK_MONOTONIC) >= end)
			return 0;
	return 1;
}

Test(sys, a_refused_clock_moves_on)
{
	cr_expect_eq(apart(clock_moves_on), 0);
}

Test(sys, stat_says_what_statx_says)
{
	static const char *const paths[] = {"/", "/dev/null", "/proc/self/exe", "/bin"};
	struct statx x, y;

	const unsigned all = STATX_BASIC_STATS;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		for (int flags = 0; flags <= AT_SYMLINK_NOFOLLOW; flags += AT_SYMLINK_NOFOLLOW) {
			cr_assert_eq(sys_statx(AT_FDCWD, paths[i], flags, all, &x), 0);
			cr_assert_eq(SYS5(SYS_statx, AT_FDCWD, paths[i], flags, all, &y), 0);
			y.stx_mask = x.stx_mask;
			cr_expect(sys_same_file(&x, &y), "%s", paths[i]);
			cr_expect_eq(x.stx_mode, y.stx_mode);
			cr_expect_eq(x.stx_size, y.stx_size);
			cr_expect_eq(x.stx_nlink, y.stx_nlink);
			cr_expect_eq(x.stx_uid, y.stx_uid);
			cr_expect_eq(x.stx_gid, y.stx_gid);
			cr_expect_eq(x.stx_blocks, y.stx_blocks);
			cr_expect_eq(x.stx_rdev_major, y.stx_rdev_major);
			cr_expect_eq(x.stx_rdev_minor, y.stx_rdev_minor);
			cr_expect_eq(memcmp(&x.stx_mtime, &y.stx_mtime, 12), 0);
			cr_expect_eq(memcmp(&x.stx_ctime, &y.stx_ctime, 12), 0);
		}
	cr_expect_eq(sys_statx(AT_FDCWD, "/nowhere", 0, STATX_TYPE, &x), -ENOENT);
	cr_expect_eq(sys_statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS | STATX_BTIME, &x), 0);
}
