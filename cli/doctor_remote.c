/* cli/doctor_remote.c - `reprise doctor`: the remote store, from its settings to what waits to be published.
 *
 * The server is asked directly: neither the breaker nor the short deadline of a look-up stands between. What it says is
 * shown by its first word only, and no more of the settings than remote_config_print shows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/doctor.h"
#include "remote/remote.h"
#include "remote/tunnel.h"

/* A person waits; a server that needs longer is of no use to a look-up anyway. */
#define PATIENCE_NS 3000000000ll
#define PINGS 15
/* Above it a round trip costs more than many a compile's look-up may. */
#define LATENCY_HIGH_NS 5000000ll
#define ECHO_BYTES (1u << 20)
#define ECHOES 4
#define CLOCK_OFF_S 10.0
/* A publisher that works is never that late. */
#define SPOOL_LATE_S 600
/* Keys of a cluster that are asked for: enough to meet each of some dozen nodes. */
#define CLUSTER_TRIES 64
#define FAULT_SHOWN 200

struct remote_check {
	struct doctor *d;
	struct remote *r;
	struct wire wire;
	struct fault fault;
	int is_cluster, is_replica, answers;
};

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

/* Queues words as one command. */
static void ask(struct remote_check *c, size_t limit, int argc, const char **argv)
{
	size_t len[8];

	for (int i = 0; i < argc; i++)
		len[i] = strlen(argv[i]);
	wire_queue(&c->wire, argc, argv, len, limit);
}
#define ASK(c, limit, ...)                                                                         \
	do {                                                                                       \
		const char *words_[] = {__VA_ARGS__};                                              \
		ask(c, limit, (int)(sizeof words_ / sizeof *words_), words_);                      \
	} while (0)

static enum wire_status run(struct remote_check *c)
{
	return wire_run(&c->wire, &c->r->config, now_ns(CLOCK_MONOTONIC) + PATIENCE_NS, &c->fault);
}

static const redisReply *reply(const struct remote_check *c, unsigned i)
{
	return i < c->wire.replies ? c->wire.reply[i] : NULL;
}

static int denied(const redisReply *r)
{
	return r && wire_error(r) == WIRE_ERR_NOPERM;
}

static int is_error(const redisReply *r)
{
	return !r || r->type == REDIS_REPLY_ERROR;
}

