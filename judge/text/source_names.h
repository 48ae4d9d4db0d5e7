/* judge/text/source_names.h - names of sources in the only input of a command
 * (tools/cmdline/input_text.h). */
#ifndef JUDGE_TEXT_SOURCE_NAMES_H
#define JUDGE_TEXT_SOURCE_NAMES_H

#include "judge/start.h"

/* Takes the names in text[0..n), the command's only input, out of the key. NULL, or several inputs,
 * or an unknown text: the key holds the plain bytes. work: for what only the reading needs.
 * THREAD. */
void source_names_command(struct start *s, const char *text, size_t n, struct arena *work);
/* 1: the start accepts other line tables, and is keyed without its own from now on. To be called
 * after a look-up in vain. THREAD. */
int source_names_accept_sloppy(struct start *s);

#endif
