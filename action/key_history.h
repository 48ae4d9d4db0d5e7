/* action/key_history.h - stores the fields of a command's keys, so that `reprise explain` can
 * compare them.
 *
 * The tool, the working directory and the first output identify a command. Without an output the
 * first input does. A command whose output has a generated name, such as a step of nvcc, has no
 * identity. Supervisor only. */
#ifndef ACTION_KEY_HISTORY_H
#define ACTION_KEY_HISTORY_H

#include "judge/start.h"

/* Stores this key's fields as the command's latest. If the command had other fields before, stores
 * both under an entry of its own and writes that entry's key to hex. Otherwise hex is "". */
void key_history_store(struct start *s, char hex[DIGEST_HEX + 1]);

#endif
