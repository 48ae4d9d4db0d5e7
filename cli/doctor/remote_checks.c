/* cli/doctor/remote_checks.c - `reprise doctor`: checks the remote store, from its settings to the
 * records that wait to be published.
 *
 * Of the server's answers only single words and INFO's policy are shown, and of the settings only
 * the address, without user and password. What the settings mean for safety is in security.md. */
#include "cli/doctor/doctor.h"

#include <string.h>
#include <unistd.h>

#include "remote/remote.h"
#include "shim/settings/job.h"
#include "store/agent_start.h"

/* Above this, a round trip costs more than the look-up of many a compile may cost. */
#define LATENCY_HIGH_NS 5000000ll

/* A figure in milliseconds. */
static double ms(int64_t ns)
{
	return (double)ns / 1e6;
}

/* The name of a store's rows: its scheme without what follows a '+'. */
static const char *kind(const char *where)
{
	return strncmp(where, "redis", 5) == 0 ? "redis" : "store";
}

static void say_answer(struct doctor *d, const char *where, const struct remote_check *c)
{
	enum doctor_level level = DOCTOR_MEND;
	const char *remedy = NULL;

	doctor_figure(d, "connect_ms", ms(c->connect_ns));
	doctor_figure(d, "latency_ms", ms(c->answer_ns));
	if (c->answer_ns > LATENCY_HIGH_NS)
		remedy = "use a server in the same network; cheap compiles will not ask this one";
	else if (c->connect_ns + c->answer_ns > c->limit_ns)
		remedy = "a look-up connects and asks twice: repair the network or raise "
		         "REPRISE_REMOTE_LOOKUP_TIMEOUT";
	else
		level = DOCTOR_OK;
	doctor_say(d, level, kind(where), remedy, "%s answers in %.2f ms (connected in %.2f ms)%s",
	           where, ms(c->answer_ns), ms(c->connect_ns), remedy ? ": slow" : "");
}

static void say_policy(struct doctor *d, const struct remote_check *c)
{
	if (!*c->policy)
		doctor_say(d, DOCTOR_NOTE, "memory", "allow +info to the user for `reprise doctor`",
		           "the server does not say its limit and its eviction policy");
	else if (strcmp(c->memory_limit, "0") == 0)
		doctor_say(d, DOCTOR_NOTE, "memory",
		           "set maxmemory and maxmemory-policy allkeys-lru: see remote.md",
		           "no limit: the server may grow until the system stops it");
	else if (strcmp(c->policy, "noeviction") == 0)
		doctor_say(d, DOCTOR_MEND, "memory",
		           "redis-cli config set maxmemory-policy allkeys-lru",
		           "policy noeviction: once the server is full nothing new is published");
	else if (strncmp(c->policy, "volatile-", 9) == 0 && !c->expires)
		doctor_say(d, DOCTOR_MEND, "memory",
		           "set maxmemory-policy allkeys-lru, or REPRISE_REDIS_TTL",
		           "policy %s, but entries without REPRISE_REDIS_TTL never expire: nothing "
		           "can be evicted", c->policy);
	else
		doctor_say(d, DOCTOR_OK, "memory", NULL, "policy %s", c->policy);
}

static void say_publish(struct doctor *d, const struct remote_check *c)
{
	if (c->readonly)
		doctor_say(d, DOCTOR_NOTE, "publish", NULL,
		           "REPRISE_REMOTE_READONLY or the option readonly is set: this node "
		           "publishes nothing there");
	else if (strcmp(c->publish, "NOPERM") == 0)
		doctor_say(d, DOCTOR_NOTE, "publish",
		           "to publish, give the user the rights that remote.md lists",
		           "the user may only look up: this node publishes nothing");
	else if (*c->publish && c->remedy)
		doctor_say(d, DOCTOR_MEND, "publish", c->remedy, "not possible: %s", c->publish);
	else if (*c->publish)
		doctor_say(d, DOCTOR_MEND, "publish",
		           "OOM: check maxmemory-policy; MISCONF: check the server's disk; "
		           "READONLY: name the master of this replica", "the server answers %s",
		           c->publish);
	else
		doctor_say(d, DOCTOR_OK, "publish", NULL, "allowed");
	if (*c->query)
		doctor_say(d, DOCTOR_NOTE, "publish", "give the user +strlen: see remote.md",
		           "the user may not call STRLEN: framework files that the server has are "
		           "sent again");
}

