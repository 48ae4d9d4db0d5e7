/* store/agent.c - questions to the agent. */
#include "store/agent.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/settings/job.h"
#include "store/agent_start.h"
#include "store/lock.h"

#include "shim/banned.h"

/* The time to start an agent on a busy node. */
#define START_NS 250000000ll
/* Clients that connect at once: eight ranks with thirty-two compile threads each. */
#define BACKLOG 1024
/* Until an agent that was just started listens. */
#define START_PAUSE_NS 1000000ll

/* --- the socket --- */

void agent_name(char out[AGENT_NAME_SIZE], const struct store *store, const struct settings *set)
{
	/* Its limits, what it does to the store, and its log. Below: its version, and that it
	 * understands the question. */
	static const enum setting_id more[] = {SETTING_REMOTE_LOOKUP_TIMEOUT,
	                                       SETTING_REMOTE_TRANSFER_TIMEOUT,
	                                       SETTING_REMOTE_MIN_RATE,
	                                       SETTING_REMOTE_MEMORY, SETTING_MAX_SIZE,
	                                       SETTING_COMPRESS, SETTING_READONLY,
	                                       SETTING_LOCAL, SETTING_SEED_DIRS,
	                                       SETTING_LOG, SETTING_LOG_LEVEL};
	static const char version[] = REPRISE_VERSION;
	const uint32_t terms[] = {AGENT_MAGIC, sizeof(struct agent_question),
	                          sizeof(struct agent_reply)};
	struct digest_state s;
	char net[64];
	struct digest d;
	char hex[DIGEST_HEX + 1];

	digest_init_as(&s, DIGEST_XXH3);
	digest_add(&s, terms, sizeof terms);
	digest_add(&s, version, sizeof version);
	/* "net:[4026531840]": an agent reaches what its network namespace reaches. */
	ssize_t n = sys_readlink("/proc/self/ns/net", net, sizeof net);
	digest_add(&s, net, n > 0 ? (size_t)n : 0);
	digest_add(&s, store->remote, strlen(store->remote) + 1);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		digest_add(&s, setting_text(set, more[i]), strlen(setting_text(set, more[i])) + 1);
	digest_final(&s, &d);
	digest_hex(&d, hex);
	hex[16] = '\0';
	format_text(out, AGENT_NAME_SIZE, "agent.%s", hex);
}

uint64_t agent_secrets(const struct settings *set, char *const envp[])
{
	static const enum setting_id settings[] = {
		SETTING_REMOTE_URL, SETTING_REDIS_URL, SETTING_REDIS_PASSWORD,
		SETTING_REDIS_PASSWORD_FILE};
	static const char variables[][40] = {
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"};
	struct digest_state s;
	struct digest d;
	uint64_t n;

	digest_init_as(&s, DIGEST_XXH3);
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		digest_add(&s, setting_text(set, settings[i]),
		           strlen(setting_text(set, settings[i])) + 1);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = env_get(envp, variables[i]);

		digest_add(&s, value ? value : "", value ? strlen(value) + 1 : 1);
	}
	digest_final(&s, &d);
	memcpy(&n, d.b, sizeof n);
	return n;
}

/* A runtime directory whose name is too long for a socket's address is named by its descriptor. */
static int address(struct sockaddr_un *at, const char *runtime_dir, int dir, const char *name)
{
	at->sun_family = AF_UNIX;
	size_t n = format_text(at->sun_path, sizeof at->sun_path, "%s/%s", runtime_dir, name);
	if (n >= sizeof at->sun_path)
		n = format_text(at->sun_path, sizeof at->sun_path, "/proc/self/fd/%d/%s", dir,
		                name);
	return n < sizeof at->sun_path ? 0 : -ENAMETOOLONG;
}

int agent_peer_is_ours(int fd)
{
	struct ucred peer;
	socklen_t n = sizeof peer;

	return SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
	       peer.uid == sys_geteuid() && peer.pid != 0;
}

/* What a message takes of the buffer beyond its bytes (net/unix/af_unix.c). */
#define MESSAGE_COSTS 32
size_t agent_room(int fd, size_t n)
{
	int buffer = 0;
	socklen_t len = sizeof buffer;

	if (SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_SNDBUF, &buffer, &len) < 0 ||
	    buffer < (int)n + MESSAGE_COSTS)
		return 0;
	size_t room = (size_t)buffer - n - MESSAGE_COSTS;
	return room < AGENT_BYTES ? room : AGENT_BYTES;
}

