/* units/scan.h - JSON as frameworks write it, read piece by piece. Pure: what is no piece is not taken. THREAD. */
#ifndef UNITS_SCAN_H
#define UNITS_SCAN_H

#include <stddef.h>

struct scan {
	const char *begin, *p, *end;
};

static inline void scan_space(struct scan *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\r' || *t->p == '\t'))
		t->p++;
}

/* 1: the next character that is no space is c, and taken. */
static inline int scan_take(struct scan *t, char c)
{
	scan_space(t);
	if (t->p == t->end || *t->p != c)
		return 0;
	t->p++;
	return 1;
}

/* What stands between the quotes of a string, escapes and all; NULL: none stands here. */
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

#endif
