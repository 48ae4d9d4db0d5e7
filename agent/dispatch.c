/* agent/dispatch.c - the agent's loop. */
#include "agent/dispatch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/ahead.h"
#include "agent/clients.h"

/* A client sends its question as soon as it is connected, and the next one after it has read its
 * inputs. One that is closed asks again over a new connection. */
#define CLIENT_IDLE_NS 30000000000ll
/* Longer than any wait of a client; the largest entry at the lowest rate takes less. */
#define BUSY_MOST_NS 60000000000ll
/* Without a remote store the agent only starts the publisher. */
#define IDLE_LOCAL_NS 1000000000ll
/* How often the agent looks whether its socket is there. */
#define LOOK_NS 1000000000ll
/* How often the inbox is swept. */
#define SWEEP_NS 600000000000ll
#define END_MOST_MS 100

/* --- workers --- */

static void answered(struct loop *l, int k)
{
	struct crew *w = &l->crew[k];
	const struct agent_reply *r = &w->reply;

	w->answered = 1;
	if (w->job.q.verb == AGENT_CANDIDATES && r->answer == AGENT_FILLED &&
	    loop_now_ns() - w->since < NEAR_NS)
		l->near_until = loop_now_ns() + NEAR_KNOWN_NS;
	if (w->job.client >= 0)
		client_reply(l, w->job.client, r, w->bytes, w->bytes_len);
	for (size_t i = 0; i < l->jobs; i++) {
		if (!question_is_same(&l->job[i].q, &w->job.q) || l->job[i].client < 0)
			continue;
		int client = l->job[i].client;

		l->job[i--] = l->job[--l->jobs];
		l->client[client].worker = k;
		client_reply(l, client, r, w->bytes, w->bytes_len);
	}
}

/* Whoever already asked for the result does not wait until the worker is ready. */
static void brought(struct loop *l, int k, const struct worker_message *m)
{
	struct crew *w = &l->crew[k];

	w->outcome = m->reply;
	w->brought = m->key;
	for (size_t i = 0; i < l->jobs; i++) {
		int client = l->job[i].client;

		if (client < 0 || !client_knows(l, client, &l->job[i].q))
			continue;
		l->job[i--] = l->job[--l->jobs];
		client_reply(l, client, &w->outcome, NULL, 0);
	}
}

static void coming(struct loop *l, int k, int64_t ms)
{
	struct crew *w = &l->crew[k];

	w->coming = loop_now_ns() + ms * 1000000;
	for (int i = 0; i < l->clients; i++)
		if (l->client[i].fd >= 0 && l->client[i].waits && l->client[i].worker == k)
			client_say_coming(l, k, i);
	for (size_t i = 0; i < l->jobs; i++)
		if (question_is_same(&l->job[i].q, &w->job.q) && l->job[i].client >= 0)
			client_say_coming(l, k, l->job[i].client);
}

static void lose_worker(struct loop *l, int k, const char *why)
{
	struct crew *w = &l->crew[k];

	if (w->busy && !w->answered)
		client_refuse(l, w->job.client, why);
	for (int i = 0; i < l->clients; i++)
		if (l->client[i].worker == k)
			l->client[i].worker = -1;
	kill(w->pid, SIGKILL);
	close(w->fd);
	w->pid = 0;
}

static void hear_worker(struct loop *l, int k)
{
	struct crew *w = &l->crew[k];
	struct worker_message m;
	struct iovec iov[] = {{&m, sizeof m}, {w->bytes, sizeof w->bytes}};
	struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2};
	ssize_t n = recvmsg(w->fd, &message, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < (ssize_t)sizeof m) {
		lose_worker(l, k, "the agent's worker ended");
		return;
	}
	if (m.says == WORKER_ANSWER) {
		w->reply = m.reply;
		w->bytes_len = (size_t)n - sizeof m;
		answered(l, k);
	} else if (m.says == WORKER_BROUGHT) {
		brought(l, k, &m);
	} else if (m.says == WORKER_COMING) {
		coming(l, k, m.reply.left_ms);
	} else {
		w->busy = 0;
	}
	l->denied |= m.says == WORKER_DENIED;
}