int agent_socket(const char *runtime_dir, const char *name, int serve)
{
	struct sockaddr_un at = {0};
	int dir = sys_above_streams(sys_open(runtime_dir, O_PATH | O_DIRECTORY | O_CLOEXEC, 0));
	int fd = -EIO, rc;

	if (dir < 0)
		return dir;
	rc = address(&at, runtime_dir, dir, name);
	if (rc == 0)
		rc = fd = sys_above_streams((int)SYS3(SYS_socket, AF_UNIX,
		                                      SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
		                                      0));
	if (rc >= 0 && serve) {
		SYS3(SYS_unlinkat, dir, name, 0);
		rc = (int)SYS3(SYS_bind, fd, &at, sizeof at);
		if (rc == 0)
			rc = (int)SYS2(SYS_listen, fd, BACKLOG);
	} else if (rc >= 0) {
		rc = (int)SYS3(SYS_connect, fd, &at, sizeof at);
		if (rc == 0 && !agent_peer_is_ours(fd))
			rc = -EPERM;
	}
	sys_close(dir);
	if (rc < 0 && fd >= 0)
		sys_close(fd);
	return rc < 0 ? rc : fd;
}

/* 0: fd has data, or its peer has closed it; -ETIMEDOUT at the deadline. */
static int wait_for(int fd, short events, int64_t deadline)
{
	for (;;) {
		struct pollfd p = {fd, events, 0};
		int64_t left = deadline - sys_now_ns(CLOCK_MONOTONIC);
		struct timespec ts = {left / 1000000000, left % 1000000000};

		if (left <= 0)
			return -ETIMEDOUT;
		long rc = SYS5(SYS_ppoll, &p, 1, &ts, NULL, 0);
		if (rc != 0 && rc != -EINTR)
			return rc < 0 ? (int)rc : 0;
	}
}

/* Where a wait in vain cannot be remembered, each process would wait again. */
static int start(struct agent *g, struct fault *fault)
{
	static const char about[] = "an agent was started";
	struct digest d;

	digest_name(&d, about, sizeof about);
	if (negative_cache_note(g->s, &d) < 0)
		return fault_set(fault, EROFS, "the runtime directory cannot be written");
	return agent_start(g->envp, g->a, fault);
}

/* The lock of the one process that starts the agent. A second agent would end at once, and be a
 * zombie for ever where process 1 reaps nobody. LOCK_TIMEOUT: another process has it. */
static enum lock_status starts(struct lock *l, const struct agent *g)
{
	char text[AGENT_NAME_SIZE + 8] = "starts ";
	struct digest d;

	strcat(text, g->name);
	digest_name(&d, text, strlen(text));
	return lock_take(l, g->s->runtime_dir, &d, 0, NULL);
}

/* All that is told is in the spool, where an agent that begins looks. */
static int is_spooled(const struct agent_question *q)
{
	static const unsigned char none[SPOOL_TOKEN];

	return q->verb == AGENT_DONE && q->flags == AGENT_SENDS && !q->took_ns &&
	       memcmp(q->token, none, sizeof none) == 0;
}

/* Connects to the agent, and starts one where none answers. The descriptor, or -1 with *fault; or
 * BEGINS where `leave` says that an agent that begins need not be told. */
#define BEGINS (-2)
static int reach(struct agent *g, int leave, int64_t deadline, struct fault *fault)
{
	enum { WAITS, MAY_START, STARTED } state = WAITS;
	struct lock l = LOCK_INIT;
	int fd;

	for (;;) {
		fd = agent_socket(g->s->runtime_dir, g->name, 0);
		/* A full backlog passes. A socket without a listener is a killed agent's. */
		if (fd >= 0 || (fd != -EAGAIN && fd != -ENOENT && fd != -ECONNREFUSED))
			break;
		/* An agent may have come while the lock was taken. */
		if (fd != -EAGAIN && state == WAITS && starts(&l, g) != LOCK_TIMEOUT) {
			state = MAY_START;
			continue;
		}
		if (fd != -EAGAIN && state == MAY_START) {
			state = STARTED;
			if (start(g, fault) < 0)
				goto out;
		}
		if (fd != -EAGAIN && leave) {
			lock_release(&l);
			return BEGINS;
		}
		if (sys_now_ns(CLOCK_MONOTONIC) >= deadline) {
			fault_set(fault, ETIMEDOUT, "no agent answered in time");
			goto out;
		}
		sys_sleep_ns(START_PAUSE_NS);
	}
	if (fd < 0)
		fault_sys(fault, -fd, "ask the agent", g->name);
out:
	lock_release(&l);
	return fd < 0 ? -1 : fd;
}

