/* tools/script/script.h - scripts between a tool and its compiler: what an interpreter's command
 * line runs, and what a text asks for that no trace shows. Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_SCRIPT_H
#define TOOLS_SCRIPT_SCRIPT_H

#include <stddef.h>

/* Of an interpreter, by the base name of its program. */
enum script_language {
	SCRIPT_NONE,   /* no interpreter */
	SCRIPT_OTHER,  /* its scripts are not read: Python, Perl, awk, make, ... */
	SCRIPT_SH,     /* dash */
	SCRIPT_BASH,   /* also under the name of sh */
	SCRIPT_ENV     /* env, which starts an interpreter */
};
/* What a command line runs. */
enum script_form {
	SCRIPT_UNKNOWN,     /* from standard input, a module, options that are not known */
	SCRIPT_TEXT,        /* an argument */
	SCRIPT_FILE,
	SCRIPT_PASSES,      /* env: another program, with the environment as it is */
	/* Events of other sorts under the same name (shim/trace.h): */
	SCRIPT_STEP,        /* a step's input about its environment */
	SCRIPT_READS_STDIN, /* a filter without a file: it reads standard input */
	/* No event: a wrapper that its owner declared (REPRISE_WRAPPERS). */
	SCRIPT_DECLARED
};
/* Argument of TRACE_SCRIPT. */
#define SCRIPT_ARG(language, form) ((unsigned)(language) | (unsigned)(form) << 8)

enum script_language script_language(const char *base);
/* 1: the program opens /dev/tty to read and write whenever it starts, and closes it. */
int script_tries_terminal(const char *base);
/* base: of the interpreter's program. *what: the text, or the file's name as it is spelled. */
enum script_form script_form(const char *base, int argc, char *const argv[], const char **what);
/* 1: the colon list holds this path, or its beginning up to a star at an element's end. */
int script_declared(const char *list, const char *path);
/* 1: the program tells something of the host, the session or a file that no trace shows: its name,
 * users, processes, times. */
int script_teller(const char *base, int argc, char *const argv[]);
/* 1: a script may start the program: a compiler, an interpreter or env. */
int script_may_start(const char *base);
/* 1: a filter. It reads standard input where no argument names a file. */
int script_filter(const char *base);
/* 1: it gives a new file the mode of the file that it read. */
int script_copies_mode(const char *base);
/* 1: a compiler or an assembler whose arguments let it read its standard input. */
int script_compiles_input(const char *base, int argc, char *const argv[]);

#endif
