/* cli/doctor_remote.c - `reprise doctor`: checks the remote store, from its settings to the records
 * that wait to be published.
 *
 * The checks ask the server directly, without the breaker and without the short deadline of a
 * look-up. Of the server's answers only the first word is shown, and of the settings only what
 * remote_config_print shows. */
#include "cli/doctor_remote.h"

#include <inttypes.h>
#include <string.h>

#include "cli/doctor.h"
#include "cli/doctor_say.h"
#include "cli/doctor_server.h"
#include "remote/tunnel_program.h"
#include "remote/values.h"
#include "shim/job.h"

/* A publisher that works sends records earlier. */
#define SPOOL_LATE_S 600
#define FAULT_SHOWN 200

/* Runs the commands on the node that has the key, which may be any node of a cluster. Returns the
 * first reply that is an error, or NULL. */
static const redisReply *first_error(struct remote_check *c, const struct digest *key,
                                     const struct cluster_command *v, unsigned count,
                                     enum wire_status *s)
{
	struct wire *w;

	*s = remote_run(c->r, key, v, count, doctor_now_ns(CLOCK_MONOTONIC) + DOCTOR_PATIENCE_NS, 1,
	                &w, &c->fault);
	for (unsigned i = 0; *s == WIRE_OK && i < count; i++)
		if (w->reply[i]->type == REDIS_REPLY_ERROR)
			return w->reply[i];
	return NULL;
}

/* What a publisher's commands led to. 1: it may write. */
static int say_publish(struct remote_check *c, enum wire_status s, const redisReply *bad)
{
	if (s != WIRE_OK)
		doctor_say(c->d, DOCTOR_MEND, "publish", doctor_remedy(s, &c->r->server->config),
		           "not possible: %s", c->fault.text);
	else if (bad && wire_error(bad) == WIRE_ERR_NOPERM)
		doctor_say(c->d, DOCTOR_NOTE, "publish",
		           "to publish, give the user the rights that remote.md lists",
		           "the user may only look up: this node publishes nothing");
	else if (bad)
		doctor_say(c->d, DOCTOR_MEND, "publish",
		           "OOM: check maxmemory-policy; MISCONF: check the server's disk; "
		           "READONLY: name the master of this replica", "the server answers %.*s",
		           (int)strcspn(bad->str, " "), bad->str);
	else
		doctor_say(c->d, DOCTOR_OK, "publish", NULL, "allowed");
	return s == WIRE_OK && !bad;
}

/* Sends the commands of a look-up and of a publisher, on keys that no other program uses and that
 * expire at once. */
static void check_rights(struct remote_check *c)
{
	static const char hint[] = "give the user the rights that remote.md lists";
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
		/* LTRIM removes what LPUSH added, and a list without elements is no key. */
		{3, (const char *[]){"LPUSH", manifest, ""}, (size_t[]){5, m, 0}, 256},
		{4, (const char *[]){"LTRIM", manifest, "1", "0"}, (size_t[]){5, m, 1, 1}, 256},
		{3, (const char *[]){"EXPIRE", manifest, "1"}, (size_t[]){6, m, 1}, 256},
		{5, (const char *[]){"SET", result, "", "EX", "1"}, (size_t[]){3, n, 0, 2, 1}, 256},
		{6, (const char *[]){"SET", lease, "", "NX", "PX", "1"},
		 (size_t[]){3, l, 0, 2, 2, 1}, 256},
	};
	const redisReply *bad = first_error(c, &key, reads, 3, &s);
	if (s != WIRE_OK || bad) {
		doctor_say(c->d, DOCTOR_MEND, "look-up",
		           s == WIRE_OK ? hint : doctor_remedy(s, &c->r->server->config),
		           "not possible: %.*s", bad ? (int)strcspn(bad->str, " ") : FAULT_SHOWN,
		           bad ? bad->str : c->fault.text);
		return;
	}
	doctor_say(c->d, DOCTOR_OK, "look-up", NULL, "allowed");
	if (c->r->server->config.readonly) {
		doctor_say(c->d, DOCTOR_NOTE, "publish", NULL,
		           "REPRISE_REMOTE_READONLY is set: this node publishes nothing");
		return;
	}
	bad = first_error(c, &key, writes, sizeof writes / sizeof *writes, &s);
	if (!say_publish(c, s, bad))
		return;
	bad = first_error(c, &key,
	                  &(struct cluster_command){2, (const char *[]){"STRLEN", result},
	                                            (size_t[]){6, n}, 256}, 1, &s);
	if (bad)
		doctor_say(c->d, DOCTOR_NOTE, "publish", "give the user +strlen: see remote.md",
		           "the user may not call STRLEN: framework files that the server has are "
		           "sent again");
}

static int is_near(const struct remote_config *c)
{
	return c->scheme == REMOTE_UNIX ||
	       (c->host &&
	        (strncmp(c->host, "127.", 4) == 0 || !strcmp(c->host, "::1") ||
	         !strcmp(c->host, "localhost")));
}

