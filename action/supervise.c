/* action/supervise.c - relays streams and signals between a recorded tool and its caller. */
#include "action/supervise.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "action/action.h"
#include "action/stream_texts.h"
#include "shim/buf.h"
#include "shim/format.h"
#include "shim/kernel/hidden_child.h"
#include "shim/kernel/ready.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/loader/childenv.h"
#include "shim/trace.h"

/* The default size of a pipe. */
#define RELAY_BYTES 65536
/* The smallest size of a pipe. */
#define PAGE_BYTES 4096
/* A reader that is only slow still gets all bytes. */
#define DROP_AFTER_NS 100000000

/* Opens a pty with the settings of the real terminal that passes bytes on unchanged. */
static int open_pty(int like, int *master, int *slave)
{
	struct termios t;
	struct winsize w;
	int unlock = 0;

	*master = sys_open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0);
	if (*master < 0)
		return *master;
	sys_ioctl(*master, TIOCSPTLCK, &unlock);
	*slave = (int)SYS3(SYS_ioctl, *master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*slave < 0) {
		sys_close(*master);
		return *slave;
	}
	if (sys_ioctl(like, TCGETS, &t) == 0) {
		t.c_oflag &= ~(tcflag_t)OPOST;
		sys_ioctl(*slave, TCSETS, &t);
	}
	if (sys_ioctl(like, TIOCGWINSZ, &w) == 0)
		sys_ioctl(*slave, TIOCSWINSZ, &w);
	return 0;
}

/* A description of our own, which does not wait, and so takes what fits into the pipe's last page:
 * ppoll tells of whole pages alone. */
static void open_own(struct supervisor *s, int fd)
{
	char path[32];

	if (sys_fcntl(fd, F_GETPIPE_SZ, 0) < 0)
		return;
	sys_ioctl(fd, FIONREAD, &s->filled[fd]);
	format_text(path, sizeof path, "/proc/self/fd/%d", fd);
	s->own[fd] = sys_open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0);
}

static int open_stream(struct supervisor *s, int fd)
{
	int p[2], rc;

	s->waits[fd] = stream_texts_waits(fd);
	if (s->waits[fd])
		open_own(s, fd);
	s->pty[fd] = s->a->start.streams.kind[fd] == STREAM_TERMINAL;
	if (s->pty[fd])
		return open_pty(fd, &s->from[fd], &s->to[fd]);
	rc = sys_pipe2(p, O_CLOEXEC);
	if (rc < 0)
		return rc;
	s->from[fd] = p[0];
	s->to[fd] = p[1];
	/* The tool shall wait for a slow reader, and shall notice that a reader has gone. So our
	 * pipe takes little before the real stream has taken it. */
	if (s->waits[fd])
		sys_fcntl(p[1], F_SETPIPE_SZ, PAGE_BYTES);
	/* Only our end: the tool's end still blocks. */
	return sys_fcntl(p[0], F_SETFL, O_NONBLOCK);
}

/* A separate description: the child reads the keyed bytes, although other processes share our
 * descriptor. */
static int open_source(struct supervisor *s)
{
	if (s->a->start.source.kind != STDIN_FILE && s->a->start.source.kind != STDIN_PIPE)
		return 0;
	s->to[0] = action_stdin_open(&s->a->start.source);
	if (s->to[0] < 0)
		return s->to[0];
	s->from[0] = sys_fcntl(s->to[0], F_DUPFD_CLOEXEC, 3);
	return s->from[0] < 0 ? s->from[0] : 0;
}

/* Our descriptors must not be 0-2: the tool would find a closed stream open. */
static int move_up(int *fd)
{
	if (*fd < 0)
		return 0;
	*fd = sys_above_streams(*fd);
	return *fd < 0 ? *fd : 0;
}

