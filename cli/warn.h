/* cli/warn.h - the warnings of `reprise run`. TOOL. */
#ifndef CLI_WARN_H
#define CLI_WARN_H

#include "cli/cli.h"

/* Says on standard error what will not work here, unless Reprise is turned off. who:
 * begins each line. */
void cli_warn(struct cli *c, const char *who);

#endif
