/* cli/shown.h - settings as they may be shown. TOOL. */
#ifndef CLI_SHOWN_H
#define CLI_SHOWN_H

#include "cli/cli.h"

/* The value as it may be shown: screens are shared and reports are sent around, so no secret is in
 * it. */
const char *shown_setting(struct cli *c, int id);

#endif
