/* tools/python_brackets.c - what brackets hold. */
#include "tools/python_brackets.h"

#include "tools/python_target.h"

#include "shim/banned.h"

/* One item of { }: sets *is_set. 1: of a dictionary, the environment. */
static int item(struct python_reader *r, const struct python_rules *g, int *is_set)
{
	int all = python_take(r, "**"), each = !all && python_take(r, "*");
	struct python_value v = g->expression(r);

	if (all && v.kind == PYTHON_ENVIRON)
		return 1;
	if (each)
		(void)python_iterated(r, &v);
	else
		python_use(r, &v);
	*is_set |= !all && (each || !python_is(python_at(r, 0), ":"));
	if (!all && python_take(r, ":")) {
		v = g->expression(r);
		python_use(r, &v);
	}
	if (python_is(python_at(r, 0), "for"))
		python_comprehension(r, g);
	return 0;
}

/* --- public, in header order --- */

void python_comprehension(struct python_reader *r, const struct python_rules *g)
{
	int types = r->types;

	r->types = 0;
	while (python_take(r, "for")) {
		python_targets_in(r, g->test);
		while (python_take(r, "if")) {
			struct python_value v = g->test(r);

			python_use(r, &v);
		}
	}
	r->types = types;
}

struct python_value python_sequence(struct python_reader *r, const struct python_rules *g,
                                    const char *close)
{
	struct python_value v = {.kind = PYTHON_ANY}, first = {.kind = PYTHON_UNSET};
	int texts = 1, count = 0, commas = 0, is_list = *close == ']';

	while (!r->refused && !python_is(python_at(r, 0), close)) {
		int star = python_take(r, "*");

		v = g->expression(r);
		if (count++ == 0)
			first = v;
		if (python_is(python_at(r, 0), "for")) {
			python_use(r, &v);
			python_comprehension(r, g);
			python_expect(r, close);
			if (!is_list)
				return (struct python_value){.kind = PYTHON_ITERATOR};
			return (struct python_value){.kind = python_is_text(v.kind) ? PYTHON_TEXTS
			                                                            : PYTHON_TEXT};
		}
		if (star) {
			texts &= python_is_text(python_iterated(r, &v));
			commas = 1;
		} else {
			texts &= python_is_text(v.kind);
		}
		if (!python_take(r, ","))
			break;
		commas = 1;
		if (!star)
			python_use(r, &v);
	}
	python_expect(r, close);
	/* In brackets, of one value. */
	if (!is_list && count == 1 && !commas) {
		first.literal = NULL;
		first.subscript = 0;
		return first;
	}
	if (count)
		python_use(r, &v);
	return (struct python_value){.kind = texts ? PYTHON_TEXTS : PYTHON_TEXT};
}

struct python_value python_braces(struct python_reader *r, const struct python_rules *g)
{
	int is_set = 0, environment = 0;

	while (!r->refused && !python_is(python_at(r, 0), "}")) {
		environment |= item(r, g, &is_set);
		if (!python_take(r, ","))
			break;
	}
	python_expect(r, "}");
	return (struct python_value){.kind = is_set ? PYTHON_SET
	                                     : environment ? PYTHON_ENVIRON : PYTHON_TEXT};
}