static int may_take(const struct loop *l, const struct job *j, int k)
{
	int last = j->client >= 0 ? l->client[j->client].worker : -1;

	/* The worker that brings this client's result is the one to be asked for it. */
	if (last >= 0 && last != k && l->crew[last].pid && l->crew[last].busy)
		return 0;
	for (int i = 0; i < DISPATCH_WORKERS; i++)
		if (l->crew[i].pid && l->crew[i].busy && question_is_same(&l->crew[i].job.q, &j->q))
			return 0;
	return 1;
}

static void give(struct loop *l, int k, size_t i)
{
	struct crew *w = &l->crew[k];

	w->job = l->job[i];
	w->busy = 1;
	w->answered = 0;
	w->outcome.answer = 0;
	w->coming = 0;
	w->since = loop_now_ns();
	/* Whoever asked it before does not wait for this. */
	for (int c = 0; c < l->clients; c++)
		if (l->client[c].worker == k)
			l->client[c].worker = -1;
	if (w->job.client >= 0)
		l->client[w->job.client].worker = k;
	memmove(l->job + i, l->job + i + 1, (--l->jobs - i) * sizeof *l->job);
	if (send(w->fd, &w->job.q, sizeof w->job.q, MSG_NOSIGNAL | MSG_DONTWAIT) !=
	    sizeof w->job.q)
		lose_worker(l, k, "the agent's worker ended");
}

/* A free place for a worker, or -1. *all: workers that live. */
static int free_place(const struct loop *l, int *all)
{
	int at = -1;

	*all = 0;
	for (int k = 0; k < DISPATCH_WORKERS; k++) {
		*all += l->crew[k].pid != 0;
		if (!l->crew[k].pid && at < 0)
			at = k;
	}
	return at;
}

static void refuse_first(struct loop *l, const char *why)
{
	int client = l->job[0].client;

	memmove(l->job, l->job + 1, --l->jobs * sizeof *l->job);
	client_refuse(l, client, why);
}

/* When another worker is forked for a question that waits since then; one at a time. */
static int64_t grow_time(const struct loop *l, int64_t since)
{
	int64_t after = loop_now_ns() < l->near_until ? GROW_NEAR_NS : GROW_NS;

	return (since > l->grown ? since : l->grown) + after;
}

/* Gives waiting questions to workers. Returns when the oldest that waits deserves another worker;
 * INT64_MAX: none waits for one. */
static int64_t dispatch(struct loop *l)
{
	int64_t grow_at = INT64_MAX;
	int all;

	for (int k = 0; k < DISPATCH_WORKERS; k++) {
		for (size_t i = 0; i < l->jobs && l->crew[k].pid && !l->crew[k].busy; i++)
			if (may_take(l, &l->job[i], k)) {
				give(l, k, i);
				break;
			}
	}
	for (size_t i = 0; i < l->jobs && grow_at == INT64_MAX; i++)
		if (may_take(l, &l->job[i], -1))
			grow_at = grow_time(l, l->job[i].since);
	int place = free_place(l, &all);
	if (grow_at == INT64_MAX || place < 0)
		return INT64_MAX;
	if (all && loop_now_ns() < grow_at)
		return grow_at;
	struct crew *w = &l->crew[place];
	memset(w, 0, sizeof *w);
	w->job.client = -1;
	l->grown = loop_now_ns();
	if (!all)
		l->near_until = l->grown + NEAR_UNSEEN_NS;
	w->pid = worker_start(&l->d->terms, &w->fd);
	if (w->pid < 0) {
		w->pid = 0;
		if (!all)
			refuse_first(l, "the agent cannot start a worker");
		return loop_now_ns() + GROW_NS;
	}
	return dispatch(l);
}

