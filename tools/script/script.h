/* tools/script/script.h - scripts between a tool and its compiler: what an interpreter's command
 * line runs, and what a text asks for that no trace shows. Pure code. THREAD. */
#pragma once

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
	SCRIPT_READS_STDIN, /* a compiler without a file: it reads standard input */
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
 * users, processes, times. Some of these programs, such as ls, do so with options alone. */
int script_teller(const char *base);
/* 1: a script, or a command that a tool gives to a shell, may start the program: a compiler, an
 * interpreter or env. */
int script_may_start(const char *base);
/* 1: a compiler or an assembler whose arguments let it read its standard input. */
int script_compiles_input(const char *base, int argc, char *const argv[]);

/* --- shell.c ---
 *
 * Shell scripts between a tool and its compiler: a small grammar. A text is read whole, or refused:
 * no word is looked for. What the grammar holds depends on the text, the arguments and the
 * variables that it names, and takes no letters out of an argument.
 *
 *   command   exec PROGRAM WORD... | PATH WORD... | COMPILER WORD... | NAME=letters PATH WORD...
 *             NAME=letters | a command with >letters and 2>letters
 *             "`COMPILER -print-prog-name=ar`" WORD..., as nvcc -lib writes
 *             set -eu | case WORD in PATTERN | PATTERN) LIST ;; esac
 *             if [ WORD = WORD ]; then LIST elif [ WORD = WORD ]; then LIST else LIST fi
 *   list      commands, between them a line end or ";"
 *   word      letters, 'text' and "text" of printable ASCII, in double quotes $1 to $9 and $A_NAME;
 *             "$@"
 *   pattern   a word without an argument | *
 *
 * A name has capital letters, and an underscore between them: nvcc writes "$CICC_PATH/cicc".
 * PROGRAM and PATH hold no argument. A function of bash may replace a command, and its name is then
 * a part of the text. */

struct shell_found {
	/* A variable of the environment that the text uses. */
	void (*variable)(void *ctx, const char *name, size_t n);
	void *ctx;
	int line;   /* where the text is not of the grammar */
	int passes; /* it starts one program with its own arguments, and adds no option to them */
};
/* NULL, or what is not of the grammar, for people. text: its n bytes have a NUL behind them. */
const char *shell_read(const char *text, size_t n, struct shell_found *found);

/* --- varying.c: variables that differ between the ranks, jobs, pods and sessions of one job. A
 * script that does not name them does not depend on them. docs/internals/keys.md lists them --- */

/* 1: a script's result does not depend on this variable, unless the script names it. */
int varying(const char *name, const char *value);
/* Calls each(ctx, pattern) for each row of the list that the text names: NAME, PREFIX*, *SUFFIX or
 * *MIDDLE*. */
void varying_named(const char *text, void (*each)(void *ctx, const char *pattern), void *ctx);
/* 1: the name has this form. */
int varying_matches(const char *pattern, const char *name);
