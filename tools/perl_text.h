/* tools/perl_text.h - what a text in Perl may depend on.
 *
 * A text is read only if it is of the grammar in tools/perl_text.c: assignments, conditions, loops
 * and a dozen functions over texts and lists. Then all that it does follows from its arguments, the
 * variables that it names, and what a trace shows. Nothing that differs between two runs
 * (addresses, the order of hashes, the time, ids, values that were freed) reaches anything. The
 * grammar is small since Perl's is not: its reader guesses what a sign means, and its stack counts
 * no references. Pure code. THREAD. */
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
