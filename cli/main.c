/* cli/main.c - the `reprise` command: finds the subcommand and calls it. */
#include <argp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "shim/settings/setting_value.h"
#include "store/trust.h"

static const struct command commands[] = {
#define X(name, summary) {#name, cli_##name, summary},
	CLI_COMMANDS(X)
#undef X
	{NULL, NULL, NULL},
};

struct request {
	const struct command *command;
	int first; /* index of the subcommand's name in argv */
};

static const char doc[] =
	"The command of Reprise, a compile cache for unmodified jobs.\v"
        "Run a job under Reprise with `reprise run -- COMMAND`, with `reprise-run COMMAND`, or "
        "with LD_PRELOAD naming libreprise.so. All other commands show what happened or clean up.\n"
        "\n  reprise run -- python train.py   run a job\n"
        "  reprise stats                    how much of it was replayed\n"
        "  reprise explain 5                why the last five tool starts were not hits\n"
        "  reprise config [classes]         settings, their origins, directories; caches\n"
        "  reprise doctor                   what works here, and what to mend\n\n"
        "`reprise COMMAND --help` describes a command and its options.\n\n"
        "Exit status: 0 all is well; 1 a finding (a damaged entry, a malformed setting, a clear "
        "that was declined, a key file that could not be made, something to mend); 2 wrong usage; "
        "3 the store cannot be used. `run` exits as COMMAND does; 127 when it is not found, 126 "
        "when it cannot be executed, 125 when Reprise could not be set up.\n\n"
        "Settings are environment variables REPRISE_*, ~/.config/reprise/reprise.conf and "
        "/etc/reprise.conf: see `reprise config`.";

static char *list_commands(int key, const char *text, void *input)
{
	if (key != ARGP_KEY_HELP_PRE_DOC)
		return (char *)text;
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	if (!f)
		return (char *)text;
	fprintf(f, "%s\n\nCommands:\n", text);
	for (const struct command *c = commands; c->name; c++)
		fprintf(f, "  %-10s %s\n", c->name, c->summary);
	fclose(f);
	return out;
}

static void no_such_command(struct argp_state *state, const char *name)
{
	const struct command *near = NULL;
	size_t least = strlen(name) / 2 + 1;

	for (const struct command *c = commands; c->name; c++) {
		size_t d = distance(name, strlen(name), c->name);

		if (d < least) {
			least = d;
			near = c;
		}
	}
	if (near)
		argp_error(state, "no such command: %s; did you mean %s?", name, near->name);
	argp_error(state, "no such command: %s", name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		for (const struct command *c = commands; c->name; c++)
			if (strcmp(c->name, arg) == 0)
				r->command = c;
		if (!r->command)
			no_such_command(state, arg);
		/* All later arguments belong to the subcommand. */
		r->first = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "a command is missing");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void print_version(FILE *to, struct argp_state *state)
{
	fprintf(to, "reprise %s\n", REPRISE_VERSION);
}

/* `reprise help NAME` is `reprise NAME --help`. */
int cli_help(struct cli *c, int argc, char **argv)
{
	char self[] = "reprise", help[] = "--help", *words[] = {self, help, NULL, NULL};
	const char *of = NULL;
	int names = 0;
	const struct cli_option options[] = {
		{"names", 'n', NULL, "Print the names of all commands", &names}, {0}};
	const struct cli_syntax syntax = {
		.options = options, .operands = "[COMMAND]", .operand = &of,
		.text = "Describes a command, or all."};

	cli_parse(argc, argv, &syntax);
	for (const struct command *v = commands; names && v->name; v++)
		puts(v->name);
	if (names)
		return CLI_OK;
	if (of) {
		words[1] = (char *)of;
		words[2] = help;
	}
	execve("/proc/self/exe", words, c->envp);
	perror(argv[0]);
	return CLI_FINDING;
}

int cli_version(struct cli *c, int argc, char **argv)
{
	cli_parse(argc, argv, &(struct cli_syntax){.text = "Prints the version."});
	print_version(stdout, NULL);
	return CLI_OK;
}

int main(int argc, char **argv)
{
	struct argp argp = {.parser = parse, .args_doc = "COMMAND [ARGUMENT...]", .doc = doc,
	                    .help_filter = list_commands};
	struct request request = {NULL, 0};
	struct cli c = {.arena = ARENA_INIT, .envp = environ};
	char title[64];

	argp_program_version_hook = print_version;
	argp_err_exit_status = CLI_USAGE;
	/* ARGP_IN_ORDER: options after the subcommand's name are the subcommand's. */
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);
	settings_load(&c.settings, environ, &c.arena);
	if (trust_configured(&c.settings))
		digest_use(DIGEST_BLAKE2B);

	/* A write beyond the file size limit (ulimit -f) then fails instead of killing the process.
	 * Jobs keep the caller's setting. */
	if (request.command->run != cli_run)
		signal(SIGXFSZ, SIG_IGN);

	snprintf(title, sizeof title, "reprise %s", request.command->name);
	char **rest = argv + request.first;
	rest[0] = title;
	int status = request.command->run(&c, argc - request.first, rest);
	/* A full disk or a closed pipe behind stdout must not look like success. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("reprise: standard output");
		status = status ? status : CLI_FINDING;
	}
	arena_free(&c.arena);
	return status;
}
