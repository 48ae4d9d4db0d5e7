/* units/pattern_wrong.c - checks a pattern that a user wrote. The patterns of units/units.def are
 * right, so units/pattern.c reads them without a test. */
#include <string.h>

#include "units/pattern.h"
#include "units/pattern_wrong.h"

#include "shim/banned.h"

/* '*' and groups make the matcher go back: a look-up must stay at some microseconds. */
#define STARS_MOST 4
#define STARS_OF_COMPONENT 2
#define GROUPS_MOST 4
#define COUNT_MOST 255
/* A pattern with fewer certain characters would ask the stores for nearly every missing file. */
#define CERTAIN_LEAST 4

struct check {
	const char *p;
	unsigned component, stars, stars_here, groups, certain;
	int in_group, named;
};

/* Behind the set at p, or NULL with *why. */
static const char *check_set(const char *p, const char **why)
{
	const char *q = p + 1;

	*why = "its shape has a set [...] that is empty, has no end, or takes '/'";
	for (; *q && *q != ']'; q++) {
		int is_range = q[1] == '-' && q[2] && q[2] != ']';
		unsigned char first = (unsigned char)*q, last = (unsigned char)q[is_range ? 2 : 0];

		if (first == '[' || first <= ' ' || last < first || (first <= '/' && last >= '/'))
			return NULL;
		q += is_range ? 2 : 0;
	}
	return *q == ']' && q > p + 1 ? q + 1 : NULL;
}

/* Behind a "{n}" at p; *count is n, or 1. NULL with *why. */
static const char *check_count(const char *p, unsigned *count, const char **why)
{
	unsigned n = 0;
	const char *q = p + 1;

	*count = 1;
	if (*p != '{')
		return p;
	*why = "its shape has a count {n} that is not 1 to 255";
	for (; *q >= '0' && *q <= '9' && n <= COUNT_MOST; q++)
		n = n * 10 + (unsigned)(*q - '0');
	*count = n;
	return *q == '}' && n >= 1 && n <= COUNT_MOST ? q + 1 : NULL;
}

/* One element that takes one character, with its count. */
static const char *check_element(struct check *c)
{
	const char *why = NULL, *p = *c->p == '[' ? check_set(c->p, &why) : c->p + 1;
	int certain = *c->p != '?';
	unsigned count = 0;

	p = p ? check_count(p, &count, &why) : NULL;
	if (!p)
		return why;
	c->certain += certain && !c->in_group ? count : 0;
	c->p = p;
	return NULL;
}

static const char *check_group(struct check *c)
{
	int opens = *c->p != ')';

	if (*c->p == '!' && *++c->p != '(')
		return "its shape has a '!' without a group (...)";
	if (opens == c->in_group)
		return opens ? "its shape has a group inside a group"
		       : "its shape has a ')' without a '('";
	c->in_group = opens;
	c->groups += opens != 0;
	c->p++;
	return c->groups > GROUPS_MOST ? "its shape has more than 4 groups" : NULL;
}

static const char *check_slash(struct check *c)
{
	if (c->in_group)
		return "its shape has a '/' inside a group";
	if (!c->p[1] || c->p[1] == '/')
		return "its shape has an empty component";
	c->component++;
	c->stars_here = 0;
	c->p++;
	return NULL;
}

static const char *check_star(struct check *c)
{
	c->p++;
	c->stars++;
	return ++c->stars_here > STARS_OF_COMPONENT || c->stars > STARS_MOST
	       ? "its shape has more than 4 '*', or more than 2 in a component" : NULL;
}

static const char *check_name(struct check *c)
{
	if (c->named || c->in_group)
		return "its shape has a second '<', or one inside a group";
	c->named = 1;
	c->p++;
	return *c->p && *c->p != '/' ? NULL
	       : "its shape has a '<' with nothing behind it: all files would have one key";
}

static const char *check_reference(struct check *c)
{
	if (c->in_group || !c->component || c->p[1] < '1' || c->p[1] > '9')
		return "its shape has a '\\' that is not \\1 to \\9 behind a component";
	c->p += 2;
	return NULL;
}

static const char *check_one(struct check *c)
{
	switch (*c->p) {
	case '(':
	case ')':
	case '!':
		return check_group(c);
	case '|':
		c->p++;
		return c->in_group ? NULL : "its shape has a '|' outside of a group";
	case '/':
		return check_slash(c);
	case '*':
		return check_star(c);
	case '<':
		return check_name(c);
	case '\\':
		return check_reference(c);
	case '#':
		c->p++;
		return *c->p == '{' ? "its shape has a count behind '#'" : NULL;
	case ']':
	case '{':
	case '}':
		return "its shape has a ']', '{' or '}' that closes or counts nothing";
	default:
		return (unsigned char)*c->p <= ' ' ? "its shape has a blank or a control character"
		       : check_element(c);
	}
}

const char *pattern_wrong(const char *text)
{
	struct check c = {.p = text};
	const char *why = NULL;

	if (!*text || strlen(text) > PATTERN_MOST)
		return "its shape is empty, or longer than 200 characters";
	if (*text == '/')
		return "its shape begins with '/': a shape holds below any directory";
	while (!why && *c.p)
		why = check_one(&c);
	if (!why && c.in_group)
		why = "its shape has a '(' without a ')'";
	if (!why && c.certain < CERTAIN_LEAST)
		why = "its shape fits nearly every file: it needs 4 certain characters at least";
	return why;
}
