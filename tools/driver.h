/* tools/driver.h - facts of a family of tools: what the names in a command line reach, and answers
 * to the other questions of the engine.
 *
 * Each family answers in a file of its own: gcc.c (gcc, cc1), clang.c, link.c, ar.c (as, ar),
 * ptxas.c, tileiras.c, nvcc.c (nvcc, cudafe++, cicc, fatbinary, nvlink), rustc.c, generic.c
 * (unknown tools, and launchers). A question that a driver leaves out gets the usual answer.
 *
 * A name stands in a command line in one or more *roles*. The driver says for each role, under the
 * current flags, what the name can get into. The engine does the rest (judge/name/bind.c) and knows
 * no tool. Only known options are listed: if a command has any other option, every name reaches
 * anything. The tables are those of docs/internals/names.md, "What reaches a result", with their
 * counterexamples in tests/e2e/names*.bats. docs/internals/drivers.md has a section for each
 * family: its facts, where they come from, and their tests. Pure code. THREAD. */
#pragma once

#include "names/patch.h"
#include "shim/buf.h"
#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/input_text.h"
#include "tools/tool.h"

/* Where a name stands. */
enum name_role {
	ROLE_SOURCE,  /* a directory of an operand */
	ROLE_BASE,    /* the last component of an operand */
	ROLE_CWD,     /* the working directory, under any name */
	ROLE_OUTPUT,  /* behind -o */
	ROLE_DEPFILE, /* behind -MF */
	ROLE_TARGET,  /* behind -MT, -MQ */
	ROLE_INCLUDE, /* a directory to search for headers, or a header */
	ROLE_SYSTEM,  /* a directory to search for system headers */
	ROLE_LIBRARY, /* a directory to search for libraries */
	ROLE_RESPONSE,/* @file */
	ROLE_MAP,     /* a prefix map (tools/cmdline/prefix_map.c) */
	ROLE_OTHER,
	ROLE_COUNT
};
/* What a name reaches; 0: nothing. */
enum {
	/* the answer to what a text asks for (tools/asks/asks.h): the name of the source, or of a
	 * header found through it */
	REACH_ASKED = 1,
	REACH_DEPS = 2,  /* the dependency file, unchanged */
	/* the strings of .debug_line_str, unchanged, in an order that can be computed
	 * (tools/object/debug_strings.h) */
	REACH_LINES = 4,
	/* debug sections in order of appearance: a component, unchanged. clang divides a file's
	 * path where it leaves the path of the working directory. */
	REACH_DEBUG = 8,
	/* names of symbols, by the hash of the source's path (driver_source_hash()) */
	REACH_HASH = 16,
	REACH_TEXT = 32, /* preprocessed text, unchanged */
	/* nothing directly, but the name's length decides how a path is spelled */
	REACH_LENGTH = 64,
	REACH_ANYTHING = 128,
	/* the table of files in .debug_line_str, unchanged, in order of appearance */
	REACH_TABLE = 256,
	/* of a source: time and size, in an entry of .debug_line (tools/cmdline/input_text.h) */
	REACH_TIMES = 512
};

/* THREAD. Reads a classified command once, for all questions below: the role of each argument, and
 * what the driver's own answers need. */
void driver_read(const struct tool_row *row, struct cmdline *c);
/* THREAD. What a name in that role reaches. */
unsigned driver_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role);
/* THREAD. The same for the name that the command's prefix maps hide (CMD_MAPS_DEBUG, _MACRO). */
unsigned driver_reach_mapped(const struct tool_row *row, const struct cmdline *c,
                             enum name_role role);
/* THREAD. The role of argument i for a name in it. `last`: the name is in the last component of a
 * path. */
static inline enum name_role driver_role(const struct cmdline *c, int i, int last)
{
	return (enum name_role)c->v[i].name_role[last != 0];
}
/* THREAD. The ASKS_ bits of tools/asks/asks.h for the row's language. */
unsigned driver_words(const struct tool_row *row, const struct cmdline *c);

/* THREAD. The result depends on none of these names, whatever role they have: the places that hold
 * them are patched. */
int driver_names_free(const struct tool_row *row, const struct cmdline *c,
                      const struct patch_name *names, size_t count);

/* THREAD. Argument i names an output, whose name reaches nothing, or the dependency file alone. */
int driver_output_free(const struct tool_row *row, const struct cmdline *c, int i);
/* THREAD. This output may hold its own name, although no option says so. */
int driver_output_named(const struct cmdline *c, const void *data, size_t n);
/* THREAD. Argument i names the output beside which the dependency file is written: the same name,
 * and ".d" in place of its ending. */
