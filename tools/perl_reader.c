/* tools/perl_reader.c - strings and patterns in Perl: what they expand, and which letters they ask
 * for. */
#include <string.h>

#include "tools/list.h"
#include "tools/perl_reader.h"

#include "shim/banned.h"

int perl_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static int is_letter(char c)
{
	return perl_is_name(c) && (c < '0' || c > '9');
}

size_t perl_name_len(const char *s)
{
	size_t n = 0;

	while (perl_is_name(s[n]))
		n++;
	return n;
}

size_t perl_variable_len(const char *s)
{
	return *s >= '0' && *s <= '9' ? strspn(s, "0123456789") : perl_name_len(s);
}

int perl_is_special(const char *name, size_t n)
{
	return list_has_n("ARGVOUT\0INC\0SIG\0STDERR\0STDIN\0STDOUT\0", name, n);
}

void perl_refuse(struct perl_reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
}

void perl_environment_key(struct perl_reader *r)
{
	char quote = *r->p == '\'' || *r->p == '"' ? *r->p++ : 0;
	size_t n = perl_name_len(r->p);

	if (!n || !is_letter(*r->p)) {
		perl_refuse(r, "a name of a variable that is computed");
		return;
	}
	/* Reprise sets these itself. */
	if (strncmp(r->p, "LD_", 3) == 0 || strncmp(r->p, "REPRISE_", 8) == 0)
		perl_refuse(r, "a variable of the loader's or Reprise's");
	r->variable(r->ctx, r->p, n);
	r->p += n;
	if ((quote && *r->p++ != quote) || *r->p++ != '}')
		perl_refuse(r, "a name of a variable that is computed");
}

/* An index behind a name: [0], [-1], [$i]. */
static void index_in_string(struct perl_reader *r)
{
	const char *s = r->p + 1;
	size_t n;

	s += *s == '-' || *s == '$';
	n = perl_variable_len(s);
	if (!n || s[n] != ']' || (is_letter(*s) && s[-1] != '$')) {
		perl_refuse(r, "an index in a string");
		return;
	}
	r->p = s + n + 1;
}

/* What Perl would take for a part of the variable that ends here. */
static void end_in_string(struct perl_reader *r)
{
	const char *p = r->p;

	if (*p == '[' || *p == '{' || (p[0] == '-' && p[1] == '>') ||
	    (p[0] == ':' && p[1] == ':') || (p[0] == '\'' && is_letter(p[1])))
		perl_refuse(r, "a value of another form in a string");
}

void perl_variable_in_string(struct perl_reader *r)
{
	const char *name = r->p;
	int braces = *name == '{';
	size_t n;

	name += braces;
	n = perl_variable_len(name);
	if (!n && !braces && (*name == '!' || *name == '?')) {
		r->p++;
	} else if (n == 3 && memcmp(name, "ENV", 3) == 0) {
		if (braces || name[3] != '{') {
			perl_refuse(r, "ENV");
			return;
		}
		r->p = name + 4;
		perl_environment_key(r);
	} else if (!n || (braces && name[n] != '}') || perl_is_special(name, n) ||
	           (n == 1 && *name == '_' && name[1] == '[')) {
		perl_refuse(r, "a value of another form in a string");
		return;
	} else {
		r->p = name + n + braces;
		if (*r->p == '[' && !braces)
			index_in_string(r);
	}
	end_in_string(r);
}

/* Behind the @ in a string. */
static void list_in_string(struct perl_reader *r)
{
	size_t n = perl_name_len(r->p);

	if (*r->p && strchr("{$:+-'0123456789", *r->p)) {
		perl_refuse(r, "a list of another form in a string");
	} else if (n) {
		if (perl_is_special(r->p, n) || (n == 1 && *r->p == '_'))
			perl_refuse(r, "a list of Perl's own");
		r->p += n;
		end_in_string(r);
	}
}

void perl_string(struct perl_reader *r, char end, int values)
{
	while (*r->p && *r->p != end && !r->why) {
		char c = *r->p++;

		if (c == '(' && end == ')') {
			perl_refuse(r, "parentheses in a list of words");
		} else if (c == '\\') {
			if (!*r->p || (values && !strchr("nt\\\"$@'/`.,", *r->p) && *r->p != end))
				perl_refuse(r, "an escape in a string");
			else
				r->p++;
		} else if (c == '$' && values) {
			perl_variable_in_string(r);
		} else if (c == '@' && values) {
			list_in_string(r);
		}
	}
	if (*r->p != end)
		perl_refuse(r, "a string without an end");
	else
		r->p++;
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
		if (!is_letter(*s) && !(group && *s == '|'))
			return 0;
	return 1;
}

/* 1: each argument that holds a name of a file gets the same answer, whatever the name's random
 * letters are: the pattern asks for an option from its first letter on, or for an ending. */
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
		if (!perl_is_name(*s) && !strchr(depth ? "-=,|()" : "-=,()", *s))
			return 0;
	}
	return 1;
}

/* A pattern up to its end. */
static void pattern(struct perl_reader *r, char end)
{
	const char *s = r->p;

	while (*r->p && *r->p != end && !r->why) {
		char c = *r->p++;

		if (c == '\\') {
			if (is_letter(*r->p) && !strchr("dswDSWbBnrtAzZ", *r->p))
				perl_refuse(r, "an escape in a pattern");
			r->p += *r->p != '\0';
		} else if (c == '(' && *r->p == '?') {
			if (!strchr(":=!", r->p[1]) || !r->p[1])
				perl_refuse(r, "(? in a pattern");
		} else if (c == '(' && *r->p == '*') {
			perl_refuse(r, "(* in a pattern");
		} else if (c == '$' && *r->p != end && *r->p != ')' && *r->p != '|') {
			r->letters = 1;
			perl_variable_in_string(r);
		} else if (c == '@') {
			perl_refuse(r, "a list in a pattern");
		}
	}
	if (*r->p != end) {
		perl_refuse(r, "a pattern without an end");
		return;
	}
	if (!is_fixed(s, r->p))
		r->letters = 1;
	r->p++;
}

/* Letters from which tr makes others. */
static void letters(struct perl_reader *r, char end)
{
	while (*r->p && *r->p != end && (perl_is_name(*r->p) || strchr(" -./,+:=", *r->p)))
		r->p++;
	if (*r->p != end)
		perl_refuse(r, "letters of tr");
	else
		r->p++;
}

void perl_match(struct perl_reader *r, char end, char kind)
{
	const char *flags = kind == 't' ? "cdsr" : kind == 's' ? "giosmr" : "giosm";

	if (kind == 't') {
		letters(r, end);
		letters(r, end);
	} else {
		pattern(r, end);
		if (kind == 's' && !r->why)
			perl_string(r, end, 1);
	}
	if (kind != 'm')
		r->letters = 1;
	while (!r->why && *r->p && strchr(flags, *r->p))
		r->p++;
	if (!r->why && perl_is_name(*r->p))
		perl_refuse(r, "a flag of a pattern");
}
