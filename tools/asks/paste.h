/* tools/asks/paste.h - words that ## makes. Pure code. THREAD. */
#ifndef TOOLS_ASKS_PASTE_H
#define TOOLS_ASKS_PASTE_H

#include "tools/asks/parts.h"

/* Whether this use of a macro that pastes, in this text, could make a word with one of these
 * flags. */
int asks_paste(struct asks *x, struct asks_text *t, const char *word, size_t n, unsigned flags);
/* Whether a use of this macro that pastes makes no word with one of these flags, in any text. The
 * use has no arguments, or has arguments that are numbers (asks.numbers is set). */
int asks_pastes_nothing(struct asks *x, const struct asks_macro *m, unsigned flags);

#endif
