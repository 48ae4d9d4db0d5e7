/* tools/python_attribute.c - values by names and by attributes. */
#include "tools/python_attribute.h"

#include <string.h>

#include "tools/python_process.h"

#include "shim/banned.h"

static const struct python_value any = {.kind = PYTHON_ANY};

/* A member of another text: a function that is called, or a constant. That text may have taken a
 * known function from a module, whose answer is not known here. */
static struct python_value helper_member(struct python_reader *r, const struct python_token *t)
{
	if (python_is_constant(t) && *t->s != '_')
		return any;
	for (int m = PYTHON_BUILTIN; m < PYTHON_HELPER; m++)
		if (python_member(m, t->s, t->n)) {
			python_refuse(r, "a name of another text, ", t);
			return any;
		}
	if (*t->s == '_' || !python_is(python_at(r, 0), "("))
		python_refuse(r, "a name of another text, ", t);
	return (struct python_value){.kind = PYTHON_FUNCTION};
}

struct python_value python_name_value(struct python_reader *r)
{
	const struct python_token *t = python_at(r, 0);
	const struct python_member *m = python_member(PYTHON_BUILTIN, t->s, t->n);
	struct python_value v = any;
	struct python_name *found;
	size_t place;

	r->at++;
	if (python_is(t, "True") || python_is(t, "False"))
		return v;
	if (python_is(t, "None")) {
		v.kind = PYTHON_MAYBE;
		return v;
	}
	if (python_is(t, "__name__") || python_is(t, "__file__")) {
		v.kind = PYTHON_TEXT;
		return v;
	}
	if (m) {
		v.member = m;
		v.kind = m->flags & PYTHON_VALUE ? PYTHON_ANY : PYTHON_FUNCTION;
		return v;
	}
	if (python_is_keyword(t->s, t->n) || python_is_builtin(t->s, t->n) ||
	    (t->n > 1 && t->s[0] == '_' && t->s[1] == '_')) {
		python_refuse(r, NULL, t);
		return v;
	}
	place = python_place(r, t->s, t->n);
	if (!place)
		return v;
	found = &r->name[place - 1];
	if (found->kind == PYTHON_UNSET && r->last)
		python_refuse(r, NULL, t);
	return (struct python_value){.kind = found->kind, .module = found->module,
	                             .member = found->member,
	                             .name = found->kind == PYTHON_FUNCTION && !found->member
	                                             ? place : 0};
}

struct python_value python_attribute_value(struct python_reader *r, const struct python_value *base,
                                           const struct python_token *t)
{
	static const struct python_member set_change = {
		.kind = PYTHON_ANY, .flags = PYTHON_CALL, .name = ""};
	struct python_value v = any;
	const struct python_member *m;

	if (base->kind == PYTHON_UNSET && !r->last)
		return (struct python_value){.kind = PYTHON_UNSET};
	if (base->kind == PYTHON_MODULE && base->module == PYTHON_HELPER)
		return helper_member(r, t);
	if (base->kind == PYTHON_SET && (python_is(t, "add") || python_is(t, "discard")))
		return (struct python_value){.kind = PYTHON_FUNCTION, .member = &set_change};
	if (base->kind == PYTHON_STDOUT || base->kind == PYTHON_STDERR) {
		if (!python_is(t, "flush") &&
		    !(base->kind == PYTHON_STDERR && python_is(t, "write")))
			python_refuse(r, "a standard stream: ", t);
	} else if (base->kind == PYTHON_FUNCTION || base->kind == PYTHON_LISTING ||
	           base->kind == PYTHON_ITERATOR || base->kind == PYTHON_SET) {
		python_use(r, base);
	} else if (base->kind == PYTHON_TYPE ||
	           (base->kind == PYTHON_PIPE && python_is(t, "name"))) {
		python_refuse(r, "what prints an address or a descriptor, ", t);
	} else if (base->kind == PYTHON_PROCESS && !python_waits(t)) {
		python_use(r, base);
	}
	/* A method of a type takes any object: Path.read_text(0) may read standard input. */
	if (base->member && base->member->flags & PYTHON_VALUE && !python_is(t, "fromkeys"))
		python_refuse(r, "a method of a type: ", t);
	m = base->kind == PYTHON_MODULE ? python_member(base->module, t->s, t->n)
	                                : python_attribute(t->s, t->n);
	if (!m) {
		python_refuse(r, NULL, t);
		return v;
	}
	v.kind = python_kind_of(m);
	if (base->kind != PYTHON_MODULE && python_is_stream(t))
		v.kind = r->pipes ? PYTHON_PIPE : PYTHON_MAYBE;
	v.member = m;
	if (v.kind == PYTHON_MODULE)
		v.module = PYTHON_OS_PATH;
	return v;
}

void python_split_kind(struct python_value *v, const struct python_member *m,
                           enum python_kind base)
{
	if (python_is_text(base) && m && v->kind == PYTHON_ANY &&
	    (strcmp(m->name, "split") == 0 || strcmp(m->name, "rsplit") == 0 ||
	     strcmp(m->name, "splitlines") == 0))
		v->kind = PYTHON_TEXTS;
}

const struct python_member *python_environ_member(const struct python_token *t)
{
	static const struct python_member reads = {
		.kind = PYTHON_MAYBE, .flags = PYTHON_CALL | PYTHON_VARIABLE, .name = ""};
	static const struct python_member changes = {
		.kind = PYTHON_ANY, .flags = PYTHON_CALL, .name = "", .keywords = WITH_ANY};

	if (python_is(t, "get") || python_is(t, "pop") || python_is(t, "setdefault"))
		return &reads;
	return python_is(t, "update") ? &changes : NULL;
}
