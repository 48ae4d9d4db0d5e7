/* remote/ask.c - one question to the fetcher. */
#include "remote/ask.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "remote/background.h"
#include "remote/remote.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/settings/job.h"

#include "shim/banned.h"

/* --- ask once --- */

/* The time to start a fetcher on a busy node. */
#define START_NS 250000000ll

void ask_memory(struct negative_cache *asked, const struct store *s, struct arena *a)
{
	static const char about[] = "units asked for";
	struct digest d;

	digest_name(&d, about, sizeof about);
	negative_cache_init(asked, s, &d, a);
}

/* A process that waited in vain for the fetcher (stopped, or stuck) tells all others so for
 * NEGATIVE_CACHE_S. A thousand kernels must not wait one after the other. */
static void no_fetcher(struct digest *out, const struct store *s, const struct settings *set)
{
	char name[ASK_NAME_SIZE];

	ask_name(name, s, set);
	digest_name(out, name, strlen(name));
}

/* An open breaker answers at once, and each answer still costs. */
static struct digest as_skipped(const struct digest *key)
{
	struct digest d = *key;

	d.b[0] ^= 0xff;
	return d;
}

enum ask_answer ask_once(struct store *s, const struct settings *set, char *const envp[],
                         const struct negative_cache *asked,
                         enum store_class class, const struct digest *key, struct arena *a,
                         const char **why)
{
	struct digest silent, skipped = as_skipped(key);
	struct fault fault = {0, ""};
	uint64_t limits_ms = setting_number(set, SETTING_REMOTE_LOOKUP_TIMEOUT) +
	                     setting_number(set, SETTING_REMOTE_TRANSFER_TIMEOUT);
	int64_t wait = START_NS + (int64_t)limits_ms * 1000000;
	enum ask_answer answer;
	const char *known;

	if (negative_cache_known(asked, key))
		return ASK_ABSENT;
	remote_tag(s, set, envp, a);
	no_fetcher(&silent, s, set);
	known = NULL;
	if (negative_cache_known(asked, &silent))
		known = "no fetcher answered a moment ago";
	else if (negative_cache_known(asked, &skipped))
		known = "the remote store was skipped a moment ago";
	if (known) {
		*why = known;
		return ASK_SKIPPED;
	}
	answer = ask(s, set, envp, class, key, wait, a, &fault);
	if (answer == ASK_SKIPPED) {
		*why = arena_strdup(a, fault.text);
		negative_cache_note(asked, fault.code == ETIMEDOUT ? &silent : &skipped);
	} else if (answer == ASK_ABSENT || class == STORE_SET) {
		/* a set is asked for again with each of its members */
		negative_cache_note(asked, key);
	}
	return answer;
}

/* Hosts that ask at once: eight ranks with thirty-two compile threads each. */
#define BACKLOG 1024
/* Until a fetcher that was just started listens. */
#define START_PAUSE_NS 1000000ll

void ask_name(char out[ASK_NAME_SIZE], const struct store *store, const struct settings *set)
{
	/* A fetcher's limits, its log, and that it understands the question. */
	static const enum setting_id more[] = {SETTING_REMOTE_LOOKUP_TIMEOUT,
	                                       SETTING_REMOTE_TRANSFER_TIMEOUT,
	                                       SETTING_REMOTE_MIN_RATE, SETTING_LOG,
	                                       SETTING_LOG_LEVEL};
	const uint32_t magic = ASK_MAGIC;
	struct digest_state s;
	struct digest d;
	char hex[DIGEST_HEX + 1];

	digest_init_as(&s, DIGEST_XXH3);
	digest_add(&s, &magic, sizeof magic);
	digest_add(&s, store->remote, strlen(store->remote) + 1);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		digest_add(&s, setting_text(set, more[i]), strlen(setting_text(set, more[i])) + 1);
	digest_final(&s, &d);
	digest_hex(&d, hex);
	hex[16] = '\0';
	format_text(out, ASK_NAME_SIZE, "fetch.%s", hex);
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

int ask_socket(const char *runtime_dir, const char *name, int serve)
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

/* Connects to the fetcher, and starts one where none answers. */
static int reach(struct store *s, const char *name, char *const envp[], int64_t deadline,
                 struct arena *a,
                 struct fault *fault)
{
	static const char *const verb[] = {"fetch", "--daemon", NULL};
	int started = 0;

	for (;;) {
		int fd = ask_socket(s->runtime_dir, name, 0);

		if (fd >= 0)
			return fd;
		/* A full backlog passes. A socket without a listener is a killed fetcher's. */
		if (fd != -EAGAIN && fd != -ENOENT && fd != -ECONNREFUSED) {
			fault_sys(fault, -fd, "ask the fetcher", name);
			return -1;
		}
		if (fd != -EAGAIN && !started && background_start(verb, envp, a, fault) < 0)
			return -1;
		started |= fd != -EAGAIN;
		if (sys_now_ns(CLOCK_MONOTONIC) >= deadline) {
			fault_set(fault, ETIMEDOUT, "no fetcher answered in time");
			return -1;
		}
		sys_sleep_ns(START_PAUSE_NS);
	}
}

static void fill_question(struct ask_question *q, enum store_class class, const struct digest *key,
                          const struct settings *set, char *const envp[], struct arena *a)
{
	const char *job = settings_job(set, envp, a, NULL), *events_of = events_job(set, envp, a);
	struct rank rank;

	memset(q, 0, sizeof *q);
	q->magic = ASK_MAGIC;
	q->class = class;
	q->key = *key;
	q->job = remote_job_number(job);
	if (events_of && strlen(events_of) < sizeof q->events_of)
		strcpy(q->events_of, events_of);
	else if (events_of)
		events_name(q->events_of, events_of);
	rank_read(&rank, envp);
	q->rank = rank.known > 0 ? (int32_t)rank.rank : EVENT_NO_RANK;
}

enum ask_answer ask(struct store *s, const struct settings *set, char *const envp[],
                    enum store_class class,
                    const struct digest *key, int64_t wait_ns, struct arena *a, struct fault *fault)
{
	int64_t deadline = sys_now_ns(CLOCK_MONOTONIC) + wait_ns;
	struct ask_question question;
	enum ask_answer answer = ASK_SKIPPED;
	struct ask_reply reply;
	char name[ASK_NAME_SIZE];

	if (!s->runtime_dir) {
		fault_set(fault, ENOENT, "no runtime directory to ask the fetcher in");
		return ASK_SKIPPED;
	}
	remote_tag(s, set, envp, a);
	ask_name(name, s, set);
	fill_question(&question, class, key, set, envp, a);
	int fd = reach(s, name, envp, deadline, a, fault);
	if (fd < 0)
		return ASK_SKIPPED;
	long n = SYS6(SYS_sendto, fd, &question, sizeof question, MSG_NOSIGNAL, NULL, 0);
	if (n == (long)sizeof question)
		n = wait_for(fd, POLLIN, deadline);
	if (n == 0)
		n = SYS6(SYS_recvfrom, fd, &reply, sizeof reply, MSG_DONTWAIT, NULL, NULL);
	sys_close(fd);
	if (n == (long)sizeof reply && reply.magic == ASK_MAGIC && reply.answer >= ASK_FILLED &&
	    reply.answer <= ASK_SKIPPED) {
		reply.text[sizeof reply.text - 1] = '\0';
		if (reply.answer == ASK_SKIPPED)
			fault_set(fault, EAGAIN, "%s", reply.text);
		answer = (enum ask_answer)reply.answer;
	} else {
		fault_sys(fault, n < 0 ? (int)-n : EPROTO, "ask the fetcher", name);
	}
	return answer;
}