int driver_names_depfile(const struct cmdline *c, int i);
/* THREAD. Argument i names the output that the dependency file calls its target: the first word of
 * its first line is the path as it is spelled. */
int driver_names_target(const struct tool_row *row, const struct cmdline *c, int i);
/* THREAD. If argument i, behind -MT or -MQ, gives the only target, and spells it as the path behind
 * -o: the index of that path. Otherwise 0. */
int driver_target_output(const struct tool_row *row, const struct cmdline *c, int i);
/* THREAD. Where the tool breaks the lines of a dependency file. */
enum depfile_layout driver_depfile_layout(const struct tool_row *row);
/* THREAD. A name in a message moves no line break, and messages depend on no stream but the one
 * that they go to. */
int driver_messages_flow(const struct tool_row *row, const struct cmdline *c);
/* THREAD. This output is a dependency file, by its name. */
int driver_is_depfile(const struct cmdline *c, const char *path);

/* THREAD. A source of `-` is standard input, read once and to its end. Under another name
 * (/dev/stdin) it is a file, which the trace must distinguish from other files. A precompiled
 * header holds the times of its source. */
int driver_reads_stdin(const struct tool_row *row, const struct cmdline *c);
/* THREAD. The command names a compiled form of texts (tools/cmdline/language.h), whatever name its
 * file has. */
int driver_names_compiled(const struct cmdline *c);
/* THREAD. The tool asks standard input for the width of the terminal that it writes to. shown: one
 * of its streams is a terminal. */
int driver_asks_stdin_width(const struct tool_row *row, const struct cmdline *c, int shown);
/* THREAD. The command compiles and links nothing, and prints what the program says of itself:
 * --version, gcc -print-search-dirs, ld --help. Nothing there holds the working directory, unless
 * the program was found by a relative path, which the trace shows. */
int driver_asks_itself(const struct tool_row *row, const struct cmdline *c);
#define SOURCE_HASH 8 /* digits, without the NUL; NAME_VOLATILE_MIN requires as many */
/* If a command has more sources, their hashes are not known. */
#define SOURCE_HASHES_MOST 8
/* THREAD. 1: names of symbols hold the hash of this source's path. With a real path, absolute, it
 * is written to out; real may be NULL. */
int driver_source_hash(const struct tool_row *row, const char *path, const char *real,
                       char out[SOURCE_HASH + 1]);
/* THREAD. The command's names and directory bind the result, but not the compiler that the command
 * starts: the compiler is served as an action of its own (action/nest.h). */
int driver_has_steps(const struct tool_row *row, const struct cmdline *c);
/* THREAD. Its outputs may hold what standard output and error are: whether they are terminals. */
int driver_outputs_show_streams(const struct tool_row *row, const struct cmdline *c);
/* THREAD. The file that it writes to the working directory where no argument names an output; NULL:
 * none is known. */
const char *driver_default_output(const struct tool_row *row, const struct cmdline *c);

/* THREAD. The words of such a variable make the tool print or write how long it took. */
int driver_says_time(const char *words);

/* A property of an output that comes from the run, and not from its input. */
enum output_flaw {
	FLAW_NONE,
	FLAW_TIME,  /* it holds a time */
	FLAW_CUT,   /* it was not written to its end, and the tool did not notice */
	FLAW_PID,   /* it holds the process id */
	FLAW_INODE, /* it holds the inode of its source */
	FLAW_DATED, /* it holds the local time, for which the tool asked once, and to no effect */
	FLAW_MODE   /* its mode comes from elsewhere: a member that ar extracts from an archive */
};

/* The form of a tool's temporary file names, where these names reach a result. */
enum temporary_names {
	TEMPORARY_HIDDEN,   /* they reach nothing that is kept */
	TEMPORARY_SCRATCH,  /* name_is_scratch() */
	TEMPORARY_PID,      /* name_xft_len() */
	TEMPORARY_ANY       /* the form is not known */
};

/* How a command takes further arguments from files: tools/cmdline/response.c. */
enum argument_files {
	FILES_AT,    /* @file, as libiberty reads it */
	FILES_CLANG, /* @file, as clang reads it */
	FILES_CUDA,  /* --options-file, -optf */
	FILES_PTXAS, /* the same, and ' is an ordinary byte */
	FILES_NONE   /* none that is known */
};
/* Which commands ask for make's jobserver: tools/cmdline/jobserver.c. */
enum jobserver_use {
	JOBSERVER_NOT,
	JOBSERVER_LINK,  /* links, by open descriptors too; they report what they find */
	JOBSERVER_ASKED, /* where an argument or variable says so; they report what they find */
	JOBSERVER_ALWAYS /* all; they report a jobserver that cannot be used */
};

