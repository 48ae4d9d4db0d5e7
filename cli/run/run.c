/* cli/run/run.c - `reprise run`, which scripts/reprise-run calls. */
#include <errno.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "cli/report/report.h"
#include "cli/run/run.h"
#include "remote/remote.h"
#include "shim/settings/job.h"
#include "store/agent.h"
#include "store/job/job_list.h"

/* The warnings of `reprise run`. */

static void say(void *who, const char *line)
{
	fprintf(stderr, "%s: ", (const char *)who);
	cli_print_safe(stderr, line, strlen(line), PATH_SIZE);
	fputc('\n', stderr);
}

static void check_store(struct cli *c, void *who, const struct store *s, const char *why)
{
	if (!s->dir)
		cli_tell(say, who, "nothing is cached: no usable store: %s", why);
	else if (!s->runtime_dir)
		cli_tell(say, who, "nothing is recorded: no usable runtime directory: %s", why);
	else if (!s->writable && !setting_number(&c->settings, SETTING_READONLY))
		cli_tell(say, who, "nothing is added to the store: %s cannot be written", s->dir);
	if (s->dir && s->passed)
		cli_tell(say, who, "%s: the store is %s", s->passed, s->dir);
	if (s->runtime_dir && s->passed_runtime)
		cli_tell(say, who, "%s: it is %s", s->passed_runtime, s->node_dir);
}

/* Starts the agent before the job, and has it ask the remote store once, as a look-up would. -1: it
 * does not answer. */
static int check_remote(struct cli *c, void *who, struct store *s)
{
	struct fault fault = {0, ""};
	struct remote_use use;

	/* A wrong configuration was reported by cli_check_remote_settings. */
	const char *where = remote_use_address(&c->settings, c->envp, &c->arena, &fault);
	if (!s->dir || !where || !remote_use_load(&use, &c->settings, c->envp, &c->arena) ||
	    remote_config_check(&c->settings, c->envp, &c->arena, &fault) < 0)
		return 0;
	if (cli_remote_answers(c, s, &fault) == 0)
		return 0;
	cli_tell(say, who, "%s: %s: nothing is shared until the server answers", where, fault.text);
	return -1;
}

/* Says on standard error what will not work here, unless Reprise is turned off. who:
 * begins each line. -1: the remote store does not answer. */
static int cli_warn(struct cli *c, void *who)
{
	struct fault fault = {0, ""};
	struct store s;

	if (settings_disabled(c->envp) || setting_number(&c->settings, SETTING_FORCE_DISABLE))
		return 0;
	cli_check_settings(c, say, who);
	cli_check_services(c, say, who);
	cli_check_remote_settings(c, say, who);
	cli_find_store(c, &s, &fault);
	if (setting_number(&c->settings, SETTING_LOCAL))
		check_store(c, who, &s, fault.text);
	return check_remote(c, who, &s);
}

enum { OPTION_JAX = 256 };
struct launch {
	int quiet;       /* print nothing on standard error */
	int jax;         /* turn on JAX's compilation cache */
	int first;       /* index of the command in argv */
	const char *job; /* NULL: keep the job's name */
};

/* The job of the session, as without reprise-run. */
static void keep_session(struct cli *c)
{
	c->settings.v[SETTING_JOB].text = settings_job(&c->settings, c->envp, &c->arena, NULL);
}

int cli_run(struct cli *c, int argc, char **argv)
{
	struct launch l = {0};
	const struct cli_option options[] = {
		{"job", 'J', "NAME",
		 "Name the job NAME and list the entries that it uses, for `reprise export --job "
		 "NAME`: sets REPRISE_JOB and REPRISE_JOB_LIST", &l.job},
		{"jax", OPTION_JAX, NULL,
		 "Turn on JAX's compilation cache, which is off otherwise. Sets each of these that "
		 "is not set: JAX_COMPILATION_CACHE_DIR to a directory of the job's own below "
		 "$TMPDIR, "
		 "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0, "
		 "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=-1 and "
		 "JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES=none", &l.jax},
		{"quiet", 'q', NULL, "No warnings and no figures, as REPRISE_QUIET=1", &l.quiet},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options, .operands = "[--] COMMAND [ARGUMENT...]", .command = &l.first,
		.text = "Runs COMMAND, and every process it starts, under Reprise: libreprise.so "
			"is appended to LD_PRELOAD, and REPRISE_JOB is set unless it is set "
			"already. COMMAND is a child that gets this process's signals. When it "
			"ends, one line on standard error says what was replayed and saved. If a "
			"remote store is to be filled (REPRISE_DRAIN is not 0), the results are "
			"then published, and the next job of this name or command line gets ahead "
			"what this one used (REPRISE_PREFETCH). With --quiet and no such store, "
			"COMMAND replaces this process, as it does where systemd expects it here "
			"(sockets, readiness, watchdog). Warnings on standard error say what will "
			"not work: settings, the store, the remote store.\vExit status: that of "
			"COMMAND; 127 when it is not found, 126 when it cannot be executed, 125 "
			"when Reprise could not be set up.",
		.missing = "a command"};

	cli_parse(argc, argv, &syntax);
	if (l.job && !job_list_name_ok(l.job))
		cli_wrong_usage(argv[0], JOB_NAME_WRONG, JOB_LIST_NAME_MAX);
	l.quiet |= setting_number(&c->settings, SETTING_QUIET) != 0;
	int below = job_line_below_build(c, argv[l.first]);
	if (below) {
		l.quiet = 1;
		if (!l.job)
			keep_session(c);
	}
	struct job_ahead ahead = {0};
	if (!below)
		job_ahead_begin(&ahead, c, l.job, argv + l.first, cli_publishes(c));
	int speaks = !l.quiet && job_line_speaks(c, l.job);
	int without = cli_launch(c, argv[0], l.job, argv[l.first], !speaks);
	if (without < 0)
		return CLI_RUN_FAILED;
	speaks = speaks && !without; /* nothing is to be said of a job without Reprise */
	if (l.jax && cli_launch_jax("reprise-run", l.quiet) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		return CLI_RUN_FAILED;
	}
	if ((!speaks || cli_warn(c, "reprise-run") == 0) && !without)
		job_ahead_start(&ahead, c);
	int error;
	if (cli_waits_for_job(c, l.jax, l.quiet)) {
		error = cli_supervise(c, argv + l.first, &ahead, !speaks);
	} else {
		execvp(argv[l.first], argv + l.first);
		error = errno;
	}
	fprintf(stderr, "%s: %s: %s\n", argv[0], argv[l.first], strerror(error));
	return error == ENOENT ? CLI_RUN_NOT_FOUND : CLI_RUN_REFUSED;
}
