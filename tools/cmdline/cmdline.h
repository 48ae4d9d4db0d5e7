/* tools/cmdline/cmdline.h - the meaning of a command line, found without any system call.
 *
 * Input is argv with response files expanded (cmdline_expand asks the caller for their bytes).
 * Output is the arguments that name outputs, the flags that matter for keying, and reasons to
 * bypass. An argument that no option table knows stays as it is. Every argument enters the key
 * anyway, and the trace sees every file that the tool reads. THREAD. */
#pragma once

#include "shim/arena.h"
#include "shim/buf.h"
#include "shim/reason.h"
#include "tools/tool.h"
#include <stddef.h>

/* Properties of the command. Bits 16 to 25 are the parser's own (tools/options/options.h). */
enum {
	CMD_DEBUG = 1 << 0,       /* -g (not undone by -g0): output names source and cwd */
	/* --coverage, -fprofile-*, -ftest-coverage, -fbranch-probabilities ... */
	CMD_COVERAGE = 1 << 1,
	CMD_LTO = 1 << 2,
	/* -save-temps, -fdump-*, -dumpdir, -fstack-usage, -fcallgraph-info, -aux-info,
	 * -gsplit-dwarf, -ftime-trace, --serialize-diagnostics, -MJ, -frecord-gcc-switches */
	CMD_DUMP = 1 << 3,
	/* -march=native, -mtune=native, -mcpu=native, also inside -Wa, -Xclang and similar */
	CMD_NATIVE = 1 << 4,
	CMD_STDIN = 1 << 5,       /* "-" as an input, /dev/stdin */
	CMD_LINK = 1 << 6,        /* runs the linker (no -c -S -E -fsyntax-only -M -MM) */
	CMD_PREPROCESS = 1 << 7,  /* -E -M -MM: output to stdout unless -o */
	CMD_PCH = 1 << 8,         /* makes a precompiled header, a module or clang's AST */
	/* clang may make or use a PCH, module or AST that holds times of its inputs. Counts only
	 * where the command makes or names one (driver_names_compiled()), or where a *.pch, *.gch
	 * or *.pcm was read or written. For example -include x.h takes x.h.pch where it exists. A
	 * user of such a file checks times whatever its own flags are. */
	CMD_PCH_TIMES = 1 << 9,
	/* ar with U, or without D where that is not the default: member times matter */
	CMD_AR_TIMES = 1 << 10,
	/* The result is independent of the working directory by row: a gcc or clang compile (-c -S,
	 * no CMD_DEBUG|COVERAGE|LTO|DUMP|PCH|PREPROCESS), or ptxas without -g. */
	CMD_CWD_FREE = 1 << 11,
	CMD_NAME_FREE = 1 << 12,  /* result independent of argv's names by row: ptxas without -g */
	/* clang: a config file may add flags. A *.cfg that was read undoes CMD_CWD_FREE and may say
	 * native. A config file named in argv has done both already. */
	CMD_CONFIG = 1 << 13,
	/* gcc -E with plain options (command_kind.c): independent of names that do not appear
	 * in anything that the run left (judge/name/names_proof.c) */
	CMD_PLAIN_CPP = 1 << 14,
	/* clang's driver on CUDA sources: its passes, ptxas and fatbinary are actions of their own
	 * (action/nest.h), as below a tool with TOOL_NESTS. action/record.c sets it, too, where
	 * driver_has_steps(). */
	CMD_NESTS = 1 << 15,
	CMD_HASHES_SOURCES = 1 << 26, /* ptxas -c: the result holds a hash of sources' paths */
	/* debug information may name the directories of another run (REPRISE_SLOPPY=debugdir);
	 * action/command.c sets it */
	CMD_DEBUG_ANYWHERE = 1 << 27,
	/* Prefix maps hide the name NAME_KIND_MAPPED: DEBUG in debug information, MACRO in what
	 * __FILE__ and its like give. judge/name/name_list.c sets them; without them a map is an
	 * unknown option. */
	CMD_MAPS_DEBUG = 1 << 28,
	CMD_MAPS_MACRO = 1 << 29,
	CMD_SHOWS_MEMORY = 1 << 30,   /* gcc: a message or output may tell the host's memory */
	/* flags that follow from the command line alone; action/ sets the others */
	CMD_PARSED = (2 * CMD_NESTS - 1) | CMD_HASHES_SOURCES | CMD_SHOWS_MEMORY
};

