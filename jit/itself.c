/* jit/itself.c - whether a program could ask what it is called. */
#include "jit/itself.h"

#include <stdint.h>
#include <string.h>

#include "shim/banned.h"

#define BUCKETS 4096
#define MACROS_MOST (1u << 20)
/* Names that ask where they are compiled, and the macros that lead to one. */
#define TARGETS_MOST 32
#define TARGET_LONGEST 63

enum { TAKES = 1, /* its use in a text leads to that text's name, or to what ## makes */
       CALLS = 2  /* the same where it is a default argument: the name of who calls */ };

struct text {
	const char *s, *end;
	int own;
};

/* Any word that stands in a macro's text, a macro or not. */
struct macro {
	const char *name;
	size_t len;
	unsigned flags, next /* in its bucket */, used_by;
};

struct use {
	unsigned user, next;
};

struct target {
	const char *name;
	size_t len;
	uint64_t piece[TARGET_LONGEST]; /* bit n of [i]: its n letters from i on are a word of some text */
};

/* NVRTC's own macros of these names paste. */
static const char *const pasting[] = {"NV_", "_NV_"};
static const char *const callers[] = {"__builtin_FILE", "__builtin_FILE_NAME", "__builtin_source_location"};

#define AT(buf, type, i) (((struct type *)(void *)(buf).data) + (i))
#define COUNT(buf, type) ((unsigned)((buf).len / sizeof(struct type)))