/* 1: store i answers. */
static int check_server(struct doctor *d, struct remote *r, unsigned i)
{
	const char *where = remote_server_address(r, i);
	struct remote_check c;

	if (remote_check(r, i, &c) < 0) {
		doctor_say(d, DOCTOR_MEND, kind(where), c.remedy, "%s: %s", where, c.fault.text);
		return 0;
	}
	say_answer(d, where, &c);
	if (c.says_policy)
		say_policy(d, &c);
	if (*c.look_up) {
		doctor_say(d, DOCTOR_MEND, "look-up",
		           "give the user the rights that remote.md lists",
		           "not possible: the server answers %s", c.look_up);
		return 1;
	}
	doctor_say(d, DOCTOR_OK, "look-up", NULL, "allowed");
	say_publish(d, &c);
	return 1;
}

/* Jobs ask through a program that the command does not need (remote/backends.h). */
static void check_agent(struct doctor *d, const char *where)
{
	char agent[PATH_SIZE];

	if (strncmp(where, "http", 4) != 0 && strncmp(where, "s3:", 3) != 0 &&
	    strncmp(where, "rediss:", 7) != 0)
		return;
	if (agent_find(agent) < 0 || strlen(agent) + sizeof "-net" > sizeof agent ||
	    access(strcat(agent, "-net"), X_OK) < 0)
		doctor_say(d, DOCTOR_MEND, "agent",
		           "install the package's libexec, or build it with the headers of "
		           "libcurl and OpenSSL",
		           "no reprise-agent-net, without which jobs do not use %s", where);
}

/* Keeps what one agent says, if it has not said that the breaker is open. */
static void hear(void *ctx, const struct agent_reply *r)
{
	struct agent_reply *kept = ctx;

	if (r->answer == AGENT_FILLED && !kept->count)
		*kept = *r;
}

/* What the node's agents know of the store. None is started for it. */
static void check_breaker(struct doctor *d, struct store *s, unsigned place, int answers)
{
	struct agent_reply b = {.text = "closed: no agent runs"};

	remote_tag(s, &d->cli->settings, d->cli->envp, &d->cli->arena);
	cli_ask_agents(d->cli, s, AGENT_BREAKER, place, hear, &b);
	if (b.count)
		doctor_say(d, answers ? DOCTOR_NOTE : DOCTOR_MEND, "breaker",
		           answers ? "it closes with the next look-up that is answered"
		                   : "see the store above", "%s", b.text);
	else
		doctor_say(d, DOCTOR_OK, "breaker", NULL, "%s", b.text);
	if (b.more)
		doctor_say(d, DOCTOR_NOTE, "publish",
		           "after changing the ACL, run `reprise publish --wait 1m`",
		           "the server refused a write: nothing is published for an hour, or until "
		           "the agent ends");
}

void doctor_remote(struct doctor *d, struct store *s)
{
	struct cli *cli = d->cli;
	struct remote r;
	struct fault fault;

	if (remote_open(&r, &cli->settings, cli->envp,
	                settings_job(&cli->settings, cli->envp, &cli->arena, NULL), s, &cli->arena,
	                &fault) < 0) {
		doctor_say(d, DOCTOR_MEND, "remote",
		           "see settings.md and security.md; until then the remote store is off",
		           "%s", fault.text);
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
	if (*setting_text(&cli->settings, SETTING_REMOTE_URL) &&
	    *setting_text(&cli->settings, SETTING_REDIS_URL))
		doctor_say(d, DOCTOR_NOTE, "remote", "remove one of the two",
		           "REPRISE_REMOTE_URL is used, and REPRISE_REDIS_URL is not");
	for (unsigned i = 0; i < r.servers; i++) {
		int answers = check_server(d, &r, i);

		check_agent(d, remote_server_address(&r, i));
		check_breaker(d, s, remote_server_place(&r, i), answers);
	}
	if (s->dir)
		doctor_waiting(d, s, &(struct doctor_queue){
			"spool", "spool_records", "records wait",
			"records wait for other remote stores or settings", 0, spool_pending,
			spool_elsewhere});
	remote_close(&r);
}
