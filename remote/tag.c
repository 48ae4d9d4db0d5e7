/* remote/tag.c - tag: names the remote store that a job's entries go to, and how they are signed.
 *
 * Jobs of one user on one node may share a local store and nothing else: they may use other
 * servers, prefixes or keys. Records for one remote store must not go to another, nor be signed
 * with another key. So queues (store/queue/queue.h), their publisher's lock (store/queue/spool.h)
 * and agents (store/agent.h) carry this tag, and a process uses only those of its own settings.
 * Two jobs have the same tag exactly if these are equal:
 *
 *   version   of entries (store/entry/entry.h): others are absent for publishers and agents
 *   where     the places in their order: scheme, host, port, path, user, database, endpoint,
 *             region, read-only or not; the prefix; with TLS the files and the name; of HTTP and
 *             S3 the variables that name an account or who vouches for a server
 *   what      classes and units that are exchanged, the largest entry, TTL
 *   by whom   SIGN_KEY and TRUST, as they are written: the content of files is not read, so a key
 *             that is replaced in its file signs the records that wait (remote_reload_keys)
 *
 * Without a configured or usable remote store the tag is REMOTE_TAG_LOCAL: framework files are
 * packed there, too.
 *
 * Passwords and their origin are not in the tag. After a change of password the publisher must
 * still find the queue that waits. And others may see the tag in a file's name, which must not help
 * to guess secrets. Timeouts and rates, log and job are not in it either. Settings alone decide,
 * and of s3 AWS's variables (remote/remote_place.h); no file but theirs is read. So a job and the
 * publisher that it starts compute the same tag. Two spellings of one server are two tags,
 * which only costs a second publisher. */
#include <string.h>

#include "remote/remote.h"

#include "shim/banned.h"

static void add_text(struct digest_state *d, const char *text)
{
	text = text ? text : "";
	digest_add(d, text, strlen(text) + 1);
}

/* Who says that a server is the right one, and by which account S3 is asked. An access key's id is
 * no secret. That of a session is replaced every hour, and the queue must still be found. */
static void add_environment(struct digest_state *d, const struct remote_place *p)
{
	static const char names[][40] = {
		"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE",
		"AWS_SHARED_CREDENTIALS_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		add_text(d, env_get(p->envp, names[i]));
	if (!env_get(p->envp, "AWS_SESSION_TOKEN"))
		add_text(d, env_get(p->envp, "AWS_ACCESS_KEY_ID"));
	add_text(d, setting_text(p->set, SETTING_REMOTE_TOKEN_FILE));
}

/* The number of a scheme. The first three are those of records that wait since before there were
 * several places. */
static uint64_t number_of(const char *scheme)
{
	static const char names[][12] = {"redis", "rediss", "redis+unix", "file", "http", "https",
	                                 "s3"};
	uint64_t i = 0;

	while (i < sizeof names / sizeof *names && strcmp(names[i], scheme) != 0)
		i++;
	return i + 1;
}

static void add_place(struct digest_state *d, const struct remote_config *c,
                      const struct remote_place *p)
{
	static const char *const variables[] = {"SSL_CERT_FILE", "SSL_CERT_DIR"};
	const struct settings *set = p->set;
	int tls = strcmp(p->scheme, "rediss") == 0, redis = place_is_redis(p);
	const uint64_t numbers[] = {
		ENTRY_VERSION, number_of(p->scheme),
		redis && !p->port ? setting_number(set, SETTING_REDIS_PORT) : p->port, p->db,
		c->ttl_s, c->classes, c->units, (uint64_t)p->readonly, c->max_entry};
	const char *ca = tls ? setting_text(set, SETTING_REDIS_TLS_CA) : "";

	for (int i = 0; tls && i < 2 && !*ca; i++)
		ca = env_get(p->envp, variables[i]) ? env_get(p->envp, variables[i]) : "";
	const char *texts[] = {
		p->host, p->path,
		p->user || !redis ? p->user : setting_text(set, SETTING_REDIS_USER), p->prefix, ca,
		tls ? setting_text(set, SETTING_REDIS_TLS_CERT) : "",
		tls ? setting_text(set, SETTING_REDIS_TLS_KEY) : "",
		tls ? setting_text(set, SETTING_REDIS_TLS_NAME) : "",
		setting_text(set, SETTING_SIGN_KEY), setting_text(set, SETTING_TRUST), p->endpoint,
		p->region,
	};
	digest_add(d, numbers, sizeof numbers);
	for (size_t i = 0; i < sizeof texts / sizeof *texts - (redis ? 2 : 0); i++)
		add_text(d, texts[i]);
	if (!redis)
		add_environment(d, p);
}

void remote_tag(struct store *s, const struct settings *set, char *const envp[], struct arena *a)
{
	char hex[DIGEST_HEX + 1];
	struct remote_config c;
	struct digest_state d;
	struct fault ignored;
	struct digest sum;

	if (remote_config_load(&c, set, envp, a, &ignored) < 0 || !c.places) {
		strcpy(s->remote, REMOTE_TAG_LOCAL);
		return;
	}
	s->look_up_ns = 0;
	for (unsigned i = 0; i < c.places; i++)
		if (c.place[i].timeout_ns > s->look_up_ns)
			s->look_up_ns = c.place[i].timeout_ns;
	digest_init_as(&d, DIGEST_XXH3);
	for (unsigned i = 0; i < c.places; i++)
		add_place(&d, &c, &c.place[i]);
	digest_final(&d, &sum);
	digest_hex(&sum, hex);
	memcpy(s->remote, hex, STORE_REMOTE - 1);
	s->remote[STORE_REMOTE - 1] = '\0';
}

/* What the settings let a process exchange with the remote store. */

int remote_use_load(struct remote_use *out, const struct settings *set, char *const envp[],
                    struct arena *a)
{
	struct remote_config c;
	struct fault ignored;
	int readonly = 1;

	/* The agent reads files, such as passwords, and says what is wrong with them. */
	if (remote_config_load(&c, set, envp, a, &ignored) < 0 || !c.places || !c.classes)
		return 0;
	for (unsigned i = 0; i < c.places; i++)
		readonly &= c.place[i].readonly;
	*out = (struct remote_use){c.classes, c.units, readonly};
	return 1;
}

const char *remote_use_address(const struct settings *set, char *const envp[], struct arena *a,
                               struct fault *fault)
{
	struct remote_config c;
	const char *out = "";

	if (remote_config_load(&c, set, envp, a, fault) < 0)
		return NULL;
	for (unsigned i = 0; out && i < c.places; i++)
		out = arena_cat(a, out, i ? " " : "", c.place[i].shown, NULL);
	return out && *out ? out : "none";
}