int supervise_prepare(struct supervisor *s, struct action *a)
{
	const struct streams *streams = &a->start.streams;
	uint64_t all = ~0ull;
	int rc = 0;

	memset(s, 0, sizeof *s);
	s->a = a;
	s->capture.bytes = (struct buf)BUF_INIT(&a->start.arena);
	s->signals = -1;
	for (int i = 0; i < 3; i++)
		s->from[i] = s->to[i] = s->own[i] = -1;
	rc = open_source(s);
	for (int fd = 1; fd <= 2 && rc >= 0; fd++)
		if (streams->kind[fd] != STREAM_CLOSED && !(fd == 2 && streams->one_stream))
			rc = open_stream(s, fd);
	/* Every signal waits for the signalfd. A fault of our own is deadly all the same. */
	if (rc >= 0) {
		rc = (int)SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, s->old_mask,
		               SIGNALS_SET_SIZE);
		s->masked = rc >= 0;
	}
	if (rc >= 0) {
		s->chld_ignored = signal_handler(SIGCHLD, SIG_DFL) == SIG_IGN;
		s->signals = (int)SYS4(SYS_signalfd4, -1, &all, SIGNALS_SET_SIZE,
		                       SFD_CLOEXEC | SFD_NONBLOCK);
		rc = s->signals < 0 ? s->signals : 0;
	}
	for (int i = 0; i < 3 && rc >= 0; i++) {
		rc = move_up(&s->from[i]);
		if (rc >= 0)
			rc = move_up(&s->to[i]);
		if (rc >= 0)
			rc = move_up(&s->own[i]);
	}
	if (rc >= 0)
		rc = move_up(&s->signals);
	if (rc < 0)
		supervise_abandon(s);
	return rc;
}

static void restore_signals(struct supervisor *s)
{
	if (s->chld_ignored)
		signal_handler(SIGCHLD, SIG_IGN);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, s->old_mask, NULL, SIGNALS_SET_SIZE);
	s->masked = 0;
}

static void close_streams(const struct supervisor *s)
{
	for (int i = 0; i < 3; i++) {
		if (s->from[i] >= 0)
			sys_close(s->from[i]);
		if (s->to[i] >= 0)
			sys_close(s->to[i]);
		if (s->own[i] >= 0)
			sys_close(s->own[i]);
	}
}

void supervise_abandon(struct supervisor *s)
{
	close_streams(s);
	for (int i = 0; i < 3; i++)
		s->from[i] = s->to[i] = s->own[i] = -1;
	if (s->signals >= 0)
		sys_close(s->signals);
	s->signals = -1;
	if (s->masked)
		restore_signals(s);
}

static int child_side(struct supervisor *s, pid_t parent)
{
	int rc = 0;

	/* If SIGKILL ends the supervisor, the tool ends too. */
	SYS5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (sys_getppid() != parent)
		sys_exit_group(128 + SIGKILL);
	for (int fd = 0; fd <= 2; fd++)
		if (s->to[fd] >= 0 && rc >= 0)
			rc = sys_dup3(s->to[fd], fd, 0);
	if (s->a->start.streams.one_stream && rc >= 0)
		rc = sys_dup3(1, 2, 0);
	close_streams(s);
	sys_close(s->signals);
	restore_signals(s);
	return rc;
}

pid_t supervise_fork(struct supervisor *s)
{
	pid_t parent = sys_getpid();
	/* libc's fork, not a raw clone: raise() and mutexes need the thread id that fork renews. */
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		s->unheard = child_side(s, parent) < 0;
		return 0;
	}
	s->child = pid;
	for (int i = 0; i < 3; i++)
		if (s->to[i] >= 0) {
			sys_close(s->to[i]);
			s->to[i] = -1;
		}
	return pid;
}

/* Room of the pipe's last page. The kernel adds a write to the last page only if it fits there, so
 * other pieces would fill the pipe with fewer bytes than the tool's own. */
static size_t page_room(struct supervisor *s, int fd)
{
	int there = 0;

	if (s->own[fd] >= 0 && sys_ioctl(fd, FIONREAD, &there) == 0 && there == 0)
		s->filled[fd] = 0;
	return PAGE_BYTES - (size_t)s->filled[fd] % PAGE_BYTES;
}

/* One piece. -EAGAIN: the stream takes nothing now. */
static ssize_t put_piece(struct supervisor *s, int fd, const char *data, size_t n)
{
	size_t most = s->waits[fd] ? page_room(s, fd) : n;
	ssize_t done = sys_write(s->own[fd] >= 0 ? s->own[fd] : fd, data, n < most ? n : most);

	if (done > 0 && s->own[fd] >= 0)
		s->filled[fd] = (int)((s->filled[fd] + done) % PAGE_BYTES);
	return done;
}

/* A stalled reader must not delay signals: a pipe or socket that is ready takes this much at once.
 * -EPIPE: the tool was ended meanwhile. Bytes that would have to wait are dropped, as if the tool
 * had not written them. */
