/* cli/doctor_server.c - `reprise doctor`: checks how the Redis server answers, its memory limit and
 * its cluster. */
#include "cli/doctor_server.h"

#include <stdlib.h>
#include <string.h>

#include "cli/doctor.h"
#include "cli/doctor_say.h"
#include "cli/print.h"
#include "remote/values.h"

#define PINGS 15
/* Above this, a round trip costs more than the look-up of many a compile may cost. */
#define LATENCY_HIGH_NS 5000000ll
#define ECHO_BYTES (1u << 20)
#define ECHOES 4
#define RATES 5
#define CLOCK_OFF_S 10.0
/* Number of keys that are asked for in a cluster: enough to reach each of some dozen nodes. */
#define CLUSTER_TRIES 64

int64_t doctor_now_ns(clockid_t clock)
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
	return wire_run(&c->wire, &c->r->server->config,
	                doctor_now_ns(CLOCK_MONOTONIC) + DOCTOR_PATIENCE_NS, &c->fault);
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

const char *doctor_remedy(enum wire_status s, const struct remote_config *c)
{
	switch (s) {
	case WIRE_TIMEOUT:
		return "check the address, whether a firewall drops packets, and whether the "
		       "server hangs (redis-cli --latency)";
	case WIRE_REFUSED:
		return c->scheme == REMOTE_UNIX
		       ? "check that redis-server runs, with `unixsocket` and `unixsocketperm` set "
		         "for you"
		       : "check that the server runs and listens at this address and port (bind, "
		         "protected-mode)";
	case WIRE_DENIED:
		return c->scheme == REMOTE_TLS
		       ? "check password or ACL user; for TLS, REPRISE_REDIS_TLS_CA and _TLS_NAME"
		       : "check REPRISE_REDIS_PASSWORD_FILE (or _PASSWORD) and REPRISE_REDIS_USER";
	case WIRE_GARBAGE:
	case WIRE_CLOSED:
		return "check that this is a Redis server; a server that requires TLS needs "
		       "rediss://";
	case WIRE_SERVER:
		return "see the server's log; a database number above its limit (or on a cluster) "
		       "is refused as well";
	default:
		return NULL;
	}
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Measures the connection and the round trips. 0, or -1 after a message if there is no
 * connection. */
static int check_latency(struct remote_check *c)
{
	const char *where = remote_config_print(&c->r->server->config, c->r->arena);
	int64_t took[PINGS], start = doctor_now_ns(CLOCK_MONOTONIC), connected;

	ASK(c, 256, "PING");
	enum wire_status s = run(c);
	connected = doctor_now_ns(CLOCK_MONOTONIC) - start;
	if (s != WIRE_OK) {
		doctor_say(c->d, DOCTOR_MEND, "redis", doctor_remedy(s, &c->r->server->config),
		           "%s: %s", where, c->fault.text);
		return -1;
	}
	if (denied(reply(c, 0)))
		doctor_say(c->d, DOCTOR_NOTE, "redis",
		           "allow +ping to the user for `reprise doctor`", "PING is not allowed");
	for (int i = 0; i < PINGS; i++) {
		start = doctor_now_ns(CLOCK_MONOTONIC);
		ASK(c, 256, "PING");
		s = run(c);
		took[i] = doctor_now_ns(CLOCK_MONOTONIC) - start;
		if (s != WIRE_OK) {
			doctor_say(c->d, DOCTOR_MEND, "redis",
			           doctor_remedy(s, &c->r->server->config),
			           "%s: %s, after some answers", where, c->fault.text);
			return -1;
		}
	}
	qsort(took, PINGS, sizeof *took, compare);
	/* The fastest quarter shows network and server; the rest may be slowed by other work on
	 * this node. */
	double ms = (double)took[PINGS / 4] / 1e6;
	doctor_figure(c->d, "connect_ms", (double)connected / 1e6);
	doctor_figure(c->d, "latency_ms", ms);
	c->answers = 1;
	if (took[PINGS / 4] > LATENCY_HIGH_NS)
		doctor_say(c->d, DOCTOR_MEND, "redis",
		           "use a server in the same network; cheap compiles will not ask this one",
		           "%s answers in %.2f ms (connected in %.2f ms): slow", where, ms,
		           (double)connected / 1e6);
	else if (connected + 2 * took[PINGS / 2] > c->r->server->config.lookup_ns)
		doctor_say(c->d, DOCTOR_MEND, "redis",
		           "a look-up connects and asks twice: repair the network or raise "
		           "REPRISE_REMOTE_LOOKUP_TIMEOUT",
		           "%s answers in %.2f ms, but connecting took %.0f ms", where, ms,
		           (double)connected / 1e6);
	else
		doctor_say(c->d, DOCTOR_OK, "redis", NULL,
		           "%s answers in %.2f ms (connected in %.2f ms)", where, ms,
		           (double)connected / 1e6);
	return 0;
}

/* Bytes per second, there and back; 0 with *fault, -1 if the user may not call ECHO. */
static double measure_rate(struct remote_check *c, const char *bytes)
{
	int64_t start = doctor_now_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < ECHOES; i++)
		ASK(c, ECHO_BYTES, "ECHO", bytes);
	if (run(c) != WIRE_OK)
		return 0;
	double seconds = (double)(doctor_now_ns(CLOCK_MONOTONIC) - start) / 1e9;
	return is_error(reply(c, 0)) ? -1
	                             : 2.0 * ECHOES * ECHO_BYTES / (seconds > 0 ? seconds : 1e-9);
}