static const unsigned char letters[256] = {['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1, ['_'] = 1};

static int is_word(char c)
{
	return letters[(unsigned char)c];
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Where it stands first, else NULL. memmem looks at each letter, and these texts are long. */
static const char *seek(const char *s, const char *end, const char *what)
{
	size_t n = strlen(what);

	for (; (s = memchr(s, *what, (size_t)(end - s))) != NULL; s++)
		if ((size_t)(end - s) >= n && memcmp(s, what, n) == 0)
			return s;
	return NULL;
}

/* The next word: its length, 0 at the end. *s moves to it. */
static size_t next_word(const char **s, const char *end)
{
	const char *p = *s;

	while (p < end && !is_word(*p))
		p++;
	*s = p;
	while (p < end && is_word(*p))
		p++;
	return (size_t)(p - *s);
}

static unsigned bucket(const char *s, size_t n)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	while (n--)
		h = (h ^ (unsigned char)*s++) * 16777619u;
	return (h ^ h >> 15) % BUCKETS;
}

/* Its index and one; 0: there is none. */
static unsigned find(struct itself *x, const char *name, size_t len, int add)
{
	unsigned *head = &x->buckets[bucket(name, len)];
	struct macro new = {.name = name, .len = len, .next = *head};

	for (unsigned i = *head; i; i = AT(x->macros, macro, i - 1)->next)
		if (AT(x->macros, macro, i - 1)->len == len && memcmp(AT(x->macros, macro, i - 1)->name, name, len) == 0)
			return i;
	if (!add)
		return 0;
	if (COUNT(x->macros, macro) >= MACROS_MOST)
		x->macros.failed = 1;
	buf_add(&x->macros, &new, sizeof new);
	if (x->macros.failed)
		return 0;
	return *head = COUNT(x->macros, macro);
}

/* What a word asks for by itself. */
static unsigned word_flags(const char *word, size_t n)
{
	if (seek(word, word + n, "FILE") || seek(word, word + n, "source_location")) {
		for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
			if (n == strlen(callers[i]) && memcmp(word, callers[i], n) == 0)
				return TAKES | CALLS;
		return TAKES;
	}
	if (n == strlen("assert") && memcmp(word, "assert", n) == 0)
		return TAKES;
	for (size_t i = 0; i < sizeof pasting / sizeof *pasting; i++)
		if (n >= strlen(pasting[i]) && memcmp(word, pasting[i], strlen(pasting[i])) == 0)
			return TAKES;
	return 0;
}

/* The end of a line that may go on behind a backslash, which compilers also see before blanks. */
static const char *line_end(const char *s, const char *end)
{
	for (const char *p = s;; p++) {
		const char *last;

		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return end;
		for (last = p; last > s && is_blank(last[-1]); last--)
			;
		if (last == s || last[-1] != '\\')
			return p;
	}
}

/* The end of a macro's text that begins here: a comment in it may hold line ends. */
static const char *body_end(const char *s, const char *end)
{
	const char *stop = line_end(s, end), *from = s;

	while ((from = seek(from, stop, "/*")) != NULL) {
		const char *until = seek(from + 2, end, "*/");

		if (!until)
			return end;
		if (until >= stop)
			stop = line_end(until, end);
		from = until + 2 <= stop ? until + 2 : stop;
	}
	return stop;
}

/* What follows "#define", to the end of its line. */
static void define(struct itself *x, const char *s, const char *end)
{
	unsigned user;
	size_t n;

	while (s < end && is_blank(*s))
		s++;
	for (n = 0; s + n < end && is_word(s[n]); n++)
		;
	/* Else it is none, unless a comment or a line's end stands before the name. */
	if (!n) {
		x->unclear |= s < end && (*s == '/' || *s == '\\');
		return;
	}
	user = find(x, s, n, 1);
	if (!user)
		return;
	s += n;
	end = body_end(s, end);
	if (seek(s, end, "##"))
		AT(x->macros, macro, user - 1)->flags |= TAKES;
	for (; (n = next_word(&s, end)) != 0; s += n) {
		unsigned flags = word_flags(s, n), used = find(x, s, n, 1);
		struct use one;

		if (!used)
			return;
		AT(x->macros, macro, user - 1)->flags |= flags;
		one.user = user;
		one.next = AT(x->macros, macro, used - 1)->used_by;
		buf_add(&x->uses, &one, sizeof one);
		if (x->uses.failed)
			return;
		AT(x->macros, macro, used - 1)->used_by = COUNT(x->uses, use);
	}
}

/* Every definition, wherever one seems to stand. */
static void definitions(struct itself *x, const struct text *t)
{
	for (const char *p = t->s; (p = memchr(p, '#', (size_t)(t->end - p))) != NULL;) {
		while (++p < t->end && is_blank(*p))
			;
		if (t->end - p >= 6 && memcmp(p, "define", 6) == 0)
			define(x, p + 6, t->end);
		else if (p < t->end && (*p == '\\' || (*p == '/' && t->end - p > 1 && p[1] == '*')))
			x->unclear = 1;
		/* It may give a name of its own, or the name it has anew. */
		else if (t->own && p < t->end && ((*p >= '0' && *p <= '9') || (t->end - p >= 4 && memcmp(p, "line", 4) == 0)))
			x->unclear = 1;
	}
}

/* A macro is what its text is. */
static int spread(struct itself *x)
{
	unsigned count = COUNT(x->macros, macro), waiting = 0;
	unsigned *stack = arena_alloc(x->arena, (2 * (size_t)count + 1) * sizeof *stack);

	if (!stack)
		return -1;
	for (unsigned i = 0; i < count; i++)
		if (AT(x->macros, macro, i)->flags)
			stack[waiting++] = i;
	/* Each is put there again at most once, with its second flag. */
	while (waiting) {
		const struct macro *m = AT(x->macros, macro, stack[--waiting]);

		for (unsigned u = m->used_by; u; u = AT(x->uses, use, u - 1)->next) {
			unsigned user = AT(x->uses, use, u - 1)->user - 1;
			struct macro *by = AT(x->macros, macro, user);

			if ((by->flags | m->flags) != by->flags) {
				by->flags |= m->flags;
				stack[waiting++] = user;
			}
		}
	}
	return 0;
}

static int own_asks(struct itself *x, const struct text *t)
{
	const char *s = t->s;

	if (seek(s, t->end, "##"))
		return 1;
	for (size_t n; (n = next_word(&s, t->end)) != 0; s += n) {
		unsigned macro = find(x, s, n, 0);

		if (word_flags(s, n) || (macro && AT(x->macros, macro, macro - 1)->flags))
			return 1;
	}
	return 0;
}

struct targets {
	struct target v[TARGETS_MOST];
	unsigned count;
	unsigned char pair[256][32]; /* letters that stand side by side in one */
	unsigned char letter[256];
};

static int target_add(struct targets *all, const char *name, size_t len)
{
	struct target *t = &all->v[all->count];

	if (all->count == TARGETS_MOST || len > TARGET_LONGEST)
		return -1;
	all->count++;
	t->name = name;
	t->len = len;
	for (size_t i = 0; i < len; i++) {
		all->letter[(unsigned char)name[i]] = 1;
		if (i + 1 < len)
			all->pair[(unsigned char)name[i]][(unsigned char)name[i + 1] / 8] |= (unsigned char)(1u << (unsigned char)name[i + 1] % 8);
	}
	return 0;
}

/* 1: the word is one of them. Else what piece of which it is, is noted. */
static int target_word(struct targets *all, const char *word, size_t n)
{
	const unsigned char *w = (const unsigned char *)word;

	if (n > 1 ? !(all->pair[w[0]][w[1] / 8] & 1u << w[1] % 8) : !all->letter[w[0]])
		return 0;
	for (unsigned i = 0; i < all->count; i++) {
		struct target *t = &all->v[i];

		if (t->len == n && memcmp(t->name, word, n) == 0)
			return 1;
		for (size_t at = 0; at + n <= t->len; at++)
			if (t->name[at] == *word && t->name[at + n - 1] == word[n - 1] && memcmp(t->name + at, word, n) == 0)
				t->piece[at] |= (uint64_t)1 << n;
	}
	return 0;
}

/* Whether it can be put together from what is there. */
static int is_pasted(const struct target *t)
{
	unsigned char reached[TARGET_LONGEST + 1] = {1};

	for (size_t at = 0; at < t->len; at++)
		for (size_t n = 1; reached[at] && at + n <= t->len; n++)
			if (t->piece[at] & (uint64_t)1 << n)
				reached[at + n] = 1;
	return reached[t->len];
}

static int goes_on(const char *line, const char *begin)
{
	const char *p;

	for (p = line > begin ? line - 1 : begin; p > begin && is_blank(p[-1]); p--)
		;
	return p > begin && p[-1] == '\\';
}

/* A line that begins here is the preprocessor's, for certain: it has no part before which a comment ends, and the one before
 * it does not go on. */
static int is_directive(const char *s, const char *end, const char *begin)
{
	const char *from, *until;

	while (s < end && is_blank(*s))
		s++;
	if (s == end || *s != '#')
		return 0;
	from = seek(s, end, "/*");
	until = seek(s, end, "*/");
	return (!until || (from && from < until)) && !goes_on(s, begin);
}

/* The end of the comment that begins with this line, for certain, if one does; else the line. A text with raw strings is none
 * of those that are asked. */
static const char *comment_end(const char *s, const struct text *t)
{
	const char *p = s, *stop;

	while (p < t->end && is_blank(*p))
		p++;
	if (t->end - p < 2 || *p != '/' || goes_on(s, t->s))
		return s;
	if (p[1] == '*') {
		stop = seek(p + 2, t->end, "*/");
		return stop ? stop + 2 : t->end;
	}
	stop = p[1] == '/' ? line_end(p, t->end) : s;
	/* Within a comment of the other kind, which may end there. */
	return stop > p && seek(p, stop, "*/") ? s : stop;
}

/* The words of a text: 1 when one outside of directives asks by whom it is called. */
static int text_calls(struct targets *all, const struct text *t)
{
	int raw = seek(t->s, t->end, "R\"") != NULL;
	for (const char *s = t->s, *stop; s < t->end; s = stop + 1) {
		int directive;

		s = raw ? s : comment_end(s, t);
		stop = line_end(s, t->end);
		directive = is_directive(s, stop, t->s);
		for (size_t n; (n = next_word(&s, stop)) != 0; s += n)
			if (target_word(all, s, n) && (raw || !directive))
				return 1;
	}
	return 0;
}

/* Whether a header hands its caller's name on, or could. */
static int called(struct itself *x)
{
	struct targets *all = arena_alloc(x->arena, sizeof *all);
	int pastes = 0;

	if (!all)
		return 1;
	for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
		target_add(all, callers[i], strlen(callers[i]));
	for (unsigned i = 0; i < COUNT(x->macros, macro); i++) {
		const struct macro *m = AT(x->macros, macro, i);

		if (m->flags & CALLS && target_add(all, m->name, m->len) < 0)
			return 1;
	}
	for (unsigned i = 0; i < COUNT(x->texts, text); i++) {
		const struct text *t = AT(x->texts, text, i);

		if (text_calls(all, t))
			return 1;
		pastes |= seek(t->s, t->end, "##") != NULL;
	}
	for (unsigned i = 0; i < all->count && pastes; i++)
		if (is_pasted(&all->v[i]))
			return 1;
	return 0;
}

void itself_init(struct itself *x, struct arena *arena)
{
	*x = (struct itself){.arena = arena, .texts = BUF_INIT(arena), .macros = BUF_INIT(arena), .uses = BUF_INIT(arena)};
}

void itself_add(struct itself *x, const char *text, size_t n, int own)
{
	struct text one = {text, text + n, own};

	buf_add(&x->texts, &one, sizeof one);
}

int itself_asks(struct itself *x)
{
	x->buckets = arena_alloc(x->arena, BUCKETS * sizeof *x->buckets);
	if (!x->buckets || x->texts.failed)
		return 1;
	for (unsigned i = 0; i < COUNT(x->texts, text); i++) {
		const struct text *t = AT(x->texts, text, i);

		/* "%:" is "#"; "??=" as well and "??/" a backslash, where trigraphs are. */
		if (seek(t->s, t->end, "%:") || seek(t->s, t->end, "?\?=") || seek(t->s, t->end, "?\?/"))
			return 1;
		definitions(x, t);
	}
	if (x->unclear || x->macros.failed || x->uses.failed || spread(x) < 0)
		return 1;
	for (unsigned i = 0; i < COUNT(x->texts, text); i++)
		if (AT(x->texts, text, i)->own && own_asks(x, AT(x->texts, text, i)))
			return 1;
	return called(x);
}
