/* action/command.h - argv, expanded and classified, and what it names. */
#ifndef ACTION_COMMAND_H
#define ACTION_COMMAND_H

#include "judge/start.h"

/* argv expanded and classified, no path looked at. REASON_NONE or a bypass. */
enum reason action_arguments(struct start *a);
/* What argv names; fills cmd, primary, names, ptx. REASON_NONE or a bypass. */
enum reason action_command(struct start *a);
/* 1 when a start that accepts other line tables was looked up with its own and may be keyed
 * (action_key) without them now. */
int action_accept_sloppy(struct start *a);

#endif