/* --- one client --- */

/* A process that waited in vain for the agent (stopped, or stuck) tells all others so for
 * NEGATIVE_CACHE_S. A thousand kernels must not wait one after the other. */
static void silence(struct digest *out, const struct agent *g)
{
	digest_name(out, g->name, strlen(g->name));
}

void agent_open(struct agent *g, struct store *s, const struct settings *set, char *const envp[],
                struct arena *a)
{
	struct digest silent;

	*g = (struct agent){.s = s, .set = set, .envp = envp, .a = a, .fd = -1};
	agent_name(g->name, s, set);
	silence(&silent, g);
	g->silent = negative_cache_known(g->s, &silent);
}

void agent_close(struct agent *g)
{
	if (g->fd >= 0)
		sys_close(g->fd);
	g->fd = -1;
}

void agent_question(struct agent_question *q, const struct agent *g, enum agent_verb verb,
                    enum store_class class, const struct digest *key)
{
	const char *job = settings_job(g->set, g->envp, g->a, NULL);
	const char *events_of = events_job(g->set, g->envp, g->a);
	struct digest d;
	struct rank rank;

	memset(q, 0, sizeof *q);
	q->magic = AGENT_MAGIC;
	q->verb = verb;
	q->class = class;
	q->key = *key;
	digest_name(&d, job, strlen(job));
	memcpy(&q->job, d.b, sizeof q->job);
	q->secrets = agent_secrets(g->set, g->envp);
	if (events_of && strlen(events_of) < sizeof q->events_of)
		strcpy(q->events_of, events_of);
	else if (events_of)
		events_name(q->events_of, events_of);
	rank_read(&rank, g->envp);
	q->rank = rank.known > 0 ? (int32_t)rank.rank : EVENT_NO_RANK;
}

int64_t agent_patience(const struct agent *g, int transfers)
{
	uint64_t ms = transfers ? setting_number(g->set, SETTING_REMOTE_TRANSFER_TIMEOUT) : 0;

	return START_NS + g->s->look_up_ns + (int64_t)ms * 1000000;
}

/* No transfer is longer, whatever an answer says. */
#define COMING_MOST_MS 600000
#define NEWS_MOST 100
static int64_t later(int64_t deadline, int64_t ms)
{
	int64_t then = ms > 0 && ms < COMING_MOST_MS
	               ? sys_now_ns(CLOCK_MONOTONIC) + ms * 1000000 : 0;

	return then > deadline ? then : deadline;
}

/* Receives an answer, and into g->bytes what follows it. Its length without that, or -errno. */
static long receive(struct agent *g, struct agent_reply *out)
{
	struct iovec iov[] = {{out, sizeof *out}, {g->bytes, g->bytes ? AGENT_BYTES : 0}};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = 2};
	long n = SYS3(SYS_recvmsg, g->fd, &m, MSG_DONTWAIT);

	g->bytes_len = n > (long)sizeof *out ? (size_t)n - sizeof *out : 0;
	return n - (long)g->bytes_len;
}

/* Sends a question and reads its answer. The answer's length, or -errno; 0: the agent has ended. */
static long exchange(struct agent *g, const struct agent_question *q, int64_t deadline,
                     struct agent_reply *out)
{
	int news = 0;
	long n = SYS6(SYS_sendto, g->fd, q, sizeof *q, MSG_NOSIGNAL, NULL, 0);