static const char *remedy_of(enum wire_status s, const struct remote_config *c)
{
	switch (s) {
	case WIRE_TIMEOUT:
		return "is the address right, does a firewall drop packets, does the server hang (redis-cli --latency)?";
	case WIRE_REFUSED:
		return c->scheme == REMOTE_UNIX ? "does redis-server run, with `unixsocket` and `unixsocketperm` set for you?"
		                                : "does the server run, and listen at this address and port (bind, protected-mode)?";
	case WIRE_DENIED:
		return c->scheme == REMOTE_TLS ? "check password or ACL user; for TLS, REPRISE_REDIS_TLS_CA and _TLS_NAME"
		                               : "check REPRISE_REDIS_PASSWORD_FILE (or _PASSWORD) and REPRISE_REDIS_USER";
	case WIRE_GARBAGE:
	case WIRE_CLOSED:
		return "is this a Redis server? One that wants TLS needs rediss://";
	case WIRE_SERVER:
		return "see the server's log; a database number above its limit (or on a cluster) is refused as well";
	default:
		return NULL;
	}
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Connection, then round trips. 0, or -1 after saying why there is none. */
static int check_latency(struct remote_check *c)
{
	const char *where = remote_config_print(&c->r->config, c->r->arena);
	int64_t took[PINGS], start = now_ns(CLOCK_MONOTONIC), connected;

	ASK(c, 256, "PING");
	enum wire_status s = run(c);
	connected = now_ns(CLOCK_MONOTONIC) - start;
	if (s != WIRE_OK) {
		doctor_say(c->d, DOCTOR_MEND, "redis", remedy_of(s, &c->r->config), "%s: %s", where, c->fault.text);
		return -1;
	}
	if (denied(reply(c, 0)))
		doctor_say(c->d, DOCTOR_NOTE, "redis", "allow +ping to the user for `reprise doctor`", "PING is not allowed");
	for (int i = 0; i < PINGS; i++) {
		start = now_ns(CLOCK_MONOTONIC);
		ASK(c, 256, "PING");
		s = run(c);
		took[i] = now_ns(CLOCK_MONOTONIC) - start;
		if (s != WIRE_OK) {
			doctor_say(c->d, DOCTOR_MEND, "redis", remedy_of(s, &c->r->config), "%s: %s, after some answers", where,
			           c->fault.text);
			return -1;
		}
	}
	qsort(took, PINGS, sizeof *took, compare);
	double ms = (double)took[PINGS / 2] / 1e6;
	doctor_figure(c->d, "connect_ms", (double)connected / 1e6);
	doctor_figure(c->d, "latency_ms", ms);
	c->answers = 1;
	if (took[PINGS / 2] > LATENCY_HIGH_NS)
		doctor_say(c->d, DOCTOR_MEND, "redis", "use a server in the same network; cheap compiles will not ask this one",
		           "%s answers in %.2f ms (connected in %.2f ms): slow", where, ms, (double)connected / 1e6);
	else if (connected + 2 * took[PINGS - 1] > c->r->config.lookup_ns)
		doctor_say(c->d, DOCTOR_MEND, "redis", "a look-up connects and asks twice: mend the network or raise REPRISE_REMOTE_LOOKUP_TIMEOUT",
		           "%s answers in %.2f ms, but connecting took %.0f ms", where, ms, (double)connected / 1e6);
	else
		doctor_say(c->d, DOCTOR_OK, "redis", NULL, "%s answers in %.2f ms (connected in %.2f ms)", where, ms,
		           (double)connected / 1e6);
	return 0;
}

static void check_rate(struct remote_check *c)
{
	char *bytes = malloc(ECHO_BYTES + 1);
	int64_t start;

	if (!bytes)
		return;
	/* Incompressible, as results are once they are packed. */
	for (size_t i = 0; i < ECHO_BYTES; i++)
		bytes[i] = (char)('!' + (i * 2654435761u >> 24) % 90);
	bytes[ECHO_BYTES] = 0;
	start = now_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < ECHOES; i++)
		ASK(c, ECHO_BYTES, "ECHO", bytes);
	enum wire_status s = run(c);
	double seconds = (double)(now_ns(CLOCK_MONOTONIC) - start) / 1e9;
	/* There and back. */
	double rate = 2.0 * ECHOES * ECHO_BYTES / (seconds > 0 ? seconds : 1e-9);
	char text[CLI_SIZE_TEXT], least[CLI_SIZE_TEXT];
	free(bytes);
	cli_size(least, c->r->config.min_rate);
	if (s != WIRE_OK) {
		doctor_say(c->d, DOCTOR_MEND, "transfer", "large results will not arrive in time: look at the network",
		           "8 MiB there and back: %s", c->fault.text);
		return;
	}
	if (is_error(reply(c, 0))) {
		doctor_say(c->d, DOCTOR_NOTE, "transfer", "allow +echo to the user for `reprise doctor`", "not measured: ECHO is not allowed");
		return;
	}
	doctor_figure(c->d, "transfer_bytes_per_second", rate);
	cli_size(text, (uint64_t)rate);
	if (rate < (double)c->r->config.min_rate)
		doctor_say(c->d, DOCTOR_MEND, "transfer", "mend the network, or set REPRISE_REMOTE_MIN_RATE lower",
		           "%s a second, less than the %s that a transfer must reach", text, least);
	else
		doctor_say(c->d, DOCTOR_OK, "transfer", NULL, "%s a second", text);
}

