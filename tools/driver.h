/* tools/driver.h - what is known of a family of tools: how far the names in a command line reach,
 * and what else the engine asks.
 *
 * Each family answers in a file of its own: gcc.c (gcc, cc1), clang.c, link.c, ar.c (as, ar),
 * ptxas.c, nvcc.c, nvcc_steps.c (cudafe++, cicc, fatbinary, nvlink), generic.c (what nobody
 * described, and launchers). What it leaves out is the usual answer.
 *
 * A name stands in a command line in one or more *roles*. The driver says for each role, under
 * the flags at hand, what the name can get into; the rest is the engine's (judge/bind.c), which
 * knows no tool. Options are a list of what is known: a command with any other lets every name
 * reach anything. The tables are those of docs/internals/names.md, "What reaches a result", with their
 * counterexamples in tests/e2e/names*.bats. Pure code. THREAD. */
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

/* THREAD. This output is a dependency file, by its name. */
int driver_is_depfile(const struct cmdline *c, const char *path);

/* THREAD. A source of `-` is standard input, read once and to its end. Under other names
 * (/dev/stdin) it is a file that the trace must tell from others, and a precompiled header holds
 * the times of its source. */
int driver_reads_stdin(const struct tool_row *row, const struct cmdline *c);
/* THREAD. Comments at the end of this source leave no trace in the result (tools/comments.h). */
int driver_drops_comments(const struct tool_row *row, const struct cmdline *c, const char *source);
/* THREAD. What argument i is the path of, if the tool adds to what stands there, which no key
 * holds; else NULL. */
const char *driver_adds_to(const struct tool_row *row, const struct cmdline *c, int i);
/* THREAD. The command names a compiled form of texts (tools/text_kind.h), whatever its file is
 * called. */
int driver_names_compiled(const struct cmdline *c);
/* THREAD. It asks standard input how wide the terminal is that it writes to. shown: a stream of
 * its is a terminal. */
int driver_asks_stdin_width(const struct tool_row *row, const struct cmdline *c, int shown);
/* THREAD. What it writes where no argument says, in the working directory; NULL: nothing that is
 * known. */
const char *driver_default_output(const struct tool_row *row, const struct cmdline *c);

/* THREAD. Variables whose words are arguments, before or behind those of the command: a list
 * (tools/list.h). */
const char *driver_variables(const struct tool_row *row);
/* THREAD. Words of such a variable have it print or write how long it took. */
int driver_says_time(const char *words);
/* THREAD. The variable by which this tool's own command line is edited, which no option table
 * has seen; "": there is none. */
const char *driver_editor(const struct tool_row *row);
/* The same of whatever tool may be started by another. */
#define DRIVER_EDITOR "CCC_OVERRIDE_OPTIONS"

/* What an output says of the run, and not of its input. */
enum output_flaw {
	FLAW_NONE,
	FLAW_TIME,  /* it holds a time */
	FLAW_CUT,   /* it was not written to its end, which the tool did not notice */
	FLAW_PID,   /* it holds the process id */
	FLAW_INODE  /* it holds the inode of its source */
};
/* THREAD. */
enum output_flaw driver_flaw(const struct tool_row *row, const void *data, size_t n, long pid);
/* THREAD. An output of these bytes has the mode that something else says: a member that ar takes
 * out of an archive. */
int driver_sets_mode(const struct tool_row *row, const void *data, size_t n);

/* How a tool's temporary files are called, where their names come out. */
enum temporary_names {
	TEMPORARY_HIDDEN,   /* in nothing that is kept */
	TEMPORARY_SCRATCH,  /* name_is_scratch() */
	TEMPORARY_PID,      /* name_xft_len() */
	TEMPORARY_ANY       /* that is not known */
};

/* THREAD. Its names bind the whole command, but not the compiler that it starts: that one is served as an
 * action of its own (action/nest.h). */
int driver_has_steps(const struct tool_row *row, const struct cmdline *c);

/* One family's part; c's options have been looked at. What is left out is the answer of most.
 * Every pointer in it is relocated in every process: what is not code is held here itself. */
struct driver {
	/* NULL: anything. */
	unsigned (*reach)(const struct tool_row *row, const struct cmdline *c, enum name_role role);
	/* NULL: as the options say; ROLE_COUNT says the same. */
	enum name_role (*role)(const struct cmdline *c, int i, int last);
	int (*has_steps)(const struct tool_row *row, const struct cmdline *c); /* NULL: never */
	enum output_flaw (*flaw)(const void *data, size_t n, long pid);        /* NULL: none */
	const char *(*adds_to)(const struct cmdline *c, int i); /* NULL: to nothing */
	enum temporary_names temporary;
	char output[8];     /* driver_default_output(); "": none */
	char linked;        /* only of a command that links */
	char stdin_width;   /* driver_asks_stdin_width() */
	char stdin_source;  /* driver_reads_stdin() */
	char variables[48]; /* driver_variables() */
	char editor[24];    /* driver_editor() */
};
extern const struct driver driver_gcc, driver_clang, driver_cc1, driver_lto1, driver_as,
	driver_link, driver_mold, driver_ar, driver_ptxas, driver_nvcc, driver_cudafe, driver_nvlink,
	driver_step, driver_generic, driver_declared, driver_launcher;
/* Whose row it is. */
const struct driver *driver_of(const struct tool_row *row);
/* For drivers of the same options: tools/gcc.c. */
unsigned driver_gcc_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role);

#endif