	if (n == -EPIPE || n == -ECONNRESET)
		return 0;
	if (n != (long)sizeof *q)
		return n < 0 ? n : -EPROTO;
	if (q->verb == AGENT_DONE)
		return n;
	g->bytes = q->verb == AGENT_CANDIDATES ? arena_alloc(g->a, AGENT_BYTES) : NULL;
	/* Bytes that are on their way may take as long as the agent says. */
	do {
		n = wait_for(g->fd, POLLIN, deadline);
		if (n < 0)
			return n;
		n = receive(g, out);
		deadline = later(deadline, out->left_ms);
	} while (n == (long)sizeof *out && out->answer == AGENT_COMING && ++news < NEWS_MOST);
	return n == -ECONNRESET ? 0 : n;
}

static enum agent_answer answer_of(const struct agent_question *q, long n, struct agent_reply *out,
                                   struct fault *fault)
{
	if (q->verb == AGENT_DONE && n == (long)sizeof *q)
		return AGENT_FILLED;
	if (n == (long)sizeof *out && out->magic == AGENT_MAGIC && out->answer >= AGENT_FILLED &&
	    out->answer <= AGENT_SKIPPED) {
		out->text[sizeof out->text - 1] = out->refused[sizeof out->refused - 1] = '\0';
		if (out->answer == AGENT_SKIPPED)
			fault_set(fault, EAGAIN, "%s", out->text);
		return (enum agent_answer)out->answer;
	}
	fault_set(fault, n < 0 ? (int)-n : EPROTO, n == -ETIMEDOUT ? "no agent answered in time"
	                                                           : "the agent gave no answer");
	return AGENT_SKIPPED;
}

enum agent_answer agent_ask(struct agent *g, const struct agent_question *q, int64_t wait_ns,
                            struct agent_reply *out, struct fault *fault)
{
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + wait_ns;
	enum agent_answer answer = AGENT_SKIPPED;
	struct digest silent;
	long n = 0;

	memset(out, 0, sizeof *out);
	fault->code = 0;
	if (!g->s->runtime_dir) {
		fault_set(fault, ENOENT, "no runtime directory to ask the agent in");
		return AGENT_SKIPPED;
	}
	if (g->silent) {
		fault_set(fault, EAGAIN, "no agent answered a moment ago");
		return AGENT_SKIPPED;
	}
	/* An agent that was idle may end while it is asked: then a new one is. */
	for (int tries = 0; tries < 2 && n == 0; tries++) {
		if (g->fd < 0)
			g->fd = reach(g, is_spooled(q), deadline, fault);
		if (g->fd == BEGINS) {
			g->fd = -1;
			return AGENT_FILLED;
		}
		if (g->fd < 0)
			break;
		n = exchange(g, q, deadline, out);
		if (n <= 0)
			agent_close(g);
	}
	if (n != 0 || !fault->code)
		answer = answer_of(q, n, out, fault);
	if (answer == AGENT_SKIPPED && fault->code != EAGAIN) {
		agent_close(g);
		g->silent = 1;
		silence(&silent, g);
		if (fault->code == ETIMEDOUT)
			negative_cache_note(g->s, &silent);
	}
	return answer;
}

/* --- ask once --- */

/* An open breaker answers at once, and each answer still costs. */
static struct digest as_skipped(const struct digest *key)
{
	struct digest d = *key;

	d.b[0] ^= 0xff;
	return d;
}

enum agent_answer agent_fill_once(struct store *s, const struct settings *set, char *const envp[],
                                  enum store_class class, const struct digest *key,
                                  struct arena *a, const char **why)
{
	struct digest skipped = as_skipped(key);
	struct fault fault = {0, ""};
	struct agent_question q;
	struct agent_reply reply;
	enum agent_answer answer;
	struct agent g;

	if (negative_cache_known(s, key))
		return AGENT_ABSENT;
	if (negative_cache_known(s, &skipped)) {
		*why = "the remote store was skipped a moment ago";
		return AGENT_SKIPPED;
	}
	agent_open(&g, s, set, envp, a);
	agent_question(&q, &g, AGENT_FILL, class, key);
	answer = agent_ask(&g, &q, agent_patience(&g, 1), &reply, &fault);
	agent_close(&g);
	if (answer == AGENT_SKIPPED) {
		*why = arena_strdup(a, fault.text);
		if (!g.silent)
			negative_cache_note(s, &skipped);
	} else if (answer == AGENT_ABSENT || class == STORE_SET) {
		/* a set is asked for again with each of its members */
		negative_cache_note(s, key);
	}
	return answer;
}