enum arg_role {
	ARG_PLAIN = 0,
	ARG_OUTPUT,        /* the argument is an output path ("-o" "x": the second) */
	/* output path begins at `at` inside the argument: -ox, -MFx, --output-file=x */
	ARG_OUTPUT_JOINED,
	ARG_INPUT,         /* certainly an input path */
	ARG_INPUT_JOINED,  /* input path begins at `at`: -includex.h, -specs=x */
	/* never a path, even if it looks like a path (-D value, -MT value, warning names) */
	ARG_LITERAL
};
struct cmdline_arg {
	const char *text;
	enum arg_role role;
	unsigned short at;  /* where the path begins, for *_JOINED */
	int from_response;  /* 1: it came from an @file */
	/* The row's spelling, if the argument is a known option or the value of a known option;
	 * else NULL. */
	const char *option;
	int is_value;       /* the value of the argument before it */
	int adds;           /* an output: the tool adds to the file there, which no key holds */
	int next_output;    /* the next argument that gives an output, or 0 */
	/* enum name_role of tools/driver.h: of a name in a directory, in the last component */
	unsigned char name_role[2];
};
struct cmdline {
	struct cmdline_arg *v;
	int count;         /* argv[0] is v[0] */
	unsigned flags;
	int first_output;  /* CMDLINE_OUTPUTS() */
	/* Of driver_read(): bits of the driver's own; the value of the only -MT or -MQ and the path
	 * behind -o that it spells, or 0; whether options ask for a dependency file and name it;
	 * whether a text may hold C++. */
	unsigned facts;
	int target, target_output;
	int asks_depfile, names_depfile;
	int may_be_cxx;    /* an ending, or any -x */
	enum reason bypass;     /* REASON_NONE, or why this command bypasses */
	const char *bypass_detail;
	int names_stdin;   /* an argument spells /dev/stdin */
	int updates;       /* ar u: it may compare times of files (tool_ignores_updates()) */
};

/* i goes through the arguments that give an output. */
#define CMDLINE_OUTPUTS(i, c) \
	for (int i = (c)->first_output; i; i = (c)->v[i].next_output)

/* Classifies v[], whose members are zero, and fills flags and bypass. */
void cmdline_classify(struct cmdline *c, const struct tool_row *row);
/* Calls each(ctx, path) for every path that an argument may hold, outputs included (the caller
 * looks at the role). The role says where the path is. For ARG_PLAIN it is the argument itself when
 * it has no leading '-', else the text after '@', '=', ',' or a two-character flag. Primary inputs
 * are the paths that are existing regular files. Outputs in the middle of a comma list
 * (-Wl,-Map=x,-T,y) are left out. */
void cmdline_each_path(const struct cmdline_arg *arg, void (*each)(void *ctx, const char *path),
                       void *ctx);

/* --- cmdline_words.c: questions about the words but argv[0]; lists are of shim/list.h --- */

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
/* A shared library that a link may read: the next pair of -L and -l, as one argument each. *at: 0
 * at first. NULL: there are no more, or no memory. */
const char *cmdline_library(const struct cmdline *c, unsigned *at, struct arena *a);

/* --- command_kind.c --- */

/* 1: -E with options of a short list. None of these options looks into a path, rewrites a path,
 * writes a second file or reads a list of files. The sources are C or C++ that was not preprocessed
 * before. docs/internals/names.md says what that proves of the names in argv;
 * judge/name/names_proof.c judges it. For gcc and g++: clang identifies files by inode, which is a
 * further way to distinguish two names. c must be classified already. */
int cmdline_preprocess_plain(const struct cmdline *c);
/* True for an argument that makes code for this machine's processor. Also for words that a tool
 * makes arguments of (NVCC_APPEND_FLAGS). */
int cmdline_says_native(const char *s);

