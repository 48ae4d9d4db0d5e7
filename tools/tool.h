/* tools/tool.h - which programs are tools, and the facts of each tool (tools.def). A fact that
 * holds for a row whatever its command line says is a flag here. A fact that depends on the command
 * is a question to the row's driver (tools/driver.h).
 *
 * A tool is recognised by the base name of the file that runs (AT_EXECFN). The caller must check
 * that it is /proc/self/exe once links are resolved. A target, a version, and words of people who
 * rename programs may be around a row's name (tools/tool_name.h). Pure code. THREAD. */
#pragma once

#include <stddef.h>

enum tool_family {
#define FAMILY(id, ...) FAMILY_##id,
#include "tools/tools.def"
};

/* Facts of a row. */
enum {
	TOOL_SELF_CONTAINED = 1,  /* its own path does not matter: not keyed */
	/* reads stdin only where argv names it: a pipe or terminal there is fine */
	TOOL_STDIN_NEVER = 2,
	/* output independent of argv's names (see cmdline.h for exceptions) */
	TOOL_NAME_FREE = 4,
	TOOL_TIME_BY_LOCALTIME = 16, /* localtime is called only for __TIME__/__DATE__ */
	/* the name of its only input, and names in it, leave the key: read_text() of its
	 * driver */
	TOOL_TEXT_NAMES = 32,
	/* GCC's own preprocessor reads the sources, in this process or below it */
	TOOL_LIBCPP = 64,
	TOOL_EITHER = 128,        /* a name of both gcc and clang: facts that hold for both */
	TOOL_CPP = 256,           /* preprocesses by default */
	TOOL_RENAMES = 512,       /* writes its outputs to new files and renames them */
	TOOL_UNLINKS = 1024,      /* removes the old output and makes a new file */
	/* the tools that it starts are served as actions of their own (action/nest.h) */
	TOOL_NESTS = 2048,
	/* a step of nvcc: output independent of its tmpxft names, once they are patched */
	TOOL_XFT_FREE = 4096,
	/* The user says that the tool enters no names: REPRISE_TOOLS=+name:names. */
	TOOL_DECLARED = 16384,
	TOOL_ON_REPEAT = 8192,    /* below a tool that nests: recorded when its key comes again */
	/* An unknown tool: its unseen effects are not known, and everything seen counts. */
	TOOL_UNKNOWN = 1 << 15,
	/* A launcher: it starts a compiler, which is the tool, and keeps results of its own. */
	TOOL_LAUNCHER = 1 << 16,
	/* As a step of another tool it is run for real: that is cheaper than storing its result. */
	TOOL_PASSED_BY = 1 << 17,
	/* As a step it reads a file that the step before has just written: it starts when that file
	 * is old. */
	TOOL_SETTLES = 1 << 18,
	/* A text may make it compare the times of files: tools/text/dependency.h. */
	TOOL_GOES_BY_TIMES = 1 << 19,
	/* Its result holds the times of files that it looks at. */
	TOOL_ENTERS_TIMES = 1 << 20,
	/* It treats files with equal device and inode as one file, even files that it only looks
	 * at. */
	TOOL_TAKES_INODES = 1 << 21,
	/* It fails where TMPDIR is not a directory that it can write to. */
	TOOL_NEEDS_TMPDIR = 1 << 22,
	/* Its pid is in the names of its temporary files, which reach results: names_own(). */
	TOOL_NAMES_PID = 1 << 23,
	/* Hashes of its sources' paths are in names of symbols: tools/drivers/drivers.h. */
	TOOL_NAMES_HASHES = 1 << 24,
	/* It reads its own output file. */
	TOOL_READS_OUTPUT = 1 << 25,
	/* Fortran: sources name their *.mod and *.smod files, and -J names the directory. */
	TOOL_WRITES_MODULES = 1 << 26,
	/* Known by its documentation, and not tested from end to end: no tool unless REPRISE_TOOLS
	 * adds it. Names, the working directory and the processor bind its results. */
	TOOL_OFF = 1 << 28,
	/* It opens its old output for reading, and removes it before it reads: a thread closes it
	 * later, since that may take long. */
	TOOL_HOLDS_OUTPUT = 1 << 29
};

struct tool_row {
	char name[16];         /* "gcc", "cc1plus", "ptxas" */
	enum tool_family family;
	unsigned flags;
	/* variables that enter the action key, each with its NUL, then an empty one */
	const char *env;
};

/* The row of a library that compiles inside a host: its effects on its process are not known. */
#define TOOL_LIBRARY_ROW(name, env) \
	{name, FAMILY_GENERIC, TOOL_UNKNOWN | TOOL_SELF_CONTAINED | TOOL_STDIN_NEVER, env}

