/* tools/perl_value.h - values, lists and conditions of the part of Perl that is read: the names of
 * the grammar in tools/perl_value.c. Each function returns 1 with r->p behind what was read, or 0
 * where the text is refused. Pure code. THREAD. */
#ifndef TOOLS_PERL_VALUE_H
#define TOOLS_PERL_VALUE_H

#include "tools/perl_reader.h"

int perl_array(struct perl_reader *r);        /* @x */
int perl_plain_scalar(struct perl_reader *r); /* $x */
int perl_any_scalar(struct perl_reader *r);   /* $x, $x[0], $ENV{X} */
int perl_one_text(struct perl_reader *r);     /* text without "." */
int perl_words(struct perl_reader *r);        /* (a b) behind qw */
/* A list, in parentheses or not, that is all that a function gets. */
int perl_arguments(struct perl_reader *r);
int perl_list(struct perl_reader *r);
int perl_condition(struct perl_reader *r);
int perl_shifted(struct perl_reader *r);      /* [@x] behind shift */
int perl_value(struct perl_reader *r);        /* for a scalar */
int perl_values(struct perl_reader *r);       /* for a list */

#endif
