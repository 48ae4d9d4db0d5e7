/* tools/asks/definitions.h - macros that a command defines, where it matters only whether a text
 * names them.
 *
 * An unused -D changes nothing in an object. So a plain -D or -U is left out of the action key. A
 * candidate holds for other definitions if none of its texts can name a macro that differs
 * (judge/text/defines.c). Pure code. THREAD. */
#pragma once

#include "shim/arena.h"
#include "tools/asks/asks.h"
#include "tools/cmdline/cmdline.h"
#include "tools/tool.h"

#define DEFINES_MAX 32
/* The number of defines_unused()'s rules in the memo; raise it when an answer changes. */
#define DEFINES_RULES 1002

struct define {
	const char *name;
	size_t len;
	const char *value;  /* NULL: -U */
	int first, last;    /* its arguments */
};
/* The number of macros of this command that matter only if a text names them, in the command's
 * order. -1: an option shows all macros, or there are more than DEFINES_MAX. The command must be
 * one that comment_options_allow(). A macro does not count in three cases: another option names it
 * as well, its value may be an error or a path, or a compiler knows its name. */
int defines_of(const struct cmdline *c, struct define v[DEFINES_MAX]);

/* 1: this is an object for a target whose compilers define no macro of the names that defines_of()
 * finds. */
int defines_target(const void *object, size_t n);

/* 1: shown: no text of x can name one of these macros (a list: shim/list.h). All texts must have
 * been added as the unit's own, and nothing have been asked of x before. */
int defines_unused(struct asks *x, const char *names);
/* x looks for these macros instead. */
void defines_seek(struct asks *x, const char *names);

/* The #define lines that the -D options of a command stand for; NULL: no memory. The macros are
 * defined when the first text is read. *all, unless NULL, becomes 0 if an option may undefine a
 * macro, or define one that the lines lack. */
const char *definitions_lines(const struct cmdline *c, struct arena *arena, int *all);
