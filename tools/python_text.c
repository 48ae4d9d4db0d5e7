/* tools/python_text.c - statements, in passes. */
#include "tools/python_text.h"

#include <string.h>

#include "tools/python_expr.h"
#include "tools/python_import.h"
#include "tools/python_process.h"
#include "tools/python_target.h"

#include "shim/banned.h"

/* Each pass raises the kind of a name. A name has three kinds, and no wrapper needs so many
 * passes. */
#define PASSES_MAX 64

/* The type of a name, which nothing uses. */
static void type(struct python_reader *r)
{
	struct python_value v;

	r->types++;
	v = python_expression(r);
	python_use(r, &v);
	r->types--;
}

/* The parameters, behind the bracket. f: the function's place. */
static void parameters(struct python_reader *r, size_t f)
{
	size_t count = 0;

	while (!r->refused && !python_is(python_at(r, 0), ")")) {
		int all = python_take(r, "**"), rest = !all && python_take(r, "*");
		const struct python_token *t = python_at(r, 0);
		struct python_value v;

		if ((rest && python_take(r, ",")) || python_take(r, "/")) {
			python_take(r, ",");
			continue;
		}
		r->at++;
		python_bind(r, t, all || rest ? PYTHON_TEXT
		                  : r->imported ? PYTHON_ANY : PYTHON_UNSET);
		if (!all && !rest && count < PYTHON_PARAMETERS_MAX)
			r->name[f - 1].parameter[count] = python_place(r, t->s, t->n);
		count += !all && !rest;
		if (count > PYTHON_PARAMETERS_MAX)
			python_refuse(r, "a function with many parameters", NULL);
		if (python_take(r, ":"))
			type(r);
		if (python_take(r, "=")) {
			v = python_expression(r);
			python_bind(r, t, v.kind);
		}
		if (!python_take(r, ","))
			break;
	}
	r->name[f - 1].parameters = count;
	python_expect(r, ")");
}

static void function(struct python_reader *r)
{
	const struct python_token *t = python_at(r, 0);
	size_t at = r->at + 1, place;

	python_declare(r, t, PYTHON_FUNCTION, PYTHON_BUILTIN, NULL);
	place = r->refused ? 0 : python_place(r, t->s, t->n);
	if (!place)
		return;
	if (r->name[place - 1].defined && r->name[place - 1].defined != at)
		python_refuse(r, "two meanings of ", t);
	r->name[place - 1].defined = at;
	r->at++;
	python_expect(r, "(");
	parameters(r, place);
	if (python_take(r, "->"))
		type(r);
	python_expect(r, ":");
}

static int is_end(const struct python_token *t)
{
	return t->type == PYTHON_NEWLINE || python_is(t, ";");
}

/* An expression that goes nowhere else. */
static void plain(struct python_reader *r)
{
	struct python_value v = python_list(r);

	python_use(r, &v);
}

static void as_name(struct python_reader *r, enum python_kind kind)
{
	python_bind(r, python_at(r, 0), kind);
	r->at++;
}

static void with(struct python_reader *r)
{
	do {
		struct python_value v = python_expression(r);

		python_use(r, &v);
		/* A file is itself; anything else may be another value. */
		if (python_take(r, "as"))
			as_name(r, v.kind == PYTHON_TEXT || v.kind == PYTHON_UNSET ? v.kind
			                                                          : PYTHON_ANY);
	} while (python_take(r, ","));
	python_expect(r, ":");
}

static void loop(struct python_reader *r)
{
	python_targets_in(r, python_list);
	python_expect(r, ":");
}

static void except(struct python_reader *r)
{
	if (!python_is(python_at(r, 0), ":")) {
		r->types++;
		plain(r);
		r->types--;
		if (python_take(r, "as"))
			as_name(r, PYTHON_ANY);
	}
	python_expect(r, ":");
}

static void returns(struct python_reader *r)
{
	struct python_value v = {.kind = PYTHON_MAYBE};
	enum python_kind is;

	if (!is_end(python_at(r, 0)))
		v = python_list(r);
	python_use(r, &v);
	is = python_join(r->returned, v.kind);
	r->changed |= is != r->returned;
	r->returned = is;
}