static void check_clock(struct remote_check *c)
{
	int64_t before = now_ns(CLOCK_REALTIME), after;

	ASK(c, 256, "TIME");
	enum wire_status s = run(c);
	after = now_ns(CLOCK_REALTIME);
	const redisReply *r = reply(c, 0);
	if (s != WIRE_OK || is_error(r) || r->type != REDIS_REPLY_ARRAY || r->elements != 2 ||
	    r->element[0]->type != REDIS_REPLY_STRING || r->element[1]->type != REDIS_REPLY_STRING) {
		doctor_say(c->d, DOCTOR_NOTE, "clock", "allow +time to the user for `reprise doctor`", "not compared: TIME is not allowed");
		return;
	}
	double theirs = (double)atoll(r->element[0]->str) + (double)atoll(r->element[1]->str) / 1e6;
	double off = theirs - (double)(before + (after - before) / 2) / 1e9;
	doctor_figure(c->d, "clock_difference_s", off);
	if (off > CLOCK_OFF_S || off < -CLOCK_OFF_S)
		doctor_say(c->d, DOCTOR_NOTE, "clock", "let NTP set both; ages of entries are told by the server's clock",
		           "the server's is %.1f s %s ours", off < 0 ? -off : off, off < 0 ? "behind" : "before");
	else
		doctor_say(c->d, DOCTOR_OK, "clock", NULL, "differs by %.3f s", off < 0 ? -off : off);
}

/* A field of INFO's text, "" where it is not there. */
static const char *info(const char *text, const char *name, char out[64])
{
	size_t n = strlen(name);

	*out = 0;
	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
		if (strncmp(line, name, n) == 0 && line[n] == ':') {
			size_t len = strcspn(line + n + 1, "\r\n");
			for (size_t i = 0; i < len && i < 63; i++) {
				char ch = line[n + 1 + i];
				out[i] = ch >= ' ' && ch < 127 ? ch : '?';
				out[i + 1] = 0;
			}
			break;
		}
	return out;
}

static void check_memory(struct remote_check *c, const char *text)
{
	char max[64], used[64], policy[64], a[CLI_SIZE_TEXT], b[CLI_SIZE_TEXT];
	uint64_t limit = strtoull(info(text, "maxmemory", max), NULL, 10);

	info(text, "used_memory", used);
	info(text, "maxmemory_policy", policy);
	cli_size(a, strtoull(used, NULL, 10));
	cli_size(b, limit);
	if (!*policy)
		return;
	if (!limit)
		doctor_say(c->d, DOCTOR_NOTE, "memory", "set maxmemory and maxmemory-policy allkeys-lru: see redis.md",
		           "%s used, no limit: the server may grow until the system stops it", a);
	else if (strcmp(policy, "noeviction") == 0)
		doctor_say(c->d, DOCTOR_MEND, "memory", "redis-cli config set maxmemory-policy allkeys-lru",
		           "%s of %s used, policy noeviction: once it is full nothing new is published", a, b);
	else if (strncmp(policy, "volatile-", 9) == 0 && !c->r->config.ttl_s)
		doctor_say(c->d, DOCTOR_MEND, "memory", "set maxmemory-policy allkeys-lru, or REPRISE_REDIS_TTL",
		           "policy %s, but entries without REPRISE_REDIS_TTL never expire: nothing can be evicted", policy);
	else if (strstr(policy, "random"))
		doctor_say(c->d, DOCTOR_NOTE, "memory", "allkeys-lru keeps what is used", "%s of %s used, policy %s", a, b, policy);
	else
		doctor_say(c->d, DOCTOR_OK, "memory", NULL, "%s of %s used, policy %s", a, b, policy);
}

