/* tools/driver.h - facts of a family of tools: what the names in a command line reach, and answers
 * to the other questions of the engine.
 *
 * Each family answers in a file of its own: gcc.c (gcc, cc1), clang.c, link.c, ar.c (as, ar),
 * ptxas.c, nvcc.c, nvcc_steps.c (cudafe++, cicc, fatbinary, nvlink), rustc.c, generic.c (unknown
 * tools, and launchers). A question that a driver leaves out gets the usual answer.
 *
 * A name stands in a command line in one or more *roles*. The driver says for each role, under the
 * current flags, what the name can get into. The engine does the rest (judge/bind.c) and knows no
 * tool. Only known options are listed: if a command has any other option, every name reaches
 * anything. The tables are those of docs/internals/names.md, "What reaches a result", with their
 * counterexamples in tests/e2e/names*.bats. docs/internals/drivers.md has a section for each
 * family: its facts, where they come from, and their tests. Pure code. THREAD. */
#ifndef TOOLS_DRIVER_H
#define TOOLS_DRIVER_H

#include "keying/patch.h"
#include "shim/buf.h"
#include "tools/cmdline.h"
#include "tools/depfile_layout.h"
#include "tools/input_text.h"
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
	ROLE_MAP,     /* a prefix map (tools/prefix_map.h) */
	ROLE_OTHER,
	ROLE_COUNT
};
/* What a name reaches; 0: nothing. */
enum {
	/* the answer to what a text asks for (tools/asks.h): the name of the source, or of a header
	 * found through it */
	REACH_ASKED = 1,
	REACH_DEPS = 2,  /* the dependency file, unchanged */
	/* the strings of .debug_line_str, unchanged, in an order that can be computed
	 * (driver_line_order()) */
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
	REACH_TABLE = 256
};

/* THREAD. What a name in that role reaches. */
unsigned driver_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role);
/* THREAD. The same for the name that the command's prefix maps hide (CMD_MAPS_DEBUG, _MACRO). */
unsigned driver_reach_mapped(const struct tool_row *row, const struct cmdline *c,
                             enum name_role role);
/* THREAD. The role of argument i for a name in it. `last`: the name is in the last component of a
 * path. */
enum name_role driver_role(const struct tool_row *row, const struct cmdline *c, int i, int last);
/* THREAD. The ASKS_ bits of tools/asks.h for the row's language. */
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
int driver_names_depfile(const struct tool_row *row, const struct cmdline *c, int i);
/* THREAD. The command asks for a dependency file beside its output. */
int driver_asks_depfile(const struct cmdline *c);
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
/* THREAD. Reads a command's only input, for a row with TOOL_TEXT_NAMES (tools/input_text.h). 0 and
 * *out, or -1: this text is an input like any other. */
int driver_read_text(const struct tool_row *row, struct input_text *out,
                     const struct input_text_request *r);
/* THREAD. Comments at the end of this source leave no trace in the result (tools/comments.h). */
int driver_drops_comments(const struct tool_row *row, const struct cmdline *c, const char *source);
/* THREAD. The path of argument i, if the tool adds to the file there, which no key holds; else
 * NULL. */
const char *driver_adds_to(const struct tool_row *row, const struct cmdline *c, int i);
/* THREAD. The command names a compiled form of texts (tools/text_kind.h), whatever name its file
 * has. */
int driver_names_compiled(const struct cmdline *c);
/* THREAD. The tool asks standard input for the width of the terminal that it writes to. shown: one
 * of its streams is a terminal. */
int driver_asks_stdin_width(const struct tool_row *row, const struct cmdline *c, int shown);
/* THREAD. Without names of directories its debug information is the same in each directory. */
int driver_debug_is_local(const struct tool_row *row);
/* THREAD. The command compiles and links nothing, and prints what the program says of itself:
 * --version, gcc -print-search-dirs, ld --help. Nothing there holds the working directory, unless
 * the program was found by a relative path, which the trace shows. */
int driver_asks_itself(const struct tool_row *row, const struct cmdline *c);
/* THREAD. Only objects and assembly of the command's result hold the working directory, and
 * driver_move_directory() finds it there. */
int driver_moves_directory(const struct tool_row *row, const struct cmdline *c);
/* Which of two strings debug information begins with: the name of the source as it was spelled, or
 * the working directory. Candidates hold the numbers. */
enum line_order { LINE_ORDER_NONE, LINE_ORDER_NAME = 1, LINE_ORDER_DIRECTORY = 2 };
/* THREAD. The order in which the tool writes these two strings; NONE: not known. */
enum line_order driver_line_order(const struct tool_row *row, const char *name,
                                  const char *directory);
