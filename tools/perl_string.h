/* tools/perl_string.h - variables, strings and patterns in Perl. Each function returns 1 with r->p
 * behind what was read, or 0 where the text is refused. Pure code. THREAD. */
#ifndef TOOLS_PERL_STRING_H
#define TOOLS_PERL_STRING_H

#include "tools/perl_reader.h"

/* Behind a $, in code or in a string: a variable, an element of a list by a number, or
 * $ENV{NAME}. */
int perl_scalar(struct perl_reader *r);
/* The rest of a string behind its first delimiter. values: $x and @x are replaced by their
 * values. */
int perl_string(struct perl_reader *r, char end, int values);
/* A pattern behind =~: /a/, m|a|, with its flags. */
int perl_pattern(struct perl_reader *r);
/* s/a/b/ behind its s. */
int perl_replacement(struct perl_reader *r);

#endif
