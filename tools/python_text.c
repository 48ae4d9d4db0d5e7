/* tools/python_text.c - statements, and the names of a text. */
#include "tools/python_text.h"

#include <string.h>

#include "tools/python_parse.h"

#include "shim/banned.h"

/* Each pass raises a kind, of which a name has three; no wrapper needs so many. */
#define PASSES_MAX 64

const struct python_token *python_at(const struct python_reader *r, size_t ahead)
{
	size_t at = r->at + ahead;

	return &r->t.v[at < r->t.count ? at : r->t.count - 1];
}

int python_take(struct python_reader *r, const char *word)
{
	if (r->refused || !python_is(python_at(r, 0), word))
		return 0;
	r->at++;
	return 1;
}

void python_expect(struct python_reader *r, const char *word)
{
	if (!python_take(r, word))
		python_refuse(r, NULL, NULL);
}

/* The line of a token, for people. */
static const char *line_of(struct python_reader *r, const struct python_token *t)
{
	char text[16];
	size_t i = sizeof text - 1;
	unsigned line = 1;

	for (const char *s = r->t.v[0].s; s < t->s; s++)
		line += *s == '\n';
	text[i] = '\0';
	for (; line && i; line /= 10)
		text[--i] = (char)('0' + line % 10);
	return arena_strdup(r->a, text + i);
}

void python_refuse(struct python_reader *r, const char *why, const struct python_token *t)
{
	const char *word, *line;

	if (r->refused)
		return;
	if (!why && !t)
		t = python_at(r, 0);
	word = t ? arena_memdup(r->a, t->s, t->n) : "";
	line = line_of(r, t ? t : python_at(r, 0));
	if (t && t->type == PYTHON_NEWLINE)
		word = "the end of the line";
	r->refused = word && line ? arena_cat(r->a, why ? why : "", word, " (line ", line, ")",
	                                      NULL) : NULL;
	if (!r->refused)
		r->refused = "memory";
}

size_t python_place(struct python_reader *r, const char *s, size_t n)
{
	struct python_name *v;

	for (size_t i = 0; i < r->names; i++)
		if (r->name[i].n == n && memcmp(r->name[i].s, s, n) == 0)
			return i + 1;
	v = arena_grow(r->a, r->name, r->names, &r->name_cap, sizeof *v, 64);
	if (!v) {
		python_refuse(r, "memory", NULL);
		return 0;
	}
	r->name = v;
	v[r->names] = (struct python_name){.s = s, .n = n, .kind = PYTHON_UNSET};
	return ++r->names;
}

int python_is_text(enum python_kind k)
{
	return k == PYTHON_TEXT || k == PYTHON_TEXTS || k == PYTHON_UNSET;
}

enum python_kind python_element(const struct python_reader *r, enum python_kind k)
{
	if (k == PYTHON_UNSET)
		return k;
	return k == PYTHON_TEXTS && !r->mixed ? PYTHON_TEXT : PYTHON_ANY;
}

enum python_kind python_join(enum python_kind x, enum python_kind y)
{
	if (x == PYTHON_UNSET || x == y)
		return y;
	if (y == PYTHON_UNSET)
		return x;
	if (x <= PYTHON_TEXTS && y <= PYTHON_TEXTS)
		return PYTHON_TEXT;
	if (x <= PYTHON_MAYBE && y <= PYTHON_MAYBE)
		return PYTHON_MAYBE;
	return PYTHON_ANY;
}

void python_mix(struct python_reader *r)
{
	r->changed |= !r->mixed;
	r->mixed = 1;
}

/* 1: another text takes it for a constant. */
static int is_constant(const struct python_token *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->s[i] >= 'a' && t->s[i] <= 'z')
			return 0;
	return 1;
}

/* What a name is called may not hide what is built in. NULL: refused. */
static struct python_name *name_of(struct python_reader *r, const struct python_token *t)
{
	size_t place;

	if (t->type != PYTHON_NAME || python_is_keyword(t->s, t->n) ||
	    python_is_builtin(t->s, t->n) || (t->n > 1 && t->s[0] == '_' && t->s[1] == '_')) {
		python_refuse(r, "a new meaning of ", t);
		return NULL;
	}
	place = python_place(r, t->s, t->n);
	return place ? &r->name[place - 1] : NULL;
}

/* A name of one sort has no value of another sort anywhere in the text. */
static int is_of(const struct python_name *v, enum python_kind kind, enum python_module module,
                 const struct python_member *member)
{
	if (v->kind == PYTHON_UNSET)
		return 1;
	return v->kind == kind && v->module == module && v->member == member;
}

static void declare(struct python_reader *r, const struct python_token *t, enum python_kind kind,
                    enum python_module module, const struct python_member *member)
{
	struct python_name *v = name_of(r, t);

	if (!v)
		return;
	if (!is_of(v, kind, module, member) || (kind > PYTHON_ANY && is_constant(t))) {
		python_refuse(r, "two meanings of ", t);
		return;
	}
	r->changed |= v->kind == PYTHON_UNSET;
	v->kind = kind;
	v->module = module;
	v->member = member;
}

void python_bind(struct python_reader *r, const struct python_token *t, enum python_kind kind)
{
	struct python_name *v = name_of(r, t);
	enum python_kind is;

	if (!v)
		return;
	if (kind > PYTHON_ANY && kind != PYTHON_ENVIRON) {
		struct python_value value = {.kind = kind};

		python_use(r, &value);
		return;
	}
	if (v->member || v->defined || (v->kind > PYTHON_ANY && v->kind != PYTHON_ENVIRON) ||
	    (kind == PYTHON_ENVIRON && is_constant(t)) ||
	    (v->kind != PYTHON_UNSET && kind != PYTHON_UNSET &&
	     (v->kind > PYTHON_ANY || kind > PYTHON_ANY) && v->kind != kind)) {
		python_refuse(r, "two meanings of ", t);
		return;
	}
	is = v->kind > PYTHON_ANY ? v->kind : python_join(v->kind, kind);
	r->changed |= is != v->kind;
	v->kind = is;
}

