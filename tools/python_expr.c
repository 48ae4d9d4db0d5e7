/* tools/python_expr.c - expressions: what kind of value each has, and that each use is allowed. */
#include <string.h>

#include "tools/python_parse.h"

#include "shim/banned.h"

/* Brackets inside each other. Hosts' threads have small stacks. */
#define DEPTH_MAX 48

static const struct python_value any = {.kind = PYTHON_ANY};

static int is_plain(enum python_kind k)
{
	return k <= PYTHON_ANY;
}

void python_use(struct python_reader *r, const struct python_value *v)
{
	static const char *const why[] = {
		[PYTHON_ITERATOR] = "an iterator or a view as a value",
		[PYTHON_LISTING] = "names in the order of a directory",
		[PYTHON_FUNCTION] = "a function as a value",
		[PYTHON_MODULE] = "a module as a value",
		[PYTHON_ENVIRON] = "the environment as a value",
		[PYTHON_STDOUT] = "sys.stdout as a value", [PYTHON_STDERR] = "sys.stderr as a value"};

	if (!is_plain(v->kind))
		python_refuse(r, why[v->kind], NULL);
}

static enum python_kind text_if(int is_text)
{
	return is_text ? PYTHON_TEXT : PYTHON_ANY;
}

enum python_kind python_iterated(struct python_reader *r, const struct python_value *v)
{
	if (v->kind == PYTHON_ITERATOR)
		return PYTHON_ANY;
	python_use(r, v);
	return python_element(r, v->kind);
}

static struct python_value or_test(struct python_reader *r);

/* Behind the first element of a comprehension, at `for`. */
static void comprehension(struct python_reader *r)
{
	while (python_take(r, "for")) {
		size_t targets = r->at;
		struct python_value v;
		enum python_kind kind;
		size_t end;

		/* The names stand before what they go through. */
		python_targets(r, PYTHON_UNSET);
		python_expect(r, "in");
		v = or_test(r);
		kind = python_iterated(r, &v);
		end = r->at;
		r->at = targets;
		python_targets(r, kind);
		r->at = end;
		while (python_take(r, "if")) {
			v = or_test(r);
			python_use(r, &v);
		}
	}
}

/* [ ], or ( ) behind the bracket, up to `close`. */
static struct python_value sequence(struct python_reader *r, const char *close)
{
	struct python_value v = any, first = {.kind = PYTHON_UNSET};
	int texts = 1, count = 0, commas = 0, is_list = *close == ']';

