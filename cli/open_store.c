/* cli/open_store.c - opens the store for subcommands, and parses the arguments of those without
 * options. */
#include "cli/open_store.h"

#include <argp.h>
#include <string.h>

static error_t parse_nothing(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key == ARGP_KEY_ARG)
		argp_error(state, "too many arguments");
	return ARGP_ERR_UNKNOWN;
}

int cli_open_store(struct cli *c, struct store *s, const char *who)
{
	struct fault fault = {0, ""};

	memset(s, 0, sizeof *s);
	if (store_open(s, &c->settings, c->envp, &c->arena, &fault) == 0 && s->dir) {
		if (s->passed)
			fprintf(stderr, "%s: %s: the store is %s\n", who, s->passed, s->dir);
		if (!s->runtime_dir)
			fprintf(stderr,
			        "%s: nothing is recorded or counted: no usable runtime directory: "
			        "%s\n", who, fault.text);
		return CLI_OK;
	}
	fprintf(stderr, "%s: no usable store: %s\n", who,
	        *fault.text ? fault.text : "none is configured");
	return CLI_STORE;
}

void cli_parse_none(int argc, char **argv, const char *text)
{
	struct argp argp = {.parser = parse_nothing, .doc = text};

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
}
