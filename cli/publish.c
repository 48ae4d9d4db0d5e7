/* cli/publish.c - `reprise publish`: packs framework files and sends records that wait. */
#include "cli/cli.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim/log.h"
#include "units/gather/gather.h"
#include "units/shape/declared.h"

struct options {
	int daemon, json;
	const char *wait; /* a time, or NULL */
	uint64_t wait_ms;
};

enum { OPTION_DAEMON = 256 };

/* The publisher of a job works where no job wants the processor, so its last units take a while. */
#define BUSY_WAIT_MS 30000

static int64_t in_ms(uint64_t ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	/* A wait of years is a wait without end. */
	return ms > 1000000000000ull ? 0
	                             : ts.tv_sec * 1000000000ll + ts.tv_nsec +
	       (int64_t)ms * 1000000;
}

int cli_publisher_open(struct cli *c, struct publisher *p, struct store *s, struct remote *r,
                       struct fault *fault)
{
	log_init(&c->settings, s->dir, s->runtime_dir, "publish", c->envp, &c->arena);
	remote_tag(s, &c->settings, c->envp, &c->arena);
	if (c->settings.units) {
		declared_expect();
		declared_load(&c->settings);
	}
	*p = (struct publisher){.store = s, .remote = r, .idle_ns = PUBLISH_IDLE_NS,
	                        .away_ns = PUBLISH_AWAY_NS,
	                        .compress = (enum compress_mode)setting_number(&c->settings,
	                                                                       SETTING_COMPRESS),
	                        .lease_ms = (unsigned)setting_number(&c->settings,
	                                                             SETTING_REMOTE_LEASE)};
	if (remote_open(r, &c->settings, c->envp,
	                settings_job(&c->settings, c->envp, &c->arena, NULL), s, &c->arena, fault) <
	    0)
		return -1;
	return 0;
}

void cli_publish_progress(size_t left)
{
	if (left)
		cli_progress("%zu entries to send", left);
}

int cli_drain(struct publisher *p, uint64_t ms, int hurried, struct fault *fault)
{
	p->idle_ns = 0;
	p->deadline = in_ms(ms);
	p->hurried = hurried;
	p->away_ns = hurried ? CLI_STALL_NS : INT64_MAX;
	if (hurried)
		remote_limit_stall(p->remote, CLI_STALL_NS);
	return publish_drain(p, fault);
}

/* What waits when the publisher has ended. */
struct left {
	size_t records, offers;          /* of these settings */
	size_t held;                     /* offers whose process lives */
	size_t other_records, other_offers;
};

static void find_left(struct left *l, struct store *s)
{
	int64_t age;

	memset(l, 0, sizeof *l);
	spool_pending(s, &l->records, &age);
	offers_pending(s, &l->offers, &age);
	l->held = offers_held(s);
	l->other_records = spool_elsewhere(s);
	l->other_offers = offers_elsewhere(s);
}

/* why: a reason that holds for all records, or NULL. Files need no remote store. */
static void say_left(const struct left *l, const char *who, const char *why, const char *fault)
{
	if (l->records)
		fprintf(stderr, "%s: %zu entries not published: %s\n", who, l->records,
		        why ? why : fault);
	if (l->offers)
		fprintf(stderr, "%s: %zu framework files not packed: %s\n", who, l->offers, fault);
}

/* Records of jobs with other settings. */
static void say_elsewhere(const struct left *l, int may_publish, const char *who, const char *why)
{
	if (l->held)
		fprintf(stderr,
		        "%s: %zu framework files wait until the processes that made them end\n",
		        who, l->held);
	if (l->other_offers || (l->other_records && may_publish))
		fprintf(stderr,
		        "%s: %zu wait for other remote stores or settings: run `reprise publish` "
		        "with the settings of those jobs\n", who,
		        l->other_offers + (may_publish ? l->other_records : 0));
	if (l->other_records && !may_publish)
		fprintf(stderr, "%s: %zu entries not published: %s\n", who, l->other_records, why);
}

