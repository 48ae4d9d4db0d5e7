/* tools/driver.h - what is known of a family of tools: how far the names in a command line reach.
 *
 * A name stands in a command line in one or more *roles*. The driver says for each role, under the flags at hand, what the
 * name can get into; the rest is the engine's (judge/bind.c), which knows no tool. Options are a list of what is
 * known: a command with any other lets every name reach anything. The tables are those of docs/internals/names.md, "What reaches
 * a result", with their counterexamples in tests/e2e/names*.bats. Pure code. THREAD. */
#ifndef TOOLS_DRIVER_H
#define TOOLS_DRIVER_H

#include "keying/patch.h"
#include "tools/cmdline.h"
#include "tools/tool.h"

/* Where a name stands. */
enum name_role {
	ROLE_SOURCE,  /* a directory of an operand */
	ROLE_BASE,    /* the last component of an operand */
	ROLE_CWD,     /* the working directory, whatever it is called */
	ROLE_OUTPUT,  /* behind -o */
	ROLE_DEPFILE, /* behind -MF */
	ROLE_TARGET,  /* behind -MT, -MQ */
	ROLE_INCLUDE, /* a directory to search for headers, or a header */
	ROLE_SYSTEM,  /* a directory to search for system headers */
	ROLE_LIBRARY, /* a directory to search for libraries */
	ROLE_RESPONSE,/* @file */
	ROLE_OTHER,
	ROLE_COUNT
};
/* What it reaches; 0: nothing. */
enum {
	REACH_ASKED = 1, /* what a text of its asks for (tools/asks.h): the source, a header found through it */
	REACH_DEPS = 2,  /* the dependency file, as it is */
	REACH_LINES = 4, /* gcc's .debug_line_str, as it is, in an order that can be computed (tools/gcc_order.h) */
	REACH_DEBUG = 8, /* debug sections in order of appearance: a component as it is. clang divides the path of
	                    a file where it leaves that of the working directory */
	REACH_HASH = 16, /* names of symbols, by the hash of its path (tools/module_hash.h) */
	REACH_TEXT = 32, /* preprocessed text, as it is */
	REACH_LENGTH = 64, /* nothing as it is, but its length decides how a path is spelled */
	REACH_ANYTHING = 128
};

/* THREAD. What a name in that role reaches. */
unsigned driver_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role);
/* THREAD. The role of argument i for a name in it; `last`: it is in the last component of a path. */
enum name_role driver_role(const struct tool_row *row, const struct cmdline *c, int i, int last);
/* THREAD. The ASKS_ bits of tools/asks.h for its language. */
unsigned driver_words(const struct tool_row *row, const struct cmdline *c);

/* THREAD. The result depends on none of these names, whatever role they have: what holds them is exchanged. */
int driver_names_free(const struct tool_row *row, const struct cmdline *c, const struct patch_name *names, size_t count);

/* THREAD. Its names bind the whole command, but not the compiler that it starts: that one is served as an
 * action of its own (action/nest.h). */
int driver_has_steps(const struct tool_row *row, const struct cmdline *c);

/* One family's part; c's options have been looked at. */
struct driver {
	unsigned (*reach)(const struct tool_row *row, const struct cmdline *c, enum name_role role);
	int (*has_steps)(const struct tool_row *row, const struct cmdline *c); /* NULL: never */
};
extern const struct driver driver_gcc, driver_link, driver_as, driver_ar, driver_nvcc;

#endif
