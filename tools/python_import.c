/* tools/python_import.c - import statements. */
#include "tools/python_import.h"

#include <string.h>

#include "shim/banned.h"

/* a.b.c: its length in the text, 0: no name. */
static size_t dotted(struct python_reader *r, const char **s)
{
	const struct python_token *t = python_at(r, 0);
	size_t n;

	*s = t->s;
	if (t->type != PYTHON_NAME) {
		python_refuse(r, "an import of ", t);
		return 0;
	}
	for (n = t->n, r->at++; python_take(r, ".");) {
		t = python_at(r, 0);
		n = (size_t)(t->s + t->n - *s);
		r->at++;
	}
	return n;
}

/* Another text of one name. Its lists are ours. */
static void use_helper(struct python_reader *r, const char *s, size_t n)
{
	char *name = arena_memdup(r->a, s, n);

	if (!name) {
		python_refuse(r, "memory", NULL);
		return;
	}
	if (memchr(s, '.', n) || *s == '_') {
		python_refuse(r, "an import of a package", NULL);
		return;
	}
	python_mix(r);
	if (r->last)
		r->found->helper(r->found->ctx, name);
}

/* One name of `from module import`. */
static void imported_name(struct python_reader *r, int module)
{
	const struct python_token *t = python_at(r, 0), *bound = t;
	const struct python_member *m = NULL;
	enum python_kind kind;

	r->at++;
	if (python_take(r, "as")) {
		bound = python_at(r, 0);
		r->at++;
	}
	if (t->type != PYTHON_NAME || (module >= 0 &&
	    !(m = python_member((enum python_module)module, t->s, t->n)))) {
		python_refuse(r, "an import of ", t);
		return;
	}
	if (module < 0) {
		for (int i = PYTHON_BUILTIN; i < PYTHON_HELPER; i++)
			if (*t->s == '_' || python_member((enum python_module)i, t->s, t->n))
				python_refuse(r, "a name of another text, ", t);
		kind = python_is_constant(t) ? PYTHON_ANY : PYTHON_FUNCTION;
		python_declare(r, bound, kind,
		               kind == PYTHON_ANY ? PYTHON_BUILTIN : PYTHON_HELPER, NULL);
		return;
	}
	/* A statement of the compiler. */
	if (module == PYTHON_FUTURE)
		return;
	kind = m->flags & PYTHON_CALL && !(m->flags & PYTHON_VALUE) ? PYTHON_FUNCTION : m->kind;
	if (kind == PYTHON_MODULE)
		python_declare(r, bound, kind, PYTHON_OS_PATH, NULL);
	else if (kind <= PYTHON_ANY && !(m->flags & PYTHON_CALL))
		python_bind(r, bound, kind);
	else
		python_declare(r, bound, m->flags & PYTHON_VALUE ? PYTHON_ANY : kind,
		               PYTHON_BUILTIN, m->flags & PYTHON_CALL ? m : NULL);
}

void python_import(struct python_reader *r)
{
	do {
		const struct python_token *t = python_at(r, 0);
		struct python_token bound = *t;
		const char *s;
		size_t n = dotted(r, &s);
		int module = python_module(s, n);

		if (r->refused)
			return;
		if (module < 0)
			use_helper(r, s, n);
		if (python_take(r, "as")) {
			bound = *python_at(r, 0);
			r->at++;
		} else if (module == PYTHON_OS_PATH) {
			module = PYTHON_OS;
		}
		python_declare(r, &bound, PYTHON_MODULE,
		        module < 0 ? PYTHON_HELPER : (enum python_module)module, NULL);
	} while (python_take(r, ","));
}

void python_from(struct python_reader *r)
{
	const char *s;
	size_t n = dotted(r, &s);
	int module = python_module(s, n), brackets;

	if (r->refused)
		return;
	if (module < 0)
		use_helper(r, s, n);
	python_expect(r, "import");
	brackets = python_take(r, "(");
	while (!r->refused) {
		imported_name(r, module);
		if (!python_take(r, ",") || (brackets && python_is(python_at(r, 0), ")")))
			break;
	}
	if (brackets)
		python_expect(r, ")");
}
