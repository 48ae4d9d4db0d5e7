/* tools/asks/calls.c - functions of headers that pass on the place of their caller.
 *
 * `f(const char *s = __builtin_FILE())` gives the name of f's caller. So f is a word that asks, and
 * so is each g whose parameters hold "= f()". In a body such a call gives the header's own name,
 * which is the same for all units.
 *
 * Three kinds of calls are not followed, and ask. Constructors may be called without their name.
 * The language calls some functions itself. The caller of a member's initialiser is the code that
 * makes the object. */
#include "tools/asks/parts.h"

#include <string.h>

#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

#define DEPTH_MOST 256
#define ROUNDS_MOST 8
#define BRANCHES_MOST 64
#define BRANCH_FRAMES 8 /* that a branch may close before it opens new frames */

/* Functions that the language calls. */
static const char unspelled[] =
	"begin\0" "end\0" "get\0" "await_transform\0" "yield_value\0" "return_value\0"
	"return_void\0" "initial_suspend\0" "final_suspend\0" "unhandled_exception\0"
	"get_return_object\0" "await_ready\0" "await_suspend\0" "await_resume\0" "operator\0";

enum frame_kind { CALL, INDEX, BODY, CLASS, SPACE, INIT };
struct frame {
	enum frame_kind kind;
	const char *word; /* the word before a parenthesis */
	size_t len;
	const char *segment, *opened; /* the text before a brace: from segment to opened */
	int equals, init;             /* the outer level's values */
};
/* The part of a statement seen so far. */
struct level {
	int equals, parens, is_class, is_space, is_alias;
};
/* The state at an #if: each of its branches begins with this state. */
struct branch {
	int depth, lowest, angles, template_next;
	struct level now;
	const char *segment;
	struct frame top[BRANCH_FRAMES];
};
struct scan {
	struct asks *x;
	struct asks_text *text;
	struct frame v[DEPTH_MOST];
	struct branch branch[BRANCHES_MOST];
	int depth, lowest, branches, changed, angles, template_next;
	struct level now;
	const char *begin, *end, *segment, *word;
	size_t len;
	char last; /* the last character that is neither a blank nor in a comment */
};

static void begin_statement(struct scan *s, const char *at)
{
	s->now = (struct level){0};
	s->segment = at;
	s->angles = s->template_next = 0;
}

/* From now on this function passes its caller's place on. 1: it cannot be followed. */
static int add_function(struct scan *s, const struct frame *f, int outer)
{
	struct asks_macro *m;

	if (!f->len || (*f->word >= '0' && *f->word <= '9'))
		return 1;
	if (list_has_n(unspelled, f->word, f->len))
		return 1;
	/* A constructor: its class has this name. */
	for (int i = outer; i >= 0; i--)
		if (s->v[i].kind == CLASS) {
			const char *p = s->v[i].segment;

			for (size_t n; (n = asks_next_word(&p, s->v[i].opened)) != 0; p += n)
				if (n == f->len && memcmp(p, f->word, n) == 0)
					return 1;
		}
	m = asks_macro(s->x, f->word, f->len, 1);
	if (!m)
		return 1;
	if (!(m->flags & CALLS))
		s->changed = 1;
	m->flags |= TAKES | CALLS;
	return 0;
}

/* The call is not evaluated, or is in a body. */
static int is_harmless(const struct frame *f)
{
	static const char words[] =
		"decltype\0" "noexcept\0" "sizeof\0" "for\0" "if\0" "while\0" "switch\0";

	return list_has_n(words, f->word, f->len);
}

/* A word that gives its caller's place stands here. 1: it cannot be followed. */
static int place(struct scan *s)
{
	int equals = s->now.equals, init = 0;

	for (int i = s->depth - 1; i >= 0; i--)
		if (s->v[i].kind == CALL && is_harmless(&s->v[i]))
			return 0;
	if (s->angles || s->now.is_alias)
		return 1;
	for (int i = s->depth - 1; i >= 0; i--) {
		const struct frame *f = &s->v[i];

		switch (f->kind) {
		case CALL:
			if (equals)
				return add_function(s, f, i - 1);
			break;
		case INDEX:
			break;
		case INIT:
			init = 1;
			break;
		case CLASS:
			return equals || init;
		case BODY:
		case SPACE:
			return 0;
		}
		equals = f->equals;
		init |= f->init;
	}
	return 0;
}

/* Nothing outside sees a declaration in a body. */
static int in_body(const struct scan *s)
{
	for (int i = s->depth - 1; i >= 0; i--)
		if (s->v[i].kind == BODY)
			return 1;
		else if (s->v[i].kind == CLASS || s->v[i].kind == SPACE)
			return 0;
	return 0;
}

static int is_assigned(const struct scan *s)
{
	for (int i = 0; i < s->depth; i++)
		if (s->v[i].equals)
			return 1;
	return s->now.equals || s->angles;
}

static enum frame_kind brace_kind(const struct scan *s)
{
	if (s->now.is_class)
		return CLASS;
	if (s->last == '}') /* behind a requires-expression */
		return BODY;
	if (s->last == ')' || s->now.parens)
		return s->now.equals ? INIT : BODY;
	if (s->now.is_space)
		return SPACE;
	return INIT;
}

