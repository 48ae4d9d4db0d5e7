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
 *     values     (list) | @x | grep { condition } @x | qw(a b) | condition ? values : values
 *     value      shift [@x] [|| text] | `command` | condition ? text : text | text [|| text]
 *     list       element, element
 *     element    text [|| text] | @x | grep { condition } @x | qw(a b) | (list)
 *     text       'a' | "a $x @x" | $x | $x[0] | $ENV{X} | 1, with "." between them
 *     condition  test, with && || and or not ! and parentheses
 *     test       text [eq|ne text | =~|!~ /pattern/] | defined text | exists $ENV{X}
 *                -e|-f|-d text | @x [==|!=|>|>= N]
 *
 * An assignment to a list is a whole statement, and no list holds what changes one: Perl's stack
 * counts no references. A sign that Perl may take for another one has no place: no `<`, `%`, `&`,
 * no division, no brace that may begin a hash. */
#include "tools/perl_text.h"

#include <string.h>

#include "tools/list.h"
#include "tools/perl_reader.h"

#include "shim/banned.h"

#define DEPTH_MAX 64
#define DIGITS "0123456789"
#define NUMBER_DIGITS 9

static int condition(struct perl_reader *r);
static int list(struct perl_reader *r);
static int block(struct perl_reader *r);

/* Blanks and comments. */
static void skip(struct perl_reader *r)
{
	for (;;) {
		r->p += strspn(r->p, " \t\n");
		if (*r->p != '#')
			return;
		r->p += strcspn(r->p, "\n");
	}
}

/* 1: a sign comes next, and was read. */
static int sign(struct perl_reader *r, const char *s)
{
	size_t n = strlen(s);

	skip(r);
	if (strncmp(r->p, s, n) != 0)
		return 0;
	r->p += n;
	return 1;
}

static int comes(struct perl_reader *r, char c)
{
	skip(r);
	return *r->p == c;
}

static int need(struct perl_reader *r, const char *s)
{
	return sign(r, s) || perl_refuse(r, "what is not known here");
}

/* 1: a word comes next, and was read. One before => or with an old or new mark of a package is
 * another. */
static int word(struct perl_reader *r, const char *s)
{
	size_t n;
	const char *p;

	skip(r);
	n = perl_name_len(r->p);
	if (n != strlen(s) || memcmp(r->p, s, n) != 0)
		return 0;
	p = r->p + n;
	if (*p == '\'' || *p == ':')
		return 0;
	r->p = p;
	skip(r);
	if (strncmp(r->p, "=>", 2) == 0)
		return perl_refuse(r, "a word that is a text");
	return 1;
}

static int any_word(struct perl_reader *r, const char *words)
{
	for (; *words; words = LIST_NEXT(words))
		if (word(r, words))
			return 1;
	return 0;
}

static int deeper(struct perl_reader *r)
{
	return ++r->depth < DEPTH_MAX || perl_refuse(r, "many brackets");
}

static int number(struct perl_reader *r)
{
	size_t n;

	skip(r);
	n = strspn(r->p, DIGITS);
	if (!n || n > NUMBER_DIGITS || perl_is_name(r->p[n]) || r->p[n] == '.')
		return perl_refuse(r, "a number of another form");
	r->p += n;
	return 1;
}

/* @x, behind nothing: no element and no slice. */
static int array(struct perl_reader *r)
{
	size_t n;

	if (!need(r, "@"))
		return 0;
	n = perl_name_len(r->p);
	if (!perl_is_plain(r->p, n))
		return perl_refuse(r, "a list of another form");
	r->p += n;
	if (*r->p == '\'' || *r->p == ':')
		return perl_refuse(r, "a name of another package");
	if (comes(r, '[') || comes(r, '{'))
		return perl_refuse(r, "a list of another form");
	return 1;
}

/* $x, $x[0] or $ENV{X}. */
static int scalar(struct perl_reader *r)
{
	if (!need(r, "$") || !perl_scalar(r))
		return 0;
	if (*r->p == '\'')
		return perl_refuse(r, "a name of another package");
	/* Perl looks for a subscript behind blanks, too. */
	if (comes(r, '[') || comes(r, '{') || strncmp(r->p, "->", 2) == 0)
		return perl_refuse(r, "a value of another form");
	return 1;
}

