/* cli/config.c - `reprise config`, and docs/settings.md from the same table. */
#include <argp.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "shim/log.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case 'd': *(int *)state->input = 1; return 0;
	case ARGP_KEY_ARG: argp_error(state, "too many arguments"); return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void print_docs(void)
{
	puts("# Settings\n"
	     "\n"
	     "<!-- Printed by `reprise config --docs` from shim/settings.def; a test compares the two. -->\n"
	     "\n"
	     "A setting comes from the first of these that has it:\n"
	     "\n"
	     "1. a line of `/etc/reprise.conf` that begins with `!`: it cannot be overridden;\n"
	     "2. the environment variable `REPRISE_<NAME>`;\n"
	     "3. `$XDG_CONFIG_HOME/reprise/reprise.conf`, or `~/.config/reprise/reprise.conf` without that\n"
	     "   variable;\n"
	     "4. `/etc/reprise.conf`;\n"
	     "5. its default.\n"
	     "\n"
	     "Files hold lines `NAME=VALUE`, with or without `REPRISE_` before the name; lines that begin with\n"
	     "`#` are comments; there are no quotes. An empty value means the default. A malformed value is\n"
	     "one warning a job in the log, with file and line, and counts as the default; a file larger than\n"
	     "64 KiB is ignored. `reprise config` shows what is in force and why.\n"
	     "\n"
	     "| setting | type | default | what it does |\n"
	     "|---|---|---|---|");
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_row *row = &setting_rows[i];
		printf("| `REPRISE_%s` | %s | %s%s%s | ", row->name, setting_type_name(row->type),
		       *row->dflt ? "`" : "", row->dflt, *row->dflt ? "`" : "");
		for (const char *p = row->help; *p; p++) {
			if (*p == '|' || *p == '<')
				putchar('\\');
			putchar(*p);
		}
		puts(" |");
	}
	puts("\n"
	     "| type | values |\n"
	     "|---|---|\n"
	     "| boolean | `0` `1`, `false` `true`, `no` `yes`, `off` `on` |\n"
	     "| size | a whole number of bytes, or of `K`, `M`, `G`, `T` (powers of 1024; `iB` or `B` may follow) |\n"
	     "| percentage | `0` to `100`; `%` may follow |\n"
	     "| path | absolute; `~/` at its start is `$HOME/` |\n"
	     "| colon list of paths | absolute paths with `:` between them |\n"
	     "| log level | `none`, `error`, `warning`, `info`, `debug` |\n"
	     "\n"
	     "`TORCHINDUCTOR_FORCE_DISABLE_CACHES=1` sets `FORCE_DISABLE`, too. `FORCE_DISABLE` in the\n"
	     "environment makes a process plain at once; in a file it takes effect in tools only.\n"
	     "\n"
	     "A *job*, in reports and for \"once a job\", is the first of `REPRISE_JOB` (set by `reprise-run`),\n"
	     "the scheduler's id (`SLURM_JOB_ID`, `PBS_JOBID`, `LSB_JOBID`, `JOB_ID`, `FLUX_JOB_ID`,\n"
	     "`TORCHELASTIC_RUN_ID`), the pod's name in Kubernetes, and the session id.");
}

static const char *origin_name(enum setting_origin origin)
{
	static const char *const names[] = {
		[ORIGIN_DEFAULT] = "default",
		[ORIGIN_ETC] = SETTINGS_ETC,
		[ORIGIN_USER] = "user's file",
		[ORIGIN_ENVIRONMENT] = "environment",
		[ORIGIN_ETC_FORCED] = SETTINGS_ETC ", fixed by '!'",
	};

	return names[origin];
}

static void print_path(const char *what, const char *path, const char *if_null)
{
	printf("%-18s ", what);
	if (path)
		cli_print_safe(stdout, path, strlen(path), PATH_MAX);
	else
		fputs(if_null, stdout);
	putchar('\n');
}

static void print_places(struct cli *c)
{
	const char *dir = store_default_dir(&c->settings, c->envp, &c->arena);
	const char *user = settings_user_file(c->envp, &c->arena);
	const char *variable, *job = settings_job(&c->settings, c->envp, &c->arena, &variable);
	char library[PATH_MAX];

	printf("\n%-18s %s\n", "version", REPRISE_VERSION);
	print_path("library", cli_find_library(library, sizeof library, NULL) == 0 ? library : NULL,
	           "not found, or its path cannot be preloaded (see reprise run)");
	print_path("cache directory", dir, "none");
	print_path("runtime directory", store_default_runtime(&c->settings, c->envp, &c->arena), "none");
	print_path("log", log_locate(&c->settings, dir, c->envp, &c->arena), "none");
	print_path("user's file", user, "none: neither XDG_CONFIG_HOME nor HOME is set");
	if (user && access(user, F_OK) != 0)
		printf("%-18s (not there)\n", "");
	print_path("job", job, "");
	printf("%-18s (from %s)\n", "", variable ? variable : "the session");
	if (settings_disabled(c->envp) || setting_number(&c->settings, SETTING_FORCE_DISABLE))
		puts("\nReprise is disabled: every process is a plain one.");
}

/* What the log says once a job, and names that no setting has: a typing error passes unseen otherwise. */
static int print_warnings(struct cli *c)
{
	const struct settings *s = &c->settings;
	int count = 0;

	for (int i = 0; i < s->bad_count && i < SETTINGS_BAD_MAX; i++, count++)
		print_path("warning:", s->bad[i], "");
	if (s->bad_count > SETTINGS_BAD_MAX)
		printf("warning: %d more malformed settings\n", s->bad_count - SETTINGS_BAD_MAX);
	for (char **e = c->envp; *e; e++) {
		static const char *const internal[] = {"TRACE", NULL};
		const char *name = *e + 8;
		size_t n = strncmp(*e, "REPRISE_", 8) == 0 ? strcspn(name, "=") : 0;
		int known = n == 0;

		for (int i = 0; i < SETTING_COUNT && !known; i++)
			known = strlen(setting_rows[i].name) == n && !memcmp(setting_rows[i].name, name, n);
		for (int i = 0; internal[i] && !known; i++)
			known = strlen(internal[i]) == n && !memcmp(internal[i], name, n);
		if (!known) {
			printf("%-18s REPRISE_%.*s is no setting\n", "warning:", (int)n, name);
			count++;
		}
	}
	return count;
}

int cli_config(struct cli *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"docs", 'd', NULL, 0, "Print docs/settings.md: every setting with type, default and meaning", 0},
		{0},
	};
	struct argp argp = {options, parse, NULL,
	                    "Shows the value and origin of every setting, and what they lead to. Exit status 1 "
	                    "when a setting is malformed or unknown.", NULL, NULL, NULL};
	int docs = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &docs);
	if (docs) {
		print_docs();
		return CLI_OK;
	}
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_value *v = &c->settings.v[i];
		printf("%-18s ", setting_rows[i].name);
		cli_print_safe(stdout, v->text, strlen(v->text), PATH_MAX);
		printf("%s(%s)\n", *v->text ? "  " : "", origin_name(v->origin));
	}
	print_places(c);
	return print_warnings(c) ? CLI_FINDING : CLI_OK;
}
