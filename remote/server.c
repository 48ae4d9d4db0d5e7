/* remote/server.c - runs commands on the server, and tells the breaker. */
#include "remote/server.h"

#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/counters.h"

#include "shim/banned.h"

static void count_bytes(struct remote_server *s)
{
	uint64_t in = s->cluster.seed.received, out = s->cluster.seed.sent;

	for (unsigned i = 0; i < s->cluster.nodes; i++) {
		in += s->cluster.node[i]->wire.received;
		out += s->cluster.node[i]->wire.sent;
	}
	counters_add(s->store, COUNTER_REMOTE_BYTES_IN, (int64_t)(in - s->bytes_in));
	counters_add(s->store, COUNTER_REMOTE_BYTES_OUT, (int64_t)(out - s->bytes_out));
	s->bytes_in = in;
	s->bytes_out = out;
}

enum wire_status remote_run(struct remote *r, const struct digest *key,
                            const struct cluster_command *v, unsigned count, int64_t deadline,
                            int errors_too, struct wire **out, struct fault *fault)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	if (r->until && r->until < deadline)
		deadline = r->until;
	enum wire_status s = cluster_run(&r->server->cluster, hex, DIGEST_HEX, v, count, deadline,
	                                 out, fault);
	count_bytes(r->server);
	if ((s == WIRE_DENIED || s == WIRE_SERVER) && fault->code == EACCES)
		log_once("remote-denied", "the remote store is not used: %s", fault->text);
	if (s == WIRE_OK && (*out)->replies != count) {
		fault_set(fault, EPROTO, "%s", wire_status_text(WIRE_GARBAGE));
		s = WIRE_GARBAGE;
	}
	return s == WIRE_OK && !errors_too ? remote_judge(*out, fault) : s;
}

enum wire_status remote_judge(const struct wire *w, struct fault *fault)
{
	for (unsigned i = 0; i < w->replies; i++) {
		const redisReply *reply = w->reply[i];
		enum wire_error e = wire_error(reply);
		char word[WIRE_QUOTE];

		if (e == WIRE_NO_ERROR)
			continue;
		wire_quote(word, reply, 1);
		fault_set(fault, e == WIRE_ERR_NOPERM ? EACCES : EPROTO, "the server answers %s",
		          word);
		return e == WIRE_ERR_NOPERM ? WIRE_DENIED : WIRE_SERVER;
	}
	return WIRE_OK;
}

int remote_begin(struct remote *r, int64_t *start, int64_t *deadline, struct fault *fault)
{
	enum breaker_answer answer;
	int64_t held;

	if (!r->on) {
		fault_set(fault, 0, "no remote store");
		return -1;
	}
	held = r->server->breaker.held_ns;
	answer = breaker_ask(&r->server->breaker, r->budget);
	r->waited_ns += r->server->breaker.held_ns - held;
	if (answer == BREAKER_OPEN) {
		fault_set(fault, EAGAIN, "the remote store is not used for a while");
		return -1;
	}
	if (answer == BREAKER_CLASS) {
		fault_set(fault, EAGAIN, "the remote store is slower than these compiles");
		return -1;
	}
	r->server->asked++;
	*start = sys_now_ns(CLOCK_MONOTONIC);
	*deadline = *start + breaker_limit(&r->server->breaker, r->server->config.lookup_ns);
	return 0;
}

enum breaker_outcome remote_outcome(enum wire_status s)
{
	switch (s) {
	case WIRE_OK:
		return BREAKER_SUCCESS;
	case WIRE_TIMEOUT:
		return BREAKER_TIMEOUT;
	case WIRE_REFUSED:
	case WIRE_DENIED:
	case WIRE_CLOSED:
	case WIRE_SERVER:
		return BREAKER_REFUSED;
	case WIRE_GARBAGE:
		return BREAKER_GARBAGE;
	case WIRE_FAULT:
		break;
	}
	return BREAKER_ABANDONED; /* a failure of this process */
}

void remote_end(struct remote *r, int64_t start, enum wire_status s)
{
	int64_t waited = sys_now_ns(CLOCK_MONOTONIC) - start;

	r->waited_ns += waited;
	breaker_done(&r->server->breaker, r->budget, remote_outcome(s), waited, 0);
}

int64_t remote_transfer_deadline(const struct remote *r, int64_t start, uint64_t bytes)
{
	int64_t ns = r->server->config.transfer_ns;
	uint64_t rate = r->server->config.min_rate, s = rate ? bytes / rate : 0;

	if (s < 1000000) {
		int64_t at_rate = rate ? (int64_t)(bytes * 1000 / rate * 1000000) : 0;
		ns = at_rate > ns ? at_rate : ns;
	}
	return start + ns;
}
