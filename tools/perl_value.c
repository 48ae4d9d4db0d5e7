/* tools/perl_value.c - values, lists and conditions of the part of Perl that is read.
 *
 *     values     (list) | @x | grep { condition } @x | qw(a b) | condition ? values : values
 *     value      shift [@x] [|| text] | `command` | condition ? text : text | text [|| text]
 *     list       element, element
 *     element    text [|| text] | @x | grep { condition } @x | qw(a b) | (list)
 *     text       'a' | "a $x @x" | $x | $x[0] | $ENV{X} | 1, with "." between them
 *     condition  test, with && || and or not ! and parentheses
 *     test       text [eq|ne text | =~|!~ /pattern/] | defined text | exists $ENV{X}
 *                -e|-f|-d text | @x [==|!=|>|>= N]
 *
 * No list holds what changes one: Perl's stack counts no references. */
#include "tools/perl_value.h"

#include <string.h>

#include "tools/perl_string.h"

#include "shim/banned.h"

/* A name behind its sigil: no element, slice or reference, also behind blanks. */
static int plain_name(struct perl_reader *r, const char *sigil)
{
	size_t n;

	if (!perl_need(r, sigil))
		return 0;
	n = perl_name_len(r->p);
	if (!perl_is_plain(r->p, n))
		return perl_refuse(r, "a variable of another form");
	r->p += n;
	if (*r->p == '\'' || *r->p == ':')
		return perl_refuse(r, "a name of another package");
	if (perl_comes(r, '[') || perl_comes(r, '{') || strncmp(r->p, "->", 2) == 0)
		return perl_refuse(r, "a variable of another form");
	return 1;
}

int perl_array(struct perl_reader *r)
{
	return plain_name(r, "@");
}

int perl_plain_scalar(struct perl_reader *r)
{
	return plain_name(r, "$");
}

int perl_any_scalar(struct perl_reader *r)
{
	if (!perl_need(r, "$") || !perl_scalar(r))
		return 0;
	if (*r->p == '\'')
		return perl_refuse(r, "a name of another package");
	/* Perl looks for a subscript behind blanks, too. */
	if (perl_comes(r, '[') || perl_comes(r, '{') || strncmp(r->p, "->", 2) == 0)
		return perl_refuse(r, "a value of another form");
	return 1;
}

int perl_one_text(struct perl_reader *r)
{
	perl_skip(r);
	switch (*r->p) {
	case '\'':
	case '"':
		r->p++;
		return perl_string(r, r->p[-1], r->p[-1] == '"');
	case '$': return perl_any_scalar(r);
	default:
		return *r->p >= '0' && *r->p <= '9'
		               ? perl_number(r) : perl_refuse(r, "a value that is not known");
	}
}

static int text(struct perl_reader *r)
{
	if (!perl_one_text(r))
		return 0;
	while (perl_comes(r, '.') && r->p[1] != '.' && r->p[1] != '=') {
		r->p++;
		r->joins = 1;
		if ((*r->p >= '0' && *r->p <= '9') || !perl_one_text(r))
			return perl_refuse(r, "a number of another form");
	}
	return 1;
}

static int text_or(struct perl_reader *r)
{
	do
		if (!text(r))
			return 0;
	while (perl_sign(r, "||"));
	return 1;
}

/* Behind an opening bracket: its content, and the closing bracket. */
static int in_brackets(struct perl_reader *r, int (*what)(struct perl_reader *r), const char *end)
{
	return perl_deeper(r) && what(r) && perl_need(r, end) && r->depth--;
}

/* The words after `grep`. The brace begins a block, since no hash begins with these. */
static int grep(struct perl_reader *r)
{
	if (!perl_need(r, "{"))
		return 0;
	r->p += strspn(r->p, " \t\n");
	if (*r->p != '$' && *r->p != '(')
		return perl_refuse(r, "a brace that may begin a hash");
	return in_brackets(r, perl_condition, "}") && perl_array(r);
}