static int one_text(struct perl_reader *r)
{
	skip(r);
	switch (*r->p) {
	case '\'':
	case '"':
		r->p++;
		return perl_string(r, r->p[-1], r->p[-1] == '"');
	case '$': return scalar(r);
	default:
		return *r->p >= '0' && *r->p <= '9'
		               ? number(r) : perl_refuse(r, "a value that is not known");
	}
}

static int text(struct perl_reader *r)
{
	if (!one_text(r))
		return 0;
	while (comes(r, '.') && r->p[1] != '.' && r->p[1] != '=') {
		r->p++;
		r->joins = 1;
		if ((*r->p >= '0' && *r->p <= '9') || !one_text(r))
			return perl_refuse(r, "a number of another form");
	}
	return 1;
}

/* text || text */
static int text_or(struct perl_reader *r)
{
	do
		if (!text(r))
			return 0;
	while (sign(r, "||"));
	return 1;
}

/* Behind grep. The brace begins a block since no hash begins with these. */
static int grep(struct perl_reader *r)
{
	if (!need(r, "{"))
		return 0;
	r->p += strspn(r->p, " \t\n");
	if (*r->p != '$' && *r->p != '(')
		return perl_refuse(r, "a brace that may begin a hash");
	return deeper(r) && condition(r) && need(r, "}") && r->depth-- && array(r);
}

static int words(struct perl_reader *r)
{
	return need(r, "(") && perl_string(r, ')', 0);
}

static int element(struct perl_reader *r)
{
	if (comes(r, '@'))
		return array(r);
	if (sign(r, "("))
		return deeper(r) && list(r) && need(r, ")") && r->depth--;
	if (strncmp(r->p, "qw(", 3) == 0) {
		r->p += 2;
		return words(r);
	}
	if (word(r, "grep"))
		return grep(r);
	return text_or(r);
}

static int list(struct perl_reader *r)
{
	do
		if (!element(r))
			return 0;
	while (sign(r, ","));
	return 1;
}

/* A list, in parentheses or not, that is all that a function gets. */
static int arguments(struct perl_reader *r)
{
	if (sign(r, "("))
		return deeper(r) && list(r) && need(r, ")") && r->depth--;
	return !r->why && list(r);
}

static int test(struct perl_reader *r)
{
	if (comes(r, '@')) {
		if (!array(r))
			return 0;
		if (sign(r, "==") || sign(r, "!=") || sign(r, ">=") ||
		    (comes(r, '>') && r->p[1] != '>' && sign(r, ">")))
			return number(r);
		return 1;
	}
	if (*r->p == '-') {
		if (!strchr("efd", r->p[1]) || !r->p[1] || !strchr(" \t", r->p[2]) || !r->p[2])
			return perl_refuse(r, "a minus of another form");
		r->p += 2;
		skip(r);
		if (!strchr("$\"'", *r->p) || !*r->p)
			return perl_refuse(r, "a minus of another form");
		return one_text(r);
	}
	if (any_word(r, "defined\0exists\0")) {
		int paren = sign(r, "(");

		return comes(r, '$') && scalar(r) && (!paren || need(r, ")"));
	}
	if (r->why || !text(r))
		return 0;
	if (any_word(r, "eq\0ne\0"))
		return text(r);
	if (sign(r, "=~") || sign(r, "!~")) {
		skip(r);
		return perl_pattern(r);
	}
	return !r->why;
}

static int factor(struct perl_reader *r)
{
	while ((comes(r, '!') && r->p[1] != '~' && r->p[1] != '=' && sign(r, "!")) ||
	       word(r, "not"))
		;
	if (sign(r, "("))
		return deeper(r) && condition(r) && need(r, ")") && r->depth--;
	return !r->why && test(r);
}

static int condition(struct perl_reader *r)
{
	do
		if (!factor(r))
			return 0;
	while (sign(r, "&&") || sign(r, "||") || any_word(r, "and\0or\0"));
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
	return condition(&trial) && comes(&trial, '?') && condition(r) && sign(r, "?");
}