/* THREAD. This object or assembly holds the two strings in that order, where they are expected. */
int driver_lines_hold(const struct tool_row *row, const void *data, size_t n, const char *name,
                      const char *directory);
/* THREAD. This byte of assembly lies among such strings, or gives the assembler names of files. */
int driver_lines_at(const struct tool_row *row, const char *text, size_t n, size_t at);
/* THREAD. Appends to out the object or assembly that the tool writes where these two strings have
 * the other order. 0, or -1: it has another form. */
int driver_lines_exchange(const struct tool_row *row, struct buf *out, const void *product,
                          size_t n);
/* THREAD. Appends to out the object or assembly that the tool makes of the same source in the
 * directory `to`. from: where the given one was made. 0, or -1: it has another form. For `from` and
 * `from` out gets the given bytes, or -1: so the form is tested. */
int driver_move_directory(const struct tool_row *row, struct buf *out, const void *object, size_t n,
                          const char *from, const char *to);
#define SOURCE_HASH 8 /* digits, without the NUL; NAME_VOLATILE_MIN requires as many */
/* If a command has more sources, their hashes are not known. */
#define SOURCE_HASHES_MOST 8
/* THREAD. The hash of this source's path is in names of symbols. */
int driver_hashes_source(const struct tool_row *row, const char *path);
/* THREAD. That hash. real: the real path of the source, absolute. */
void driver_source_hash(char out[SOURCE_HASH + 1], const char *real);
/* THREAD. Its prefix maps are known. */
int driver_has_maps(const struct tool_row *row);
/* THREAD. Its outputs may hold what standard output and error are: whether they are terminals. */
int driver_outputs_show_streams(const struct tool_row *row, const struct cmdline *c);
/* THREAD. Its messages are cut by the width of standard input alone, and only where a line reaches
 * that width. */
int driver_width_is_stdins(const struct tool_row *row);
/* THREAD. The file that it writes to the working directory where no argument names an output; NULL:
 * none is known. */
const char *driver_default_output(const struct tool_row *row, const struct cmdline *c);

/* THREAD. Variables that hold arguments, before or behind those of the command: a list
 * (tools/list.h). */
const char *driver_variables(const struct tool_row *row);
/* THREAD. The words of such a variable make the tool print or write how long it took. */
int driver_says_time(const char *words);
/* THREAD. The text of this file may make the time a part of the result of a tool with
 * TOOL_TIME_BY_TEXT. */
int driver_text_takes_time(const char *path, const char *text, size_t n);
/* THREAD. Under this value of TZ, which may be NULL, local time depends on the moment alone. */
int driver_zone_is_fixed(const char *tz);
/* THREAD. The variable that edits this tool's own command line; no option table has seen its edits.
 * "": there is none. */
const char *driver_editor(const struct tool_row *row);
/* The same for any tool that another tool may start. */
#define DRIVER_EDITOR "CCC_OVERRIDE_OPTIONS"

/* A property of an output that comes from the run, and not from its input. */
enum output_flaw {
	FLAW_NONE,
	FLAW_TIME,  /* it holds a time */
	FLAW_CUT,   /* it was not written to its end, and the tool did not notice */
	FLAW_PID,   /* it holds the process id */
	FLAW_INODE, /* it holds the inode of its source */
	FLAW_DATED  /* it holds the local time, for which the tool asked once, and to no effect */
};
/* THREAD. */
enum output_flaw driver_flaw(const struct tool_row *row, const void *data, size_t n, long pid);
/* THREAD. The mode of an output with these bytes comes from elsewhere: a member that ar extracts
 * from an archive. */
int driver_sets_mode(const struct tool_row *row, const void *data, size_t n);

/* The form of a tool's temporary file names, where these names reach a result. */
enum temporary_names {
	TEMPORARY_HIDDEN,   /* they reach nothing that is kept */
	TEMPORARY_SCRATCH,  /* name_is_scratch() */
	TEMPORARY_PID,      /* name_xft_len() */
	TEMPORARY_ANY       /* the form is not known */
};

/* How a command takes further arguments from files: tools/response.c. */
enum argument_files {
	FILES_AT,    /* @file, as libiberty reads it */
	FILES_CLANG, /* @file, as clang reads it */
	FILES_CUDA,  /* --options-file, -optf */
	FILES_PTXAS, /* the same, and ' is an ordinary byte */
	FILES_NONE   /* none that is known */
};
/* Which commands ask for make's jobserver: tools/jobserver.c. */
enum jobserver_use {
	JOBSERVER_NOT,
	JOBSERVER_LINK,  /* links, by open descriptors too; they report what they find */
	JOBSERVER_ASKED, /* where an argument or variable says so; they report what they find */
	JOBSERVER_ALWAYS /* all; they report a jobserver that cannot be used */
};

