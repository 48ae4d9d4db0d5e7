/* tools/python_expr.c - expressions, by recursive descent. */
#include "tools/python_expr.h"

#include <string.h>

#include "tools/python_attribute.h"
#include "tools/python_brackets.h"
#include "tools/python_call.h"
#include "tools/python_target.h"

#include "shim/banned.h"

/* Brackets inside each other. Hosts' threads have small stacks. */
#define DEPTH_MAX 48

static const struct python_value any = {.kind = PYTHON_ANY};

static struct python_value or_test(struct python_reader *r);

static const struct python_rules rules = {python_expression, or_test};

static struct python_value string(struct python_reader *r)
{
	struct python_value v = {.kind = PYTHON_TEXT, .literal = python_at(r, 0)};
	int count = 0;

	for (;; count++) {
		if (python_at(r, 0)->type == PYTHON_STRING) {
			r->at++;
			continue;
		}
		if (python_at(r, 0)->type != PYTHON_FORMATTED)
			break;
		count++;
		for (r->at++; !r->refused && python_at(r, 0)->type != PYTHON_DONE; r->at++) {
			struct python_value field;

			if (python_at(r, 0)->type != PYTHON_FIELD)
				continue;
			r->at++;
			field = python_list(r);
			python_use(r, &field);
			if (python_at(r, 0)->type != PYTHON_FIELD_END)
				python_refuse(r, NULL, NULL);
		}
		r->at++;
	}
	if (count != 1)
		v.literal = NULL;
	return v;
}

static struct python_value atom(struct python_reader *r)
{
	const struct python_token *t = python_at(r, 0);
	struct python_value v = any;

	if (r->refused)
		return v;
	if (++r->depth > DEPTH_MAX) {
		python_refuse(r, "too many brackets inside each other", NULL);
	} else if (t->type == PYTHON_NAME) {
		v = python_name_value(r);
	} else if (t->type == PYTHON_NUMBER) {
		r->at++;
	} else if (t->type == PYTHON_STRING || t->type == PYTHON_FORMATTED) {
		v = string(r);
	} else if (python_take(r, "(")) {
		v = python_sequence(r, &rules, ")");
	} else if (python_take(r, "[")) {
		v = python_sequence(r, &rules, "]");
	} else if (python_take(r, "{")) {
		v = python_braces(r, &rules);
	} else {
		python_refuse(r, NULL, t);
	}
	r->depth--;
	return v;
}

static void keyword(struct python_reader *r, struct python_arguments *a)
{
	const struct python_token *t = python_at(r, 0);
	struct python_value v;

	r->at += 2;
	v = python_expression(r);
	python_keyword(r, a, t, &v);
}

static void positional(struct python_reader *r, struct python_arguments *a)
{
	int star = python_take(r, "*");
	struct python_value v = python_expression(r);

	if (python_is(python_at(r, 0), "for")) {
		python_use(r, &v);
		python_comprehension(r, &rules);
		v = (struct python_value){.kind = PYTHON_ITERATOR,
		                          .name = python_is_text(v.kind)};
	}
	python_positional(r, a, star, &v);
}

static void arguments(struct python_reader *r, struct python_arguments *a)
{
	while (!r->refused && !python_is(python_at(r, 0), ")")) {
		if (python_at(r, 0)->type == PYTHON_NAME && python_is(python_at(r, 1), "=")) {
			keyword(r, a);
		} else if (python_take(r, "**")) {
			struct python_value v = python_expression(r);

			python_use(r, &v);
			if (a->member && a->member->keywords != WITH_ANY)
				python_refuse(r, "** in a call", NULL);
			python_unknown_arguments(r, a);
		} else {
			positional(r, a);
		}
		/* A call moves the table. */
		if (a->function_place)
			a->function = &r->name[a->function_place - 1];
		if (!python_take(r, ","))
			break;
	}
	python_expect(r, ")");
}

/* Behind the bracket of a call. */
static struct python_value call(struct python_reader *r, const struct python_value *f,
                                enum python_kind base, const struct python_token *text)
{
	struct python_arguments a = {.member = f->member, .base = base, .text = text,
	                      .function_place = f->name, .rest_is_text = 1,
	                      .first = {.kind = PYTHON_UNSET}};

	int types = r->types;