static int put(struct supervisor *s, int fd, const char *data, size_t n)
{
	ssize_t done = s->own[fd] >= 0 ? put_piece(s, fd, data, n) : -EAGAIN;
	unsigned tries = 0;

	if (done > 0) {
		data += done;
		n -= (size_t)done;
	}
	while (n) {
		struct pollfd p[2] = {{s->signals, POLLIN, 0}, {fd, POLLOUT, 0}};
		int drops = s->ended && s->asked_to_end && s->status != 0;
		int ready = ready_wait(p, 2, drops ? DROP_AFTER_NS : -1);

		done = -EAGAIN;
		if (p[0].revents)
			supervise_take_signals(s);
		if (ready == 0 && drops)
			return -EPIPE;
		if (p[1].revents)
			done = put_piece(s, fd, data, n);
		s->full[fd] |= !p[1].revents || done == -EAGAIN;
		if (done == -EAGAIN || sys_interrupted(done, &tries))
			continue;
		if (done <= 0)
			return done < 0 ? (int)done : -EIO;
		data += done;
		n -= (size_t)done;
		tries = 0;
	}
	s->full[fd] = 0;
	return 0;
}

static void close_end(struct supervisor *s, int fd)
{
	sys_close(s->from[fd]);
	s->from[fd] = -1;
	s->full[fd] = 0;
}

/* As with the real tool, the next write of the child meets a stream without a reader. undone: the
 * child has written bytes that the real stream has not taken. */
static void close_stream(struct supervisor *s, int fd, int undone)
{
	char byte;

	s->capture.reader_gone = 1;
	s->cut |= s->full[fd] && (undone || sys_read(s->from[fd], &byte, 1) > 0);
	close_end(s, fd);
}

/* The result of a single read. NOTHING: no bytes are there now, or the real stream is full. CLOSED:
 * no more bytes will come. */
enum relayed { RELAYED, NOTHING, CLOSED };
static enum relayed relay(struct supervisor *s, int fd)
{
	static char bytes[RELAY_BYTES]; /* one thread, one process: ours */
	struct pollfd real = {fd, POLLOUT, 0};
	size_t most = s->waits[fd] ? PIPE_BUF : sizeof bytes;
	ssize_t n;
	int rc;

	if (s->waits[fd] && !s->ended && ready_wait(&real, 1, 0) == 0) {
		most = s->own[fd] >= 0 ? page_room(s, fd) % PAGE_BYTES : 0;
		s->full[fd] = most == 0;
		if (!most)
			return NOTHING;
	}
	n = sys_read(s->from[fd], bytes, most);
	if (sys_interrupted(n, &s->interrupted))
		return RELAYED;
	s->interrupted = 0;
	if (n == -EAGAIN) {
		s->full[fd] = 0;
		return NOTHING;
	}
	if (n <= 0) { /* a pty without slaves answers EIO */
		close_end(s, fd);
		return CLOSED;
	}
	capture_add(&s->capture, &s->a->start.arena, fd, bytes, (size_t)n);
	rc = put(s, fd, bytes, (size_t)n);
	if (rc < 0) {
		s->capture.write_failed |= rc != -EPIPE;
		close_stream(s, fd, 1);
		return CLOSED;
	}
	return RELAYED;
}

/* 1: the tool runs once more (run_again), so what it has written behind the cut is not its text. */
static int is_void(const struct supervisor *s)
{
	return s->cut && s->status == 0 && !s->capture.write_failed;
}

static void drain(struct supervisor *s)
{
	for (int fd = 2; fd >= 1; fd--) {
		while (!is_void(s) && s->from[fd] >= 0 && relay(s, fd) == RELAYED)
			;
		if (!is_void(s) && s->from[fd] >= 0)
			s->capture.open_after = 1;
	}
}

/* Waits at most ns (-1: for ever) and passes bytes on. 1 when there are signals to take. */
static int relay_once(struct supervisor *s, int64_t ns)
{
	/* ppoll skips descriptors below 0: closed streams. It always tells that a reader has
	 * gone. */
	struct pollfd p[5] = {{s->signals, POLLIN, 0}};
	/* A tool that waits for one reader writes nothing to the other one. */
	int waits = s->full[1] || s->full[2];

	for (int fd = 1; fd <= 2; fd++) {
		int open = s->from[fd] >= 0;

		p[fd] = (struct pollfd){open && !waits ? s->from[fd] : -1, POLLIN, 0};
		p[fd + 2] = (struct pollfd){open ? fd : -1, s->full[fd] ? POLLOUT : 0, 0};
	}
	if (ready_wait(p, 5, ns) == 0)
		return 0;
	/* Messages first: a tool buffers its output, and waits for the reader of its messages. */
	for (int fd = 2; fd >= 1; fd--) {
		if (p[fd + 2].revents & STREAM_TEXTS_GONE)
			close_stream(s, fd, 0);
		else if ((p[fd].revents && (fd == 2 || !p[2].revents)) || p[fd + 2].revents)
			relay(s, fd);
	}
	return p[0].revents != 0;
}