/* --- prefix_map.c ---
 *
 * The directories that a command's prefix maps write under other names. If a file name begins with
 * OLD, gcc and clang write NEW in the place of OLD. They do so with `-ffile-prefix-map=OLD=NEW` and
 * its relatives: `debug` in debug information, `macro` in what __FILE__ and its like give. OLD is
 * the beginning of a string, and may end inside a component. If several OLDs fit, the last option
 * counts in gcc, and the first one by the letters of OLD in clang 14. So there is an answer only if
 * no OLD begins with the letters of another one, and if what the maps write can begin with no OLD
 * again. Then two runs with different OLDs write the same, for files below
 * OLD (docs/internals/names.md, "Prefix maps"). An assembler gets the maps as well, and maps names
 * that its text spells. So there is no answer for assembler text. */

struct prefix_map {
	const char *old; /* absolute and tidy, without a slash at its end */
	size_t len;
	unsigned flags;  /* CMD_MAPS_DEBUG, CMD_MAPS_MACRO */
	int below_only;  /* an option has OLD with a slash: OLD itself may stay as it is */
};
#define PREFIX_MAPS_MOST 3 /* of a source, a build and an environment; names/names.h has as many */
struct prefix_maps {
	int count;
	struct prefix_map v[PREFIX_MAPS_MOST]; /* by first appearance; all flags are equal */
};

/* 1: the command has maps, and *m is what they map. 0: it has none, or maps that are not
 * understood. old points into an argument. */
int prefix_map_find(struct prefix_maps *m, const struct cmdline *c);
/* The path as gcc enters it into debug information, by maps that are understood (CMD_MAPS_DEBUG).
 * NULL: no memory. */
const char *prefix_map_debug(const struct cmdline *c, const char *path, struct arena *arena);
/* 1: the option, as its row spells it, is such a map. */
int prefix_map_is(const char *option);

/* --- depfile_layout.c: where a compiler breaks the lines of a dependency file.
 *
 * gcc and clang begin a new line before a name that would pass a column, so a name of another
 * length moves the breaks. nvcc writes one name a line. depfile_put() writes the names of a text
 * anew as the compiler would. A recorded file is only trusted to follow a layout if depfile_put()
 * gives the same bytes.
 *
 * Only the first rule is broken so. What follows it, the empty rules of -MP, has one name a line.
 * Source: make_write_name() in libcpp/mkdeps.cc of gcc (8 to 15 break at the same places), and
 * DependencyFileGenerator::outputDependencyFile() of clang (14 to 19). Pure code. THREAD. */

enum depfile_layout {
	DEPFILE_UNKNOWN, /* breaks cannot be computed */
	DEPFILE_GCC,
	DEPFILE_CLANG,
	DEPFILE_LINES    /* one name a line */
};

/* Appends text with its lines broken as the layout says. -1: the text is no dependency file. */
int depfile_put(struct buf *out, enum depfile_layout layout, const char *text, size_t n);
/* 1: the text has this layout. */
int depfile_has(enum depfile_layout layout, const char *text, size_t n, struct arena *a);

/* --- temporary.c: whether a result shows the name of one of the tool's own temporary
 * files. If so, it depends on their directory, and so on the variables that name the directory.
 * Pure code. THREAD. */

/* Variables that name the directory. */
#define TEMPORARY_VARIABLES 4

struct temporary {
	const struct tool_row *row;
	const char *dir[TEMPORARY_VARIABLES]; /* the value of each variable that was read */
	unsigned read;                        /* bit v: variable v was read */
	int named;                            /* the name of a temporary file was seen */
	int search;                           /* PATH was shown */
};

/* 0: the outputs of this command cannot hold the name of a temporary file. */
int temporary_begin(struct temporary *t, const struct tool_row *row, const struct cmdline *c);
const char *temporary_variable(size_t v);
/* To be called when the run has read a variable; value may be NULL or "". */
void temporary_read(struct temporary *t, const char *name, const char *value);
/* 0: no variable was read, so no name can be seen. */
int temporary_possible(const struct temporary *t);
/* 1: no such name was seen, although a name of the tool's own would have been seen. So another
 * directory gives the same result. */
int temporary_elsewhere(const struct temporary *t);
/* Searches n bytes of an output or a stream. */
void temporary_look(struct temporary *t, const void *data, size_t n, int stream);
