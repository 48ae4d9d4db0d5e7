/* tools/python_process.c - the two statements that start a process and wait for it. */
#include "tools/python_process.h"

#include <string.h>

#include "shim/banned.h"

/* The blanks before a token that is the first one of its line. NULL: the line before goes on. */
static const char *indentation(const struct python_reader *r, const struct python_token *t)
{
	const char *begin = r->t.v[0].s, *s = t->s;

	while (s > begin && s[-1] != '\n')
		s--;
	return s - begin >= 2 && s[-2] == '\\' ? NULL : s;
}

/* 1: both begin a line, in the same block. */
static int are_aligned(const struct python_reader *r, size_t x, size_t y)
{
	const struct python_token *a = &r->t.v[x], *b = &r->t.v[y];
	const char *before = indentation(r, a), *other = indentation(r, b);

	if (x && r->t.v[x - 1].type != PYTHON_NEWLINE)
		return 0;
	return before && other && a->s - before == b->s - other &&
	       memcmp(before, other, (size_t)(a->s - before)) == 0;
}

/* Behind the targets of an assignment; i: it has none. */
static size_t behind_targets(const struct python_reader *r, size_t i)
{
	size_t at = i;

	while (r->t.v[at].type == PYTHON_NAME || python_is(&r->t.v[at], ",") ||
	       python_is(&r->t.v[at], "(") || python_is(&r->t.v[at], ")"))
		at++;
	return python_is(&r->t.v[at], "=") ? at + 1 : i;
}

/* Where the statement's first value stands: what is before it runs nothing. */
static size_t first_value(const struct python_reader *r, size_t i)
{
	const struct python_token *v = r->t.v;

	if (python_is(&v[i], "return"))
		return i + 1;
	if (python_is(&v[i], "if"))
		return i + 1 + (size_t)python_is(&v[i + 1], "not");
	if (python_is(&v[i], "sys") && python_is(&v[i + 1], ".") && python_is(&v[i + 2], "exit") &&
	    python_is(&v[i + 3], "("))
		return i + 4;
	return behind_targets(r, i);
}

int python_waits(const struct python_token *t)
{
	if (!(python_is(t, "communicate") || python_is(t, "wait")) || !python_is(t + 1, "("))
		return 0;
	for (t += 2; !python_is(t, ")"); t++)
		if (t->type != PYTHON_NAME && t->type != PYTHON_STRING && !python_is(t, "=") &&
		    !python_is(t, "."))
			return 0;
	return 1;
}

int python_waits_next(const struct python_reader *r, size_t from, size_t end)
{
	const struct python_token *v = r->t.v;
	size_t i = end;

	if (v[from].type != PYTHON_NAME || !python_is(&v[from + 1], "="))
		return 0;
	if (python_is(&v[i], ";")) {
		i++;
	} else {
		while (v[i].type == PYTHON_NEWLINE)
			i++;
		if (v[i].type == PYTHON_END || !are_aligned(r, from, i))
			return 0;
	}
	i = first_value(r, i);
	if (v[i].type != PYTHON_NAME || v[i].n != v[from].n ||
	    memcmp(v[i].s, v[from].s, v[i].n) != 0 || !python_is(&v[i + 1], ".") ||
	    !python_waits(&v[i + 2]))
		return 0;
	/* `p.wait() if x() else 0` calls x first. */
	for (i += 3; v[i].type != PYTHON_NEWLINE && v[i].type != PYTHON_END; i++)
		if (python_is(&v[i], "if"))
			return 0;
	return 1;
}
