/* tools/python_call.c - the arguments and the answer of a call. */
#include "tools/python_call.h"

#include <string.h>

#include "shim/banned.h"

static int has_keyword(const struct python_member *m, const struct python_token *t)
{
	const char *k = python_keywords(m);

	if (m->keywords == WITH_ANY)
		return 1;
	for (; *k; k += strlen(k) + 1)
		if (python_is(t, k))
			return 1;
	return 0;
}

/* What a parameter of the text's own function gets. */
static void pass(struct python_reader *r, const struct python_arguments *a, size_t i,
                 const struct python_value *v)
{
	const struct python_name *f = a->function;
	struct python_token t = {.type = PYTHON_NAME};

	if (!f || !f->defined || i >= f->parameters)
		return;
	t.s = r->name[f->parameter[i] - 1].s;
	t.n = r->name[f->parameter[i] - 1].n;
	python_bind(r, &t, v ? v->kind : PYTHON_ANY);
}

/* An argument becomes an element of a list, or its elements do. */
static void mutated(struct python_reader *r, const struct python_arguments *a, int star,
                    const struct python_value *v)
{
	int is_index = strcmp(a->member->name, "insert") == 0 && a->count == 0;
	int texts = a->member->flags & PYTHON_TAKES
	                    ? v->kind == PYTHON_TEXTS || v->kind == PYTHON_UNSET ||
	                              (v->kind == PYTHON_ITERATOR && v->name)
	                    : python_is_text(v->kind);

	if (star || (!is_index && !texts))
		python_mix(r);
}

/* A keyword's value that may be none elsewhere. Any keyword of dict and format becomes a value. */
static int is_taken(struct python_reader *r, const struct python_arguments *a,
                    const struct python_token *t, const struct python_value *v)
{
	unsigned flags = a->member->flags;

	if (python_is(t, "env") && flags & PYTHON_ENV && !(flags & PYTHON_COPIES) &&
	    v->kind == PYTHON_ENVIRON)
		return 1;
	if (flags & PYTHON_STREAMS && python_is_stream(t)) {
		/* A number is a descriptor, but for the module's own. */
		int own = v->member && v->member->module == PYTHON_SUBPROCESS &&
		          v->kind == PYTHON_ANY;

		if (v->kind == PYTHON_ANY && !own)
			python_refuse(r, "what may be a number for ", t);
		return v->kind == PYTHON_PIPE || v->kind == PYTHON_STDOUT ||
		       v->kind == PYTHON_STDERR;
	}
	return flags & PYTHON_PRINTS && python_is(t, "file") &&
	       (v->kind == PYTHON_STDERR || v->kind == PYTHON_STDOUT);
}

/* Fields of a literal that name neither attributes nor items, as "{0.x}" does. */
static int is_plain_format(const struct python_token *t)
{
	const char *end;
	int field = 0;

	if (!t)
		return 0;
	end = t->s + t->n;
	for (const char *s = t->s; s < end; s++) {
		/* A letter by its number may be any. */
		if (*s == '\\' && s + 1 < end && strchr("xuUN01234567", s[1]))
			return 0;
		if (field && strchr(".[{", *s))
			return 0;
		if (!field && *s == '{' && s + 1 < end && s[1] == '{')
			s++;
		else if (*s == '{')
			field = 1;
		else if (*s == '}')
			field = 0;
	}
	return !field;
}

void python_keyword(struct python_reader *r, struct python_arguments *a,
                    const struct python_token *t, const struct python_value *v)
{
	if (!a->member) {
		python_use(r, v);
		/* A name of this text, or of nothing. */
		if (a->function && a->function->defined)
			python_bind(r, t, v->kind);
		return;
	}
	if (!has_keyword(a->member, t)) {
		python_refuse(r, "the argument ", t);
		return;
	}
	if (a->member->flags & PYTHON_PRINTS && python_is(t, "flush"))
		a->flushes = python_is(&r->t.v[r->at - 1], "True") &&
		             python_is(&r->t.v[r->at - 2], "=");
	if (python_is(t, "file"))
		a->to_stderr = v->kind == PYTHON_STDERR;
	if (!is_taken(r, a, t, v))
		python_use(r, v);
}