/* The number under which a row's waits for a remote store are counted (remote/remote.h). All
 * numbers are below TOOL_CLASSES; later families count as unknown tools. */
#define TOOL_CLASSES (FAMILY_NVLINK + 1)
static inline unsigned tool_class(const struct tool_row *row)
{
	return row->family < TOOL_CLASSES ? (unsigned)row->family : FAMILY_GENERIC;
}

/* What a program does with the real path of a file that it reads. One file may have several. */
enum real_use {
	/* It compares an operand with its output, and uses the real paths of other files. */
	REAL_OPERAND = 1,
	/* It calls a system header by the shorter of both paths, and compares its source with its
	 * output. */
	REAL_SHORTENS = 2,
	/* It compares each input with its output. If it has a sysroot, it asks for that directory
	 * first, and then tests whether files lie below it. */
	REAL_INPUT = 4,
	REAL_ANY = 8
};
/* What the program with this base name does. Known are GCC's drivers (canonical_filename_eq()), cc1
 * (maybe_shorter_path()) and GNU ld ("input file is the same as output file",
 * is_sysrooted_pathname()). */
enum real_use tool_real_use(const char *base);
/* The row for a base name, also of a tool that is off: what is known of the program. NULL: the
 * program is not known. */
const struct tool_row *tool_known(const char *base);
/* 1: no compiler, assembler or linker with the first base name starts a program with the other one,
 * so the first program is a wrapper of it. in_place: its own process becomes that program. */
int tool_is_wrapper(const char *base, const char *started, int in_place);
/* The row for a base name after REPRISE_TOOLS (+name,+name:names,-name; NULL or "" for none), or
 * NULL. An added name without a row gets the generic row. */
const struct tool_row *tool_find(const char *base, const char *tools_setting);
/* Variables that no tool's result depends on, except through something that is keyed already. They
 * are PATH (the program found is keyed), TMPDIR, LD_PRELOAD, REPRISE_*, ...; and MAKEFLAGS by row.
 * TERM is included, since compilers ask for it only where a stream is a terminal: a caller that
 * keys a terminal adds it. PWD is not included: it is an input as a spelling of the cwd
 * (INPUT_PWD). */
int tool_env_ignored(const struct tool_row *row, const char *name);
/* The variable's value is a list of arguments in quotes, by which gcc passes its own arguments to
 * its passes. */
int tool_env_quotes(const char *name);
/* Base names of interpreters whose scripts read variables without getenv. */
int tool_is_interpreter(const char *base);
/* How an existing output is overwritten. */
enum write_style {
	WRITE_TRUNCATE = 1, /* in place */
	WRITE_UNLINK = 2,   /* as bfd: an old file that is not empty is removed, or a link to one */
	WRITE_RENAME = 3,   /* a new file takes its name */
	/* The old file is removed. What the program does with an empty file or a dangling link is
	 * not known, so no replay writes there. */
	WRITE_REPLACE = 4
};
/* The habit of programs with this base name. Never WRITE_REPLACE. */
enum write_style tool_write_style(const char *base);
/* How it overwrites a file that it opens to write and not to read. bfd's programs open listings,
 * maps and dependency files this way, and write them in place. */
enum write_style tool_write_style_plain(const char *base);
/* Whether the output of a program with this base name may depend on whether the file was there
 * before. ar adds to an existing archive. Compilers, assemblers and linkers only look, and make
 * their output anew. Other programs are not known. */
int tool_minds_output(const char *base);
/* A program with this base name may take two files for one when content, size and the second of
 * their times are equal. GCC's preprocessor does this, and unknown programs may. The driver,
 * assembler and linkers are left out: objects that are built anew have equal or other times by
 * chance. */
int tool_takes_equal_files(const char *base);
/* A program with this base name reads C and C++ texts by a preprocessor of its own. */
int tool_preprocesses(const char *base);
/* A program with this base name is an assembler, and no compiler. */
int tool_assembles(const char *base);
/* The script that this program gives to the interpreter was written by the program itself. */
int tool_writes_script(const char *base, const char *interpreter);
/* The program asks the driver for its devices, for nvcc -arch=native or clang
 * --offload-arch=native. The answer holds for one host, until a driver comes or goes. No file that
 * the program reads shows this. */
int tool_asks_driver(const char *base);
/* The program asks for local time once for each output with FLAW_DATED (tools/driver.h), without
 * effect on others. */
int tool_dates_outputs(const struct tool_row *row);
/* The tool makes the directories of this output. */
int tool_makes_directories(const struct tool_row *row, const char *path);
/* The messages of GNU ar say that it left out u, and compared no times: D is its default. */
int tool_ignores_updates(const char *text, size_t n);