static void check_rate(struct remote_check *c)
{
	char *bytes = malloc(ECHO_BYTES + 1), text[CLI_SIZE_TEXT], least[CLI_SIZE_TEXT];
	double rate = 0, now = 1;

	if (!bytes)
		return;
	/* Incompressible, as packed results are. */
	for (size_t i = 0; i < ECHO_BYTES; i++)
		bytes[i] = (char)('!' + (i * 2654435761u >> 24) % 90);
	bytes[ECHO_BYTES] = 0;
	/* The best of several: it shows the network, not the other work of this node. */
	for (int i = 0; i < RATES && now > 0 && rate < (double)c->r->server->config.min_rate; i++) {
		now = measure_rate(c, bytes);
		rate = now > rate || now <= 0 ? now : rate;
	}
	free(bytes);
	cli_size(least, c->r->server->config.min_rate);
	if (rate == 0) {
		doctor_say(c->d, DOCTOR_MEND, "transfer",
		           "large results will not arrive in time: check the network",
		           "8 MiB there and back: %s", c->fault.text);
		return;
	}
	if (rate < 0) {
		doctor_say(c->d, DOCTOR_NOTE, "transfer",
		           "allow +echo to the user for `reprise doctor`",
		           "not measured: ECHO is not allowed");
		return;
	}
	doctor_figure(c->d, "transfer_bytes_per_second", rate);
	cli_size(text, (uint64_t)rate);
	if (rate < (double)c->r->server->config.min_rate)
		doctor_say(c->d, DOCTOR_MEND, "transfer",
		           "repair the network, or lower REPRISE_REMOTE_MIN_RATE",
		           "%s a second, less than the %s that a transfer must reach", text, least);
	else
		doctor_say(c->d, DOCTOR_OK, "transfer", NULL, "%s a second", text);
}

static void check_clock(struct remote_check *c)
{
	int64_t before = doctor_now_ns(CLOCK_REALTIME), after;

	ASK(c, 256, "TIME");
	enum wire_status s = run(c);
	after = doctor_now_ns(CLOCK_REALTIME);
	const redisReply *r = reply(c, 0);
	if (s != WIRE_OK || is_error(r) || r->type != REDIS_REPLY_ARRAY || r->elements != 2 ||
	    r->element[0]->type != REDIS_REPLY_STRING || r->element[1]->type != REDIS_REPLY_STRING)
		{
		doctor_say(c->d, DOCTOR_NOTE, "clock",
		           "allow +time to the user for `reprise doctor`",
		           "not compared: TIME is not allowed");
		return;
	}
	double theirs = (double)atoll(r->element[0]->str) + (double)atoll(r->element[1]->str) / 1e6;
	double off = theirs - (double)(before + (after - before) / 2) / 1e9;
	doctor_figure(c->d, "clock_difference_s", off);
	if (off > CLOCK_OFF_S || off < -CLOCK_OFF_S)
		doctor_say(c->d, DOCTOR_NOTE, "clock",
		           "synchronise both clocks (NTP): the server's clock decides when entries "
		           "expire", "the server's clock is %.1f s %s ours", off < 0 ? -off : off,
		           off < 0 ? "behind" : "ahead of");
	else
		doctor_say(c->d, DOCTOR_OK, "clock", NULL, "differs by %.3f s",
		           off < 0 ? -off : off);
}

