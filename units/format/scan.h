/* units/format/scan.h - reads JSON as frameworks write it, token by token; a token that is not
 * there is not taken. Pure. THREAD. */
#pragma once

#include <stddef.h>

struct scan {
	const char *begin, *p, *end;
};

static inline void scan_space(struct scan *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\r' || *t->p == '\t'))
		t->p++;
}

/* 1: the next character after spaces was c, and is taken. */
static inline int scan_take(struct scan *t, char c)
{
	scan_space(t);
	if (t->p == t->end || *t->p != c)
		return 0;
	t->p++;
	return 1;
}

/* The text between the quotes of a string, with its escapes; NULL: here is no string. */
static inline const char *scan_string(struct scan *t, size_t *n)
{
	const char *from;

	if (!scan_take(t, '"'))
		return NULL;
	for (from = t->p; t->p < t->end && *t->p != '"'; t->p++)
		if (*t->p == '\\' && ++t->p == t->end)
			return NULL;
	if (t->p == t->end)
		return NULL;
	*n = (size_t)(t->p++ - from);
	return from;
}