/* Of an argument that may let names through. FACT_OWN: the first of a driver's own bits. */
enum { FACT_READ = 1, FACT_BOUND = 2, FACT_OWN = 4 };
/* 1: the driver's fact() was asked of all arguments, and none may let names through. */
static inline int driver_plain(const struct cmdline *c)
{
	return (c->facts & (FACT_READ | FACT_BOUND)) == FACT_READ;
}

/* What is known of one family; c's options have been checked. Its functions are asked by
 * driver_ask(). Every pointer in this struct is relocated in every process, so anything but code is
 * held in the struct itself. THREAD. */
struct driver {
	/* What reach() needs of the arguments, in c->facts: FACT_BOUND and the driver's own bits,
	 * of argument i, from 1 on; or any bits, of all arguments at once. NULL: nothing. */
	unsigned (*fact)(const struct tool_row *row, const struct cmdline *c, int i);
	unsigned (*facts)(const struct tool_row *row, const struct cmdline *c);
	/* driver_reach(); NULL: anything. */
	unsigned (*reach)(const struct tool_row *row, const struct cmdline *c, enum name_role role);
	/* NULL or ROLE_COUNT: the options decide. */
	enum name_role (*role)(const struct cmdline *c, int i, int last);
	enum output_flaw (*flaw)(const void *data, size_t n, long pid);
	/* Reads a command's only input, for a row with TOOL_TEXT_NAMES
	 * (tools/cmdline/input_text.h). 0 and
	 * *out, or -1: this text is an input like any other. */
	int (*read_text)(struct input_text *out, const struct input_text_request *r);
	/* tools/driver.h; NULL: not known of any failure */
	int (*fails_by_input)(int status, const char *text, size_t n);
	enum temporary_names temporary;
	enum argument_files files;
	enum jobserver_use jobserver;
	char output[8];     /* driver_default_output(); "": none */
	char linked;        /* only for a command that links */
	/* driver_asks_stdin_width(). 2: messages are cut by the width of standard input alone, and
	 * only where a line reaches that width. */
	char stdin_width;
	char stdin_source;  /* driver_reads_stdin() */
	char depfile;       /* enum depfile_layout */
	char flows;         /* driver_messages_flow(), unless an option asks for breaks */
	char lines;         /* tools/object/debug_strings.h knows its debug information */
	/* 0: prefix maps are not known, nor whether debug information without names of directories
	 * is the same in each directory */
	char maps;
	char shows_streams; /* an option that no table has may make an output show the streams */
	/* Variables that hold arguments, before or behind those of the command: a list
	 * (shim/list.h). */
	char variables[128];
	/* The variable that edits this tool's own command line; no option table has seen its
	 * edits. */
	char editor[24];
};
/* The variable that edits the command line of any tool that another tool may start. */
#define DRIVER_EDITOR "CCC_OVERRIDE_OPTIONS"
extern const struct driver driver_gcc, driver_clang, driver_clang_off, driver_cc1, driver_lto1,
	driver_as, driver_link, driver_mold, driver_ar, driver_ptxas, driver_nvcc, driver_cudafe,
	driver_cicc, driver_fatbinary, driver_nvlink, driver_rustc, driver_generic,
	driver_declared, driver_launcher, driver_tileiras;
/* The driver of a row. */
const struct driver *driver_of(const struct tool_row *row);
/* The answer of one of its functions, or the usual answer of tools that have no such function. */
#define driver_ask(row, function, usual, ...) \
	({ \
		const struct driver *asked_driver = driver_of(row); \
		asked_driver->function ? asked_driver->function(__VA_ARGS__) : (usual); \
	})

/* Directories of system headers beside the compiler's own: variables (shim/list.h), and whether an
 * argument names one, or could. */
extern const char driver_system_variables[];
int driver_names_system_directories(const struct cmdline *c);

/* Failures that come from a tool's input alone, so that they may be stored. A tool may fail for
 * want of memory, of room on a disk, or of permission. Such a failure is not that of the next run.
 * So only messages of a known form count, and each of them has to. docs/internals/drivers.md has
 * the forms. */

/* 1: such a failure may be known. 0: no failure of the tool is ever stored. */
int failure_may_be_known(const struct tool_row *row);
/* 1: the tool ended with this status because of its input. text: all its messages. */
int failure_is_of_input(const struct tool_row *row, int status, const char *text, size_t n);
