/* agent/worker.c - answers questions. */
#include "agent/worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/ahead.h"
#include "agent/fill.h"
#include "agent/memory_limit.h"
#include "shim/kernel/hidden_child.h"
#include "shim/log.h"
#include "shim/settings/job.h"

struct worker {
	const struct worker_terms *t;
	int fd; /* of the agent */
	struct remote remote;
	struct store inbox;
	struct filler f;
	struct arena kept, work; /* of the open remote, of one question */
	struct fault fault;
	int is_open;
	unsigned char bytes[AGENT_BYTES]; /* that follow the answer */
	size_t room, bytes_len; /* of these bytes: they fit the socket; they are filled */
};

static int say(const struct worker *w, const struct worker_message *m)
{
	size_t more = m->says == WORKER_ANSWER ? w->bytes_len : 0;
	struct iovec iov[] = {{(void *)m, sizeof *m}, {(void *)w->bytes, more}};
	struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2};

	return sendmsg(w->fd, &message, MSG_NOSIGNAL) == (ssize_t)(sizeof *m + more) ? 0 : -1;
}

/* A client's clock and ours need not agree to the millisecond. */
#define GRACE_MS 100
static void tell_coming(void *ctx, int64_t ns)
{
	say(ctx, &(struct worker_message){.says = WORKER_COMING, .reply = {
		.magic = AGENT_MAGIC, .answer = AGENT_COMING,
		.left_ms = ns / 1000000 + GRACE_MS}});
}

/* 0; -1 with w->fault: there is no remote store. */
static int open_remote(struct worker *w)
{
	const struct worker_terms *t = w->t;

	if (w->is_open)
		return 0;
	arena_free(&w->kept);
	if (remote_open(&w->remote, t->set, t->envp,
	                settings_job(t->set, t->envp, &w->kept, NULL), t->store, &w->kept,
	                &w->fault) < 0) {
		log_once("remote", "the remote store is off: %s", w->fault.text);
		return -1;
	}
	if (!w->remote.on)
		return fault_set(&w->fault, ENOENT, "no remote store is configured");
	if (inbox_open(&w->inbox, t->store, &w->kept) < 0)
		return fault_set(&w->fault, ENOENT, "no directory that can be written");
	w->f = (struct filler){.store = t->store, .inbox = &w->inbox, .remote = &w->remote,
	                       .set = t->set};
	w->remote.arena = &w->work;
	w->remote.memory = setting_number(t->set, SETTING_REMOTE_MEMORY);
	w->remote.coming = tell_coming;
	w->remote.coming_ctx = w;
	w->is_open = 1;
	return 0;
}

static int has_token(const struct agent_question *q)
{
	static const unsigned char none[SPOOL_TOKEN];

	return memcmp(q->token, none, SPOOL_TOKEN) != 0;
}

static enum agent_answer of_lease(int rc, struct worker *w)
{
	if (rc < 0)
		fault_set(&w->fault, EAGAIN, "no answer about the lease");
	return rc < 0 ? AGENT_SKIPPED : rc > 0 ? AGENT_FILLED : AGENT_ABSENT;
}

static void be_told(struct worker *w, const struct agent_question *q)
{
	if (has_token(q))
		remote_lease_release(&w->remote, &q->key, q->token);
	if (q->took_ns > 0)
		remote_note_duration(&w->remote, q->took_ns);
	if (q->flags & AGENT_WAITED_IN_VAIN)
		remote_lease_wait_failed(&w->remote);
}

static enum agent_answer result(struct worker *w, const struct digest *k2, struct agent_reply *out)
{
	enum agent_answer answer = fill_result(&w->f, k2, &w->fault);

	out->checked = (unsigned)w->f.checked;
	return answer;
}

static enum agent_answer answer(struct worker *w, struct agent_question *q,
                                struct agent_reply *out, struct digest *newest)
{
	switch ((enum agent_verb)q->verb) {
	case AGENT_FILL:
		if (q->class == STORE_SET && ahead_has_set(&q->key))
			return AGENT_FILLED;
		return fill_local(&w->f, (enum store_class)q->class, &q->key, &w->fault);
	case AGENT_CANDIDATES:
		return fill_candidates(&w->f, &q->key, q->from, out, w->bytes, w->room,
		                       &w->bytes_len, newest, &w->fault);
	case AGENT_RESULT:
		return result(w, &q->key, out);
	case AGENT_LEASE_TAKE:
		out->answer = of_lease(remote_lease_take(&w->remote, &q->key, out->token, q->ms),
		                       w);
		out->listed = w->remote.listed;
		out->left_ms = w->remote.lease_left_ms;
		return (enum agent_answer)out->answer;
	case AGENT_LEASE_RENEW:
		return of_lease(remote_lease_renew(&w->remote, &q->key, q->token, q->ms), w);
	case AGENT_PING:
		return remote_answers(&w->remote, &w->fault) == 0 ? AGENT_FILLED : AGENT_SKIPPED;
	case AGENT_DONE:
		be_told(w, q);
		return AGENT_FILLED;
	case AGENT_PREFETCH: /* not a worker's */
	case AGENT_BREAKER:
	case AGENT_RETIRE:
		break;
	}
	fault_set(&w->fault, EINVAL, "no such question");
	return AGENT_SKIPPED;
}