	a.function = f->name ? &r->name[f->name - 1] : NULL;
	r->types = f->member && strcmp(f->member->name, "isinstance") == 0;
	arguments(r, &a);
	r->types = types;
	if (r->refused)
		return any;
	if (f->member && f->member->kind == PYTHON_PROCESS)
		python_open_pipes(r);
	if (a.member) {
		if (!(a.member->flags & PYTHON_CALL))
			python_refuse(r, "a call of a value", NULL);
		python_check_arguments(r, &a);
		return python_answer(&a);
	}
	if (f->kind == PYTHON_UNSET) /* a function below, in the first pass */
		return (struct python_value){.kind = PYTHON_UNSET};
	if (f->kind != PYTHON_FUNCTION)
		python_refuse(r, "a call of a value", NULL);
	/* It may end without a return. */
	if (a.function && a.function->defined && r->returned != PYTHON_ANY)
		return (struct python_value){.kind = PYTHON_MAYBE};
	return any;
}

/* Methods of os.environ and its copies. */
static struct python_value environ_method(struct python_reader *r, const struct python_token *t)
{
	struct python_value f = {.kind = PYTHON_FUNCTION, .member = python_environ_member(t)};

	if (python_is(t, "copy") && python_take(r, "(")) {
		python_expect(r, ")");
		return (struct python_value){.kind = PYTHON_ENVIRON};
	}
	if (!f.member || !python_take(r, "(")) {
		python_refuse(r, "the environment as a whole", NULL);
		return any;
	}
	return call(r, &f, PYTHON_ENVIRON, NULL);
}

/* Behind the dot. */
static struct python_value attribute(struct python_reader *r, const struct python_value *base)
{
	const struct python_token *t = python_at(r, 0);

	r->at++;
	if (t->type != PYTHON_NAME)
		python_refuse(r, NULL, t);
	if (base->kind == PYTHON_ENVIRON)
		return environ_method(r, t);
	return python_attribute_value(r, base, t);
}

/* Behind the bracket. */
static struct python_value subscript(struct python_reader *r, const struct python_value *base)
{
	struct python_value v, out = {.kind = PYTHON_ANY};
	int slice = 0;

	if (base->kind != PYTHON_ENVIRON)
		python_use(r, base);
	for (;;) {
		if (python_take(r, ":") || python_is(python_at(r, 0), "]")) {
			slice |= python_is(&r->t.v[r->at - 1], ":");
			if (python_is(python_at(r, 0), "]"))
				break;
			continue;
		}
		v = python_list(r);
		python_use(r, &v);
		if (r->refused)
			return out;
		if (base->kind == PYTHON_ENVIRON)
			python_use_variable(r, v.literal);
		if (python_is(python_at(r, 0), "]"))
			break;
		if (!python_is(python_at(r, 0), ":"))
			python_refuse(r, NULL, NULL);
		if (r->refused)
			return out;
	}
	python_expect(r, "]");
	out.subscript = slice ? 2 : 1;
	out.kind = python_item_kind(r, base->kind, slice);
	return out;
}

struct python_value python_primary(struct python_reader *r)
{
	struct python_value v = atom(r);
	enum python_kind object = PYTHON_ANY;
	const struct python_token *text = NULL;

	while (!r->refused) {
		if (python_take(r, ".")) {
			text = v.literal;
			object = v.kind;
			v = attribute(r, &v);
		} else if (python_take(r, "(")) {
			const struct python_member *m = v.member;

			if (++r->depth > DEPTH_MAX)
				python_refuse(r, "too many brackets inside each other", NULL);
			else
				v = call(r, &v, object, text);
			r->depth--;
			python_split_kind(&v, m, object);
			object = PYTHON_ANY;
			text = NULL;
		} else if (python_take(r, "[")) {
			if (++r->depth > DEPTH_MAX)
				python_refuse(r, "too many brackets inside each other", NULL);
			else
				v = subscript(r, &v);
			r->depth--;
		} else {
			break;
		}
	}
	return v;
}

static struct python_value unary(struct python_reader *r)
{
	struct python_value v;
	int signs = 0;

	while (python_take(r, "-") || python_take(r, "+") || python_take(r, "~"))
		signs = 1;
	v = python_primary(r);
	if (!signs)
		return v;
	python_use(r, &v);
	return any;
}

/* All operators between values alike: a text with a number never makes a number. */
static struct python_value arithmetic(struct python_reader *r)
{
	static const char *const operators[] = {"+", "%", "*", "/", "-", "**", "//", "<<", ">>",
	                                        "&", "|", "^"};
	struct python_value v = unary(r);

