/* cli/open_store.h - what the subcommands begin with. TOOL. */
#ifndef CLI_OPEN_STORE_H
#define CLI_OPEN_STORE_H

#include "cli/cli.h"

/* Opens the store that the settings lead to. CLI_OK, or CLI_STORE after a
 * message. */
int cli_open_store(struct cli *c, struct store *s, const char *who);

/* Parses the arguments of a subcommand without options: it takes --help and
 * refuses the rest. */
void cli_parse_none(int argc, char **argv, const char *doc);

#endif