static int values(struct perl_reader *r)
{
	if (is_choice(r))
		return deeper(r) && values(r) && need(r, ":") && values(r) && r->depth--;
	return element(r);
}

/* shift [@x] */
static int shifted(struct perl_reader *r)
{
	return !comes(r, '@') || array(r);
}

static int value(struct perl_reader *r)
{
	if (comes(r, '`')) {
		r->p++;
		r->letters = 1; /* what it prints may be any letters */
		return perl_string(r, '`', 1);
	}
	if (word(r, "shift"))
		return shifted(r) && (!sign(r, "||") || text_or(r));
	if (!r->why && is_choice(r))
		return text_or(r) && need(r, ":") && text_or(r);
	return !r->why && text_or(r);
}

/* my ($x, @x) behind its parenthesis. */
static int declared(struct perl_reader *r)
{
	do {
		int is_list = comes(r, '@');

		if (is_list ? !array(r) : !need(r, "$") || !perl_name_len(r->p))
			return 0;
		if (!is_list) {
			size_t n = perl_name_len(r->p);

			if (!perl_is_plain(r->p, n))
				return perl_refuse(r, "a variable of another form");
			r->p += n;
		}
	} while (sign(r, ","));
	return need(r, ")");
}

/* 1: = follows, and no ==, =~ or =>. */
static int assigns(struct perl_reader *r)
{
	skip(r);
	if (*r->p != '=' || strchr("=~>", r->p[1]))
		return 0;
	r->p++;
	return 1;
}

static int plain_scalar(struct perl_reader *r)
{
	size_t n;

	if (!need(r, "$"))
		return 0;
	n = perl_name_len(r->p);
	if (!perl_is_plain(r->p, n))
		return perl_refuse(r, "a variable of another form");
	r->p += n;
	if (*r->p == '\'' || strncmp(r->p, "::", 2) == 0 || comes(r, '[') || comes(r, '{') ||
	    strncmp(r->p, "->", 2) == 0)
		return perl_refuse(r, "a variable of another form");
	return 1;
}

static int declaration(struct perl_reader *r)
{
	if (sign(r, "("))
		return declared(r) && (!assigns(r) || values(r));
	if (comes(r, '@'))
		return array(r) && (!assigns(r) || values(r));
	return plain_scalar(r) && (!assigns(r) || value(r));
}

/* A statement that begins with a $. */
static int scalar_statement(struct perl_reader *r)
{
	if (strncmp(r->p, "$ENV", 4) == 0 && !perl_is_name(r->p[4]))
		return scalar(r) && (assigns(r) || need(r, "||=")) && value(r);
	if (!plain_scalar(r))
		return 0;
	if (sign(r, "=~")) {
		skip(r);
		if (*r->p != 's')
			return perl_refuse(r, "a pattern of another form");
		r->p++;
		return perl_replacement(r);
	}
	if (sign(r, ".=")) {
		r->joins = 1;
		return value(r);
	}
	return (sign(r, "||=") || assigns(r) ||
	        perl_refuse(r, "a value that is not used")) &&
	       value(r);
}

/* exit [N | $? >> 8] */
static int ended(struct perl_reader *r)
{
	int paren = sign(r, "(");

	if (sign(r, "$?"))
		return need(r, ">>") && number(r) && (!paren || need(r, ")"));
	if (!paren && (comes(r, ';') || comes(r, '}') || !*r->p ||
	               (perl_name_len(r->p) && !strchr(DIGITS, *r->p))))
		return 1;
	return number(r) && (!paren || need(r, ")"));
}

/* or die list, or exit N */
static int otherwise(struct perl_reader *r)
{
	if (!sign(r, "||") && !word(r, "or"))
		return !r->why;
	if (word(r, "die"))
		return arguments(r);
	return word(r, "exit") ? ended(r) : perl_refuse(r, "what is not known here");
}

/* push|unshift @x, list, in parentheses or not. */
static int added(struct perl_reader *r)
{
	int paren = sign(r, "(");

	return array(r) && need(r, ",") && list(r) && (!paren || need(r, ")"));
}

