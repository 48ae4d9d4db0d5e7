/* cli/open_store.h - what the subcommands begin with. TOOL. */
#ifndef CLI_OPEN_STORE_H
#define CLI_OPEN_STORE_H

#include "cli/cli.h"

/* Opens the store that the settings lead to. CLI_OK, or CLI_STORE after a
 * message. */
int cli_open_store(struct cli *c, struct store *s, const char *who);

/* An option: sets an int to 1; with a value, a const char *. */
struct cli_option {
	const char *name;
	int key;
	const char *value; /* NULL: it takes none */
	const char *help;  /* NULL: the option is hidden */
	void *to;
};
#define CLI_JSON(to) {"json", 'j', NULL, "Print one JSON object (docs/json.md)", to}
struct cli_syntax {
	const struct cli_option *options; /* then one of zeros; NULL: none */
	const char *operands, *text;      /* for --help */
	const char **operand;             /* NULL: none is allowed */
	const char *missing;              /* what is, without it; NULL: it may be left out */
};
/* Parses the arguments, and ends the program where they are wrong, or for --help. */
void cli_parse(int argc, char **argv, const struct cli_syntax *s);
/* Says what is wrong with the arguments, and ends the program. */
_Noreturn void cli_wrong_usage(const char *who, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A number of at least 1; a larger one than most is most. 0, or -1: it is none. */
int cli_number(const char *text, int most, int *n);

#endif