	while (!r->refused && !python_is(python_at(r, 0), close)) {
		int star = python_take(r, "*");

		v = python_expression(r);
		if (count++ == 0)
			first = v;
		if (python_is(python_at(r, 0), "for")) {
			python_use(r, &v);
			comprehension(r);
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

/* { } behind the brace: a dictionary. */
static struct python_value dictionary(struct python_reader *r)
{
	struct python_value out = {.kind = PYTHON_TEXT};

	while (!r->refused && !python_is(python_at(r, 0), "}")) {
		int star = python_take(r, "**");
		struct python_value v = python_expression(r);

		if (star && v.kind == PYTHON_ENVIRON) {
			out.kind = PYTHON_ENVIRON;
		} else {
			python_use(r, &v);
		}
		if (!star) {
			if (!python_is(python_at(r, 0), ":"))
				python_refuse(r, "a set", NULL);
			python_expect(r, ":");
			v = python_expression(r);
			python_use(r, &v);
			if (python_is(python_at(r, 0), "for"))
				comprehension(r);
		}
		if (!python_take(r, ","))
			break;
	}
	python_expect(r, "}");
	return out;
}

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

static struct python_value name(struct python_reader *r)
{
	const struct python_token *t = python_at(r, 0);
	const struct python_member *m = python_member(PYTHON_BUILTIN, t->s, t->n);
	struct python_value v = any;
	struct python_name *found;
	size_t place;

	r->at++;
	if (python_is(t, "None") || python_is(t, "True") || python_is(t, "False"))
		return v;
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

static struct python_value atom(struct python_reader *r)
{
	const struct python_token *t = python_at(r, 0);
	struct python_value v = any;

	if (r->refused)
		return v;
	if (++r->depth > DEPTH_MAX) {
		python_refuse(r, "too many brackets inside each other", NULL);
	} else if (t->type == PYTHON_NAME) {
		v = name(r);
	} else if (t->type == PYTHON_NUMBER) {
		r->at++;
	} else if (t->type == PYTHON_STRING || t->type == PYTHON_FORMATTED) {
		v = string(r);
	} else if (python_take(r, "(")) {
		v = sequence(r, ")");
	} else if (python_take(r, "[")) {
		v = sequence(r, "]");
	} else if (python_take(r, "{")) {
		v = dictionary(r);
	} else {
		python_refuse(r, NULL, t);
	}
	r->depth--;
	return v;
}

/* The literal names a variable of the environment; NULL: a value does, which may name any. */
static void variable(struct python_reader *r, const struct python_token *t)
{
	const char *text = t && !t->escapes ? arena_memdup(r->a, t->s, t->n) : "*";

	if (!text)
		python_refuse(r, "memory", NULL);
	else if (strncmp(text, "REPRISE_", 8) == 0 || strcmp(text, "LD_PRELOAD") == 0 ||
	         strcmp(text, "_") == 0 || !*text)
		python_refuse(r, "a variable that Reprise sets", NULL);
	else if (r->last) /* a pass before may not know what is called */
		r->found->variable(r->found->ctx, text);
}

struct arguments {
	const struct python_member *member; /* NULL: a function of a text */
	struct python_name *function;
	size_t function_place;
	enum python_kind base;              /* a method's object */
	const struct python_token *text;    /* that it is, where it is a literal */
	int count, stars, flushes, to_stderr;
	struct python_value first;
	int rest_is_text;                   /* of the others */
};

static int has_keyword(const struct python_member *m, const struct python_token *t)
{
	const char *k = m->keywords;

	if (k && strcmp(k, "*") == 0)
		return 1;
	for (; k && *k; k += strlen(k) + 1)
		if (python_is(t, k))
			return 1;
	return 0;
}

/* What a parameter of the text's own function gets. */
static void pass(struct python_reader *r, const struct arguments *a, size_t i,
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

static void keyword(struct python_reader *r, struct arguments *a)
{
	const struct python_token *t = python_at(r, 0);
	struct python_value v;

	r->at += 2;
	v = python_expression(r);
	if (!a->member) {
		python_use(r, &v);
		/* A name of this text, or of nothing. */
		if (a->function && a->function->defined)
			python_bind(r, t, v.kind);
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
		a->to_stderr = v.kind == PYTHON_STDERR;
	if ((python_is(t, "file") || python_is(t, "stdout") || python_is(t, "stderr")) &&
	    (v.kind == PYTHON_STDERR || v.kind == PYTHON_STDOUT))
		return;
	if (python_is(t, "env") && a->member->flags & PYTHON_ENV && v.kind == PYTHON_ENVIRON)
		return;
	python_use(r, &v);
}

/* An argument becomes an element of a list, or its elements do. */
static void mutated(struct python_reader *r, const struct arguments *a, int star,
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

static void positional(struct python_reader *r, struct arguments *a)
{
	unsigned flags = a->member ? a->member->flags : 0;
	int star = python_take(r, "*");
	struct python_value v = python_expression(r);
	int generator = python_is(python_at(r, 0), "for");

	if (generator) {
		python_use(r, &v);
		comprehension(r);
		v = (struct python_value){.kind = PYTHON_ITERATOR,
		                          .name = python_is_text(v.kind)};
	}
	/* The third argument of exec, the first one of dict. */
	if (star || !((v.kind == PYTHON_ITERATOR && flags & PYTHON_TAKES) ||
	              (v.kind == PYTHON_LISTING && flags & PYTHON_TAKES_LISTING) ||
	              (v.kind == PYTHON_ENVIRON && flags & PYTHON_ENV && !a->stars &&
	               a->count == (flags & PYTHON_COPIES ? 0 : 2))))
		python_use(r, &v);
	if (a->count == 0 && !a->stars)
		a->first = v;
	else
		a->rest_is_text &= !star && python_is_text(v.kind);
	if (star) {
		a->stars = 1;
		for (size_t i = 0; i < PYTHON_PARAMETERS_MAX; i++)
			pass(r, a, i, NULL);
	} else {
		pass(r, a, a->stars ? PYTHON_PARAMETERS_MAX : (size_t)a->count, &v);
	}
	if (flags & PYTHON_MUTATES)
		mutated(r, a, star, &v);
	a->count++;
}

static void arguments(struct python_reader *r, struct arguments *a)
{
	while (!r->refused && !python_is(python_at(r, 0), ")")) {
		if (python_at(r, 0)->type == PYTHON_NAME && python_is(python_at(r, 1), "=")) {
			keyword(r, a);
		} else if (python_take(r, "**")) {
			struct python_value v = python_expression(r);

			python_use(r, &v);
			if (a->member && (!a->member->keywords || *a->member->keywords != '*'))
				python_refuse(r, "** in a call", NULL);
			for (size_t i = 0; i < PYTHON_PARAMETERS_MAX; i++)
				pass(r, a, i, NULL);
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

/* "~" is the home of the variable HOME, which is keyed; ~name is another user's. */
static int is_home(const struct python_token *t)
{
	return t && !t->escapes && t->n && t->s[0] == '~' && (t->n == 1 || t->s[1] == '/');
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

static void check_arguments(struct python_reader *r, const struct arguments *a)
{
	unsigned flags = a->member->flags;

	if (flags & PYTHON_PATH &&
	    (a->count < 1 || a->stars || !python_is_text(a->first.kind)))
		python_refuse(r, "a text that may be a number or None: str() helps", NULL);
	if (flags & PYTHON_PATHS && !a->rest_is_text)
		python_refuse(r, "a text that may be a number or None: str() helps", NULL);
	if (flags & PYTHON_SINGLE && (a->count > 1 || a->stars))
		python_refuse(r, "more than one argument without a keyword", NULL);
	if (flags & PYTHON_NO_ARGUMENT && (a->count || a->stars))
		python_refuse(r, "an argument that is not known", NULL);
	if (flags & PYTHON_PRINTS && !a->to_stderr && !a->flushes)
		python_refuse(r, "print without flush=True", NULL);
	if (flags & PYTHON_HOME_ONLY && !is_home(a->first.literal))
		python_refuse(r, "expanduser of a value", NULL);
	if (flags & PYTHON_FORMAT && !is_plain_format(a->text))
		python_refuse(r, "format of a value", NULL);
	if (flags & PYTHON_VARIABLE)
		variable(r, a->count ? a->first.literal : NULL);
}

static struct python_value answer(const struct arguments *a)
{
	struct python_value v = {.kind = a->member->kind};

	if (a->member->flags & PYTHON_COPIES && a->first.kind == PYTHON_ENVIRON)
		v.kind = PYTHON_ENVIRON;
	else if (a->member->flags & PYTHON_KEEPS &&
	         (a->first.kind == PYTHON_TEXTS || a->first.kind == PYTHON_LISTING ||
	          a->count == 0 || (a->first.kind == PYTHON_ITERATOR && a->first.name)))
		v.kind = PYTHON_TEXTS;
	else if (a->member->flags & PYTHON_VARIABLE && a->count > 1)
		v.kind = a->rest_is_text ? PYTHON_TEXT : PYTHON_ANY;
	return v;
}

/* Behind the bracket of a call. */
static struct python_value call(struct python_reader *r, const struct python_value *f,
                                enum python_kind base, const struct python_token *text)
{
	struct arguments a = {.member = f->member, .base = base, .text = text,
	                      .function_place = f->name, .rest_is_text = 1,
	                      .first = {.kind = PYTHON_UNSET}};

	a.function = f->name ? &r->name[f->name - 1] : NULL;
	arguments(r, &a);
	if (r->refused)
		return any;
	if (a.member) {
		if (!(a.member->flags & PYTHON_CALL))
			python_refuse(r, "a call of a value", NULL);
		check_arguments(r, &a);
		return answer(&a);
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
	static const struct python_member reads = {
		.kind = PYTHON_MAYBE, .flags = PYTHON_CALL | PYTHON_VARIABLE, .name = ""};
	static const struct python_member changes = {
		.kind = PYTHON_ANY, .flags = PYTHON_CALL, .name = "", .keywords = "*"};
	struct python_value f = {.kind = PYTHON_FUNCTION};

	if (python_is(t, "copy") && python_take(r, "(")) {
		python_expect(r, ")");
		return (struct python_value){.kind = PYTHON_ENVIRON};
	}
	if (python_is(t, "get") || python_is(t, "pop") || python_is(t, "setdefault"))
		f.member = &reads;
	else if (python_is(t, "update"))
		f.member = &changes;
	if (!f.member || !python_take(r, "(")) {
		python_refuse(r, "the environment as a whole", NULL);
		return any;
	}
	return call(r, &f, PYTHON_ENVIRON, NULL);
}

static int is_constant(const struct python_token *t)
{
	int letters = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->s[i] >= 'a' && t->s[i] <= 'z')
			return 0;
		letters |= t->s[i] >= 'A' && t->s[i] <= 'Z';
	}
	return letters;
}

/* A member of another text: a function that is called, or a constant. That text may have taken a
 * known function from a module, whose answer is not known here. */
static struct python_value helper_member(struct python_reader *r, const struct python_token *t)
{
	if (is_constant(t) && *t->s != '_')
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

/* Behind the dot. */
static struct python_value attribute(struct python_reader *r, const struct python_value *base,
                                     enum python_kind *object)
{
	const struct python_token *t = python_at(r, 0);
	struct python_value v = any;
	const struct python_member *m;

	r->at++;
	if (t->type != PYTHON_NAME) {
		python_refuse(r, NULL, t);
		return v;
	}
	*object = base->kind;
	if (base->kind == PYTHON_UNSET && !r->last)
		return (struct python_value){.kind = PYTHON_UNSET};
	if (base->kind == PYTHON_ENVIRON)
		return environ_method(r, t);
	if (base->kind == PYTHON_MODULE && base->module == PYTHON_HELPER)
		return helper_member(r, t);
	if (base->kind == PYTHON_STDOUT || base->kind == PYTHON_STDERR) {
		if (!python_is(t, "flush") &&
		    !(base->kind == PYTHON_STDERR && python_is(t, "write")))
			python_refuse(r, "a standard stream: ", t);
	} else if (base->kind == PYTHON_FUNCTION || base->kind == PYTHON_LISTING ||
	           base->kind == PYTHON_ITERATOR) {
		python_use(r, base);
	}
	m = base->kind == PYTHON_MODULE ? python_member(base->module, t->s, t->n)
	                                : python_attribute(t->s, t->n);
	if (!m) {
		python_refuse(r, NULL, t);
		return v;
	}
	v.kind = m->flags & PYTHON_CALL && !(m->flags & PYTHON_VALUE) ? PYTHON_FUNCTION : m->kind;
	v.member = m;
	if (v.kind == PYTHON_MODULE)
		v.module = PYTHON_OS_PATH;
	return v;
}

/* Behind the bracket. */
static struct python_value subscript(struct python_reader *r, const struct python_value *base)
{
	struct python_value v, out = {.kind = PYTHON_ANY, .subscript = 1};
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
			variable(r, v.literal);
		if (python_is(python_at(r, 0), "]"))
			break;
		if (!python_is(python_at(r, 0), ":"))
			python_refuse(r, NULL, NULL);
		if (r->refused)
			return out;
	}
	python_expect(r, "]");
	if (base->kind == PYTHON_ENVIRON)
		out.kind = slice ? PYTHON_ANY : PYTHON_TEXT;
	else if (base->kind == PYTHON_UNSET)
		out.kind = PYTHON_UNSET;
	else if (slice)
		out.kind = base->kind == PYTHON_TEXTS ? PYTHON_TEXTS : PYTHON_TEXT;
	else
		out.kind = python_element(r, base->kind);
	return out;
}

/* A text's parts are texts. */
static void split_is_texts(struct python_value *v, const struct python_member *m,
                           enum python_kind base)
{
	if (python_is_text(base) && m && v->kind == PYTHON_ANY &&
	    (strcmp(m->name, "split") == 0 || strcmp(m->name, "rsplit") == 0 ||
	     strcmp(m->name, "splitlines") == 0))
		v->kind = PYTHON_TEXTS;
}

struct python_value python_primary(struct python_reader *r)
{
	struct python_value v = atom(r);
	enum python_kind object = PYTHON_ANY;
	const struct python_token *text = NULL;

	while (!r->refused) {
		if (python_take(r, ".")) {
			text = v.literal;
			v = attribute(r, &v, &object);
		} else if (python_take(r, "(")) {
			const struct python_member *m = v.member;

			if (++r->depth > DEPTH_MAX)
				python_refuse(r, "too many brackets inside each other", NULL);
			else
				v = call(r, &v, object, text);
			r->depth--;
			split_is_texts(&v, m, object);
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
		v = (struct python_value){.kind = text_if(texts)};
		if (i == 0 && both)
			v.kind = PYTHON_TEXTS;
		i = (size_t)-1;
	}
	return v;
}

/* What is right of `in`. */
static void contains(struct python_reader *r, const struct python_value *x,
                     const struct python_value *all)
{
	if (all->kind == PYTHON_ENVIRON)
		variable(r, x->literal);
	else if (all->kind != PYTHON_ITERATOR && all->kind != PYTHON_LISTING)
		python_use(r, all);
}

static struct python_value comparison(struct python_reader *r)
{
	static const char *const operators[] = {"==", "!=", "<", ">", "<=", ">=", "in", "is", "not"};
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
			if (!python_is(t, "None") && !python_is(t, "True") && !python_is(t, "False"))
				python_refuse(r, "is between values", NULL);
		}
		other = arithmetic(r);
		python_use(r, &v);
		if (in)
			contains(r, &v, &other);
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

static struct python_value and_test(struct python_reader *r)
{
	struct python_value v = not_test(r);

	while (!r->refused && python_take(r, "and")) {
		struct python_value other = not_test(r);

		python_use(r, &v);
		python_use(r, &other);
		v = (struct python_value){.kind = python_join(v.kind, other.kind)};
	}
	return v;
}

static struct python_value or_test(struct python_reader *r)
{
	struct python_value v = and_test(r);

	while (!r->refused && python_take(r, "or")) {
		struct python_value other = and_test(r);
		enum python_kind left = v.kind == PYTHON_MAYBE ? PYTHON_TEXT : v.kind;

		python_use(r, &v);
		python_use(r, &other);
		v = (struct python_value){.kind = python_join(left, other.kind)};
	}
	return v;
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
		if (v.kind != other.kind || v.kind != PYTHON_ENVIRON) {
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
		if (t->type == PYTHON_NEWLINE || t->type == PYTHON_FIELD_END || python_is(t, "=") ||
		    python_is(t, ":") || python_is(t, "]") || python_is(t, ")") || python_is(t, ";"))
			break;
	}
	if (!commas)
		return v;
	python_use(r, &v);
	return (struct python_value){.kind = texts ? PYTHON_TEXTS : PYTHON_TEXT};
}
