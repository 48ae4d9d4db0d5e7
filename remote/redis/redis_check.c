/* remote/redis/redis_check.c - what a look-up and a publisher can meet at a Redis. It sends the
 * commands themselves, since a user may be allowed some and not others. */
#include <string.h>

#include "remote/redis/redis.h"
#include "remote/remote.h"
#include "shim/kernel/sys.h"

#include "shim/banned.h"

#define LOOK_UPS 9
#define INFO_MAX (1u << 16)

/* A command of which all arguments are texts. */
#define COMMAND(limit, ...)                                                                        \
	{sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__},    \
	 NULL, limit}

static const char *remedy(enum backend_status s, const struct redis_config *c)
{
	switch (s) {
	case BACKEND_TIMEOUT:
		return "check the address, whether a firewall drops packets, and whether the "
		       "server hangs (redis-cli --latency)";
	case BACKEND_REFUSED:
		return c->scheme == REMOTE_UNIX
		       ? "check that redis-server runs, with `unixsocket` and `unixsocketperm` set "
		         "for you"
		       : "check that the server runs and listens at this address and port (bind, "
		         "protected-mode)";
	case BACKEND_DENIED:
		return c->scheme == REMOTE_TLS
		       ? "check password or ACL user; for TLS, REPRISE_REDIS_TLS_CA and _TLS_NAME"
		       : "check REPRISE_REDIS_PASSWORD_FILE (or _PASSWORD) and REPRISE_REDIS_USER";
	case BACKEND_GARBAGE:
	case BACKEND_CLOSED:
		return "check that this is a Redis server; a server that requires TLS needs "
		       "rediss://";
	case BACKEND_SERVER:
		return "see the server's log; a database number above its limit (or on a cluster) "
		       "is refused as well";
	default:
		return NULL;
	}
}

/* Runs commands on the node that has the key. NULL with c->fault: no answer. word: the first word
 * of the first error among the replies, or "". */
static const struct wire *run(struct remote_check *c, struct backend *b, const struct digest *key,
                              struct cluster_command *v, unsigned count, char word[WIRE_QUOTE])
{
	size_t len[8][8];
	struct wire *w;

	for (unsigned i = 0; i < count; i++) {
		for (int k = 0; k < v[i].argc; k++)
			len[i][k] = strlen(v[i].argv[k]);
		v[i].len = len[i];
	}
	enum backend_status s = redis_run(b, key, v, count,
	                                  sys_now_ns(CLOCK_MONOTONIC) + REMOTE_PATIENCE_NS, &w,
	                                  &c->fault);
	if (s != BACKEND_OK) {
		c->remedy = remedy(s, &redis_of(b)->config);
		return NULL;
	}
	*word = '\0';
	for (unsigned i = 0; i < count && !*word; i++)
		if (w->reply[i]->type == REDIS_REPLY_ERROR)
			wire_quote(word, w->reply[i], 1);
	return w;
}

/* Copies a field of INFO's text, "" if it is missing. */
static void info(char out[REMOTE_WORD], const char *text, const char *name)
{
	const char *at = strstr(text, name);
	size_t n = at ? strcspn(at += strlen(name), "\r\n") : 0;

	n = n < REMOTE_WORD ? n : 0;
	for (size_t i = 0; i < n; i++)
		out[i] = (char)(at[i] >= ' ' && at[i] < 127 ? at[i] : '?');
	out[n] = '\0';
}

static int ask_policy(struct remote_check *c, struct backend *b, const struct digest *key)
{
	struct cluster_command v[] = {COMMAND(INFO_MAX, "INFO", "memory")};
	char word[WIRE_QUOTE];
	const struct wire *w = run(c, b, key, v, 1, word);

	if (!w)
		return -1;
	if (w->reply[0]->type == REDIS_REPLY_STRING) {
		info(c->memory_limit, w->reply[0]->str, "\nmaxmemory:");
		info(c->policy, w->reply[0]->str, "\nmaxmemory_policy:");
	}
	return 0;
}

/* The commands of a look-up, on keys that no other program uses. The first one connects. */
static int look_up(struct remote_check *c, struct backend *b, const struct digest *key,
                   const char *manifest, const char *result)
{
	struct cluster_command v[] = {COMMAND(256, "LRANGE", manifest, "0", "3"),
	                              COMMAND(256, "LLEN", manifest), COMMAND(256, "GET", result)};

	for (int i = 0; i < LOOK_UPS; i++) {
		int64_t start = sys_now_ns(CLOCK_MONOTONIC), took;

		if (!run(c, b, key, v, 3, c->look_up))
			return -1;
		took = sys_now_ns(CLOCK_MONOTONIC) - start;
		if (i == 0)
			c->connect_ns = took;
		else if (i == 1 || took < c->answer_ns)
			c->answer_ns = took;
	}
	return 0;
}

/* The commands of a publisher. The keys expire at once. */
static int publish(struct remote_check *c, struct backend *b, const struct digest *key,
                   const char *manifest, const char *result, const char *lease)
{
	/* LTRIM removes what LPUSH added, and a list without elements is no key. */
	struct cluster_command v[] = {
		COMMAND(256, "LPUSH", manifest, ""), COMMAND(256, "LTRIM", manifest, "1", "0"),
		COMMAND(256, "EXPIRE", manifest, "1"), COMMAND(256, "SET", result, "", "EX", "1"),
		COMMAND(256, "SET", lease, "", "NX", "PX", "1"),
	}, length[] = {COMMAND(256, "STRLEN", result)};

	if (!run(c, b, key, v, sizeof v / sizeof *v, c->publish))
		return -1;
	return *c->publish || run(c, b, key, length, 1, c->query) ? 0 : -1;
}

int redis_check(struct backend *b, struct remote_check *c)
{
	char manifest[REDIS_KEY_MAX], result[REDIS_KEY_MAX], lease[REDIS_KEY_MAX];
	int64_t salt = sys_now_ns(CLOCK_REALTIME);
	struct backend_name name = {.kind = 'm'};

	c->says_policy = 1;
	digest_name(&name.key, &salt, sizeof salt);
	redis_key(manifest, b, &name);
	name.kind = 'r';
	redis_key(result, b, &name);
	name.kind = 'l';
	redis_key(lease, b, &name);
	if (look_up(c, b, &name.key, manifest, result) < 0 || ask_policy(c, b, &name.key) < 0)
		return -1;
	return *c->look_up || c->readonly ? 0 : publish(c, b, &name.key, manifest, result, lease);
}