static void charge(struct worker *w, const struct agent_question *q)
{
	struct remote *r = &w->remote;

	r->job = *q->events_of ? q->events_of : NULL;
	r->rank = q->rank;
	r->ask_again = (q->flags & AGENT_ASKS_AGAIN) != 0;
	r->refused[0] = '\0';
	remote_charge(r, q->job, q->verb == AGENT_FILL
	              ? REMOTE_BUDGET_UNITS + (q->class == STORE_SET) : q->budget);
}

/* Of the last question. */
static void complete(struct worker *w, enum agent_answer answer, struct agent_reply *out)
{
	out->answer = answer;
	memcpy(out->refused, w->remote.refused, sizeof out->refused);
	out->sends = remote_may_publish(&w->remote) && remote_allows(&w->remote, STORE_MANIFEST);
	out->waits_off = (unsigned)remote_lease_wait_is_off(&w->remote);
	if (answer == AGENT_SKIPPED)
		memccpy(out->text, w->fault.text, '\0', sizeof out->text - 1);
}

/* While the client checks the inputs of the one candidate, its result is brought. */
static int bring(struct worker *w, const struct digest *k2)
{
	struct worker_message m = {.says = WORKER_BROUGHT, .key = *k2,
	                           .reply = {.magic = AGENT_MAGIC, .left_ms = -1}};

	w->remote.refused[0] = '\0';
	complete(w, result(w, k2, &m.reply), &m.reply);
	return say(w, &m);
}

/* 0; -1 with w->fault: no question can be answered. */
static int prepare(struct worker *w, const struct agent_question *q)
{
	if (q->from >= STORE_SLOTS)
		return fault_set(&w->fault, EINVAL, "no such candidate");
	if (open_remote(w) < 0)
		return -1;
	if (remote_reload_keys(&w->remote, &w->fault) == 0)
		return 0;
	log_once("agent", "nothing is fetched: %s", w->fault.text);
	w->is_open = 0;
	return -1;
}

/* 0, or -1: this worker ends. */
static int serve_one(struct worker *w, struct agent_question *q)
{
	struct worker_message m = {.says = WORKER_ANSWER, .reply = {
		.magic = AGENT_MAGIC, .answer = AGENT_SKIPPED, .left_ms = -1}};
	struct digest newest = {{0}};
	int usable;

	w->fault = (struct fault){0, ""};
	w->bytes_len = 0;
	q->events_of[sizeof q->events_of - 1] = '\0';
	usable = prepare(w, q) == 0;
	if (usable) {
		charge(w, q);
		complete(w, answer(w, q, &m.reply, &newest), &m.reply);
	} else {
		memccpy(m.reply.text, w->fault.text, '\0', sizeof m.reply.text - 1);
	}
	if (say(w, &m) < 0)
		return -1;
	if (usable && q->verb == AGENT_CANDIDATES && q->from == 0 && m.reply.count == 1 &&
	    !fill_has_result(&w->f, &newest) && bring(w, &newest) < 0)
		return -1;
	w->remote.job = NULL;
	if (usable)
		remote_backfill(&w->remote);
	arena_free(&w->work);
	/* The next question opens the stores again: a password may be another one by then. Whether
	 * a store is asked at all is the breaker's to say. */
	if (w->is_open && remote_failed(&w->remote)) {
		remote_close(&w->remote);
		w->is_open = 0;
	}
	m.says = usable && w->remote.denied ? WORKER_DENIED : WORKER_READY;
	return say(w, &m);
}

_Noreturn static void serve(const struct worker_terms *t, int fd)
{
	static struct worker w;
	struct agent_question q;
	unsigned tries = 0;

	w.t = t;
	w.fd = fd;
	memory_limit(t->set);
	/* The agent's sockets were made with the same size of their buffers. */
	w.room = agent_room(fd, sizeof(struct worker_message));
	for (;;) {
		ssize_t n = recv(fd, &q, sizeof q, 0);

		if (n < 0 && errno == EINTR && ++tries < 1000)
			continue;
		if (n != sizeof q || serve_one(&w, &q) < 0)
			break;
		tries = 0;
	}
	if (w.is_open)
		remote_close(&w.remote);
	_exit(0);
}

pid_t worker_start(const struct worker_terms *t, int *fd)
{
	pid_t parent = getpid(), pid;
	int pair[2];
	sigset_t none;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "reprise-worker");
		if (getppid() != parent)
			_exit(0);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		/* The agent's clients, its lock and its other workers are not this process's. */
		descriptors_close_others((int[]){0, 1, 2, pair[1]}, 4);
		serve(t, pair[1]);
	}
	close(pair[1]);
	*fd = pair[0];
	if (pid < 0)
		close(pair[0]);
	return pid;
}