	for (size_t i = 0; i < sizeof operators / sizeof *operators && !r->refused; i++) {
		struct python_value other;
		int texts, both;

		if (!python_take(r, operators[i]))
			continue;
		other = unary(r);
		python_use(r, &v);
		python_use(r, &other);
		both = v.kind == PYTHON_TEXTS && other.kind == PYTHON_TEXTS;
		texts = i < 4 && (python_is_text(v.kind) || (i != 1 && python_is_text(other.kind)));
		v = (struct python_value){.kind = texts ? PYTHON_TEXT : PYTHON_ANY};
		if (i == 0 && both)
			v.kind = PYTHON_TEXTS;
		i = (size_t)-1;
	}
	return v;
}

static struct python_value comparison(struct python_reader *r)
{
	static const char *const operators[] = {"==", "!=", "<", ">", "<=", ">=", "in", "is",
	                                        "not"};
	struct python_value v = arithmetic(r);

	for (size_t i = 0; i < sizeof operators / sizeof *operators && !r->refused; i++) {
		struct python_value other;
		int in = i == 6 || i == 8;

		if (!python_take(r, operators[i]))
			continue;
		if (i == 8)
			python_expect(r, "in");
		if (i == 7) {
			const struct python_token *t;

			python_take(r, "not");
			t = python_at(r, 0);
			if (!python_is(t, "None") && !python_is(t, "True") &&
			    !python_is(t, "False"))
				python_refuse(r, "is between values", NULL);
		}
		other = arithmetic(r);
		python_use(r, &v);
		if (in)
			python_contains(r, &v, &other);
		else
			python_use(r, &other);
		v = any;
		i = (size_t)-1;
	}
	return v;
}

static struct python_value not_test(struct python_reader *r)
{
	struct python_value v;
	int nots = 0;

	while (python_take(r, "not"))
		nots = 1;
	v = comparison(r);
	if (!nots)
		return v;
	python_use(r, &v);
	return any;
}

/* Tests joined by `and`, and those by `or`. */
static struct python_value joined(struct python_reader *r, int is_or)
{
	struct python_value v = is_or ? joined(r, 0) : not_test(r);

	while (!r->refused && python_take(r, is_or ? "or" : "and")) {
		struct python_value other = is_or ? joined(r, 0) : not_test(r);

		python_use(r, &v);
		python_use(r, &other);
		/* None goes on to what is behind `or`. */
		if (is_or && v.kind == PYTHON_MAYBE)
			v.kind = PYTHON_TEXT;
		v = (struct python_value){.kind = python_join(v.kind, other.kind)};
	}
	return v;
}

static struct python_value or_test(struct python_reader *r)
{
	return joined(r, 1);
}

struct python_value python_expression(struct python_reader *r)
{
	struct python_value v = any;

	if (r->refused)
		return v;
	if (++r->depth > DEPTH_MAX) {
		python_refuse(r, "too many brackets inside each other", NULL);
		return v;
	}
	v = or_test(r);
	if (!r->refused && python_take(r, "if")) {
		struct python_value test = or_test(r), other;

		python_use(r, &test);
		python_expect(r, "else");
		other = python_expression(r);
		if (v.kind != other.kind ||
		    (v.kind != PYTHON_ENVIRON && v.kind != PYTHON_SET)) {
			python_use(r, &v);
			python_use(r, &other);
		}
		v = (struct python_value){.kind = python_join(v.kind, other.kind)};
	}
	r->depth--;
	return v;
}

struct python_value python_list(struct python_reader *r)
{
	struct python_value v;
	int texts = 1, commas = 0;

	for (;;) {
		int star = python_take(r, "*");
		const struct python_token *t;

		v = python_expression(r);
		texts &= star ? python_is_text(python_iterated(r, &v)) : python_is_text(v.kind);
		if (star)
			commas = 1;
		t = python_at(r, 0);
		if (r->refused || !python_is(t, ","))
			break;
		python_take(r, ",");
		commas = 1;
		python_use(r, &v);
		t = python_at(r, 0);
		/* A last comma. */
		if (t->type == PYTHON_NEWLINE || t->type == PYTHON_FIELD_END ||
		    (t->type == PYTHON_OPERATOR && t->n == 1 && strchr("=:]);", *t->s)))
			break;
	}
	if (!commas)
		return v;
	python_use(r, &v);
	return (struct python_value){.kind = texts ? PYTHON_TEXTS : PYTHON_TEXT};
}
