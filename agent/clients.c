/* agent/clients.c - the agent's clients. */
#include "agent/clients.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/ahead.h"
#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/queue/spool.h"
#include "units/offer.h"

void client_drop(struct loop *l, int i)
{
	close(l->client[i].fd);
	l->client[i].fd = -1;
	while (l->clients && l->client[l->clients - 1].fd < 0)
		l->clients--;
	for (size_t k = 0; k < l->jobs; k++)
		if (l->job[k].client == i)
			l->job[k--] = l->job[--l->jobs];
	for (int k = 0; k < DISPATCH_WORKERS; k++)
		if (l->crew[k].pid && l->crew[k].job.client == i)
			l->crew[k].job.client = -1;
}

void client_reply(struct loop *l, int i, const struct agent_reply *r, const void *bytes, size_t n)
{
	struct iovec iov[] = {{(void *)r, sizeof *r}, {(void *)bytes, n}};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = 2};
	struct client *c = &l->client[i];

	c->waits = 0;
	c->since = loop_now_ns();
	if (sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)(sizeof *r + n))
		client_drop(l, i);
}

void client_refuse(struct loop *l, int client, const char *why)
{
	struct agent_reply r = {.magic = AGENT_MAGIC, .answer = AGENT_SKIPPED, .left_ms = -1,
	                        .sends = (unsigned)l->d->has_remote};

	memccpy(r.text, why, '\0', sizeof r.text - 1);
	if (client >= 0)
		client_reply(l, client, &r, NULL, 0);
}