/* One target: a name, an item, or several in brackets. */
static void target(struct python_reader *r, enum python_kind kind)
{
	const struct python_token *t = python_at(r, 0), *next = python_at(r, 1);
	const char *close = python_is(t, "(") ? ")" : python_is(t, "[") ? "]" : NULL;
	struct python_value v;

	if (close) {
		r->at++;
		if (++r->depth > 16)
			python_refuse(r, "too many brackets inside each other", NULL);
		python_targets(r, python_element(r, kind));
		r->depth--;
		python_expect(r, close);
		return;
	}
	if (t->type == PYTHON_NAME && !python_is(next, ".") && !python_is(next, "[") &&
	    !python_is(next, "(")) {
		python_bind(r, t, kind);
		r->at++;
		return;
	}
	/* Whether the compiled form of what is imported is written does not matter here. */
	if (python_is(t, "sys") && python_is(next, ".") &&
	    python_is(python_at(r, 2), "dont_write_bytecode")) {
		r->at += 3;
		return;
	}
	v = python_primary(r);
	if (!v.subscript)
		python_refuse(r, "a value for an attribute", NULL);
	if (!python_is_text(kind))
		python_mix(r);
}

/* Where a target list ends. */
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
	enum python_kind each = are_several(r) ? python_element(r, kind) : kind;

	while (!r->refused && !ends_targets(python_at(r, 0))) {
		int star = python_take(r, "*");

		/* A list of what is left. */
		target(r, star && each != PYTHON_UNSET ? PYTHON_TEXT : each);
		if (!python_take(r, ","))
			break;
	}
}

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

static void import(struct python_reader *r)
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
		declare(r, &bound, PYTHON_MODULE,
		        module < 0 ? PYTHON_HELPER : (enum python_module)module, NULL);
	} while (python_take(r, ","));
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
		kind = is_constant(t) ? PYTHON_ANY : PYTHON_FUNCTION;
		declare(r, bound, kind, kind == PYTHON_ANY ? PYTHON_BUILTIN : PYTHON_HELPER, NULL);
		return;
	}
	/* A statement of the compiler. */
	if (module == PYTHON_FUTURE)
		return;
	kind = m->flags & PYTHON_CALL && !(m->flags & PYTHON_VALUE) ? PYTHON_FUNCTION : m->kind;
	if (kind == PYTHON_MODULE)
		declare(r, bound, kind, PYTHON_OS_PATH, NULL);
	else if (kind <= PYTHON_ANY && !(m->flags & PYTHON_CALL))
		python_bind(r, bound, kind);
	else
		declare(r, bound, m->flags & PYTHON_VALUE ? PYTHON_ANY : kind, PYTHON_BUILTIN,
		        m->flags & PYTHON_CALL ? m : NULL);
}

static void from_import(struct python_reader *r)
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
		if (python_take(r, ":")) {
			v = python_expression(r);
			python_use(r, &v);
		}
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

	declare(r, t, PYTHON_FUNCTION, PYTHON_BUILTIN, NULL);
	place = r->refused ? 0 : python_place(r, t->s, t->n);
	if (!place)
		return;
	if (r->name[place - 1].defined && r->name[place - 1].defined != at)
		python_refuse(r, "two meanings of ", t);
	r->name[place - 1].defined = at;
	r->at++;
	python_expect(r, "(");
	parameters(r, place);
	if (python_take(r, "->")) {
		struct python_value v = python_expression(r);

		python_use(r, &v);
	}
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

static void with(struct python_reader *r)
{
	do {
		struct python_value v = python_expression(r);

		python_use(r, &v);
		/* What a file is as one is the file. */
		if (python_take(r, "as"))
			target(r, PYTHON_ANY);
	} while (python_take(r, ","));
	python_expect(r, ":");
}

static void loop(struct python_reader *r)
{
	size_t targets = r->at, end;
	struct python_value v;
	enum python_kind kind;

	python_targets(r, PYTHON_UNSET);
	python_expect(r, "in");
	v = python_list(r);
	kind = python_iterated(r, &v);
	end = r->at;
	r->at = targets;
	python_targets(r, kind);
	r->at = end;
	python_expect(r, ":");
}

static void except(struct python_reader *r)
{
	if (!python_is(python_at(r, 0), ":")) {
		plain(r);
		if (python_take(r, "as"))
			target(r, PYTHON_ANY);
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

static void assigned(struct python_reader *r, size_t sign)
{
	size_t from = r->at, end;
	struct python_value v;

	r->at = sign + 1;
	v = python_list(r);
	end = r->at;
	r->at = from;
	while (!r->refused && r->at <= sign) {
		python_targets(r, v.kind);
		/* With its type. */
		if (python_take(r, ":")) {
			struct python_value type = python_expression(r);

			python_use(r, &type);
		}
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
	} else if (v.kind == PYTHON_FUNCTION && !is_end(python_at(r, 0))) {
		python_refuse(r, NULL, NULL);
	}
}

static void simple(struct python_reader *r)
{
	if (python_take(r, "import")) {
		import(r);
	} else if (python_take(r, "from")) {
		from_import(r);
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
	struct python_reader r = {.a = a, .found = found, .imported = imported};
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