void python_positional(struct python_reader *r, struct python_arguments *a, int star,
                       const struct python_value *v)
{
	unsigned flags = a->member ? a->member->flags : 0;

	/* max of two views answers with one of them. */
	if (a->count && !(flags & PYTHON_TAKES_EACH))
		flags &= ~(unsigned)PYTHON_TAKES;
	/* The third argument of exec, the first one of dict. */
	if (star || !((v->kind == PYTHON_ITERATOR && flags & PYTHON_TAKES) ||
	              (v->kind == PYTHON_LISTING && flags & PYTHON_TAKES_LISTING) ||
	              /* sorted may fail on the first two values that it compares */
	              (v->kind == PYTHON_SET && flags & PYTHON_TAKES_LISTING &&
	               !(flags & PYTHON_KEEPS)) ||
	              (v->kind == PYTHON_ENVIRON && flags & PYTHON_ENV && !a->stars &&
	               a->count == (flags & PYTHON_COPIES ? 0 : 2))))
		python_use(r, v);
	if (a->count == 0 && !a->stars)
		a->first = *v;
	else
		a->rest_is_text &= !star && python_is_text(v->kind);
	if (star) {
		a->first.literal = NULL;
		a->stars = 1;
		python_unknown_arguments(r, a);
	} else {
		pass(r, a, a->stars ? PYTHON_PARAMETERS_MAX : (size_t)a->count, v);
	}
	if (flags & PYTHON_MUTATES)
		mutated(r, a, star, v);
	a->count++;
}

void python_check_arguments(struct python_reader *r, const struct python_arguments *a)
{
	unsigned flags = a->member->flags;

	if (flags & PYTHON_PATH &&
	    (a->count < 1 || a->stars || !python_is_text(a->first.kind)))
		python_refuse(r, "a text that may be a number or None: str() helps", NULL);
	if (flags & PYTHON_PATHS && !a->rest_is_text)
		python_refuse(r, "a text that may be a number or None: str() helps", NULL);
	if (flags & PYTHON_SINGLE && (a->count > 1 || a->stars))
		python_refuse(r, "more than one argument without a keyword", NULL);
	if (flags & PYTHON_ARGUMENT && (!a->count || a->stars))
		python_refuse(r, "a group without a number: group(0) helps", NULL);
	if (flags & PYTHON_NO_ARGUMENT && (a->count || a->stars))
		python_refuse(r, "an argument that is not known", NULL);
	if (flags & PYTHON_PRINTS && !a->to_stderr && !a->flushes)
		python_refuse(r, "print without flush=True", NULL);
	if (flags & PYTHON_FORMAT && !is_plain_format(a->text))
		python_refuse(r, "format of a value", NULL);
	if (flags & PYTHON_VARIABLE)
		python_use_variable(r, a->count ? a->first.literal : NULL);
}

void python_unknown_arguments(struct python_reader *r, struct python_arguments *a)
{
	for (size_t i = 0; i < PYTHON_PARAMETERS_MAX; i++)
		pass(r, a, i, NULL);
}

struct python_value python_answer(const struct python_arguments *a)
{
	struct python_value v = {.kind = a->member->kind};

	if (a->member->flags & PYTHON_COPIES && a->first.kind == PYTHON_ENVIRON)
		v.kind = PYTHON_ENVIRON;
	else if (a->member->flags & PYTHON_KEEPS && !a->stars &&
	         (a->first.kind == PYTHON_TEXTS || a->first.kind == PYTHON_LISTING ||
	          a->count == 0 || (a->first.kind == PYTHON_ITERATOR && a->first.name)))
		v.kind = PYTHON_TEXTS;
	else if (a->member->flags & PYTHON_VARIABLE && a->count > 1)
		v.kind = a->rest_is_text ? PYTHON_TEXT : PYTHON_ANY;
	return v;
}
