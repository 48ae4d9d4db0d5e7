/* action/command.h - expands and classifies argv, and finds the files that it names. */
#ifndef ACTION_COMMAND_H
#define ACTION_COMMAND_H

#include "judge/start.h"

/* Expands and classifies argv and looks at no path. Returns REASON_NONE or a bypass. */
enum reason action_arguments(struct start *s);
/* Looks at the files that argv names. Fills cmd, primary, names and text. Returns REASON_NONE or a
 * bypass. */
enum reason action_command(struct start *s);

#endif