static void reap(struct loop *l)
{
	struct signalfd_siginfo si;
	pid_t pid;
	int status;

	while (read(l->signals, &si, sizeof si) == sizeof si)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (ahead_ended(pid) || sending_ended(&l->sending, l->d, pid, status))
			l->used = loop_now_ns();
}

/* Process 1 of a container may reap nobody, so workers are reaped here. One that is in the kernel,
 * on a server that went away, is not waited for. */
static void end_workers(struct loop *l)
{
	int left = 0;

	for (int k = 0; k < DISPATCH_WORKERS; k++)
		if (l->crew[k].pid)
			kill(l->crew[k].pid, SIGKILL);
	for (int ms = 0; ms < END_MOST_MS && (ms == 0 || left); ms++) {
		left = 0;
		for (int k = 0; k < DISPATCH_WORKERS; k++) {
			if (l->crew[k].pid && waitpid(l->crew[k].pid, NULL, WNOHANG) != 0)
				l->crew[k].pid = 0;
			left += l->crew[k].pid != 0;
		}
		if (left)
			sys_sleep_ns(1000000);
	}
}

/* --- the loop --- */

static int build(struct loop *l)
{
	int n = 0;

	l->p[n] = (struct pollfd){l->signals, POLLIN, 0};
	l->of[n++] = -1;
	if (l->full && loop_now_ns() - l->full > GROW_NS)
		l->full = 0;
	l->p[n] = (struct pollfd){l->full ? -1 : l->listening, POLLIN, 0};
	l->of[n++] = -1;
	for (int k = 0; k < DISPATCH_WORKERS; k++) {
		if (!l->crew[k].pid)
			continue;
		l->p[n] = (struct pollfd){l->crew[k].fd, POLLIN, 0};
		l->of[n++] = k;
	}
	for (int i = 0; i < l->clients; i++) {
		if (l->client[i].fd < 0)
			continue;
		l->p[n] = (struct pollfd){l->client[i].fd, POLLIN, 0};
		l->of[n++] = DISPATCH_WORKERS + i;
	}
	return n;
}

/* Ends what lasts too long. Returns the number of clients. */
static int tidy(struct loop *l)
{
	int64_t now = loop_now_ns();
	int clients = 0;

	l->busy = 0;
	for (int k = 0; k < DISPATCH_WORKERS; k++) {
		if (l->crew[k].pid && l->crew[k].busy && now - l->crew[k].since > BUSY_MOST_NS)
			lose_worker(l, k, "the remote store does not come back");
		l->busy += l->crew[k].pid && l->crew[k].busy;
	}
	for (int i = 0; i < l->clients; i++) {
		if (l->client[i].fd >= 0 && !l->client[i].waits &&
		    now - l->client[i].since > CLIENT_IDLE_NS)
			client_drop(l, i);
		clients += l->client[i].fd >= 0;
	}
	return clients;
}

/* A zombie whose parent is process 1, or 0. */
static pid_t zombie_of_init(void)
{
	DIR *proc = opendir("/proc");
	char path[300], text[512], *end;
	struct dirent *e;
	pid_t found = 0;

	while (proc && !found && (e = readdir(proc))) {
		pid_t pid = (pid_t)atoi(e->d_name), parent = 0;
		char state = 0;

		snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
		int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		if (fd < 0)
			continue;
		ssize_t n = read(fd, text, sizeof text - 1);
		close(fd);
		text[n > 0 ? n : 0] = '\0';
		end = strrchr(text, ')');
		if (end && sscanf(end + 1, " %c %d", &state, &parent) == 2 && state == 'Z' &&
		    parent == 1)
			found = pid;
	}
	if (proc)
		closedir(proc);
	return found;
}

/* Where process 1 reaps nobody, an agent that ends is one zombie more. So the second agent stays,
 * and serves all later jobs. A zombie that is gone at the next look was reaped. */
