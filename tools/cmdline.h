/* tools/cmdline.h - what a command line says, decided without one system call.
 *
 * Input is argv after response files were put in (cmdline_expand asks the caller for their bytes).
 * Output is which arguments name outputs, which flags matter for keying, and reasons to stay away.
 * Whatever an option table does not know is kept as it is: every argument enters the key anyway, and
 * every file the tool reads is seen by the trace. THREAD. */
#ifndef TOOLS_CMDLINE_H
#define TOOLS_CMDLINE_H

#include "shim/arena.h"
#include "shim/reason.h"
#include "tools/tool.h"

/* Properties of the command. */
enum {
	CMD_DEBUG = 1,       /* -g (not undone by -g0): output names source and cwd */
	CMD_COVERAGE = 2,    /* --coverage, -fprofile-*, -ftest-coverage, -fbranch-probabilities ... */
	CMD_LTO = 4,
	CMD_DUMP = 8,        /* -save-temps, -fdump-*, -dumpdir, -fstack-usage, -fcallgraph-info, -aux-info,
	                        -gsplit-dwarf, -ftime-trace, --serialize-diagnostics, -MJ, -frecord-gcc-switches */
	CMD_NATIVE = 16,     /* -march=native, -mtune=native, -mcpu=native, in whatever wrapping (-Wa, -Xclang) */
	CMD_STDIN = 32,      /* "-" as an input, /dev/stdin */
	CMD_LINK = 64,       /* runs the linker (no -c -S -E -fsyntax-only -M -MM) */
	CMD_PREPROCESS = 128,/* -E -M -MM: output to stdout unless -o */
	CMD_PCH = 256,       /* makes a precompiled header */
	CMD_PCH_TIMES = 512, /* clang may make or use a PCH or module that holds times of its inputs; counts
	                        only where a *.pch, *.gch or *.pcm was read or written (-include x.h takes
	                        x.h.pch where there is one). A user checks times whatever its own flags */
	CMD_AR_TIMES = 1024, /* ar with U, or without D where that is not the default: member times matter */
	CMD_CWD_FREE = 2048, /* result independent of the working directory by row: a gcc or clang compile
	                        (-c -S, no CMD_DEBUG|COVERAGE|LTO|DUMP|PCH|PREPROCESS), ptxas without -g */
	CMD_NAME_FREE = 4096,/* result independent of the names in argv by row: ptxas without -g */
	CMD_CONFIG = 8192,   /* clang: a config file may add flags: a *.cfg that was read undoes CMD_CWD_FREE and
	                        may say native. One named in argv has done both already */
	CMD_PLAIN_CPP = 16384,/* gcc -E with plain options (cmdline_preprocess.h): independent of names that are
	                        seen nowhere in what the run left (judge/names_proof.c) */
	CMD_HASHES_SOURCES = 1 << 26, /* ptxas -c: the result holds a hash of sources' paths */
	CMD_NESTS = 32768    /* clang's driver on CUDA sources, whose passes, ptxas and fatbinary are actions of their own
	                        (action/nest.h), as below a tool with TOOL_NESTS; set by action/record.c where driver_has_steps() */
};

enum arg_role {
	ARG_PLAIN = 0,
	ARG_OUTPUT,        /* whole argument is an output path ("-o" "x": the second) */
	ARG_OUTPUT_JOINED, /* output path begins at `at` inside the argument: -ox, -MFx, --output-file=x */
	ARG_INPUT,         /* certainly an input path */
	ARG_INPUT_JOINED,  /* input path begins at `at`: -includex.h, -specs=x */
	ARG_LITERAL        /* never a path, whatever it looks like (-D value, -MT value, warning names) */
};
struct cmdline_arg {
	const char *text;
	enum arg_role role;
	unsigned short at;  /* where the path begins, for *_JOINED */
	int from_response;  /* 1: came out of an @file */
	const char *option; /* the spelling of the row that it is or is the value of; NULL: none knows it, or no option */
	int is_value;       /* the value of the one before it */
};
struct cmdline {
	struct cmdline_arg *v;
	int count;         /* argv[0] is v[0] */
	unsigned flags;
	enum reason bypass;     /* REASON_NONE, or why this command is not for us */
	const char *bypass_detail;
};

/* Response files are expanded as the family does (GCC quoting; at most 100 levels and 2000 files, more
 * set bypass; a file that cannot be read leaves the argument). ptxas's option files are put in behind
 * the option that names them. read() gives the whole text NUL-terminated, or NULL. The same rules as
 * libiberty's expandargv. argv[0] is never expanded. */
struct cmdline_reader {
	const char *(*read)(void *ctx, const char *path, size_t *n);
	void *ctx;
};
/* 0, or -1 when memory is refused or ARGS_MAX is passed. */
#define ARGS_MAX 1000000
int cmdline_expand(struct cmdline *c, const struct tool_row *row, int argc, char *const argv[],
                   const struct cmdline_reader *reader, struct arena *a);
/* Classifies v[] and fills flags and bypass. */
void cmdline_classify(struct cmdline *c, const struct tool_row *row);
/* True for an argument, or for words that a tool makes arguments of (NVCC_APPEND_FLAGS), by which code is made for the processor at
 * hand. */
int cmdline_says_native(const char *s);
/* Paths an argument may hold, outputs included (the caller looks at the role): by role, or for
 * ARG_PLAIN what follows flag letters in an argument that could be a path: the argument itself when it has no
 * leading '-', else the text after '@', '=', ',' or a two-character flag. Calls
 * each(ctx, path) for every one: primary inputs are those that are existing regular files. Outputs in
 * the middle of a comma list (-Wl,-Map=x,-T,y) are left out. */
void cmdline_each_path(const struct cmdline_arg *arg, void (*each)(void *ctx, const char *path),
                       void *ctx);
/* True when an archive holds a member with a time: made by an ar whose default is not D, so its bytes
 * depend on more than its members' content and it must not be stored. */
int cmdline_archive_has_times(const void *data, size_t n);

#endif