int perl_words(struct perl_reader *r)
{
	return perl_need(r, "(") && perl_string(r, ')', 0);
}

static int element(struct perl_reader *r)
{
	if (perl_comes(r, '@'))
		return perl_array(r);
	if (perl_sign(r, "("))
		return in_brackets(r, perl_list, ")");
	if (strncmp(r->p, "qw(", 3) == 0) {
		r->p += 2;
		return perl_words(r);
	}
	if (perl_word(r, "grep"))
		return grep(r);
	return text_or(r);
}

int perl_list(struct perl_reader *r)
{
	do
		if (!element(r))
			return 0;
	while (perl_sign(r, ","));
	return 1;
}

int perl_arguments(struct perl_reader *r)
{
	if (perl_sign(r, "("))
		return in_brackets(r, perl_list, ")");
	return !r->why && perl_list(r);
}

static int test(struct perl_reader *r)
{
	if (perl_comes(r, '@')) {
		if (!perl_array(r))
			return 0;
		if (perl_sign(r, "==") || perl_sign(r, "!=") || perl_sign(r, ">=") ||
		    (perl_comes(r, '>') && r->p[1] != '>' && perl_sign(r, ">")))
			return perl_number(r);
		return 1;
	}
	if (*r->p == '-') {
		if (!strchr("efd", r->p[1]) || !r->p[1] || !strchr(" \t", r->p[2]) || !r->p[2])
			return perl_refuse(r, "a minus of another form");
		r->p += 2;
		perl_skip(r);
		if (!strchr("$\"'", *r->p) || !*r->p)
			return perl_refuse(r, "a minus of another form");
		return perl_one_text(r);
	}
	if (perl_any_word(r, "defined\0exists\0")) {
		int paren = perl_sign(r, "(");

		return perl_comes(r, '$') && perl_any_scalar(r) && (!paren || perl_need(r, ")"));
	}
	if (r->why || !text(r))
		return 0;
	if (perl_any_word(r, "eq\0ne\0"))
		return text(r);
	if (perl_sign(r, "=~") || perl_sign(r, "!~")) {
		perl_skip(r);
		return perl_pattern(r);
	}
	return !r->why;
}

static int factor(struct perl_reader *r)
{
	while ((perl_comes(r, '!') && r->p[1] != '~' && r->p[1] != '=' && perl_sign(r, "!")) ||
	       perl_word(r, "not"))
		;
	if (perl_sign(r, "("))
		return in_brackets(r, perl_condition, ")");
	return !r->why && test(r);
}

int perl_condition(struct perl_reader *r)
{
	do
		if (!factor(r))
			return 0;
	while (perl_sign(r, "&&") || perl_sign(r, "||") || perl_any_word(r, "and\0or\0"));
	return !r->why;
}

static void ignore(void *ctx, const char *name, size_t n)
{
	(void)ctx;
	(void)name;
	(void)n;
}

/* A condition and its question mark, if they come next. */
static int is_choice(struct perl_reader *r)
{
	struct perl_reader trial = *r;

	trial.variable = ignore;
	return perl_condition(&trial) && perl_comes(&trial, '?') && perl_condition(r) &&
	       perl_sign(r, "?");
}

int perl_values(struct perl_reader *r)
{
	while (is_choice(r))
		if (!in_brackets(r, perl_values, ":"))
			return 0;
	return element(r);
}

int perl_shifted(struct perl_reader *r)
{
	return !perl_comes(r, '@') || perl_array(r);
}

int perl_value(struct perl_reader *r)
{
	if (perl_comes(r, '`')) {
		r->p++;
		r->letters = 1; /* what it prints may be any letters */
		return perl_string(r, '`', 1);
	}
	if (perl_word(r, "shift"))
		return perl_shifted(r) && (!perl_sign(r, "||") || text_or(r));
	if (!r->why && is_choice(r))
		return text_or(r) && perl_need(r, ":") && text_or(r);
	return !r->why && text_or(r);
}