static int push(struct scan *s, const char *at, enum frame_kind kind)
{
	if (s->depth == DEPTH_MOST)
		return -1;
	s->v[s->depth++] = (struct frame){kind, s->word, s->word && s->last == 'w' ? s->len : 0,
	                                  s->segment, at, s->now.equals, kind == INIT};
	if (kind == CALL || kind == INDEX)
		s->now.equals = 0;
	else
		begin_statement(s, at + 1);
	return 0;
}

static int pop(struct scan *s, const char *at, char c)
{
	enum frame_kind kind;

	if (!s->depth)
		return -1;
	kind = s->v[--s->depth].kind;
	s->lowest = s->depth < s->lowest ? s->depth : s->lowest;
	if ((c == ')') != (kind == CALL) || (c == ']') != (kind == INDEX))
		return -1;
	if (c == ')' || c == ']') {
		s->now.equals = s->v[s->depth].equals;
		s->now.parens = 1;
	} else if (kind == INIT) {
		s->now = (struct level){.equals = s->v[s->depth].equals};
		s->segment = s->v[s->depth].segment;
	} else {
		begin_statement(s, at + 1);
	}
	return 0;
}

/* True for "=" that is neither the second half of an operator nor in a template's angles. */
static int is_assignment(const struct scan *s, const char *at)
{
	if (s->angles || at + 1 == s->end || at[1] == '=' ||
	    (at > s->begin && strchr("=!<>+-*/%&|^", at[-1])))
		return 0;
	return s->last != 'w' || !s->word || !asks_word_is(s->word, s->len, "operator");
}

static int punctuation(struct scan *s, const char *at)
{
	char c = *at;

	if (c == '<' && s->template_next)
		s->angles++, s->template_next = 0;
	else if (c == '<' && s->angles)
		s->angles++;
	else if (c == '>' && s->angles)
		s->angles--;
	switch (c) {
	case '(': return push(s, at, CALL);
	case '[': return push(s, at, INDEX);
	case '{': return push(s, at, brace_kind(s));
	case ')':
	case ']':
	case '}': return pop(s, at, c);
	case '=':
		s->now.equals |= is_assignment(s, at);
		return 0;
	case ',':
		if (s->depth && s->v[s->depth - 1].kind == CALL)
			s->now.equals = 0;
		return 0;
	case ';':
		if (!s->depth || s->v[s->depth - 1].kind != CALL)
			begin_statement(s, at + 1);
		return 0;
	}
	return 0;
}

/* The entry of a word that has one of the flags that matter here, else NULL. */
static inline const struct asks_macro *flagged(struct asks *x, const char *w, size_t n)
{
	const struct asks_macro *m;
	unsigned hint = asks_hint(w, n);

	if (!(x->hints[hint / 8] >> hint % 8 & 1))
		return NULL;
	m = asks_macro(x, w, n, 0);
	return m && m->flags & (CALLS | PASTES | BASES) ? m : NULL;
}

static int word(struct scan *s, const char *w, size_t n)
{
	const struct asks_macro *m;

	s->word = w;
	s->len = n;
	if (asks_word_is(w, n, "template"))
		s->template_next = 1;
	else if (!s->angles && (asks_word_is(w, n, "class") || asks_word_is(w, n, "struct") ||
	                        asks_word_is(w, n, "union")))
		s->now.is_class = 1;
	else if (asks_word_is(w, n, "namespace") || asks_word_is(w, n, "extern") ||
	         asks_word_is(w, n, "enum"))
		s->now.is_space = 1;
	else if (asks_word_is(w, n, "using") || asks_word_is(w, n, "typedef"))
		s->now.is_alias = 1;
	m = flagged(s->x, w, n);
	if (!m)
		return 0;
	if (m->flags & BASES || (m->flags & PASTES && asks_paste(s->x, s->text, w, n, BASES)))
		return 1;
	if (!(s->x->words & ASKS_CXX))
		return 0;
	/* The macro's result may hold a default argument, or stand in a default argument. */
	if (m->flags & PASTES && !in_body(s) && (m->flags & EQUALS || is_assigned(s)) &&
	    asks_paste(s->x, s->text, w, n, TAKES))
		return 1;
	if (!(m->flags & CALLS))
		return 0;
	return (m->defined && m->flags & EQUALS && !in_body(s)) || place(s);
}

static void keep_branch(struct scan *s)
{
	struct branch *b = &s->branch[s->branches++];
	int from = s->depth < BRANCH_FRAMES ? 0 : s->depth - BRANCH_FRAMES;

	*b = (struct branch){.depth = s->depth, .lowest = s->lowest, .angles = s->angles,
		             .template_next = s->template_next, .now = s->now,
		             .segment = s->segment};
	memcpy(b->top, s->v + from, (size_t)(s->depth - from) * sizeof *s->v);
	s->lowest = s->depth;
}

