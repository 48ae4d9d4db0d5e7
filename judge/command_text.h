/* judge/command_text.h - a start's command for people, as long as its field. THREAD. */
#ifndef JUDGE_COMMAND_TEXT_H
#define JUDGE_COMMAND_TEXT_H

#include "judge/start.h"

/* Writes at most size - 1 bytes and NUL. A longer command keeps the tool's base name, its sources,
 * its output, options of one letter, and as many words from its end as fit. "..." stands for the
 * others, and for the beginning of a word that is longer than half of the size. size: 16 at
 * least. */
void command_text(char *out, size_t size, struct start *s);

#endif
