/* tools/python_target.c - names that get a value. */
#include "tools/python_target.h"

#include "shim/banned.h"

/* Brackets inside each other. */
#define DEPTH_MAX 16

/* What each of several targets gets. */
static enum python_kind part(struct python_reader *r, enum python_kind kind)
{
	struct python_value v = {.kind = kind};

	python_use(r, &v);
	return python_element(r, kind);
}

/* One target: a name, or several in brackets. */
static void target(struct python_reader *r, enum python_kind kind)
{
	const struct python_token *t = python_at(r, 0);
	const char *close = python_is(t, "(") ? ")" : python_is(t, "[") ? "]" : NULL;

	r->at++;
	if (!close) {
		python_bind(r, t, kind);
		return;
	}
	if (++r->depth > DEPTH_MAX)
		python_refuse(r, "too many brackets inside each other", NULL);
	python_targets(r, part(r, kind));
	r->depth--;
	python_expect(r, close);
}

/* Where targets end. */
static int ends_targets(const struct python_token *t)
{
	return t->type == PYTHON_NEWLINE || python_is(t, "in") || python_is(t, "=") ||
	       python_is(t, ")") || python_is(t, "]") || python_is(t, ":") || python_is(t, ";");
}

/* 1: several stand there, so that each gets an element. */
static int are_several(const struct python_reader *r)
{
	int depth = 0;

	for (size_t i = 0; !ends_targets(python_at(r, i)) || depth; i++) {
		const struct python_token *t = python_at(r, i);

		if (t->type == PYTHON_END)
			return 0;
		depth += (python_is(t, "(") || python_is(t, "[")) -
		         (python_is(t, ")") || python_is(t, "]"));
		if (!depth && (python_is(t, ",") || python_is(t, "*")))
			return 1;
	}
	return 0;
}

void python_targets(struct python_reader *r, enum python_kind kind)
{
	enum python_kind each = are_several(r) ? part(r, kind) : kind;

	while (!r->refused && !ends_targets(python_at(r, 0))) {
		int star = python_take(r, "*");

		/* A list of what is left. */
		target(r, star && each != PYTHON_UNSET ? PYTHON_TEXT : each);
		if (!python_take(r, ","))
			break;
	}
}

void python_targets_in(struct python_reader *r,
                       struct python_value (*expression)(struct python_reader *r))
{
	size_t targets = r->at, end;
	struct python_value v;
	enum python_kind kind;

	/* The names stand before what they go through. */
	python_targets(r, PYTHON_UNSET);
	python_expect(r, "in");
	v = expression(r);
	kind = python_iterated(r, &v);
	end = r->at;
	r->at = targets;
	python_targets(r, kind);
	r->at = end;
}
