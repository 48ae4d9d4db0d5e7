/* shim/kernel/sandbox.c - tries in a child which system calls a filter allows. */
#include "shim/kernel/sandbox.h"

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>

#include "shim/kernel/exe.h"
#include "shim/kernel/signals.h"

#include "shim/banned.h"

/* The kernel does not tell the number of filters: each process tries again. */
#define UNCOUNTED 0x7fffffffu
/* A filter may pass a call on to another process, which may never answer. */
#define PATIENCE_S 2
/* Prevents a core dump of a killed child: a pipe to a core handler takes 1 as "none", and a file of
 * 1 byte is smaller than any core. */
#define NO_CORE 1
#define SANDBOX_POPULATE 23 /* MADV_POPULATE_WRITE, Linux 5.14 */

#define ANY 1000 /* no possible answer: answers are 0, 1 and -errno here */

/* Shared with the child, which has its own memory. */
struct answer {
	int tried; /* calls that returned */
	int sound; /* all returned, with the required answers */
};

/* Objects that the table's arguments refer to. */
struct trial {
	pid_t pid;
	struct itimerval alarm;
	struct timespec moment, time;
	struct pollfd closed;
	struct flock lock;
	uint64_t none, set;
	long room[64]; /* the largest is struct utsname */
};

/* 0: not tried yet; else, from bit 2 on, the number of filters, then bit 1 set, and the answer in
 * bit 0. Threads write equal values. */
static START_DATA uint64_t known;

/* The number after a name at the start of a line; -1: it is missing or cut. */
static long field(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	long n = 0;

	if (!at || !strchr(at + 1, '\n'))
		return -1;
	at += strlen(name);
	at += strspn(at, " \t");
	for (; *at >= '0' && *at <= '9'; at++)
		n = 10 * n + (*at - '0');
	return n;
}

/* Number of filters. 0: none. If /proc is missing, no tool is known by name either. */
static unsigned filters(const char *status)
{
	char text[512]; /* of 1.4 KiB and group lists of any length: the stack may be nearly full */
	size_t held = 0;
	long mode = -1, count = -1;
	ssize_t n;
	int fd = sys_open(status, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	while (mode != 0 && count < 0) {
		size_t keep;

		n = sys_read(fd, text + held, sizeof text - 1 - held);
		if (n <= 0)
			break;
		held += (size_t)n;
		text[held] = '\0';
		if (mode < 0)
			mode = field(text, "\nSeccomp:");
		count = field(text, "\nSeccomp_filters:");
		/* A line may be split across two reads. */
		keep = held < 64 ? held : 64;
		memmove(text, text + held - keep, keep);
		held = keep;
	}
	sys_close(fd);
	if (mode <= 0)
		return 0;
	return count > 0 ? (unsigned)count : UNCOUNTED;
}

/* Prepares a child that a filter may kill: no core is written, and no handler of Reprise is
 * called. */
static void begin_child(void)
{
	struct rlimit core = {0, 0};

	signal_handler(SIGALRM, SIG_DFL);
	signal_handler(SIGSYS, SIG_DFL);
	SYS4(SYS_prlimit64, 0, RLIMIT_CORE, NULL, &core);
	core.rlim_cur = core.rlim_max < NO_CORE ? core.rlim_max : NO_CORE;
	SYS4(SYS_prlimit64, 0, RLIMIT_CORE, &core, NULL);
}

/* The child: tries all calls. */
_Noreturn static void try_all(struct answer *answer)
{
	struct trial all = {.pid = sys_getpid(), .alarm = {.it_value = {.tv_sec = PATIENCE_S}},
	                    .moment = {0, 1}, .closed = {.fd = 1 << 30},
	                    .lock = {.l_type = F_UNLCK}};
	struct trial *t = &all;
	int sound = 1;

	begin_child();
#define FOREIGN(must, call)				\
	do {						\
		long rc = call;				\
		sound &= (must) == ANY || rc == (must);	\
		answer->tried++;			\
	} while (0);
#include "shim/kernel/sandbox.def"
	answer->sound = sound;
	sys_exit_group(0);
}

/* Number of calls that the child must have made before its end may be waited for. */
enum { WAITS = 4 };

static int child_comes_through(void)
{
	struct answer *answer = sys_mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE,
	                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned tries = 0;
	long pid, rc;
	int sound, emulated;

	if (sys_mmap_failed(answer))
		return 0;
	/* Without CLONE_VM: before Linux 5.16 a core dump kills all processes that share the
	 * memory. CLONE_VFORK: the child has ended when this returns, so no call that may be
	 * filtered is needed to wait for it. */
	pid = SYS5(SYS_clone, CLONE_VFORK, 0, 0, 0, 0);
	emulated = emulator_refused(pid);
	if (emulated)
		pid = SYS5(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		try_all(answer);
	/* Otherwise a zombie without an exit signal stays until this process ends; no wait(2) sees
	 * it. An emulator did not wait for the child's end. */
	if (pid > 0 && (emulated || answer->tried >= WAITS))
		do
			rc = SYS4(SYS_wait4, pid, NULL, __WALL, NULL);
		while (sys_interrupted(rc, &tries));
	sound = pid > 0 && answer->sound;
	sys_munmap(answer, sizeof *answer);
	return sound;
}

static int permits(unsigned n, unsigned vouched)
{
	uint64_t was = __atomic_load_n(&known, __ATOMIC_RELAXED);
	int answer;

	if (was)
		/* a different number: this process installed a filter since */
		return was >> 2 == n && was & 1;
	answer = n == 0 || (n == vouched && n != UNCOUNTED) || child_comes_through();
	__atomic_store_n(&known, (uint64_t)n << 2 | 2 | (uint64_t)answer, __ATOMIC_RELAXED);
	return answer;
}

void sandbox_apart(void (*what)(void *), void *arg)
{
	struct itimerval alarm = {.it_value = {.tv_sec = PATIENCE_S}};

	/* The child is not waited for, since that call may be filtered: see child_comes_through. */
	if (SYS5(SYS_clone, CLONE_VFORK, 0, 0, 0, 0) != 0)
		return;
	begin_child();
	SYS3(SYS_setitimer, ITIMER_REAL, &alarm, NULL);
	what(arg);
	sys_exit_group(0);
}

int sandbox_begin(unsigned vouched)
{
	return permits(filters("/proc/self/status"), vouched);
}

int sandbox_permits(void)
{
	return permits(filters("/proc/thread-self/status"), 0);
}

unsigned sandbox_filters(void)
{
	uint64_t was = __atomic_load_n(&known, __ATOMIC_RELAXED);

	return was & 1 && was >> 2 != UNCOUNTED ? (unsigned)(was >> 2) : 0;
}
