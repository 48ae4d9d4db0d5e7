/* cli/doctor_remote.c - `reprise doctor`: the remote store, from its settings to what waits to be published.
 *
 * The server is asked directly: neither the breaker nor the short deadline of a look-up stands between. What it says is
 * shown by its first word only, and no more of the settings than remote_config_print shows. */
#include <inttypes.h>
#include <string.h>

#include "cli/doctor.h"
#include "remote/tunnel.h"

/* A publisher that works is never that late. */
#define SPOOL_LATE_S 600
#define FAULT_SHOWN 200

/* On the node that has the key, which a cluster may have anywhere. The replies' first error, or NULL. */
static const redisReply *first_error(struct remote_check *c, const struct digest *key,
                                     const struct cluster_command *v, unsigned count, enum wire_status *s)
{
	struct wire *w;

	*s = remote_run(c->r, key, v, count, doctor_now_ns(CLOCK_MONOTONIC) + DOCTOR_PATIENCE_NS, 1, &w, &c->fault);
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
	int64_t salt = doctor_now_ns(CLOCK_REALTIME);

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
		doctor_say(c->d, DOCTOR_MEND, "look-up", s == WIRE_OK ? hint : doctor_remedy(s, &c->r->config), "not possible: %.*s",
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
		doctor_say(c->d, DOCTOR_MEND, "publish", doctor_remedy(s, &c->r->config), "not possible: %s", c->fault.text);
	else if (bad && wire_error(bad) == WIRE_ERR_NOPERM)
		doctor_say(c->d, DOCTOR_NOTE, "publish", "where it should publish, give the user what redis.md lists",
		           "the user may look up only: nothing is published from here");
	else if (bad)
		doctor_say(c->d, DOCTOR_MEND, "publish", "OOM: maxmemory-policy; MISCONF: the server's disk; READONLY: a replica",
		           "the server answers %.*s", (int)strcspn(bad->str, " "), bad->str);
	else
		doctor_say(c->d, DOCTOR_OK, "publish", NULL, "allowed");
	if (s != WIRE_OK || bad)
		return;
	bad = first_error(c, &key, &(struct cluster_command){2, (const char *[]){"STRLEN", result}, (size_t[]){6, n}, 256}, 1, &s);
	if (bad)
		doctor_say(c->d, DOCTOR_NOTE, "publish", "give the user +strlen: see redis.md",
		           "the user may not ask for lengths: files of frameworks' caches are sent that the server has");
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
	if (breaker_publishing_is_off(&c->r->breaker))
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
	records = spool_elsewhere(s);
	if (records)
		doctor_say(d, DOCTOR_NOTE, "spool", "`reprise publish`, with the settings of those jobs, sends them",
		           "%zu records wait for other remote stores, or under other settings", records);
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
	if (doctor_server(&c) == 0)
		check_rights(&c);
	check_access(&c);
	check_breaker(&c);
	if (s->dir)
		check_spool(d, s);
	wire_close(&c.wire);
	remote_close(&r);
}