static void check_server(struct remote_check *c)
{
	char version[64], role[64], cluster[64], *text = NULL;

	ASK(c, 1u << 16, "INFO");
	if (run(c) == WIRE_OK && !is_error(reply(c, 0)) && reply(c, 0)->type == REDIS_REPLY_STRING)
		text = arena_strdup(c->r->arena, reply(c, 0)->str);
	if (!text) {
		doctor_say(c->d, DOCTOR_NOTE, "server", "allow +info to the user for `reprise doctor`",
		           "version and memory limit are not known: INFO is not allowed");
		return;
	}
	c->is_replica = strcmp(info(text, "role", role), "slave") == 0;
	c->is_cluster = strcmp(info(text, "cluster_enabled", cluster), "1") == 0;
	info(text, "redis_version", version);
	if (c->is_replica && !c->is_cluster && !c->r->config.readonly)
		doctor_say(c->d, DOCTOR_MEND, "server", "name its master, or set REPRISE_REMOTE_READONLY=1",
		           "version %s, a replica: nothing can be published to it", version);
	else
		doctor_say(c->d, DOCTOR_OK, "server", NULL, "version %s, %s%s", version, c->is_cluster ? "of a cluster, " : "",
		           c->is_replica ? "a replica" : "a master");
	check_memory(c, text);
}

static void check_cluster(struct remote_check *c)
{
	char state[64] = "", slots[64] = "";
	unsigned failed = 0;

	if (!c->is_cluster)
		return;
	if (c->r->config.db) {
		doctor_say(c->d, DOCTOR_MEND, "cluster", "leave the database number out", "a cluster has database 0 only");
		return;
	}
	ASK(c, 4096, "CLUSTER", "INFO");
	if (run(c) == WIRE_OK && !is_error(reply(c, 0)) && reply(c, 0)->type == REDIS_REPLY_STRING) {
		info(reply(c, 0)->str, "cluster_state", state);
		info(reply(c, 0)->str, "cluster_slots_ok", slots);
	}
	for (unsigned i = 0; i < CLUSTER_TRIES; i++) {
		struct digest key;
		const char *argv[2] = {"GET"};
		size_t len[2] = {3};
		char name[REMOTE_KEY_MAX];
		struct wire *w;

		digest_name(&key, &i, sizeof i);
		argv[1] = name;
		len[1] = remote_key(name, c->r, 'r', &key);
		struct cluster_command get = {2, argv, len, 256};
		failed += remote_run(c->r, &key, &get, 1, now_ns(CLOCK_MONOTONIC) + PATIENCE_NS / 10, 1, &w, &c->fault) != WIRE_OK;
	}
	unsigned met = 0;
	for (unsigned i = 0; i < c->r->cluster.nodes; i++)
		met += c->r->cluster.node[i]->wire.round_trips > 0;
	if (failed)
		doctor_say(c->d, DOCTOR_MEND, "cluster", "redis-cli --cluster check; every node must be reached under the name it tells",
		           "%u of %u keys could not be asked for: %s", failed, CLUSTER_TRIES, c->fault.text);
	else if (*state && strcmp(state, "ok") != 0)
		doctor_say(c->d, DOCTOR_MEND, "cluster", "redis-cli --cluster check", "its state is %s", state);
	else
		doctor_say(c->d, DOCTOR_OK, "cluster", NULL, "%u nodes reached%s%s", met, *slots ? ", slots " : "", slots);
}

/* On the node that has the key, which a cluster may have anywhere. The replies' first error, or NULL. */
static const redisReply *first_error(struct remote_check *c, const struct digest *key,
                                     const struct cluster_command *v, unsigned count, enum wire_status *s)
{
	struct wire *w;

	*s = remote_run(c->r, key, v, count, now_ns(CLOCK_MONOTONIC) + PATIENCE_NS, 1, &w, &c->fault);
	for (unsigned i = 0; *s == WIRE_OK && i < count; i++)
		if (w->reply[i]->type == REDIS_REPLY_ERROR)
			return w->reply[i];
	return NULL;
}