/* Copies a field of INFO's text to out, "" if it is missing. */
static const char *info(const char *text, const char *name, char out[64])
{
	size_t n = strlen(name);

	*out = 0;
	for (const char *line = text; line && *line; line = strchr(line, '\n'),
	     line += line != NULL)
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
		doctor_say(c->d, DOCTOR_NOTE, "memory",
		           "set maxmemory and maxmemory-policy allkeys-lru: see remote.md",
		           "%s used, no limit: the server may grow until the system stops it", a);
	else if (strcmp(policy, "noeviction") == 0)
		doctor_say(c->d, DOCTOR_MEND, "memory",
		           "redis-cli config set maxmemory-policy allkeys-lru",
		           "%s of %s used, policy noeviction: once it is full nothing new is "
		           "published", a, b);
	else if (strncmp(policy, "volatile-", 9) == 0 && !c->r->server->config.ttl_s)
		doctor_say(c->d, DOCTOR_MEND, "memory",
		           "set maxmemory-policy allkeys-lru, or REPRISE_REDIS_TTL",
		           "policy %s, but entries without REPRISE_REDIS_TTL never expire: nothing "
		           "can be evicted", policy);
	else if (strstr(policy, "random"))
		doctor_say(c->d, DOCTOR_NOTE, "memory", "allkeys-lru keeps what is used",
		           "%s of %s used, policy %s", a, b, policy);
	else
		doctor_say(c->d, DOCTOR_OK, "memory", NULL, "%s of %s used, policy %s", a, b,
		           policy);
}

static void check_server(struct remote_check *c)
{
	char version[64], role[64], cluster[64], *text = NULL;

	ASK(c, 1u << 16, "INFO");
	if (run(c) == WIRE_OK && !is_error(reply(c, 0)) && reply(c, 0)->type == REDIS_REPLY_STRING)
		text = arena_strdup(c->r->arena, reply(c, 0)->str);
	if (!text) {
		doctor_say(c->d, DOCTOR_NOTE, "server",
		           "allow +info to the user for `reprise doctor`",
		           "version and memory limit are not known: INFO is not allowed");
		return;
	}
	c->is_replica = strcmp(info(text, "role", role), "slave") == 0;
	c->is_cluster = strcmp(info(text, "cluster_enabled", cluster), "1") == 0;
	info(text, "redis_version", version);
	if (c->is_replica && !c->is_cluster && !c->r->server->config.readonly)
		doctor_say(c->d, DOCTOR_MEND, "server",
		           "name its master, or set REPRISE_REMOTE_READONLY=1",
		           "version %s, a replica: nothing can be published to it", version);
	else
		doctor_say(c->d, DOCTOR_OK, "server", NULL, "version %s, %s%s", version,
		           c->is_cluster ? "of a cluster, " : "",
		           c->is_replica ? "a replica" : "a master");
	check_memory(c, text);
}

static void check_cluster(struct remote_check *c)
{
	char state[64] = "", slots[64] = "";
	unsigned failed = 0;

	if (!c->is_cluster)
		return;
	if (c->r->server->config.db) {
		doctor_say(c->d, DOCTOR_MEND, "cluster", "leave out the database number",
		           "a cluster has database 0 only");
		return;
	}
	ASK(c, 4096, "CLUSTER", "INFO");
	if (run(c) == WIRE_OK && !is_error(reply(c, 0)) && reply(c, 0)->type == REDIS_REPLY_STRING)
		{
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
		failed += remote_run(c->r, &key, &get, 1,
		                     doctor_now_ns(CLOCK_MONOTONIC) + DOCTOR_PATIENCE_NS / 10, 1,
		                     &w, &c->fault) != WIRE_OK;
	}
	unsigned met = 0;
	for (unsigned i = 0; i < c->r->server->cluster.nodes; i++)
		met += c->r->server->cluster.node[i]->wire.round_trips > 0;
	if (failed)
		doctor_say(c->d, DOCTOR_MEND, "cluster",
		           "run redis-cli --cluster check; every server must be reachable under "
		           "the name that it announces", "%u of %u keys could not be asked for: %s",
		           failed, CLUSTER_TRIES, c->fault.text);
	else if (*state && strcmp(state, "ok") != 0)
		doctor_say(c->d, DOCTOR_MEND, "cluster", "run redis-cli --cluster check",
		           "the cluster's state is %s", state);
	else
		doctor_say(c->d, DOCTOR_OK, "cluster", NULL, "%u nodes reached%s%s", met,
		           *slots ? ", slots " : "", slots);
}

int doctor_server(struct remote_check *c)
{
	if (check_latency(c) < 0)
		return -1;
	check_rate(c);
	check_clock(c);
	check_server(c);
	check_cluster(c);
	return 0;
}
