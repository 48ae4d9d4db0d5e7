/* cli/prefetch.c - `reprise prefetch`: has the agent bring what the last job of a name used. */
#include "cli/cli.h"

#include <limits.h>
#include <time.h>

#include "cli/run/run.h"
#include "remote/remote.h"
#include "shim/settings/job.h"
#include "store/job/job_used.h"

#define LOOK_NS 100000000l

struct wish {
	const char *job, *rank;
	int json;
};

static int print(const struct wish *w, enum agent_answer answer, const struct agent_reply *reply,
                 const char *why)
{
	char size[CLI_SIZE_TEXT];

	if (w->json) {
		struct json_object *o = json_report();

		json_text(o, "job", w->job);
		json_flag(o, "done", answer == AGENT_FILLED);
		json_number(o, "entries", reply->count);
		json_number(o, "bytes", (uint64_t)reply->listed);
		json_text(o, "why", why);
		return json_print(stdout, o);
	}
	if (answer == AGENT_FILLED)
		printf("%u entries came, %s%s%s\n", reply->count,
		       cli_size(size, (uint64_t)reply->listed), *why ? "; not all: " : "", why);
	return CLI_OK;
}

/* Waits until the agent has brought it all. */
static enum agent_answer wait_for(struct cli *c, struct store *s, const struct digest *key,
                                  const char *job, struct agent_reply *reply, struct fault *fault)
{
	enum agent_answer answer;

	for (;;) {
		const struct timespec pause = {0, LOOK_NS};

		answer = job_ahead_ask(c, s, key, job, reply, fault);
		if (answer != AGENT_FILLED || !reply->more)
			break;
		cli_progress("%u entries, %llu MiB", reply->count,
		             (unsigned long long)reply->listed >> 20);
		nanosleep(&pause, NULL);
	}
	cli_progress_end();
	return answer;
}

/* The rank that the list is of: --rank, or this process's. Ends the program where it is none. */
static long rank_of(struct cli *c, const struct wish *w, const char *who)
{
	struct rank rank;
	int n;

	if (w->rank && strcmp(w->rank, "0") == 0)
		return 0;
	if (w->rank && cli_number(w->rank, INT_MAX, &n) < 0)
		cli_wrong_usage(who, "--rank takes a number");
	if (w->rank)
		return n;
	rank_read(&rank, c->envp);
	return rank.known > 0 ? (long)rank.rank : -1;
}

int cli_prefetch(struct cli *c, int argc, char **argv)
{
	struct wish w = {0};
	const struct cli_option options[] = {
		{"rank", 'r', "N",
		 "What rank N used, where each rank ran under reprise-run; default: the rank of "
		 "this process", &w.rank},
		CLI_JSON(&w.json), {0}};
	const struct cli_syntax syntax = {
		.options = options, .operands = "JOB", .operand = &w.job, .missing = "a job's name",
		.text = "Brings from the remote store what the last job of that name used "
			"(reprise-run --job, REPRISE_JOB), and waits for it: for a node that is "
			"set up before its job begins. At most REPRISE_PREFETCH bytes come.\vExit "
			"status: 0 what is there came; 1 the job left no list, or the remote store "
			"does not answer."};
	struct agent_reply reply = {0};
	struct fault fault = {0, ""};
	struct digest key;
	struct remote_use use;
	struct store s;

	cli_parse(argc, argv, &syntax);
	long rank = rank_of(c, &w, argv[0]);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	if (!setting_number(&c->settings, SETTING_PREFETCH))
		return cli_failed(argv[0], CLI_FINDING, "REPRISE_PREFETCH is 0");
	if (!remote_use_load(&use, &c->settings, c->envp, &c->arena))
		return cli_failed(argv[0], CLI_FINDING, "no remote store is configured");
	job_used_key(&key, w.job, NULL, NULL, rank);
	enum agent_answer answer = wait_for(c, &s, &key, w.job, &reply, &fault);
	const char *why = answer == AGENT_ABSENT ? "no job of that name has left a list"
	                  : answer == AGENT_SKIPPED ? fault.text : reply.text;
	if (print(&w, answer, &reply, why) != CLI_OK || answer == AGENT_FILLED)
		return answer == AGENT_FILLED ? CLI_OK : CLI_FINDING;
	return cli_failed(argv[0], CLI_FINDING, why);
}
