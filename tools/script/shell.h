/* tools/script/shell.h - shell scripts between a tool and its compiler: a small grammar.
 *
 * A text is read whole, or refused: no word is looked for. What the grammar holds depends on the
 * text, the arguments and the environment alone, and takes no letters out of an argument.
 *
 *   command   exec PROGRAM WORD... | PATH WORD... | COMPILER WORD... | NAME=WORD
 *             set -eu | set -- WORD... | shift N | exit N | : | true | false
 *             [ WORD = WORD ] | [ WORD != WORD ] | [ -n WORD ] | [ -z WORD ] | [ $# -eq N ]
 *             if LIST then LIST elif LIST then LIST else LIST fi
 *             case WORD in PATTERN | PATTERN) LIST ;; esac
 *             for NAME in WORD...; do LIST done
 *   list      commands, between them a line end, ";", "&&" or "||"; "!" may stand before one
 *   word      letters and 'text' and "text", with $NAME, ${NAME}, ${NAME:-letters}, "$1", $#;
 *             "$@"; "$0", and "${0%...}" for the directory in it
 *   pattern   letters | * | *.letters | -letters*
 *
 * NAME of an assignment has small letters. A variable outside quotes is split, and must not hold a
 * pattern: `splits` tells its name. Pure code. THREAD. */
#ifndef TOOLS_SCRIPT_SHELL_H
#define TOOLS_SCRIPT_SHELL_H

#include <stddef.h>

struct shell_found {
	/* A variable of the environment that the text may use. splits: outside quotes. */
	void (*variable)(void *ctx, const char *name, size_t n, int splits);
	/* A command that a function of bash could replace. */
	void (*command)(void *ctx, const char *name, size_t n);
	void *ctx;
	int line;   /* where the text is not of the grammar */
	int passes; /* it starts one program with its own arguments, and adds no option to them */
};
/* NULL, or what is not of the grammar, for people. text: its n bytes have a NUL behind them. */
const char *shell_read(const char *text, size_t n, struct shell_found *found);

#endif
