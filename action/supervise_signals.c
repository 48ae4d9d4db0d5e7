/* action/supervise_signals.c - signals to the supervisor, and changes of the child. */
#include "action/action.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>

#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"

static void resize(struct supervisor *s)
{
	struct winsize w;

	for (int fd = 1; fd <= 2; fd++)
		if (s->from[fd] >= 0 && s->pty[fd] && sys_ioctl(fd, TIOCGWINSZ, &w) == 0)
			sys_ioctl(s->from[fd], TIOCSWINSZ, &w);
}

/* The wait status from a SIGCHLD of the child. -1: the signal is about another change. */
static int told_status(const struct supervisor *s, const struct signalfd_siginfo *si)
{
	if (si->ssi_pid != (uint32_t)s->child)
		return -1;
	switch (si->ssi_code) {
	case CLD_EXITED: return (si->ssi_status & 0xff) << 8;
	case CLD_KILLED: return si->ssi_status;
	case CLD_DUMPED: return si->ssi_status | WCOREFLAG;
	}
	return -1;
}

static void end_with(struct supervisor *s, int status)
{
	s->status = status;
	s->ended = 1;
}

/* The caller sees a child that the same signal stopped, and wakes both processes. */
static void stop(struct supervisor *s, int sig)
{
	uint64_t set = 1ull << (sig - 1);
	void (*was)(int) = sig == SIGSTOP ? SIG_DFL : signal_handler(sig, SIG_DFL);

	sys_kill(sys_getpid(), sig);
	SYS4(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, SIGNALS_SET_SIZE);
	SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, SIGNALS_SET_SIZE);
	if (was != SIG_DFL)
		signal_handler(sig, was);
	sys_kill(s->child, SIGCONT);
}

/* Looks for changes of the child. si: the SIGCHLD that announces them. */
static void reap(struct supervisor *s, const struct signalfd_siginfo *si)
{
	unsigned tries = 0;
	int status;

	for (;;) {
		long rc = SYS4(SYS_wait4, s->child, &status, WNOHANG | WUNTRACED | WCONTINUED,
		               NULL);

		if (sys_interrupted(rc, &tries))
			continue;
		if (rc < 0) {
			/* SIGCHLD has its default action and no other thread exists, so only a
			 * system call filter answers like this. The signal holds the same status,
			 * unless it merged with another child's signal. */
			status = told_status(s, si);
			if (status < 0 && si->ssi_pid == (uint32_t)s->child)
				return;
			s->lost = status < 0;
			/* An unknown status never becomes a success. */
			end_with(s, s->lost ? EXIT_FAILURE << 8 : status);
			return;
		}
		if (rc == 0)
			return;
		if (WIFSTOPPED(status)) {
			stop(s, WSTOPSIG(status));
			continue;
		}
		if (WIFCONTINUED(status))
			continue;
		end_with(s, status);
		return;
	}
}

/* The kernel sent the signal to this process and not to the child. A timer that the caller set
 * before its exec belongs to this process. A terminal that hangs up tells the leader of its
 * session. */
static int is_ours_alone(unsigned sig)
{
	return sig == SIGALRM || sig == SIGVTALRM || sig == SIGPROF ||
	       (sig == SIGHUP && SYS1(SYS_getsid, 0) == sys_getpid());
}

/* Would the signal end the tool? A blocked signal comes here even if it is ignored, or if the
 * caller had blocked it. */
static int is_deadly(const struct supervisor *s, int sig)
{
	static const int harmless[] = {SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG};
	struct signals_kernel now = {0};
	uint64_t blocked;

	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (sig == harmless[i])
			return 0;
	memcpy(&blocked, s->old_mask, sizeof blocked);
	if (blocked & 1ull << (sig - 1))
		return 0;
	SYS4(SYS_rt_sigaction, sig, NULL, &now, SIGNALS_SET_SIZE);
	return now.handler != SIG_IGN;
}

/* 1: a write of this process caused the signal. */
static int is_of_our_write(const struct signalfd_siginfo *si)
{
	return (si->ssi_signo == SIGPIPE || si->ssi_signo == SIGXFSZ) &&
	       si->ssi_pid == (uint32_t)sys_getpid();
}

void supervise_take_signals(struct supervisor *s)
{
	struct signalfd_siginfo si = {0};
	ssize_t n;

	while ((n = sys_read(s->signals, &si, sizeof si)) == (ssize_t)sizeof si) {
		if (is_of_our_write(&si))
			continue;
		switch (si.ssi_signo) {
		case SIGCHLD:
			if (!s->ended)
				reap(s, &si);
			break;
		case SIGWINCH:
			resize(s);
			if (!s->ended)
				sys_kill(s->child, SIGWINCH);
			break;
		default:
			s->asked_to_end |= is_deadly(s, (int)si.ssi_signo);
			/* The tool's output is not written yet, so for the caller the tool still
			 * lives. */
			if (s->ended && is_deadly(s, (int)si.ssi_signo))
				s->status = (int)si.ssi_signo;
			/* The terminal sends its signals to the whole group, so the child has
			 * received its own. */
			if ((si.ssi_code != SI_KERNEL || is_ours_alone(si.ssi_signo)) && !s->ended)
				sys_kill(s->child, (int)si.ssi_signo);
		}
	}
	if (n != -EAGAIN && n != -EINTR && !s->ended)
		reap(s, &si);
}