/* THREAD. The command's names and directory bind the result, but not the compiler that the command
 * starts: the compiler is served as an action of its own (action/nest.h). */
int driver_has_steps(const struct tool_row *row, const struct cmdline *c);

/* THREAD. Why the command must run for real whatever its option table says, or NULL. */
const char *driver_refuses(const struct tool_row *row, const struct cmdline *c);
/* THREAD. The command may write this path (spelled as in the trace), though no argument names it
 * and tools/written.h does not know its form. */
int driver_writes(const struct tool_row *row, const struct cmdline *c, const char *path);

/* A directory that the tool listed; both absolute. */
struct listed_dir {
	const char *path, *cwd;
};
/* THREAD. -1: every name in the directory matters. Otherwise a name matters only if it begins as
 * the name of an opened file. The answer is how many bytes of this file's name count; 0: the file
 * adds nothing. file may be NULL. */
int driver_library(const struct tool_row *row, const struct cmdline *c,
                   const struct listed_dir *dir, const char *file);
/* THREAD. The tool may run code of this file, which the user made: it may take any variable without
 * a call. */
int driver_runs_code(const struct tool_row *row, const struct cmdline *c, const char *cwd,
                     const char *file);
#define LISTED_NAME_SIZE 257
/* THREAD. 1: in such a directory this name does not matter where *other is there. */
int driver_replaced(const struct tool_row *row, const char *name, char other[LISTED_NAME_SIZE]);

/* One family's part; c's options have been checked. A missing entry means the usual answer. Every
 * pointer in this struct is relocated in every process, so anything but code is held in the struct
 * itself. */
struct driver {
	/* NULL: anything. */
	unsigned (*reach)(const struct tool_row *row, const struct cmdline *c, enum name_role role);
	/* NULL: the tool has no prefix maps. */
	unsigned (*reach_mapped)(const struct tool_row *row, const struct cmdline *c,
	                         enum name_role role);
	/* NULL or ROLE_COUNT: the options decide. */
	enum name_role (*role)(const struct cmdline *c, int i, int last);
	int (*has_steps)(const struct tool_row *row, const struct cmdline *c); /* NULL: never */
	int (*moves_directory)(const struct tool_row *row, const struct cmdline *c); /* NULL: no */
	enum output_flaw (*flaw)(const void *data, size_t n, long pid);        /* NULL: none */
	const char *(*adds_to)(const struct cmdline *c, int i); /* NULL: to nothing */
	const char *(*refuses)(const struct cmdline *c);        /* NULL: nothing */
	int (*writes)(const struct cmdline *c, const char *path); /* NULL: no more */
	/* NULL: every name matters */
	int (*library)(const struct cmdline *c, const struct listed_dir *dir, const char *file);
	/* NULL: no */
	int (*runs_code)(const struct cmdline *c, const char *cwd, const char *file);
	int (*replaced)(const char *name, char other[LISTED_NAME_SIZE]); /* NULL: never */
	/* NULL: no text has names that may leave the key */
	int (*read_text)(struct input_text *out, const struct input_text_request *r);
	/* tools/failure.h; NULL: not known of any failure */
	int (*fails_by_input)(int status, const char *text, size_t n);
	enum temporary_names temporary;
	enum argument_files files;
	enum jobserver_use jobserver;
	char output[8];     /* driver_default_output(); "": none */
	char linked;        /* only for a command that links */
	char stdin_width;   /* driver_asks_stdin_width(); 2: driver_width_is_stdins() */
	char stdin_source;  /* driver_reads_stdin() */
	char depfile;       /* enum depfile_layout */
	char flows;         /* driver_messages_flow(), unless an option asks for breaks */
	char lines;         /* driver_line_order() is known, and all about these strings */
	char shows_streams; /* an option that no table has may make an output show the streams */
	char variables[96]; /* driver_variables() */
	char editor[24];    /* driver_editor() */
};
extern const struct driver driver_gcc, driver_clang, driver_clang_off, driver_cc1, driver_lto1,
	driver_as, driver_link, driver_mold, driver_ar, driver_ptxas, driver_nvcc, driver_cudafe,
	driver_cicc, driver_fatbinary, driver_nvlink, driver_rustc, driver_generic,
	driver_declared, driver_launcher;
/* The driver of a row. */
const struct driver *driver_of(const struct tool_row *row);

/* Directories of system headers beside the compiler's own: variables (tools/list.h), and whether an
 * argument names one, or could. */
extern const char driver_system_variables[];
int driver_names_system_directories(const struct cmdline *c);

#endif
