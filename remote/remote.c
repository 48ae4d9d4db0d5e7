/* remote/remote.c - opens the remote store, runs commands there, and tells the breaker. */
#include "remote/remote.h"

#include <string.h>

#include "remote/values.h"
#include "shim/format.h"
#include "shim/log.h"
#include "shim/sys.h"
#include "store/counters.h"

#include "shim/banned.h"

size_t remote_key(char out[REMOTE_KEY_MAX], const struct remote *r, char kind,
                  const struct digest *key)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	return format_text(out, REMOTE_KEY_MAX, "%s:1:%c:{%s}", r->config.prefix, kind, hex);
}

char remote_kind(enum store_class class)
{
	static const char kind[] = {[STORE_MANIFEST] = 'm', [STORE_RESULT] = 'r',
	                            [STORE_UNIT] = 'u', [STORE_SET] = 's'};

	return kind[class];
}

size_t remote_part_key(char out[REMOTE_KEY_MAX], const char *key, const struct blob_head *h,
                       unsigned i)
{
	char name[2 * BLOB_PART_NAME + 1];

	for (unsigned k = 0; k < BLOB_PART_NAME; k++)
		format_text(name + 2 * k, 3, "%x%x", h->part_name[k] >> 4, h->part_name[k] & 15);
	return format_text(out, REMOTE_KEY_MAX, "%s:%s:%u", key, name, i);
}

static void count_bytes(struct remote *r)
{
	uint64_t in = r->cluster.seed.received, out = r->cluster.seed.sent;

	for (unsigned i = 0; i < r->cluster.nodes; i++) {
		in += r->cluster.node[i]->wire.received;
		out += r->cluster.node[i]->wire.sent;
	}
	counters_add(r->store, COUNTER_REMOTE_BYTES_IN, (int64_t)(in - r->bytes_in));
	counters_add(r->store, COUNTER_REMOTE_BYTES_OUT, (int64_t)(out - r->bytes_out));
	r->bytes_in = in;
	r->bytes_out = out;
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

enum wire_status remote_run(struct remote *r, const struct digest *key,
                            const struct cluster_command *v, unsigned count, int64_t deadline,
                            int errors_too, struct wire **out, struct fault *fault)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(key, hex);
	if (r->until && r->until < deadline)
		deadline = r->until;
	enum wire_status s = cluster_run(&r->cluster, hex, DIGEST_HEX, v, count, deadline, out,
	                                 fault);
	count_bytes(r);
	if ((s == WIRE_DENIED || s == WIRE_SERVER) && fault->code == EACCES)
		log_once("remote-denied", "the remote store is not used: %s", fault->text);
	if (s == WIRE_OK && (*out)->replies != count) {
		fault_set(fault, EPROTO, "%s", wire_status_text(WIRE_GARBAGE));
		s = WIRE_GARBAGE;
	}
	return s == WIRE_OK && !errors_too ? remote_judge(*out, fault) : s;
}

int remote_begin(struct remote *r, int64_t *start, int64_t *deadline, struct fault *fault)
{
	int64_t held = r->breaker.held_ns;
	enum breaker_answer answer;

	if (!r->on) {
		fault_set(fault, 0, "no remote store");
		return -1;
	}
	answer = breaker_ask(&r->breaker, r->class);
	r->waited_ns += r->breaker.held_ns - held;
	if (answer == BREAKER_OPEN) {
		fault_set(fault, EAGAIN, "the remote store is not used for a while");
		return -1;
	}
	if (answer == BREAKER_CLASS) {
		fault_set(fault, EAGAIN, "the remote store is slower than these compiles");
		return -1;
	}
	*start = sys_now_ns(CLOCK_MONOTONIC);
	*deadline = *start + breaker_limit(&r->breaker, r->config.lookup_ns);
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
	breaker_done(&r->breaker, r->class, remote_outcome(s), waited, 0);
}

int remote_allows(const struct remote *r, enum store_class class)
{
	return r->config.classes >> class & 1;
}

int64_t remote_transfer_deadline(const struct remote *r, int64_t start, uint64_t bytes)
{
	int64_t ns = r->config.transfer_ns;
	uint64_t s = r->config.min_rate ? bytes / r->config.min_rate : 0;

	if (s < 1000000) {
		int64_t at_rate = r->config.min_rate
		                  ? (int64_t)(bytes * 1000 / r->config.min_rate * 1000000) : 0;
		ns = at_rate > ns ? at_rate : ns;
	}
	return start + ns;
}

int remote_open(struct remote *r, const struct settings *set, char *const envp[], const char *job,
                struct store *s, struct arena *a, struct fault *fault)
{
	struct digest where;
	const char *text;

	memset(r, 0, sizeof *r);
	r->store = s;
	r->arena = a;
	if (remote_config_load(&r->config, set, envp, a, fault) < 0)
		return -1;
	if (r->config.scheme == REMOTE_NONE)
		return 0;
	if (trust_load(&r->trust, set, a, fault) < 0)
		return -1;
	r->config.runtime_dir = s->node_dir;
	text = arena_cat(a, remote_config_print(&r->config, a), " ", r->config.prefix, NULL);
	if (!text || strlen(r->config.prefix) > REMOTE_KEY_MAX - 160 ||
	    cluster_init(&r->cluster, &r->config, s->runtime_dir) < 0) {
		fault_set(fault, ENOMEM, text ? "the prefix of keys is too long" : "no memory");
		return -1;
	}
	digest_name(&where, text, strlen(text));
	breaker_init(&r->breaker, s, &where, job);
	negative_cache_init(&r->absent, s, &where, a);
	r->on = 1;
	return 0;
}

int remote_reload_keys(struct remote *r, struct fault *fault)
{
	if (!r->on || !trust_changed(&r->trust) ||
	    trust_load(&r->trust, r->trust.set, r->arena, fault) == 0)
		return 0;
	remote_close(r);
	return -1;
}

void remote_close(struct remote *r)
{
	if (!r->on)
		return;
	cluster_free(&r->cluster);
	breaker_close(&r->breaker);
	trust_wipe(&r->trust);
	r->on = 0;
}
