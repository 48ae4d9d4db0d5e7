/* tools/perl_text.c - the part of Perl that is read.
 *
 *     text       "use strict;" and "use warnings;", strict first but for warnings; statements
 *     statement  simple [if|unless condition] ";"
 *                if|unless|while (condition) block [elsif (condition) block] [else block]
 *                while (my $x = shift [@x]) block
 *                for|foreach [my $x] (@x | texts) block
 *     simple     my $x | my @x | my ($x, @x) [= values]
 *                $x =|.=|||= value | $ENV{X} = value | @x = values | $x =~ s/a/b/
 *                push|unshift @x, list | shift|pop [@x] | chomp $x | delete $ENV{X} | last | next
 *                exec|system list [or die list | or exit N] | system (list) == 0 or ...
 *                die|warn list | print STDERR list | exit [N | $? >> 8]
 *
 * Values, lists and conditions: tools/perl_value.c. An assignment to a list is a whole statement:
 * Perl's stack counts no references. A sign that Perl may take for another one has no place: no
 * `<`, `%`, `&`, no division, no brace that may begin a hash. */
#include "tools/perl_text.h"

#include <string.h>

#include "tools/perl_string.h"
#include "tools/perl_value.h"

#include "shim/banned.h"

#define DIGITS "0123456789"

static int block(struct perl_reader *r);

/* my ($x, @x) behind its parenthesis. */
static int declared(struct perl_reader *r)
{
	do
		if (!(perl_comes(r, '@') ? perl_array(r) : perl_plain_scalar(r)))
			return 0;
	while (perl_sign(r, ","));
	return perl_need(r, ")");
}

/* 1: = follows, and no ==, =~ or =>. */
static int assigns(struct perl_reader *r)
{
	perl_skip(r);
	if (*r->p != '=' || strchr("=~>", r->p[1]))
		return 0;
	r->p++;
	return 1;
}

static int declaration(struct perl_reader *r)
{
	if (perl_sign(r, "("))
		return declared(r) && (!assigns(r) || perl_values(r));
	if (perl_comes(r, '@'))
		return perl_array(r) && (!assigns(r) || perl_values(r));
	return perl_plain_scalar(r) && (!assigns(r) || perl_value(r));
}

/* A statement that begins with a $. */
static int scalar_statement(struct perl_reader *r)
{
	if (strncmp(r->p, "$ENV", 4) == 0 && !perl_is_name(r->p[4]))
		return perl_any_scalar(r) && (assigns(r) || perl_need(r, "||=")) && perl_value(r);
	if (!perl_plain_scalar(r))
		return 0;
	if (perl_sign(r, "=~")) {
		perl_skip(r);
		if (*r->p != 's')
			return perl_refuse(r, "a pattern of another form");
		r->p++;
		return perl_replacement(r);
	}
	if (perl_sign(r, ".=")) {
		r->joins = 1;
		return perl_value(r);
	}
	return (perl_sign(r, "||=") || assigns(r) ||
	        perl_refuse(r, "a value that is not used")) &&
	       perl_value(r);
}

/* exit [N | $? >> 8] */
static int ended(struct perl_reader *r)
{
	int paren = perl_sign(r, "(");

	if (perl_sign(r, "$?"))
		return perl_need(r, ">>") && perl_number(r) && (!paren || perl_need(r, ")"));
	if (!paren && (perl_comes(r, ';') || perl_comes(r, '}') || !*r->p ||
	               (perl_name_len(r->p) && !strchr(DIGITS, *r->p))))
		return 1;
	return perl_number(r) && (!paren || perl_need(r, ")"));
}

/* or die list, or exit N */
static int otherwise(struct perl_reader *r)
{
	if (!perl_sign(r, "||") && !perl_word(r, "or"))
		return !r->why;
	if (perl_word(r, "die"))
		return perl_arguments(r);
	return perl_word(r, "exit") ? ended(r) : perl_refuse(r, "what is not known here");
}

/* push|unshift @x, list, in parentheses or not. */
static int added(struct perl_reader *r)
{
	int paren = perl_sign(r, "(");

	return perl_array(r) && perl_need(r, ",") && perl_list(r) && (!paren || perl_need(r, ")"));
}

static int run(struct perl_reader *r, int waits)
{
	int paren = perl_comes(r, '(');

	if (!perl_arguments(r))
		return 0;
	if (waits && paren && (perl_sign(r, "==") || perl_sign(r, "!=")) && !perl_number(r))
		return 0;
	return otherwise(r);
}

static int printed(struct perl_reader *r)
{
	const char *blank;

	if (!perl_word(r, "STDERR"))
		return perl_refuse(r, "print to another file than STDERR");
	blank = r->p - 1;
	if (!strchr(" \t\n", *blank) || !strchr("\"'", *r->p) || !*r->p)
		return perl_refuse(r, "print of another form");
	return perl_list(r);
}

