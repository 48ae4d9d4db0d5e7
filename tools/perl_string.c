/* tools/perl_string.c - variables, strings and patterns in Perl: what they expand, and which
 * letters they ask for. */
#include "tools/perl_string.h"

#include <string.h>

#include "tools/list.h"

#include "shim/banned.h"

#define DIGITS "0123456789"
#define INDEX_DIGITS 3

/* {NAME} behind $ENV. */
static int environment_key(struct perl_reader *r)
{
	const char *p = r->p + 1;
	char quote = *p == '\'' ? *p++ : 0;
	size_t n = perl_name_len(p);

	if (*r->p != '{' || !n || !perl_is_letter(*p) || (quote && p[n] != quote) ||
	    p[n + (quote != 0)] != '}')
		return perl_refuse(r, "a name of a variable that is computed");
	/* Reprise sets these itself. */
	if (strncmp(p, "LD_", 3) == 0 || strncmp(p, "REPRISE_", 8) == 0)
		return perl_refuse(r, "a variable of the loader's or Reprise's");
	r->variable(r->ctx, p, n);
	r->p = p + n + (quote != 0) + 1;
	return 1;
}

/* What Perl would take for a part of the value that ends here. */
static int ends_here(struct perl_reader *r)
{
	const char *p = r->p;

	if (*p == '[' || *p == '{' || (p[0] == '-' && p[1] == '>') ||
	    (p[0] == ':' && p[1] == ':') || (p[0] == '\'' && perl_is_name(p[1])))
		return perl_refuse(r, "a value of another form");
	return 1;
}

int perl_scalar(struct perl_reader *r)
{
	size_t n = perl_name_len(r->p);
	const char *s;

	if (n == 3 && memcmp(r->p, "ENV", 3) == 0) {
		r->p += 3;
		return environment_key(r) && ends_here(r);
	}
	if (*r->p >= '1' && *r->p <= '9' && n == 1) {
		r->p++;
		return ends_here(r);
	}
	if (!perl_is_plain(r->p, n) && !(n == 1 && (*r->p == '_' || *r->p == '0')))
		return perl_refuse(r, "a variable of another form");
	s = r->p += n;
	if (*s == '[') {
		size_t digits;

		s += 1 + (s[1] == '-');
		digits = strspn(s, DIGITS);
		if (!digits || digits > INDEX_DIGITS || s[digits] != ']' || r->p[-1] == '_')
			return perl_refuse(r, "an index of another form");
		r->p = s + digits + 1;
	}
	return ends_here(r);
}

/* Behind the @ in a string. */
static int list_in_string(struct perl_reader *r)
{
	size_t n = perl_name_len(r->p);

	if (!perl_is_plain(r->p, n))
		return perl_refuse(r, "a list of another form in a string");
	r->p += n;
	return ends_here(r);
}

/* Behind the $ in a string: also ${x} and $!. $? shows whether a core was written. */
static int scalar_in_string(struct perl_reader *r, char end)
{
	size_t n;

	if (*r->p == end)
		return perl_refuse(r, "a value of another form in a string");
	if (*r->p == '!') {
		r->p++;
		return ends_here(r);
	}
	if (*r->p != '{')
		return perl_scalar(r);
	n = perl_name_len(r->p + 1);
	if (!perl_is_plain(r->p + 1, n) || r->p[1 + n] != '}')
		return perl_refuse(r, "a value of another form in a string");
	r->p += n + 2;
	return ends_here(r);
}

int perl_string(struct perl_reader *r, char end, int values)
{
	int minus = *r->p == '-';

	while (*r->p && *r->p != end) {
		char c = *r->p++;

		if (c == '\\') {
			if (!*r->p || (values && !strchr("nt\\\"$@'/`.,", *r->p)))
				return perl_refuse(r, "an escape in a string");
			r->p++;
		} else if (values && (c == '$' || c == '@')) {
			r->joins |= minus;
			if (c == '$' ? !scalar_in_string(r, end) : !list_in_string(r))
				return 0;
		} else if (end == ')' && c == '(') {
			return perl_refuse(r, "parentheses in a list of words");
		}
	}
	if (*r->p != end)
		return perl_refuse(r, "a string without an end");
	r->p++;
	return 1;
}

/* 1: a literal end of a file's name, \.cpp$ or \.(c|cc)$, from s to `to`. */
static int is_ending(const char *s, const char *to)
{
	int group;

	if (to - s < 4 || s[0] != '\\' || s[1] != '.' || to[-1] != '$')
		return 0;
	s += 2;
	to--;
	group = *s == '(' && to[-1] == ')';
	s += group;
	to -= group;
	for (; s < to; s++)
		if (!perl_is_letter(*s) && !(group && *s == '|'))
			return 0;
	return 1;
}

/* 1: the answer for an argument does not depend on the random letters of a file's name in it. The
 * pattern asks for an option from its first letter on, or for an ending. */
static int is_fixed(const char *s, const char *to)
{
	static const char rests[] = ".*\0.*$\0.+\0.+$\0(.*)\0(.*)$\0(.+)\0(.+)$\0$\0";
	int depth = 0;

	if (is_ending(s, to))
		return 1;
	if (to - s < 2 || s[0] != '^' || s[1] != '-')
		return 0;
	for (s += 2; s < to && !list_has_n(rests, s, (size_t)(to - s)); s++) {
		depth += (*s == '(') - (*s == ')');
		/* Behind a bar outside of parentheses the pattern begins anywhere. */
		if (!perl_is_name(*s) && !strchr(depth > 0 ? "-=,|()" : "-=,()", *s))
			return 0;
	}
	return 1;
}

/* The parts of a pattern up to its end. None is a variable, whose text would be a pattern. */
static int parts(struct perl_reader *r, char end)
{
	const char *s = r->p;

	while (*r->p && *r->p != end) {
		char c = *r->p++;

		if (c == '\\') {
			if (!*r->p || (perl_is_letter(*r->p) && !strchr("dswDSWbB", *r->p)))
				return perl_refuse(r, "an escape in a pattern");
			r->p++;
		} else if (c == '(' && *r->p == '?') {
			if (r->p[1] != ':')
				return perl_refuse(r, "(? in a pattern");
		} else if (c == '(' && *r->p == '*') {
			return perl_refuse(r, "(* in a pattern");
		} else if (c == '@' || (c == '$' && *r->p != end && *r->p != ')' && *r->p != '|')) {
			return perl_refuse(r, "a value in a pattern");
		}
	}
	if (*r->p != end)
		return perl_refuse(r, "a pattern without an end");
	if (!is_fixed(s, r->p))
		r->letters = 1;
	r->options |= *s == '^';
	r->p++;
	return 1;
}

static int flags(struct perl_reader *r, const char *known)
{
	while (*r->p && strchr(known, *r->p))
		r->p++;
	if (perl_is_name(*r->p))
		return perl_refuse(r, "a flag of a pattern");
	return 1;
}

int perl_pattern(struct perl_reader *r)
{
	char end = *r->p == 'm' ? r->p[1] : '/';

	if (*r->p == 'm' ? end != '/' && end != '|' : *r->p != '/')
		return perl_refuse(r, "a pattern of another form");
	r->p += 1 + (*r->p == 'm');
	return parts(r, end) && flags(r, "i");
}

int perl_replacement(struct perl_reader *r)
{
	char end = *r->p;

	if (end != '/' && end != '|')
		return perl_refuse(r, "a pattern of another form");
	r->p++;
	r->letters = 1;
	return parts(r, end) && perl_string(r, end, 1) && flags(r, "gi");
}
