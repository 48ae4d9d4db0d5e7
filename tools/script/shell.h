/* tools/script/shell.h - shell scripts between a tool and its compiler: a small grammar.
 *
 * A text is read whole, or refused: no word is looked for. What the grammar holds depends on the
 * text, the arguments and the variables that it names, and takes no letters out of an argument.
 *
 *   command   exec PROGRAM WORD... | PATH WORD... | COMPILER WORD... | NAME=letters PATH WORD...
 *             set -eu | shift N | exit N | : | true | false
 *             [ WORD = WORD ] | [ WORD != WORD ]
 *             if LIST then LIST elif LIST then LIST else LIST fi
 *             case WORD in PATTERN | PATTERN) LIST ;; esac
 *   list      commands, between them a line end, ";", "&&" or "||"
 *   word      letters, 'text' and "text" of printable ASCII, in double quotes $1 to $9 and $A_NAME;
 *             "$@"
 *   pattern   letters | * | *.letters | -letters*
 *
 * A name has capital letters, and an underscore between them: nvcc writes "$CICC_PATH/cicc".
 * PROGRAM and PATH hold no argument. Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_SHELL_H
#define TOOLS_SCRIPT_SHELL_H

#include <stddef.h>

struct shell_found {
	/* A variable of the environment that the text uses. */
	void (*variable)(void *ctx, const char *name, size_t n);
	/* A command that a function of bash could replace. */
	void (*command)(void *ctx, const char *name, size_t n);
	void *ctx;
	int line;   /* where the text is not of the grammar */
	int passes; /* it starts one program with its own arguments, and adds no option to them */
};
/* NULL, or what is not of the grammar, for people. text: its n bytes have a NUL behind them. */
const char *shell_read(const char *text, size_t n, struct shell_found *found);

#endif