/* -1: the branch closed frames that are no longer known. */
static int restore_branch(struct scan *s)
{
	struct branch *b = &s->branch[s->branches - 1];
	int from = b->depth < BRANCH_FRAMES ? 0 : b->depth - BRANCH_FRAMES;

	if (s->lowest < from)
		return -1;
	memcpy(s->v + from, b->top, (size_t)(b->depth - from) * sizeof *s->v);
	s->depth = s->lowest = b->depth;
	s->angles = b->angles;
	s->template_next = b->template_next;
	s->now = b->now;
	s->segment = b->segment;
	return 0;
}

/* All branches of an #if open and close the same: each begins with the state of the first. */
static int directive(struct scan *s, const char *p, const char *end)
{
	size_t n = asks_next_word(&p, end);

	if (n >= 2 && memcmp(p, "if", 2) == 0) {
		if (s->branches == BRANCHES_MOST)
			return -1;
		keep_branch(s);
	} else if (asks_word_is(p, n, "else") || (n >= 4 && memcmp(p, "elif", 4) == 0)) {
		return s->branches ? restore_branch(s) : -1;
	} else if (asks_word_is(p, n, "endif")) {
		if (!s->branches)
			return -1;
		s->branches--;
		if (s->branch[s->branches].lowest < s->lowest)
			s->lowest = s->branch[s->branches].lowest;
	}
	return 0;
}

static const char *skip_quoted(const char *p, const char *end)
{
	char quote = *p;

	for (p++; p < end && *p != quote; p++) {
		if (*p == '\n')
			return NULL;
		if (*p == '\\' && p + 1 < end)
			p++;
	}
	return p < end ? p + 1 : NULL;
}

/* Reads one piece of the text at p. Returns the start of the next piece, NULL where the text is not
 * understood. */
static const char *step(struct scan *s, const struct asks_text *t, const char *p, int *asks)
{
	const char *end = t->end;

	if (*p == '/' && p + 1 < end && p[1] == '/')
		return asks_line_end(p, end);
	if (*p == '/' && p + 1 < end && p[1] == '*') {
		p = asks_seek(p + 2, end, "*/");
		return p ? p + 2 : NULL;
	}
	if (asks_is_word(*p)) {
		size_t n = asks_next_word(&p, end);
		const char *behind = asks_skip_word(s->x, p, n, end);

		if (*p >= '0' && *p <= '9')
			s->word = NULL;
		else if (behind == p + n)
			*asks |= word(s, p, n);
		else
			return behind; /* a raw string */
		s->last = 'w';
		return behind;
	}
	if (*p == '"' || *p == '\'') {
		s->last = '"';
		s->word = NULL;
		return skip_quoted(p, end);
	}
	if (!ascii_blank(*p) && *p != '\n' && *p != '\\') {
		if (punctuation(s, p) < 0)
			return NULL;
		s->last = *p;
	}
	return p + 1;
}

/* 0: no word of the text has a flag, so nothing in it matters here. Most texts are such. */
static int is_concerned(struct asks *x, const struct asks_text *t)
{
	const char *p = t->s;

	for (size_t n; (n = asks_next_word(&p, t->end)) != 0; p += n)
		if (flagged(x, p, n))
			return 1;
	return 0;
}

/* 1: the text may ask. A text whose parentheses do not match asks if it holds any of the words.
 * s: room, of any content. */
static int scan_text(struct asks *x, struct scan *s, struct asks_text *t, int *changed)
{
	int fresh = 1, asks = 0, odd = 0;
	const char *p;

	if (!is_concerned(x, t))
		return 0;
	s->x = x;
	s->text = t;
	s->begin = t->s;
	s->end = t->end;
	s->depth = s->lowest = s->branches = s->changed = 0;
	s->word = NULL;
	s->len = 0;
	s->last = 0;
	begin_statement(s, t->s);
	for (p = t->s; p && p < t->end && !asks;) {
		if (*p == '#' && fresh) {
			const char *stop = asks_body_end(p, t->end);

			p = directive(s, p + 1, stop) < 0 ? NULL : stop;
			continue;
		}
		fresh = *p == '\n' || (fresh && ascii_blank(*p));
		p = step(s, t, p, &asks);
	}
	odd = !p || s->depth;
	for (p = t->s; odd && !asks && p < t->end;) {
		size_t n = asks_next_word(&p, t->end);
		const struct asks_macro *m = n ? asks_macro(x, p, n, 0) : NULL;

		asks |= m && (m->flags & (CALLS | BASES) ||
		              (m->flags & PASTES && asks_paste(x, t, p, n, TAKES)));
		p += n ? n : 1;
	}
	*changed |= s->changed;
	return asks;
}

int asks_calls(struct asks *x)
{
	struct scan *s = arena_alloc(x->arena, sizeof *s);
	int changed = 1;

	for (int round = 0; changed; round++) {
		changed = 0;
		if (!s || round == ROUNDS_MOST || asks_spread(x) < 0)
			return 1;
		for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++) {
			struct asks_text *t = ASKS_AT(x->texts, asks_text, i);

			if (!t->own && scan_text(x, s, t, &changed))
				return 1;
		}
	}
	return 0;
}
