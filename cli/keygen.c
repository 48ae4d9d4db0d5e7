/* cli/keygen.c - `reprise keygen`. */
#include <argp.h>

#include "cli/cli.h"
#include "cli/print.h"
#include "store/trust.h"

struct wish {
	const char *path;
	int json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wish *w = state->input;

	switch (key) {
	case 'j': w->json = 1; return 0;
	case ARGP_KEY_ARG:
		if (w->path)
			argp_error(state, "too many arguments");
		w->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the name of the new key file is missing");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int cli_keygen(struct cli *c, int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", 'j', NULL, 0, "Print one JSON object (docs/json.md)", 0},
		{0},
	};
	struct argp argp = {options, parse, "FILE",
	                    "Makes a pair of keys for a shared remote store. The secret key is "
	                    "written to FILE, which must not exist, with mode 0600: set "
	                    "REPRISE_SIGN_KEY to FILE where entries are published. The public key "
	                    "is printed: list it in REPRISE_TRUST where entries are read.", NULL,
	                    NULL, NULL};
	struct wish w = {0};
	char public[TRUST_TEXT];
	struct fault fault;

	(void)c;
	argp_parse(&argp, argc, argv, 0, NULL, &w);
	if (trust_keygen(w.path, public, &fault) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], fault.text);
		return CLI_FINDING;
	}
	if (w.json) {
		struct json_object *o = json_report();

		json_text(o, "public_key", public);
		json_text(o, "secret_file", w.path);
		return json_print(stdout, o);
	}
	puts(public);
	return CLI_OK;
}