static int stays(struct loop *l)
{
	int64_t now = loop_now_ns();
	pid_t was = l->zombie;

	if (getppid() != 1)
		return 0;
	if (now < l->look_again)
		return l->zombie != 0;
	l->zombie = zombie_of_init();
	l->look_again = now + (l->zombie == was ? AGENT_IDLE_NS : LOOK_NS);
	return l->zombie != 0;
}

static int is_idle(struct loop *l, int clients)
{
	int64_t most = l->d->has_remote ? AGENT_IDLE_NS : IDLE_LOCAL_NS;

	if (clients || l->jobs || l->busy)
		return 0;
	/* A publisher needs no agent to go on. */
	return l->listening < 0 || (!l->sending.pid && !l->sending.wanted && !ahead_at_work() &&
	                            loop_now_ns() - l->used >= most && !stays(l));
}

static int timeout_ms(int64_t until)
{
	int64_t ms = (until - loop_now_ns()) / 1000000 + 1;

	return ms < 0 ? 0 : ms > 500 ? 500 : (int)ms;
}

/* Nobody finds the socket any more; who found it is still served. */
static void retire(struct loop *l)
{
	l->d->retire(l->d->ctx);
	clients_accept(l);
	close(l->listening);
	l->listening = -1;
}

static void step(struct loop *l)
{
	int64_t at = dispatch(l);
	int n = build(l);

	if (l->full && at > l->full + GROW_NS)
		at = l->full + GROW_NS;
	if (poll(l->p, (nfds_t)n, at == INT64_MAX ? 500 : timeout_ms(at)) < 0 &&
	    errno != EINTR)
		sys_sleep_ns(GROW_NS);
	if (l->p[0].revents)
		reap(l);
	for (int i = 2; i < n; i++) {
		if (!l->p[i].revents)
			continue;
		if (l->of[i] < DISPATCH_WORKERS && l->crew[l->of[i]].pid &&
		    l->crew[l->of[i]].fd == l->p[i].fd)
			hear_worker(l, l->of[i]);
		else if (l->of[i] >= DISPATCH_WORKERS &&
		         l->client[l->of[i] - DISPATCH_WORKERS].fd == l->p[i].fd)
			client_hear(l, l->of[i] - DISPATCH_WORKERS);
	}
	if (l->listening >= 0 && l->p[1].revents && clients_accept(l) < 0)
		retire(l);
}

/* Somebody removed the runtime directory, or its socket. */
static int is_lost(struct loop *l)
{
	int64_t now = loop_now_ns();

	if (now - l->looked < LOOK_NS)
		return 0;
	l->looked = now;
	return l->d->is_lost(l->d->ctx);
}

void dispatch_run(const struct dispatch *d)
{
	struct loop *l = calloc(1, sizeof *l);
	sigset_t chld;

	if (!l || !(l->job = calloc(JOBS_MAX, sizeof *l->job)))
		return;
	l->d = d;
	l->listening = d->listening;
	for (int i = 0; i < CLIENTS_MAX; i++)
		l->client[i].fd = -1;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	l->signals = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	l->used = loop_now_ns();
	sending_look(&l->sending, d);
	for (;;) {
		int clients = tidy(l);

		ahead_yield((unsigned)l->jobs + l->busy);
		if (l->listening >= 0 && (l->outdated || is_lost(l)))
			retire(l);
		sending_start(&l->sending, d);
		if (is_idle(l, clients)) {
			if (l->listening < 0)
				break;
			retire(l);
			continue;
		}
		step(l);
		/* A question that has just come goes first: these read directories. */
		if (l->jobs)
			continue;
		if (!l->swept || loop_now_ns() - l->swept > SWEEP_NS) {
			d->sweep(d->ctx);
			l->swept = loop_now_ns();
		}
		if (loop_now_ns() - l->used < SENDING_LOOK_NS)
			sending_look(&l->sending, d);
	}
	end_workers(l);
	free(l->job);
	free(l);
}