static int simple(struct perl_reader *r)
{
	perl_skip(r);
	if (*r->p == '$')
		return scalar_statement(r);
	if (*r->p == '@')
		return perl_array(r) &&
		       (assigns(r) || perl_refuse(r, "a value that is not used")) && perl_values(r);
	if (perl_word(r, "my"))
		return declaration(r);
	if (perl_any_word(r, "push\0unshift\0"))
		return added(r);
	if (perl_any_word(r, "shift\0pop\0"))
		return perl_shifted(r);
	if (perl_word(r, "chomp"))
		return perl_plain_scalar(r);
	if (perl_word(r, "delete"))
		return strncmp(r->p, "$ENV{", 5) == 0 ? perl_any_scalar(r)
		                                      : perl_refuse(r, "what is not known here");
	if (perl_any_word(r, "last\0next\0"))
		return perl_comes(r, ';') || perl_comes(r, '}') || strncmp(r->p, "if", 2) == 0 ||
		       strncmp(r->p, "unless", 6) == 0 || perl_refuse(r, "a label");
	if (perl_word(r, "exec"))
		return run(r, 0);
	if (perl_word(r, "system"))
		return run(r, 1);
	if (perl_any_word(r, "die\0warn\0"))
		return perl_arguments(r);
	if (perl_word(r, "print"))
		return printed(r);
	if (perl_word(r, "exit"))
		return ended(r);
	return perl_refuse(r, "a word or sign that is not known");
}

/* What foreach walks: one array, of which Perl keeps the value that it looks at; or texts, which
 * the body cannot free. */
static int walked(struct perl_reader *r)
{
	if (perl_comes(r, '@'))
		return perl_array(r);
	do {
		perl_skip(r);
		if (strncmp(r->p, "qw(", 3) == 0) {
			r->p += 2;
			if (!perl_words(r))
				return 0;
		} else if (!strchr("'\"", *r->p) || !*r->p || !perl_one_text(r)) {
			return perl_refuse(r, "a list of another form");
		}
	} while (perl_sign(r, ","));
	return 1;
}

/* Behind while (my */
static int while_shift(struct perl_reader *r)
{
	return perl_plain_scalar(r) && assigns(r) && perl_word(r, "shift") && perl_shifted(r);
}

static int conditional(struct perl_reader *r, int loops)
{
	if (!perl_need(r, "(") ||
	    !(loops && perl_word(r, "my") ? while_shift(r) : perl_condition(r)) ||
	    !perl_need(r, ")") || !block(r))
		return perl_refuse(r, "a condition of another form");
	while (!loops && perl_word(r, "elsif"))
		if (!perl_need(r, "(") || !perl_condition(r) || !perl_need(r, ")") || !block(r))
			return 0;
	return loops || !perl_word(r, "else") || block(r);
}

static int statement(struct perl_reader *r)
{
	if (perl_sign(r, ";"))
		return 1;
	if (perl_any_word(r, "if\0unless\0"))
		return conditional(r, 0);
	if (perl_word(r, "while"))
		return conditional(r, 1);
	if (perl_any_word(r, "for\0foreach\0"))
		return (!perl_word(r, "my") || perl_plain_scalar(r)) && perl_need(r, "(") &&
		       walked(r) && perl_need(r, ")") && block(r);
	if (r->why || !simple(r))
		return 0;
	if (perl_any_word(r, "if\0unless\0") && !perl_condition(r))
		return 0;
	return perl_comes(r, '}') || !*r->p || perl_need(r, ";");
}

static int block(struct perl_reader *r)
{
	if (!perl_need(r, "{") || !perl_deeper(r))
		return 0;
	while (!perl_comes(r, '}'))
		if (!*r->p || !statement(r))
			return perl_refuse(r, "a block without an end");
	r->p++;
	r->depth--;
	return 1;
}

/* use strict; use warnings; Without strict, Perl warns of names in the order of a hash. */
static int modules(struct perl_reader *r)
{
	int strict = 0;

	while (perl_word(r, "use")) {
		int is_strict = perl_word(r, "strict");

		if ((!is_strict && !perl_word(r, "warnings")) || !perl_need(r, ";"))
			return perl_refuse(r, "use of another module");
		strict |= is_strict;
	}
	return strict || perl_refuse(r, "no use strict at its begin");
}

/* The first line, whose options Perl reads as well, and which may name another program. */
static const char *first_line(const char *s)
{
	const char *end = s + strcspn(s, "\n"), *base, *at;
	size_t n;

	if (strncmp(s, "#!", 2) != 0)
		return s;
	s += 2 + strspn(s + 2, " \t");
	if (strncmp(s, "/usr/bin/env ", 13) == 0)
		s += 13;
	n = strcspn(s, " \t\n");
	at = s + n;
	for (base = at; base > s && base[-1] != '/'; base--)
		;
	if (at - base < 4 || strncmp(base, "perl", 4) != 0 || at != end)
		return NULL;
	for (base += 4; base < at; base++)
		if (!strchr("." DIGITS, *base))
			return NULL;
	return end;
}

const char *perl_text(const char *s, struct perl_found *found)
{
	struct perl_reader r = {.p = first_line(s), .variable = found->variable,
	                        .ctx = found->ctx};

	/* Documentation, which begins with = in the first column, may hold anything. */
	for (const char *p = s; (p = strstr(p, "\n=")); p++)
		if (perl_name_len(p + 2))
			return "documentation";
	if (!r.p || *s == '=' || strchr(s, '\r'))
		return "a first line or lines of another form";
	if (modules(&r))
		while (perl_skip(&r), *r.p && statement(&r))
			;
	found->letters |= r.letters || (r.joins && r.options);
	return r.why;
}