static void names_only(struct python_reader *r)
{
	do
		r->at++;
	while (python_take(r, ","));
}

/* The sign of the last assignment of the statement, outside of brackets: its place. 0: none. */
static size_t assignment(const struct python_reader *r)
{
	size_t last = 0;
	int depth = 0;

	for (size_t i = 0; python_at(r, i)->type != PYTHON_NEWLINE; i++) {
		const struct python_token *t = python_at(r, i);

		if (t->type == PYTHON_END || (!depth && python_is(t, ";")))
			break;
		if (t->type == PYTHON_FORMATTED)
			depth++;
		if (t->type == PYTHON_DONE)
			depth--;
		depth += (python_is(t, "(") || python_is(t, "[") || python_is(t, "{")) -
		         (python_is(t, ")") || python_is(t, "]") || python_is(t, "}"));
		if (!depth && python_is(t, "="))
			last = r->at + i;
	}
	return last;
}

/* x += value */
static void augmented(struct python_reader *r, size_t from)
{
	const struct python_token *t = &r->t.v[from];
	int is_name = r->at == from + 1, adds = python_is(python_at(r, 0), "+=");
	struct python_value v;
	enum python_kind kind;
	size_t begins = ++r->at;
	int number;

	v = python_list(r);
	python_use(r, &v);
	number = r->at == begins + 1 && r->t.v[begins].type == PYTHON_NUMBER;
	/* A list grows in its place, under all its names. */
	if (adds && !number && v.kind != PYTHON_TEXTS && v.kind != PYTHON_UNSET)
		python_mix(r);
	if (!is_name) {
		python_mix(r);
		return;
	}
	kind = adds && python_is_text(v.kind) && v.kind != PYTHON_UNSET ? PYTHON_TEXT
	                                                                : PYTHON_ANY;
	if (v.kind == PYTHON_TEXTS) /* with a list or tuple: the same */
		kind = PYTHON_UNSET;
	python_bind(r, t, v.kind == PYTHON_UNSET ? PYTHON_UNSET : kind);
}

static int is_augmented(const struct python_token *t)
{
	return t->type == PYTHON_OPERATOR && t->n >= 2 && t->s[t->n - 1] == '=' &&
	       strchr("+-*/%&|^<>@", *t->s) &&
	       !(t->n == 2 && strchr("<>", *t->s));
}

/* 1: a name, or several names: no item and no attribute. */
static int are_names(const struct python_reader *r)
{
	return !(python_at(r, 0)->type == PYTHON_NAME &&
	         (python_is(python_at(r, 1), ".") || python_is(python_at(r, 1), "[") ||
	          python_is(python_at(r, 1), "(")));
}

/* An item of a list, a dictionary or the environment. */
static void item(struct python_reader *r, enum python_kind kind)
{
	struct python_value v;

	/* Whether the compiled form of what is imported is written does not matter here. */
	if (python_is(python_at(r, 0), "sys") && python_is(python_at(r, 1), ".") &&
	    python_is(python_at(r, 2), "dont_write_bytecode")) {
		r->at += 3;
		return;
	}
	v = python_primary(r);
	if (!v.subscript)
		python_refuse(r, "a value for an attribute", NULL);
	python_use(r, &(struct python_value){.kind = kind});
	/* The elements of the value become those of a slice. */
	if (v.subscript == 2 ? kind != PYTHON_TEXTS && kind != PYTHON_UNSET : !python_is_text(kind))
		python_mix(r);
}

static void assigned(struct python_reader *r, size_t sign)
{
	size_t from = r->at, end;
	struct python_value v;

	r->at = sign + 1;
	v = python_list(r);
	end = r->at;
	if (v.kind == PYTHON_PROCESS && sign == from + 1 && python_waits_next(r, from, end))
		v.kind = PYTHON_ANY;
	r->at = from;
	while (!r->refused && r->at <= sign) {
		if (are_names(r))
			python_targets(r, v.kind);
		else
			item(r, v.kind);
		if (python_take(r, ":"))
			type(r);
		python_expect(r, "=");
	}
	r->at = end;
}