/* ns until something else is to be done; -1: nothing is. */
static int64_t next_tick(struct supervisor *s)
{
	int64_t lease = remote_flight_tick(s->a);
	int64_t file = early_tick(&s->early, &s->a->start, s->keep[1]);

	return lease < 0 || (file >= 0 && file < lease) ? file : lease;
}

void supervise_run(struct supervisor *s)
{
	int keep[11], n = 0;

	keep[n++] = 1;
	keep[n++] = 2;
	keep[n++] = s->signals;
	for (int fd = 0; fd <= 2; fd++)
		if (s->from[fd] >= 0)
			keep[n++] = s->from[fd];
	for (int fd = 1; fd <= 2; fd++)
		if (s->own[fd] >= 0)
			keep[n++] = s->own[fd];
	if (s->from[0] >= 0)
		keep[n++] = 0;
	for (int i = 0; i < 2; i++)
		if (s->keep[i] >= 0)
			keep[n++] = s->keep[i];
	descriptors_close_others(keep, n);
	/* /dev/null keeps descriptor 0, so that no file of ours gets this number. */
	if (s->from[0] < 0)
		sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
	while (!s->ended)
		if (relay_once(s, next_tick(s)))
			supervise_take_signals(s);
	early_end(&s->early, &s->a->start, s->status == 0);
	drain(s);
	if (s->from[0] >= 0)
		s->stdin_left = !action_stdin_leave(&s->a->start.source, s->from[0]);
}

/* A process that outlives the tool still holds one of our streams. A relay must go on reading,
 * while the caller must see the tool's end now. */
static void leave_relay(struct supervisor *s)
{
	if (fork() != 0)
		return;
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, s->old_mask, NULL, SIGNALS_SET_SIZE);
	s->signals = -1;
	s->asked_to_end = 0;
	while (s->from[1] >= 0 || s->from[2] >= 0)
		relay_once(s, -1);
	sys_exit_group(0);
}

/* The tool ended well, but a reader went before the stream took all that the tool had written. So
 * the tool would have waited, and its own write would have failed. It runs once more, in this
 * process and without Reprise, and meets the stream without a reader at once. */
static void run_again(struct supervisor *s)
{
	struct start *start = &s->a->start;
	struct childenv_plan plan;
	char *const *env = start->call.envp;
	size_t need;
	void *room;

	if (start->source.kind == STDIN_FILE || start->source.kind == STDIN_PIPE)
		return;
	childenv_set_trace(CHILDENV_UNTRACED);
	need = childenv_plan(&plan, start->call.exe, env);
	room = need ? arena_alloc_aligned(&start->arena, need, _Alignof(char *)) : NULL;
	if (need && !room)
		return;
	if (need)
		env = childenv_fill(&plan, room);
	signal_handler(SIGPIPE, signal_handler(SIGPIPE, SIG_IGN)); /* forgets those of our writes */
	restore_signals(s);
	SYS3(SYS_execve, "/proc/self/exe", start->call.argv, env);
}

void supervise_finish(struct supervisor *s)
{
	if (s->capture.open_after)
		leave_relay(s);
	if (is_void(s))
		run_again(s);
	if (WIFSIGNALED(s->status)) {
		struct rlimit none = {0, 0};
		uint64_t nothing = 0;
		int sig = WTERMSIG(s->status);

		/* The tool has written its core, if any. A core of this process would replace
		 * it. */
		SYS4(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
		signal_handler(sig, SIG_DFL);
		SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &nothing, NULL, SIGNALS_SET_SIZE);
		sys_kill(sys_getpid(), sig);
		sys_exit_group(128 + sig);
	}
	/* The disk filled while we passed on bytes that the tool had written. Compilers answer
	 * 1. */
	if ((s->capture.write_failed || s->cut) && s->status == 0)
		sys_exit_group(EXIT_FAILURE);
	sys_exit_group(WEXITSTATUS(s->status));
}
