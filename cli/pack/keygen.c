/* cli/pack/keygen.c - `reprise keygen`. */
#include "cli/cli.h"
#include "store/trust.h"

int cli_keygen(struct cli *c, int argc, char **argv)
{
	const char *path = NULL;
	int json = 0;
	char public[TRUST_TEXT];
	struct fault fault;

	const struct cli_option options[] = {CLI_JSON(&json), {0}};
	const struct cli_syntax syntax = {
		.options = options, .operands = "FILE", .operand = &path,
		.missing = "the name of the new key file",
		.text = "Makes a pair of keys for a shared remote store. The secret key is written "
			"to FILE, which must not exist, with mode 0600: set REPRISE_SIGN_KEY to "
			"FILE where entries are published. The public key is printed: list it in "
			"REPRISE_TRUST where entries are read."};

	cli_parse(argc, argv, &syntax);
	if (trust_keygen(path, public, &fault) < 0)
		return cli_failed(argv[0], CLI_FINDING, fault.text);
	if (json) {
		struct json_object *o = json_report();

		json_text(o, "public_key", public);
		json_text(o, "secret_file", path);
		return json_print(stdout, o);
	}
	puts(public);
	return CLI_OK;
}
