/* cli/run.c - `reprise run`, the launch behind scripts/reprise-run. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "store/used.h"

struct launch {
	int quiet;       /* nothing is said on standard error */
	int first;       /* index of the command in argv */
	const char *job; /* NULL: whatever it is called */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct launch *l = state->input;

	switch (key) {
	case 'j':
		if (!used_name_ok(arg))
			argp_error(state, "--job takes a name of at most %d letters, digits and . _ : @ + = , -", USED_NAME_MAX);
		l->job = arg;
		return 0;
	case 'q': l->quiet = 1; return 0;
	case ARGP_KEY_ARG:
		l->first = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a command is missing");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* True when an entry of the list is this file, whatever it is called there. */
static int is_listed(const char *list, const char *library)
{
	char entry[PATH_MAX], resolved[PATH_MAX], wanted[PATH_MAX];

	if (!realpath(library, wanted))
		return 0;
	while (*list) {
		size_t n = strcspn(list, " :");
		if (n && n < sizeof entry) {
			memcpy(entry, list, n);
			entry[n] = 0;
			if (realpath(entry, resolved) && strcmp(resolved, wanted) == 0)
				return 1;
		}
		list += n + (list[n] != 0);
	}
	return 0;
}

/* Behind what is there: libasan insists on being first, an allocator or a debugger aid may as
 * well. */
static int set_preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *list;

	if (!old || !old[strspn(old, " :")])
		return setenv("LD_PRELOAD", library, 1);
	if (is_listed(old, library))
		return 0;
	if (asprintf(&list, "%s:%s", old, library) < 0)
		return -1;
	int rc = setenv("LD_PRELOAD", list, 1);
	free(list);
	return rc;
}

/* One job, however many sessions and nodes its processes spread over. */
static int set_job(struct cli *c, const char *wish)
{
	const char *variable, *job = settings_job(&c->settings, c->envp, &c->arena, &variable);
	char own[64];
	time_t now = time(NULL);
	struct tm tm;

	if (wish) {
		job = wish;
		if (setenv("REPRISE_JOB_LIST", "1", 1) < 0)
			return -1;
	} else if (!variable) {
		char when[32];
		strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
		snprintf(own, sizeof own, "run-%s-%ld", when, (long)getpid());
		job = own;
	}
	return setenv("REPRISE_JOB", job, 1);
}

int cli_run(struct cli *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"job", 'j', "NAME", 0, "Calls the job NAME and lists what it uses, for `reprise export --job NAME`: sets REPRISE_JOB "
		 "and REPRISE_JOB_LIST", 0},
		{"quiet", 'q', NULL, 0, "Does not say what will not work, as REPRISE_QUIET=1", 0},
		{0},
	};
	struct argp argp = {.options = options, .parser = parse, .args_doc = "[--] COMMAND [ARGUMENT...]",
	                    .doc = "Runs COMMAND, and every process it starts, under Reprise: "
	                           "libreprise.so is added to LD_PRELOAD, behind what is there, "
	                           "and REPRISE_JOB is set unless it is. COMMAND replaces this "
	                           "process: signals and exit status are its own. Where a remote store "
	                           "is to be filled (REPRISE_DRAIN is not 0), it is a child that gets "
	                           "this one's signals, and at its end what it made is published. "
	                           "Lines on standard error say what will not work: settings, "
	                           "the store, TLS.\v"
	                           "Exit status: that of COMMAND; 127 when it is not found, 126 "
	                           "when it cannot be executed, 125 when Reprise could not be set "
	                           "up.",
	                    .help_filter = NULL};
	char library[PATH_MAX];
	struct launch l = {0};

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &l);
	if (cli_find_library(library, sizeof library, argv[0]) < 0)
		return CLI_RUN_FAILED;
	if (set_preload(library) < 0 || set_job(c, l.job) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
		return CLI_RUN_FAILED;
	}
	if (!l.quiet)
		cli_warn(c, "reprise-run");
	int error;
	if (cli_attends(c)) {
		error = cli_attend(c, argv + l.first,
		                   l.quiet || setting_number(&c->settings, SETTING_QUIET));
	} else {
		execvp(argv[l.first], argv + l.first);
		error = errno;
	}
	fprintf(stderr, "%s: %s: %s\n", argv[0], argv[l.first], strerror(error));
	return error == ENOENT ? CLI_RUN_NOT_FOUND : CLI_RUN_REFUSED;
}