/* Checks who may listen to the connection and who may write to the server. */
static void check_access(struct remote_check *c)
{
	const struct remote_config *f = &c->r->server->config;
	const struct trust *t = &c->r->server->trust;
	char tunnel[PATH_SIZE];

	if (f->scheme == REMOTE_TLS && tunnel_program_find(tunnel) == 0)
		doctor_say(c->d, DOCTOR_OK, "tls", NULL, "provided by %s%s", tunnel,
		           f->tls_cert && *f->tls_cert ? ", with a client certificate" : "");
	else if (f->scheme == REMOTE_TCP && !is_near(f))
		doctor_say(c->d, DOCTOR_NOTE, "tls",
		           "use rediss:// if others can reach this network",
		           "none: others on the network can read the password and replace results");
	if (f->user || f->password)
		doctor_say(c->d, DOCTOR_OK, "auth", NULL, "%s",
		           f->user ? "as an ACL user" : "with the server's password");
	else if (!is_near(f))
		doctor_say(c->d, DOCTOR_NOTE, "auth", "set requirepass or ACL users: see remote.md",
		           "none: anyone who reaches the port can replace results");
	if (setting_text(&c->d->cli->settings, SETTING_REDIS_PASSWORD)[0] &&
	    c->d->cli->settings.v[SETTING_REDIS_PASSWORD].origin == ORIGIN_ENVIRONMENT)
		doctor_say(c->d, DOCTOR_NOTE, "auth", "use REPRISE_REDIS_PASSWORD_FILE",
		           "the password is in the environment, which every process of the job can "
		           "read");
	if (t->count && t->signing)
		doctor_say(c->d, DOCTOR_OK, "trust", NULL,
		           "entries are signed; signatures of %u keys are accepted, our own among "
		           "them", t->count);
	else if (t->count)
		doctor_say(c->d, DOCTOR_OK, "trust", NULL,
		           "signatures of %u keys are accepted; without REPRISE_SIGN_KEY this node "
		           "publishes nothing", t->count);
	else
		doctor_say(c->d, DOCTOR_NOTE, "trust",
		           "make keys with `reprise keygen`, set REPRISE_SIGN_KEY and "
		           "REPRISE_TRUST: see security.md",
		           "no keys are configured: anyone who can write to this Redis can replace "
		           "results");
}

static void check_breaker(struct remote_check *c)
{
	struct breaker_state b;

	if (breaker_read(&c->r->server->breaker, &b) < 0)
		return;
	if (b.is_open)
		doctor_say(c->d, c->answers ? DOCTOR_NOTE : DOCTOR_MEND, "breaker",
		           c->answers ? "it closes with the next look-up that is answered"
		                      : "see redis above",
		           "open since the last failure (%s): jobs do not use the remote store; "
		           "next try in %.1f s", b.last, (double)b.retry_in_ns / 1e9);
	else
		doctor_say(c->d, DOCTOR_OK, "breaker", NULL,
		           "closed; look-ups took %.1f s in all and saved %.1f s",
		           (double)b.waited_ns / 1e9, (double)b.saved_ns / 1e9);
	if (breaker_publishing_is_off(&c->r->server->breaker))
		doctor_say(c->d, DOCTOR_NOTE, "publish",
		           "after changing the ACL, run `reprise publish --wait 1m` to try again",
		           "the server refused a write: nothing is published for an hour");
}

static void check_spool(struct doctor *d, struct store *s)
{
	size_t records;
	int64_t oldest;

	if (spool_pending(s, &records, &oldest) < 0)
		return;
	const char *publisher = spool_publisher_busy(s) ? "a publisher is running"
	                                                : "no publisher is running";
	doctor_figure(d, "spool_records", (double)records);
	if (records && oldest > SPOOL_LATE_S)
		doctor_say(d, DOCTOR_MEND, "spool",
		           "run `reprise publish --wait 5m`: it says what is wrong",
		           "%zu records wait, the oldest for %" PRId64 " s; %s", records, oldest,
		           publisher);
	else
		doctor_say(d, DOCTOR_OK, "spool", NULL, "%zu records wait; %s", records, publisher);
	records = spool_elsewhere(s);
	if (records)
		doctor_say(d, DOCTOR_NOTE, "spool",
		           "run `reprise publish` with the settings of those jobs",
		           "%zu records wait for other remote stores or settings", records);
}

void doctor_remote(struct doctor *d, struct store *s)
{
	struct cli *cli = d->cli;
	struct remote r;
	struct remote_check c = {.d = d, .r = &r, .wire = WIRE_INIT};

	if (remote_open(&r, &cli->settings, cli->envp,
	                settings_job(&cli->settings, cli->envp, &cli->arena, NULL), s, &cli->arena,
	                &c.fault) < 0) {
		doctor_say(d, DOCTOR_MEND, "remote",
		           "see settings.md and security.md; until then the remote store is off",
		           "%s", c.fault.text);
		return;
	}
	if (!r.on) {
		doctor_say(d, DOCTOR_NOTE, "remote",
		           "set REPRISE_REDIS_URL=redis://host to share results between nodes",
		           setting_number(&cli->settings, SETTING_REMOTE) ? "none is configured"
		                                                          : "turned off by "
		                                                            "REPRISE_REMOTE");
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