void client_say_coming(struct loop *l, int k, int client)
{
	struct agent_reply r = {.magic = AGENT_MAGIC, .answer = AGENT_COMING,
	                        .left_ms = (l->crew[k].coming - loop_now_ns()) / 1000000};

	if (r.left_ms > 0)
		send(l->client[client].fd, &r, sizeof r, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int question_is_same(const struct agent_question *a, const struct agent_question *b)
{
	return a->verb == b->verb && a->verb != AGENT_LEASE_TAKE && a->verb != AGENT_LEASE_RENEW &&
	       a->verb != AGENT_DONE && a->class == b->class && a->from == b->from &&
	       a->flags == b->flags && digest_equal(&a->key, &b->key);
}

int client_knows(const struct loop *l, int i, const struct agent_question *q)
{
	const struct crew *w = l->client[i].worker < 0 ? NULL : &l->crew[l->client[i].worker];

	return w && q->verb == AGENT_RESULT && w->outcome.answer &&
	       digest_equal(&q->key, &w->brought);
}

static struct agent_reply breaker_reply(const struct dispatch *d, const struct agent_question *q)
{
	struct agent_reply r = {.magic = AGENT_MAGIC, .answer = AGENT_FILLED, .left_ms = -1};
	struct breaker_state b = {.last = ""};
	struct digest own;

	digest_name(&own, d->terms.store->remote, strlen(d->terms.store->remote));
	if (!digest_equal(&q->key, &own))
		r.answer = AGENT_ABSENT;
	if (d->memory)
		remote_memory_read(d->memory, q->from, &b);
	r.count = (unsigned)b.is_open;
	r.more = (unsigned)b.publishing_off;
	if (b.is_open)
		snprintf(r.text, sizeof r.text, "open since the last failure (%s): jobs do not use "
		         "the remote store; next try in %.1f s", b.last,
		         (double)b.retry_in_ns / 1e9);
	else
		snprintf(r.text, sizeof r.text, "closed; look-ups took %.1f s in all and saved "
		         "%.1f s", (double)b.waited_ns / 1e9, (double)b.saved_ns / 1e9);
	return r;
}

static void take_question(struct loop *l, int i, const struct agent_question *q)
{
	int tells = q->verb == AGENT_DONE;

	l->used = loop_now_ns();
	if (!tells && l->denied && q->secrets != l->d->secrets) {
		/* This client asks again, and a new agent begins with its secrets. */
		l->outdated = 1;
		l->d->retire(l->d->ctx);
		client_drop(l, i);
		return;
	}
	if (tells && q->flags & AGENT_SENDS)
		l->sending.wanted = 1;
	if (q->verb == AGENT_RETIRE) {
		const struct agent_reply r = {.magic = AGENT_MAGIC, .answer = AGENT_FILLED};

		l->outdated = 1;
		client_reply(l, i, &r, NULL, 0);
		return;
	}
	if (!l->d->has_remote) {
		if (!tells)
			client_refuse(l, i, "no remote store is configured");
		return;
	}
	if (q->verb == AGENT_PREFETCH || q->verb == AGENT_BREAKER) {
		const struct agent_reply r = q->verb == AGENT_PREFETCH
		                             ? ahead_ask(&l->d->terms, q)
		                             : breaker_reply(l->d, q);

		client_reply(l, i, &r, NULL, 0);
		return;
	}
	if (l->jobs == JOBS_MAX) {
		if (!tells)
			client_refuse(l, i, "the agent has too many questions");
		return;
	}
	/* A worker that still brings what follows its answer would not hear this question. */
	for (int k = 0; k < DISPATCH_WORKERS && !tells; k++) {
		struct crew *w = &l->crew[k];

		if (w->pid && w->busy && w->answered && question_is_same(&w->job.q, q)) {
			l->client[i].worker = k;
			client_reply(l, i, &w->reply, w->bytes, w->bytes_len);
			return;
		}
	}
	if (client_knows(l, i, q)) {
		client_reply(l, i, &l->crew[l->client[i].worker].outcome, NULL, 0);
		return;
	}
	l->job[l->jobs++] = (struct job){*q, tells ? -1 : i, l->used};
	l->client[i].waits |= !tells;
	if (!tells && l->client[i].worker >= 0 && l->crew[l->client[i].worker].busy)
		client_say_coming(l, l->client[i].worker, i);
}

void client_hear(struct loop *l, int i)
{
	struct agent_question q;
	ssize_t n = recv(l->client[i].fd, &q, sizeof q, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* A client that asks again before it has its answer does not speak this protocol. */
	if (n != sizeof q || q.magic != AGENT_MAGIC || l->client[i].waits)
		client_drop(l, i);
	else
		take_question(l, i, &q);
}

int clients_accept(struct loop *l)
{
	for (int i = 0; i < CLIENTS_MAX; i++) {
		if (l->client[i].fd >= 0)
			continue;
		int fd = accept4(l->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
		               errno == ENOBUFS))
			break;
		if (fd < 0)
			return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? 0 : -1;
		if (!agent_peer_is_ours(fd)) {
			close(fd);
			continue;
		}
		l->client[i] = (struct client){fd, -1, 0, loop_now_ns()};
		if (i >= l->clients)
			l->clients = i + 1;
		l->used = loop_now_ns();
		/* Its question mostly came with it. */
		client_hear(l, i);
	}
	/* They wait until a client goes. */
	l->full = loop_now_ns();
	return 0;
}

/* --- the publisher --- */

/* As long as workers do not take what is to be sent (remote/breaker.h). */
#define DENIED_NS 3600000000000ll

void sending_look(struct sending *s, const struct dispatch *d)
{
	size_t records = 0, offers = 0;
	int64_t age, now = sys_now_ns(CLOCK_MONOTONIC);

	if (s->pid || (s->looked && now - s->looked < SENDING_LOOK_NS))
		return;
	s->looked = now;
	offers_pending(d->terms.store, &offers, &age);
	if (d->has_remote && now >= s->denied_until)
		spool_pending(d->terms.store, &records, &age);
	s->wanted |= records || offers;
}

void sending_start(struct sending *s, const struct dispatch *d)
{
	char name[] = "reprise", verb[] = "publish", option[] = "--daemon";
	char *argv[] = {name, verb, option, NULL};
	posix_spawnattr_t attr;
	sigset_t none;

	if (!s->wanted || s->pid || (s->later && sys_now_ns(CLOCK_MONOTONIC) < s->later))
		return;
	s->wanted = 0;
	if (!d->publisher) {
		log_once("publisher", "no `reprise` beside the agent: nothing is published");
		return;
	}
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	if (posix_spawn(&s->pid, d->publisher, NULL, &attr, argv, d->terms.envp) != 0)
		s->pid = 0;
	posix_spawnattr_destroy(&attr);
}

int sending_ended(struct sending *s, const struct dispatch *d, pid_t pid, int status)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC);

	if (pid != s->pid)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == AGENT_DENIED) {
		s->denied_until = now + DENIED_NS;
		if (d->memory)
			remote_memory_publishing_off(d->memory);
	}
	/* What was told meanwhile is sent, or it waits in the spool. */
	*s = status ? (struct sending){.wanted = s->wanted, .looked = now,
	                               .later = now + SENDING_LOOK_NS,
	                               .denied_until = s->denied_until}
	            : (struct sending){0};
	return 1;
}
