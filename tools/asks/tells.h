/* tools/asks/tells.h - functions that get the name and are only declared. Pure code. THREAD. */
#ifndef TOOLS_ASKS_TELLS_H
#define TOOLS_ASKS_TELLS_H

#include "tools/asks/parts.h"

/* Whether the word is __FILE__, or glibc's macro for it. */
int asks_is_file(const char *word, size_t n);
/* Whether the word is a complete argument of a function that is only declared, in a macro's
 * text. */
int asks_is_told(const char *s, const char *word, size_t n, const char *end);
/* Whether a text defines such a function, makes a macro of it, or redefines glibc's macro. */
int asks_tell_defined(struct asks *x);
/* The names of these functions and of glibc's macro: a list (tools/list.h). */
extern const char asks_tellers[];

#endif
