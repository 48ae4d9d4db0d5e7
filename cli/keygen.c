/* cli/keygen.c - `reprise keygen`. */
#include <argp.h>

#include "cli/cli.h"
#include "store/trust.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **path = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (*path)
			argp_error(state, "too many arguments");
		*path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the name of the new key file is missing");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int cli_keygen(struct cli *c, int argc, char **argv)
{
	struct argp argp = {NULL, parse, "FILE",
	                    "Makes a pair of keys for a shared remote store. The secret key is "
	                    "written to FILE, which must not exist, with mode 0600: set "
	                    "REPRISE_SIGN_KEY to FILE where entries are published. The public key "
	                    "is printed: list it in REPRISE_TRUST where entries are read.", NULL,
	                    NULL, NULL};
	const char *path = NULL;
	char public[TRUST_TEXT];
	struct fault fault;

	(void)c;
	argp_parse(&argp, argc, argv, 0, NULL, &path);
	if (trust_keygen(path, public, &fault) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], fault.text);
		return CLI_FINDING;
	}
	puts(public);
	return CLI_OK;
}
