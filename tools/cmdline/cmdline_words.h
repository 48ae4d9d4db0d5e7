/* tools/cmdline/cmdline_words.h - questions about the words of a command line, argv[0] left out.
 * Lists are those of tools/list.h. Pure code. THREAD. */
#ifndef TOOLS_CMDLINE_CMDLINE_WORDS_H
#define TOOLS_CMDLINE_CMDLINE_WORDS_H

#include "tools/cmdline/cmdline.h"

/* An argument is a word of the list. */
int cmdline_has(const struct cmdline *c, const char *list);
/* An argument begins with a word of the list. */
int cmdline_begins(const struct cmdline *c, const char *list);
/* An argument contains the text. */
int cmdline_holds(const struct cmdline *c, const char *text);
/* The only argument that is no option, value or response file; NULL: none, or several. */
const char *cmdline_operand(const struct cmdline *c);
/* The path, if the argument gives an output; else NULL. */
const char *cmdline_output(const struct cmdline_arg *arg);

#endif
