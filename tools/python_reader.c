/* tools/python_reader.c - the tokens and the names of a text while it is read. */
#include "tools/python_reader.h"

#include <string.h>

#include "shim/banned.h"

/* Each use looks through them all; a wrapper has some dozens. */
#define NAMES_MAX 1000

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

/* A value that has no other sort than a name's. */
static int is_special(enum python_kind kind)
{
	return kind == PYTHON_ENVIRON || kind == PYTHON_SET;
}

/* A name of one sort has no value of another sort anywhere in the text. */
static int is_of(const struct python_name *v, enum python_kind kind, enum python_module module,
                 const struct python_member *member)
{
	if (v->kind == PYTHON_UNSET)
		return 1;
	return v->kind == kind && v->module == module && v->member == member;
}

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
	if (r->names == NAMES_MAX) {
		python_refuse(r, "a text with many names", NULL);
		return 0;
	}
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

int python_is_constant(const struct python_token *t)
{
	int letters = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->s[i] >= 'a' && t->s[i] <= 'z')
			return 0;
		letters |= t->s[i] >= 'A' && t->s[i] <= 'Z';
	}
	return letters;
}

void python_declare(struct python_reader *r, const struct python_token *t, enum python_kind kind,
                    enum python_module module, const struct python_member *member)
{
	struct python_name *v = name_of(r, t);

	if (!v)
		return;
	if (!is_of(v, kind, module, member) ||
	    (r->imported && kind > PYTHON_ANY && python_is_constant(t))) {
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
	if (kind > PYTHON_ANY && !is_special(kind)) {
		struct python_value value = {.kind = kind};

		python_use(r, &value);
		return;
	}
	if (v->member || v->defined || (v->kind > PYTHON_ANY && !is_special(v->kind)) ||
	    (r->imported && is_special(kind) && python_is_constant(t)) ||
	    (v->kind != PYTHON_UNSET && kind != PYTHON_UNSET &&
	     (v->kind > PYTHON_ANY || kind > PYTHON_ANY) && v->kind != kind)) {
		python_refuse(r, "two meanings of ", t);
		return;
	}
	is = v->kind > PYTHON_ANY ? v->kind : python_join(v->kind, kind);
	r->changed |= is != v->kind;
	v->kind = is;
}

void python_use(struct python_reader *r, const struct python_value *v)
{
	static const char *const why[] = {
		[PYTHON_ITERATOR] = "an iterator or a view as a value",
		[PYTHON_LISTING] = "names in the order of a directory",
		[PYTHON_SET] = "a set as a value",
		[PYTHON_FUNCTION] = "a function as a value",
		[PYTHON_MODULE] = "a module as a value",
		[PYTHON_ENVIRON] = "the environment as a value",
		[PYTHON_STDOUT] = "sys.stdout as a value",
		[PYTHON_STDERR] = "sys.stderr as a value"};

	if (v->kind > PYTHON_ANY)
		python_refuse(r, why[v->kind], NULL);
}

void python_use_variable(struct python_reader *r, const struct python_token *t)
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