static void expression_or_assignment(struct python_reader *r)
{
	size_t sign = assignment(r), from = r->at;
	struct python_value v;

	if (sign) {
		assigned(r, sign);
		return;
	}
	v = python_list(r);
	if (is_augmented(python_at(r, 0)) && !r->refused) {
		python_use(r, &v);
		augmented(r, from);
	} else if (v.kind == PYTHON_PROCESS) {
		python_use(r, &v);
	} else if (v.kind == PYTHON_FUNCTION && !is_end(python_at(r, 0))) {
		python_refuse(r, NULL, NULL);
	}
}

static void simple(struct python_reader *r)
{
	if (python_take(r, "import")) {
		python_import(r);
	} else if (python_take(r, "from")) {
		python_from(r);
	} else if (python_take(r, "return")) {
		returns(r);
	} else if (python_take(r, "raise")) {
		if (!is_end(python_at(r, 0)))
			plain(r);
		if (python_take(r, "from"))
			plain(r);
	} else if (python_take(r, "assert")) {
		plain(r);
	} else if (python_take(r, "del")) {
		do {
			struct python_value v = python_primary(r);

			if (!v.subscript)
				python_use(r, &v);
		} while (python_take(r, ","));
	} else if (python_take(r, "global") || python_take(r, "nonlocal")) {
		names_only(r);
	} else if (!python_take(r, "pass") && !python_take(r, "break") &&
	           !python_take(r, "continue")) {
		expression_or_assignment(r);
	}
}

/* What begins a block, and then its first statement may follow. 0: something else. */
static int compound(struct python_reader *r)
{
	if (python_take(r, "if") || python_take(r, "elif") || python_take(r, "while")) {
		plain(r);
		python_expect(r, ":");
	} else if (python_take(r, "else") || python_take(r, "try") || python_take(r, "finally")) {
		python_expect(r, ":");
	} else if (python_take(r, "for")) {
		loop(r);
	} else if (python_take(r, "with")) {
		with(r);
	} else if (python_take(r, "except")) {
		except(r);
	} else if (python_take(r, "def")) {
		function(r);
	} else {
		return 0;
	}
	return 1;
}

static void pass(struct python_reader *r)
{
	r->at = 0;
	r->changed = 0;
	while (!r->refused && python_at(r, 0)->type != PYTHON_END) {
		if (python_at(r, 0)->type == PYTHON_NEWLINE) {
			r->at++;
			continue;
		}
		if (compound(r))
			continue;
		simple(r);
		if (!r->refused && !is_end(python_at(r, 0)))
			python_refuse(r, NULL, NULL);
		r->at++;
	}
}

/* 1: a function that the text never calls has parameters: they may be anything. */
static int fill_parameters(struct python_reader *r)
{
	int filled = 0;

	for (size_t i = 0; i < r->names; i++)
		for (size_t k = 0; r->name[i].defined && k < r->name[i].parameters; k++) {
			size_t place = r->name[i].parameter[k];

			if (!place || r->name[place - 1].kind != PYTHON_UNSET)
				continue;
			r->name[place - 1].kind = PYTHON_ANY;
			filled = 1;
		}
	return filled;
}

const char *python_text(const char *text, int imported, const struct python_found *found,
                        struct arena *a)
{
	struct python_reader r = {.a = a, .found = found, .imported = imported,
	                          .mixed = imported, .pipes = imported};
	int passes = 0;

	python_tokens(&r.t, text, a);
	if (r.t.refused)
		return r.t.refused;
	do
		pass(&r);
	while (!r.refused && (r.changed || fill_parameters(&r)) && ++passes < PASSES_MAX);
	if (!r.refused && passes == PASSES_MAX)
		return "a text with too many names";
	r.last = 1;
	if (!r.refused)
		pass(&r);
	return r.refused;
}
