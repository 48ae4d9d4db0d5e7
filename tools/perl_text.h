/* tools/perl_text.h - what a text in Perl may depend on.
 *
 * A text is read only if each of its tokens is known: scalars, lists, $ENV{NAME}, strings,
 * patterns, conditions, loops, and some thirty functions that are built in; and if it begins with
 * `use strict`. Then all that it does follows from its arguments, the variables that it names, and
 * what a trace shows. Nothing that differs between two runs (addresses, the order of hashes, the
 * time, ids) reaches anything. Everything else is refused: references, hashes, functions of its
 * own, file handles but STDERR, eval, and modules but strict and warnings. Perl counts no
 * references to what lies on its stack, so what could free a value there is refused as well. Where
 * Perl's own reader would have to guess, as whether a slash divides, the text is refused, too. Pure
 * code. THREAD. */
#ifndef TOOLS_PERL_TEXT_H
#define TOOLS_PERL_TEXT_H

#include <stddef.h>

struct perl_found {
	/* Gets each variable of the environment that the text names. */
	void (*variable)(void *ctx, const char *name, size_t n);
	void *ctx;
	/* The text may look at letters of its arguments, which may hold a generated name
	 * (tools/python_argument.h). */
	int letters;
};

/* text: without NUL but its last. Returns NULL, or why the text is refused. */
const char *perl_text(const char *text, struct perl_found *found);

#endif
