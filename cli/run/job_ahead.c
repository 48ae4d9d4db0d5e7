/* cli/run/job_ahead.c - entries ahead of the job: what the last job of a name used comes before
 * this one asks for it, and this one leaves what it used (store/job/job_used.h). */
#include "cli/run/run.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/report/report.h"
#include "remote/remote.h"
#include "shim/settings/job.h"
#include "store/agent.h"
#include "store/job/job_used.h"

/* 1: a job with these settings uses what would come. */
static int is_wanted(struct cli *c)
{
	static const enum setting_id off[] = {SETTING_FORCE_DISABLE, SETTING_READONLY,
	                                      SETTING_RECACHE};
	struct remote_use use;

	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		if (setting_number(&c->settings, off[i]))
			return 0;
	return !settings_disabled(c->envp) && setting_number(&c->settings, SETTING_LOCAL) &&
	       setting_number(&c->settings, SETTING_PREFETCH) &&
	       remote_use_load(&use, &c->settings, c->envp, &c->arena);
}

void job_ahead_begin(struct job_ahead *h, struct cli *c, const char *wish, char *const argv[],
                     int publishes)
{
	const char *variable, *job = settings_job(&c->settings, c->envp, &c->arena, &variable);
	int is_named = variable && strcmp(variable, "REPRISE_JOB") == 0 &&
	               !cli_launch_made_name(job);
	const char *name = wish ? wish : is_named ? job : NULL;
	char cwd[PATH_SIZE];
	struct rank rank;

	*h = (struct job_ahead){0};
	rank_read(&rank, c->envp);
	/* Ranks of a node that share a name share a list: the first one sees to it. */
	if (!is_wanted(c) || job_line_is_part(c, wish) ||
	    ((wish || variable) && rank.known > 0 && rank.local_rank != 0))
		return;
	job_used_key(&h->key, name, argv, getcwd(cwd, sizeof cwd) ? cwd : "/",
	             rank.known > 0 ? (long)rank.rank : -1);
	h->asks = 1;
	h->leaves = publishes && (wish || !variable || job_list_name_ok(job));
	h->drops = !wish && !setting_number(&c->settings, SETTING_JOB_LIST);
	if (h->leaves && setenv("REPRISE_JOB_LIST", "1", 0) < 0)
		h->leaves = 0;
}

enum agent_answer job_ahead_ask(struct cli *c, struct store *s, const struct digest *key,
                            const char *job, struct agent_reply *out, struct fault *fault)
{
	struct agent_question q;
	enum agent_answer answer;
	struct agent g;

	remote_tag(s, &c->settings, c->envp, &c->arena);
	agent_open(&g, s, &c->settings, c->envp, &c->arena);
	agent_question(&q, &g, AGENT_PREFETCH, STORE_JOB_USED, key);
	q.most = setting_number(&c->settings, SETTING_PREFETCH);
	/* The job has its name since the settings were read. */
	q.job = remote_job_number(job);
	if (*q.events_of)
		events_name(q.events_of, job);
	answer = agent_ask(&g, &q, agent_patience(&g, 0), out, fault);
	agent_close(&g);
	return answer;
}

void job_ahead_start(struct job_ahead *h, struct cli *c)
{
	const char *job = getenv("REPRISE_JOB");
	struct fault ignored = {0, ""};
	struct agent_reply reply;
	struct store s;

	if (!h->asks || !job || cli_find_store(c, &s, &ignored) < 0)
		return;
	h->mark = job_used_mark(&s, job);
	job_ahead_ask(c, &s, &h->key, job, &reply, &ignored);
}

/* 0, or -1 with *fault. */
static int put(struct cli *c, struct store *s, const struct digest *key, const char *job,
               const struct job_list *used, struct fault *fault)
{
	struct arena work = ARENA_INIT;
	struct remote r;
	size_t len;
	int rc = 0;

	remote_tag(s, &c->settings, c->envp, &c->arena);
	if (remote_open(&r, &c->settings, c->envp, job, s, &c->arena, fault) < 0)
		return -1;
	r.job = NULL;
	r.arena = &work;
	remote_limit_stall(&r, CLI_STALL_NS);
	unsigned char *payload = job_used_encode(&len, used, &work);
	if (payload && remote_may_publish(&r))
		rc = cli_remote_answers(c, s, fault) < 0 ||
		     remote_put_result(&r, STORE_JOB_USED, key, payload, len, fault) != 0 ? -1 : 0;
	remote_close(&r);
	arena_free(&work);
	return rc;
}

void job_ahead_end(const struct job_ahead *h, struct cli *c, int answers, int quiet)
{
	const char *job = getenv("REPRISE_JOB");
	struct fault fault = {0, ""};
	struct job_list used;
	struct store s;

	if (!h->leaves || !job || cli_find_store(c, &s, &fault) < 0)
		return;
	if (answers && job_used_since(&used, &s, job, h->mark, &c->arena) == 0 && used.count &&
	    put(c, &s, &h->key, job, &used, &fault) < 0 && !quiet)
		fprintf(stderr, "reprise-run: the next job has no list of what this one used: %s\n",
		        fault.text);
	if (h->drops)
		job_used_drop(&s, job);
}
