/* tools/tool.h - which programs are tools, and what is known of each (tools.def). A fact that holds
 * for a row whatever its command line says is a flag here; what depends on the command is a
 * question to the row's driver (tools/driver.h).
 *
 * A tool is recognised by the base name of the file that runs (AT_EXECFN, which must be
 * /proc/self/exe once links are resolved: the caller's business), with an optional target prefix
 * (x86_64-linux-gnu-, any word-word-[word-]) and version suffix (-12, -14.2). Pure code. THREAD. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <stddef.h>

enum tool_family { FAMILY_GCC, FAMILY_CLANG, FAMILY_CC1, FAMILY_AS, FAMILY_LD, FAMILY_AR,
	           FAMILY_PTXAS, FAMILY_GENERIC, FAMILY_NVCC, FAMILY_CUDAFE, FAMILY_CICC,
	           FAMILY_FATBINARY, FAMILY_NVLINK, FAMILY_LAUNCHER };

/* Facts of a row. */
enum {
	TOOL_SELF_CONTAINED = 1,  /* its own path does not matter: not keyed */
	TOOL_STDIN_NEVER = 2,     /* reads stdin only where argv names it: a pipe or terminal there is fine */
	TOOL_NAME_FREE = 4,       /* output independent of argv's names (see cmdline.h for exceptions) */
	TOOL_FAILURE_STORED = 8,  /* a failing exit is deterministic */
	TOOL_TIME_BY_LOCALTIME = 16, /* localtime is called only for __TIME__/__DATE__ */
	TOOL_PTX = 32,            /* primary inputs may be PTX: tools/ptx.h */
	TOOL_LIBCPP = 64,         /* GCC's own preprocessor reads the sources, in this process or below it */
	TOOL_EITHER = 128,        /* a name of gcc's or of clang's: what holds for either */
	TOOL_CPP = 256,           /* preprocesses without being told to */
	TOOL_RENAMES = 512,       /* writes its outputs anew and renames them */
	TOOL_UNLINKS = 1024,      /* removes what was there and makes a new file */
	TOOL_NESTS = 2048,        /* the tools that it starts are served as actions of their own (action/nest.h) */
	TOOL_XFT_FREE = 4096,     /* a step of nvcc: output independent of its tmpxft names, once they are patched */
	TOOL_DECLARED = 16384,    /* the user says that it does not enter names: REPRISE_TOOLS=+name:names */
	TOOL_ON_REPEAT = 8192,    /* below one that nests: recorded when its key comes again */
	/* Nobody described it: what it does unseen is not known, and all that is seen counts. */
	TOOL_UNKNOWN = 1 << 15,
	/* It starts a compiler, which is the tool, and keeps results of its own. */
	TOOL_LAUNCHER = 1 << 16,
	/* As a step of another tool it is run sooner than kept. */
	TOOL_PASSED_BY = 1 << 17,
	/* As a step it reads what the step before has just written: it starts when that is old. */
	TOOL_SETTLES = 1 << 18,
	/* A text may make it compare the times of files: tools/dependency.h. */
	TOOL_GOES_BY_TIMES = 1 << 19,
	/* The times of files that it looks at stand in its result. */
	TOOL_ENTERS_TIMES = 1 << 20,
	/* Files are one where device and inode are equal, those too that it only looks at. */
	TOOL_TAKES_INODES = 1 << 21,
	/* It fails where TMPDIR is no directory that can be written to. */
	TOOL_NEEDS_TMPDIR = 1 << 22,
	/* Its pid is in the names of its temporary files, which come out: names_own(). */
	TOOL_NAMES_PID = 1 << 23,
	/* Hashes of its sources' paths are in names of symbols: tools/module_hash.h. */
	TOOL_NAMES_HASHES = 1 << 24,
	/* It reads what it writes. */
	TOOL_READS_OUTPUT = 1 << 25,
	/* Fortran: sources say how *.mod and *.smod are called, -J where they go. */
	TOOL_WRITES_MODULES = 1 << 26
};

struct tool_row {
	char name[16];         /* "gcc", "cc1plus", "ptxas" */
	enum tool_family family;
	unsigned flags;
	const char *env;       /* variables that enter the action key, each with its NUL, then an empty one */
};

/* A row of a library that compiles inside a host: nobody described what it does to its process. */
#define TOOL_LIBRARY_ROW(name, env) \
	{name, FAMILY_GENERIC, TOOL_UNKNOWN | TOOL_SELF_CONTAINED | TOOL_STDIN_NEVER, env}

/* The number under which a row's waits for a remote store are counted (remote/breaker.h); they
 * are below TOOL_CLASSES. */
#define TOOL_CLASSES (FAMILY_NVLINK + 1)
static inline unsigned tool_class(const struct tool_row *row)
{
	return (unsigned)row->family;
}

/* The row for a base name after REPRISE_TOOLS (+name,+name:names,-name; NULL or "" for none), or NULL. An added
 * name that has no row gets the generic row. */
const struct tool_row *tool_find(const char *base, const char *tools_setting);
/* Variables that no tool's result depends on in a way that is not keyed otherwise: PATH (what was
 * found is keyed), TMPDIR, LD_PRELOAD, REPRISE_*, ...; and MAKEFLAGS by row. TERM is among them
 * since compilers ask for it only where a stream is a terminal: whoever keys a terminal adds it.
 * PWD is not: it is an input as a spelling of the cwd (INPUT_PWD). */
int tool_env_ignored(const struct tool_row *row, const char *name);
/* Its value is a list of arguments in quotes, by which gcc tells its passes what it was called
 * with. */
int tool_env_quotes(const char *name);
/* Base names of interpreters whose scripts read variables without getenv. */
int tool_is_interpreter(const char *base);
/* How a program of this base name writes over an existing output. */
enum write_style { WRITE_TRUNCATE = 1, WRITE_UNLINK = 2, WRITE_RENAME = 3 };
enum write_style tool_write_style(const char *base);
/* How it writes over a file that it opens to write and not to read. bfd's programs open listings,
 * maps and dependency files so, and write them in place. */
enum write_style tool_write_style_plain(const char *base);
/* May what a program of this base name writes hang on whether the file was there before? ar adds to an archive
 * that is there; compilers, assemblers and linkers only look, and make their output anew. Of others nobody knows. */
int tool_minds_output(const char *base);
/* A program of this base name may take two files for one when content, size and the second of
 * their times are equal: GCC's preprocessor, and whatever is not known. Not the driver,
 * assembler and linkers: objects that are built anew have equal or other times by chance. */
int tool_takes_equal_files(const char *base);
/* What this program has a script interpreter do is what it has written itself. */
int tool_writes_script(const char *base, const char *interpreter);
/* Asks the driver which devices there are, for nvcc -arch=native or clang --offload-arch=native: what it answers holds for one
 * host, and until a driver comes or goes, which no file that it reads says. */
int tool_asks_driver(const char *base);

#endif