/* What a look-up and a publisher say, on keys that nobody asks for and that are gone at once. */
static void check_rights(struct remote_check *c)
{
	static const char hint[] = "give the user what redis.md lists";
	char manifest[REMOTE_KEY_MAX], result[REMOTE_KEY_MAX], lease[REMOTE_KEY_MAX];
	struct digest key;
	enum wire_status s;
	int64_t salt = now_ns(CLOCK_REALTIME);

	digest_name(&key, &salt, sizeof salt);
	size_t m = remote_key(manifest, c->r, 'm', &key), n = remote_key(result, c->r, 'r', &key),
	       l = remote_key(lease, c->r, 'l', &key);
	struct cluster_command reads[] = {
		{4, (const char *[]){"LRANGE", manifest, "0", "3"}, (size_t[]){6, m, 1, 1}, 256},
		{2, (const char *[]){"LLEN", manifest}, (size_t[]){4, m}, 256},
		{2, (const char *[]){"GET", result}, (size_t[]){3, n}, 256},
	}, writes[] = {
		/* An empty list is no key: what LPUSH makes, LTRIM takes away. */
		{3, (const char *[]){"LPUSH", manifest, ""}, (size_t[]){5, m, 0}, 256},
		{4, (const char *[]){"LTRIM", manifest, "1", "0"}, (size_t[]){5, m, 1, 1}, 256},
		{3, (const char *[]){"EXPIRE", manifest, "1"}, (size_t[]){6, m, 1}, 256},
		{5, (const char *[]){"SET", result, "", "EX", "1"}, (size_t[]){3, n, 0, 2, 1}, 256},
		{6, (const char *[]){"SET", lease, "", "NX", "PX", "1"}, (size_t[]){3, l, 0, 2, 2, 1}, 256},
	};
	const redisReply *bad = first_error(c, &key, reads, 3, &s);
	if (s != WIRE_OK || bad) {
		doctor_say(c->d, DOCTOR_MEND, "look-up", s == WIRE_OK ? hint : remedy_of(s, &c->r->config), "not possible: %.*s",
		           bad ? (int)strcspn(bad->str, " ") : FAULT_SHOWN, bad ? bad->str : c->fault.text);
		return;
	}
	doctor_say(c->d, DOCTOR_OK, "look-up", NULL, "allowed");
	if (c->r->config.readonly) {
		doctor_say(c->d, DOCTOR_NOTE, "publish", NULL, "REPRISE_REMOTE_READONLY is set: nothing is published from here");
		return;
	}
	bad = first_error(c, &key, writes, sizeof writes / sizeof *writes, &s);
	if (s != WIRE_OK)
		doctor_say(c->d, DOCTOR_MEND, "publish", remedy_of(s, &c->r->config), "not possible: %s", c->fault.text);
	else if (denied(bad))
		doctor_say(c->d, DOCTOR_NOTE, "publish", "where it should publish, give the user what redis.md lists",
		           "the user may look up only: nothing is published from here");
	else if (bad)
		doctor_say(c->d, DOCTOR_MEND, "publish", "OOM: maxmemory-policy; MISCONF: the server's disk; READONLY: a replica",
		           "the server answers %.*s", (int)strcspn(bad->str, " "), bad->str);
	else
		doctor_say(c->d, DOCTOR_OK, "publish", NULL, "allowed");
}

static int is_near(const struct remote_config *c)
{
	return c->scheme == REMOTE_UNIX ||
	       (c->host && (strncmp(c->host, "127.", 4) == 0 || !strcmp(c->host, "::1") || !strcmp(c->host, "localhost")));
}

