/* cli/doctor/check_settings.h - settings that cannot be obeyed. TOOL. */
#ifndef CLI_DOCTOR_CHECK_SETTINGS_H
#define CLI_DOCTOR_CHECK_SETTINGS_H

#include "cli/cli.h"

/* Each says a line for each setting that cannot be obeyed, and returns the number of lines.
 * cli_check_settings checks for malformed values, unknown names and words that are ignored.
 * cli_check_remote_settings checks for settings that turn the remote store off, or would if it were
 * configured. No line holds a secret. */
typedef void cli_say(void *arg, const char *line);
int cli_check_settings(struct cli *c, cli_say *say, void *arg);
int cli_check_remote_settings(struct cli *c, cli_say *say, void *arg);
/* Says one line if Kubernetes set variables for a service called reprise or reprise-*. */
void cli_check_services(struct cli *c, cli_say *say, void *arg);

/* Settings as they may be shown. */

/* The value as it may be shown: screens are shared and reports are sent around, so no secret is in
 * it. */
const char *shown_setting(struct cli *c, int id);

#endif
