/* cli/publish.c - `reprise publish`: packs and sends what waits. */
#include <argp.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "remote/tag.h"
#include "shim/log.h"
#include "units/offer.h"
#include "units/publish.h"

struct options {
	int daemon, wait;
	uint64_t wait_ms;
};

enum { OPTION_DAEMON = 256 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const char *wrong;

	switch (key) {
	case 'w':
		o->wait = 1;
		wrong = *arg ? setting_parse(SETTING_TIME, arg, &o->wait_ms) : "a time";
		if (wrong)
			argp_error(state, "--wait takes %s", wrong);
		return 0;
	case OPTION_DAEMON: o->daemon = 1; return 0;
	case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int64_t in_ms(uint64_t ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	/* A wait of years is one without end. */
	return ms > 1000000000000ull ? 0 : ts.tv_sec * 1000000000ll + ts.tv_nsec + (int64_t)ms * 1000000;
}

int cli_publisher_open(struct cli *c, struct publisher *p, struct store *s, struct remote *r,
                       struct fault *fault)
{
	log_init(&c->settings, s->dir, s->runtime_dir, "publish", c->envp, &c->arena);
	remote_tag(s, &c->settings, c->envp, &c->arena);
	*p = (struct publisher){.store = s, .remote = r, .idle_ns = PUBLISH_IDLE_NS, .away_ns = PUBLISH_AWAY_NS,
	                        .compress = (enum compress_mode)setting_number(&c->settings, SETTING_COMPRESS),
	                        .lease_ms = (unsigned)setting_number(&c->settings, SETTING_REMOTE_LEASE)};
	if (remote_open(r, &c->settings, c->envp, settings_job(&c->settings, c->envp, &c->arena, NULL), s,
	                &c->arena, fault) < 0)
		return -1;
	return 0;
}

int cli_drain(struct publisher *p, uint64_t ms, int hurried, struct fault *fault)
{
	p->idle_ns = 0;
	p->deadline = in_ms(ms);
	p->hurried = hurried;
	p->away_ns = hurried ? CLI_STALL_NS : INT64_MAX;
	if (hurried)
		p->remote->config.stall_ns = CLI_STALL_NS;
	return publish_drain(p, fault);
}

static int left(struct store *s, const char *who, const char *why)
{
	size_t records = 0, offers = 0;
	int64_t age;

	spool_pending(s, &records, &age);
	offers_pending(s, &offers, &age);
	if (records)
		fprintf(stderr, "%s: %zu not published: %s\n", who, records, why);
	if (offers)
		fprintf(stderr, "%s: %zu not packed: %s\n", who, offers, why);
	return records || offers ? CLI_FINDING : CLI_OK;
}

/* What jobs with other settings left is theirs: it is no finding, but where nothing can be sent from here at all. */
static int elsewhere(struct store *s, const struct remote *r, const char *who, const char *why)
{
	size_t records = spool_elsewhere(s), offers = offers_elsewhere(s), held = offers_held(s);

	if (held)
		fprintf(stderr, "%s: %zu wait for the end of the processes that made them\n", who, held);
	if (offers || (records && remote_may_publish(r)))
		fprintf(stderr, "%s: %zu wait for other remote stores, or under other settings: run it as those jobs do\n", who,
		        offers + (remote_may_publish(r) ? records : 0));
	if (!records || remote_may_publish(r))
		return CLI_OK;
	fprintf(stderr, "%s: %zu not published: %s\n", who, records, why);
	return CLI_FINDING;
}

int cli_publish(struct cli *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"wait", 'w', "TIME", 0, "Wait until all is sent, by this process or by another, at most so long: seconds, "
		 "or with ms s m h d", 0},
		{"daemon", OPTION_DAEMON, NULL, OPTION_HIDDEN, NULL, 0},
		{0},
	};
	struct argp argp = {options, parse, NULL,
	                    "Puts into the store what the frameworks of jobs completed in their cache directories, and "
	                    "sends to the remote store what this node has compiled and not sent yet. Jobs start it "
	                    "by themselves, in the background, and it ends when nothing came for some seconds; by hand "
	                    "it does the same in the foreground. One runs at a time for a store and its remote settings; what "
	                    "jobs with other settings left is theirs to send.\v"
	                    "Exit status: 0 all is done; 1 something is left, because the remote store is away, does "
	                    "not take it, or none is configured, or because time was up.", NULL, NULL, NULL};
	struct options o = {0, 0, 0};
	struct fault fault = {0, ""};
	struct publisher p;
	struct remote r;
	struct store s;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	/* A remote that is wrongly set up is none: what jobs completed is packed all the same. */
	const char *why = NULL;
	if (cli_publisher_open(c, &p, &s, &r, &fault) < 0)
		why = arena_strdup(&c->arena, fault.text);
	p.stays = o.daemon;
	if (why && o.daemon)
		log_once("publisher", "nothing is published: %s", why);
	if (!why && r.config.scheme == REMOTE_NONE)
		why = "no remote store is configured";
	int all = o.wait ? cli_drain(&p, o.wait_ms, 0, &fault) == 0
	                 : publish_serve(&p, &fault) == PUBLISH_IDLE;
	if (!all)
		status = o.daemon ? CLI_FINDING : left(&s, argv[0], why ? why : fault.text);
	else if (!o.daemon)
		status = elsewhere(&s, &r, argv[0], why ? why : "nothing is published from here");
	remote_close(&r);
	return status;
}
