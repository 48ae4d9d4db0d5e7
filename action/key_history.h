/* action/key_history.h - what entered the keys of a command, kept so that `reprise explain` can compare.
 *
 * A command is known by its tool, working directory and first output (else first input); one whose output has a generated
 * name, such as a step of nvcc, is known by nothing. Supervisor only. */
#ifndef ACTION_KEY_HISTORY_H
#define ACTION_KEY_HISTORY_H

#include "judge/start.h"

/* Keeps this key's fields as the command's latest. When it had other fields before, keeps both under
 * an entry of its own, whose key in hex is put in hex; else hex is "". */
void key_history_store(struct start *s, char hex[DIGEST_HEX + 1]);

#endif