static int run(struct perl_reader *r, int waits)
{
	int paren = comes(r, '(');

	if (!arguments(r))
		return 0;
	if (waits && paren && (sign(r, "==") || sign(r, "!=")) && !number(r))
		return 0;
	return otherwise(r);
}

static int printed(struct perl_reader *r)
{
	const char *blank;

	if (!word(r, "STDERR"))
		return perl_refuse(r, "print to another file than STDERR");
	blank = r->p - 1;
	if (!strchr(" \t\n", *blank) || !strchr("\"'", *r->p) || !*r->p)
		return perl_refuse(r, "print of another form");
	return list(r);
}

static int simple(struct perl_reader *r)
{
	skip(r);
	if (*r->p == '$')
		return scalar_statement(r);
	if (*r->p == '@')
		return array(r) && (assigns(r) || perl_refuse(r, "a value that is not used")) &&
		       values(r);
	if (word(r, "my"))
		return declaration(r);
	if (any_word(r, "push\0unshift\0"))
		return added(r);
	if (any_word(r, "shift\0pop\0"))
		return shifted(r);
	if (word(r, "chomp"))
		return plain_scalar(r);
	if (word(r, "delete"))
		return strncmp(r->p, "$ENV{", 5) == 0 ? scalar(r)
		                                      : perl_refuse(r, "what is not known here");
	if (any_word(r, "last\0next\0"))
		return comes(r, ';') || comes(r, '}') || strncmp(r->p, "if", 2) == 0 ||
		       strncmp(r->p, "unless", 6) == 0 || perl_refuse(r, "a label");
	if (word(r, "exec"))
		return run(r, 0);
	if (word(r, "system"))
		return run(r, 1);
	if (any_word(r, "die\0warn\0"))
		return arguments(r);
	if (word(r, "print"))
		return printed(r);
	if (word(r, "exit"))
		return ended(r);
	return perl_refuse(r, "a word or sign that is not known");
}

/* What foreach walks: one array, of which Perl keeps the value that it looks at; or texts, which
 * the body cannot free. */
static int walked(struct perl_reader *r)
{
	if (comes(r, '@'))
		return array(r);
	do {
		skip(r);
		if (strncmp(r->p, "qw(", 3) == 0) {
			r->p += 2;
			if (!words(r))
				return 0;
		} else if (!strchr("'\"", *r->p) || !*r->p || !one_text(r)) {
			return perl_refuse(r, "a list of another form");
		}
	} while (sign(r, ","));
	return 1;
}

/* Behind while (my */
static int while_shift(struct perl_reader *r)
{
	return plain_scalar(r) && assigns(r) && word(r, "shift") && shifted(r);
}

static int conditional(struct perl_reader *r, int loops)
{
	if (!need(r, "(") || !(loops && word(r, "my") ? while_shift(r) : condition(r)) ||
	    !need(r, ")") || !block(r))
		return perl_refuse(r, "a condition of another form");
	while (!loops && word(r, "elsif"))
		if (!need(r, "(") || !condition(r) || !need(r, ")") || !block(r))
			return 0;
	return loops || !word(r, "else") || block(r);
}

static int statement(struct perl_reader *r)
{
	if (sign(r, ";"))
		return 1;
	if (any_word(r, "if\0unless\0"))
		return conditional(r, 0);
	if (word(r, "while"))
		return conditional(r, 1);
	if (any_word(r, "for\0foreach\0"))
		return (!word(r, "my") || plain_scalar(r)) && need(r, "(") && walked(r) &&
		       need(r, ")") && block(r);
	if (r->why || !simple(r))
		return 0;
	if (any_word(r, "if\0unless\0") && !condition(r))
		return 0;
	return comes(r, '}') || !*r->p || need(r, ";");
}

static int block(struct perl_reader *r)
{
	if (!need(r, "{") || !deeper(r))
		return 0;
	while (!comes(r, '}'))
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

	while (word(r, "use")) {
		int is_strict = word(r, "strict");

		if ((!is_strict && !word(r, "warnings")) || !need(r, ";"))
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
	if (at - base < 4 || strncmp(base, "perl", 4) != 0 ||
	    at != end)
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
		while (skip(&r), *r.p && statement(&r))
			;
	found->letters |= r.letters || (r.joins && r.options);
	return r.why;
}