static void print_json(const struct left *l, int all, const char *why)
{
	struct json_object *o = json_report();

	json_flag(o, "done", all && !l->other_records && !l->other_offers);
	json_number(o, "entries_waiting", l->records);
	json_number(o, "files_waiting", l->offers);
	json_number(o, "files_held", l->held);
	json_number(o, "entries_elsewhere", l->other_records);
	json_number(o, "files_elsewhere", l->other_offers);
	json_text(o, "why", all ? "" : why);
	json_print(stdout, o);
}

/* The exit status. Records of other settings are a finding only if this node may not publish at
 * all. */
static int finish(struct store *s, const struct remote *r, const struct options *o, int all,
                  const char *why, const char *fault, const char *who)
{
	int may = remote_may_publish(r);
	struct left l;

	find_left(&l, s);
	if (o->json)
		print_json(&l, all, why && l.records ? why : fault);
	else if (all)
		say_elsewhere(&l, may, who, why ? why : "nothing is published from here");
	else
		say_left(&l, who, why, fault);
	if (all)
		return l.other_records && !may ? CLI_FINDING : CLI_OK;
	return l.records || l.offers ? CLI_FINDING : CLI_OK;
}

/* The daemon gets a processor and the disk where no job wants them. What is refused is left. */
static void yield_to_jobs(void)
{
	static const struct sched_param none = {0};
	enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_IDLE = 3 << 13 };

	(void)sched_setscheduler(0, SCHED_IDLE, &none);
	(void)setpriority(PRIO_PROCESS, 0, 19);
	(void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
}

/* 1: all is done, by this process or by the publisher that is at work. */
static int serve(struct publisher *p, const struct options *o, struct fault *fault)
{
	enum publish_end end = publish_serve(p, fault);

	if (end == PUBLISH_BUSY && !o->daemon)
		return cli_drain(p, BUSY_WAIT_MS, 1, fault) == 0;
	return end == PUBLISH_IDLE;
}

int cli_publish(struct cli *c, int argc, char **argv)
{
	struct options o = {0};
	struct fault fault = {0, ""};
	struct publisher p;
	struct remote r;
	struct store s;
	const struct cli_option options[] = {
		{"wait", 'w', "TIME",
		 "Wait until everything is sent, by this process or another, for at most TIME: "
		 "seconds, or with ms s m h d", &o.wait},
		CLI_JSON(&o.json),
		{"daemon", OPTION_DAEMON, NULL, NULL, &o.daemon},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options,
		.text = "Packs files that frameworks completed in their cache directories into the "
			"local store, and sends results of this node that are not sent yet to the "
			"remote store. Jobs start it in the background, where it ends after some "
			"seconds without work; started by hand it runs in the foreground. One runs "
			"at a time for a store and its remote settings, and one started by hand "
			"waits up to 30 s for the other; results of jobs with other settings need "
			"a process with those settings.\vExit status: 0 all is done; "
			"1 something is left: the remote store does not answer, refuses it or is "
			"not configured, or the time is up."};

	cli_parse(argc, argv, &syntax);
	cli_setting(argv[0], "--wait", SETTING_TIME, o.wait, &o.wait_ms);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	/* Without a usable remote store the files that jobs completed are packed all the same. */
	const char *why = NULL;
	if (cli_publisher_open(c, &p, &s, &r, &fault) < 0)
		why = arena_strdup(&c->arena, fault.text);
	if (o.daemon) {
		yield_to_jobs();
		p.quiet_ns = PUBLISH_QUIET_NS;
	}
	p.stays = o.daemon;
	p.progress = o.daemon ? NULL : cli_publish_progress;
	if (why && o.daemon)
		log_once("publisher", "nothing is published: %s", why);
	if (!why && !r.on)
		why = "no remote store is configured";
	int all = o.wait ? cli_drain(&p, o.wait_ms, 0, &fault) == 0 : serve(&p, &o, &fault);
	cli_progress_end();
	if (!o.daemon)
		status = finish(&s, &r, &o, all, why, fault.text, argv[0]);
	else if (!all)
		status = !remote_may_publish(&r) && fault.code == EACCES ? AGENT_DENIED
		                                                         : CLI_FINDING;
	remote_close(&r);
	return status;
}