/* Who may listen and who may write. */
static void check_access(struct remote_check *c)
{
	const struct remote_config *f = &c->r->config;
	const struct trust *t = &c->r->trust;
	char tunnel[PATH_SIZE];

	if (f->scheme == REMOTE_TLS && tunnel_find(tunnel) == 0)
		doctor_say(c->d, DOCTOR_OK, "tls", NULL, "spoken by %s%s", tunnel, f->tls_cert && *f->tls_cert ? ", with a client certificate" : "");
	else if (f->scheme == REMOTE_TCP && !is_near(f))
		doctor_say(c->d, DOCTOR_NOTE, "tls", "rediss:// where the network is not yours alone",
		           "none: who stands between can read the password and replace results");
	if (f->user || f->password)
		doctor_say(c->d, DOCTOR_OK, "auth", NULL, "%s", f->user ? "as an ACL user" : "with the server's password");
	else if (!is_near(f))
		doctor_say(c->d, DOCTOR_NOTE, "auth", "set requirepass or ACL users: see redis.md",
		           "none: whoever reaches the port decides what compiles produce");
	if (setting_text(&c->d->cli->settings, SETTING_REDIS_PASSWORD)[0] &&
	    c->d->cli->settings.v[SETTING_REDIS_PASSWORD].origin == ORIGIN_ENVIRONMENT)
		doctor_say(c->d, DOCTOR_NOTE, "auth", "REPRISE_REDIS_PASSWORD_FILE",
		           "the password stands in the environment, which every process of the job sees");
	if (t->count && t->signing)
		doctor_say(c->d, DOCTOR_OK, "trust", NULL, "entries are signed, and believed of %u keys, our own among them", t->count);
	else if (t->count)
		doctor_say(c->d, DOCTOR_OK, "trust", NULL, "entries are believed of %u keys; without REPRISE_SIGN_KEY none is published from here",
		           t->count);
	else
		doctor_say(c->d, DOCTOR_NOTE, "trust", "`reprise keygen`, REPRISE_SIGN_KEY and REPRISE_TRUST: see security.md",
		           "none is configured: whoever may write this Redis decides what compiles produce");
}

static void check_breaker(struct remote_check *c)
{
	struct breaker_state b;

	if (breaker_read(&c->r->breaker, &b) < 0)
		return;
	if (b.is_open)
		doctor_say(c->d, c->answers ? DOCTOR_NOTE : DOCTOR_MEND, "breaker",
		           c->answers ? "it closes with the next look-up that is answered" : "see redis above",
		           "open since the last trouble (%s): jobs go without the remote store, the next try in %.1f s", b.last,
		           (double)b.retry_in_ns / 1e9);
	else
		doctor_say(c->d, DOCTOR_OK, "breaker", NULL, "closed; look-ups took %.1f s in all and saved %.1f s",
		           (double)b.waited_ns / 1e9, (double)b.saved_ns / 1e9);
	if (breaker_muted(&c->r->breaker))
		doctor_say(c->d, DOCTOR_NOTE, "publish", "after a change of the ACL, `reprise publish --wait 1m` tries again",
		           "the server refused what was written: nothing is published for an hour");
}

static void check_spool(struct doctor *d, struct store *s)
{
	size_t records;
	int64_t oldest;

	if (spool_pending(s, &records, &oldest) < 0)
		return;
	const char *publisher = spool_publisher_busy(s) ? "a publisher is at work" : "no publisher runs";
	doctor_figure(d, "spool_records", (double)records);
	if (records && oldest > SPOOL_LATE_S)
		doctor_say(d, DOCTOR_MEND, "spool", "`reprise publish --wait 5m` says what is in the way",
		           "%zu records wait, the oldest for %" PRId64 " s; %s", records, oldest, publisher);
	else
		doctor_say(d, DOCTOR_OK, "spool", NULL, "%zu records wait; %s", records, publisher);
}

void doctor_remote(struct doctor *d, struct store *s)
{
	struct cli *cli = d->cli;
	struct remote r;
	struct remote_check c = {.d = d, .r = &r, .wire = WIRE_INIT};

	if (remote_open(&r, &cli->settings, cli->envp, settings_job(&cli->settings, cli->envp, &cli->arena, NULL), s,
	                &cli->arena, &c.fault) < 0) {
		doctor_say(d, DOCTOR_MEND, "remote", "see settings.md and security.md; until then the remote store is off", "%s",
		           c.fault.text);
		return;
	}
	if (!r.on) {
		doctor_say(d, DOCTOR_NOTE, "remote", "REPRISE_REDIS_URL=redis://host shares results between nodes",
		           setting_number(&cli->settings, SETTING_REMOTE) ? "none is configured" : "turned off by REPRISE_REMOTE");
		return;
	}
	if (check_latency(&c) == 0) {
		check_rate(&c);
		check_clock(&c);
		check_server(&c);
		check_cluster(&c);
		check_rights(&c);
	}
	check_access(&c);
	check_breaker(&c);
	if (s->dir)
		check_spool(d, s);
	wire_close(&c.wire);
	remote_close(&r);
}
