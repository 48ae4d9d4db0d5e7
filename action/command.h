/* action/command.h - argv, expanded and classified, and what it names. */
#ifndef ACTION_COMMAND_H
#define ACTION_COMMAND_H

#include "action/action.h"

/* argv expanded and classified, no path looked at. REASON_NONE or a bypass. */
enum reason action_arguments(struct action *a);
/* 1: so says one of the variables that nvcc takes arguments from. */
int action_variables_say(const struct action *a, int (*says)(const char *words));
/* What argv names; fills cmd, primary, names, ptx. REASON_NONE or a bypass. */
enum reason action_command(struct action *a);
/* 1 when a start that accepts other line tables was looked up with its own and may be keyed
 * (action_key) without them now. */
int action_accept_sloppy(struct action *a);
/* 1: REPRISE_SLOPPY says that such a line table will do. */
int action_accepts_lineinfo(const struct action *a);
/* THREAD. 1 when a source that the tool asked for is not what it was before the run. */
int action_sources_changed(struct action *a);

#endif
