/* tools/asks/words.c - cuts a text into words, and keeps the table of words in macros. */
#include "tools/asks/words.h"

#include <stdint.h>
#include <string.h>

#include "shim/buf.h"
#include "shim/list.h"

#include "shim/banned.h"

#define MACROS_MOST (1u << 20)

const char asks_takers[] = ASKS_CALLERS "__FILE__\0__BASE_FILE__\0__FILE_NAME__\0";
const unsigned char asks_letters[256] = {['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1,
	                                   ['_'] = 1, ['$'] = 1};

/* memmem looks at each letter, and these texts are long. */
const char *asks_seek(const char *s, const char *end, const char *what)
{
	size_t n = strlen(what);

	for (; (s = memchr(s, *what, (size_t)(end - s))) != NULL; s++)
		if ((size_t)(end - s) >= n && memcmp(s, what, n) == 0)
			return s;
	return NULL;
}

/* The place behind the line end, if this backslash joins two lines. */
static const char *splice_end(const char *s, const char *end)
{
	for (s++; s < end && ascii_blank(*s); s++)
		;
	return s < end && *s == '\n' ? s + 1 : NULL;
}

static int is_gap(char c)
{
	return ascii_blank(c) || c == '\n';
}

/* Macros of many lines are common, and have blanks where lines are joined: such a text stays as it
 * is. */
static const char *first_joint(const char *text, const char *end)
{
	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++) {
		const char *behind = splice_end(p, end);

		if (behind && behind < end && p > text && !is_gap(p[-1]) && !is_gap(*behind))
			return p;
	}
	return NULL;
}

const char *asks_joined(struct arena *arena, const char *text, size_t *n)
{
	const char *end = text + *n, *s = text, *behind;
	char *joined, *to;

	if (!first_joint(text, end))
		return text;
	joined = to = arena_alloc(arena, *n);
	for (const char *p = text; joined && (p = memchr(p, '\\', (size_t)(end - p))) != NULL;) {
		behind = splice_end(p, end);
		if (behind) {
			memcpy(to, s, (size_t)(p - s));
			to += p - s;
			s = behind;
		}
		p = behind ? behind : p + 1;
	}
	if (!joined)
		return NULL;
	memcpy(to, s, (size_t)(end - s));
	*n = (size_t)(to - joined) + (size_t)(end - s);
	return joined;
}

size_t asks_next_word(const char **s, const char *end)
{
	const char *p = *s;

	while (p < end && !asks_is_word(*p))
		p++;
	*s = p;
	while (p < end && asks_is_word(*p))
		p++;
	return (size_t)(p - *s);
}

/* Compilers also accept blanks between the backslash and the line's end. */
const char *asks_line_end(const char *s, const char *end)
{
	for (const char *p = s;; p++) {
		const char *last;

		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return end;
		for (last = p; last > s && ascii_blank(last[-1]); last--)
			;
		if (last == s || last[-1] != '\\')
			return p;
	}
}

const char *asks_body_end(const char *s, const char *end)
{
	const char *stop = asks_line_end(s, end), *from = s;

	while ((from = asks_seek(from, stop, "/*")) != NULL) {
		const char *until = asks_seek(from + 2, end, "*/");

		if (!until)
			return end;
		if (until >= stop)
			stop = asks_line_end(until, end);
		from = until + 2 <= stop ? until + 2 : stop;
	}
	return stop;
}

/* Skips the digits of 1'000. */
static const char *skip_digits(const char *p, const char *end)
{
	while (p + 1 < end && *p == '\'' && asks_is_word(p[1]))
		for (p++; p < end && asks_is_word(*p); p++)
			;
	return p;
}

int asks_is_raw(const char *word, size_t n)
{
	return list_has_n("R\0LR\0uR\0UR\0u8R\0", word, n);
}

/* p: its first quote. */
static const char *skip_raw(const char *p, const char *end)
{
	char last[20] = ")";
	const char *first = memchr(p, '(', (size_t)(end - p));
	size_t n = first ? (size_t)(first - p - 1) : sizeof last;

	if (n > 16)
		return NULL;
	memcpy(last + 1, p + 1, n);
	last[n + 1] = '"';
	last[n + 2] = '\0';
	p = asks_seek(first, end, last);
	return p ? p + n + 2 : NULL;
}

const char *asks_skip_word(const struct asks *x, const char *word, size_t n, const char *end)
{
	const char *p = word + n;

	if (p < end && *p == '"' && asks_is_raw(word, n))
		return skip_raw(p, end);
	if (!ascii_digit(*word))
		return p;
	/* C before C23 reads 1'0' as a number and a character. */
	return p < end && *p == '\'' && !(x->words & ASKS_CXX) ? NULL : skip_digits(p, end);
}

/* The place behind a comment or quoted text that begins here. NULL: neither begins here, or it does
 * not end. */
const char *asks_skip_other(const char *s, const char *end)
{
	const char *p;

	if (*s == '/' && s + 1 < end && s[1] == '/')
		return asks_line_end(s, end);
	if (*s == '/' && s + 1 < end && s[1] == '*')
		return (p = asks_seek(s + 2, end, "*/")) ? p + 2 : NULL;
	if (*s != '"' && *s != '\'')
		return NULL;
	for (p = s + 1; p < end && *p != *s; p++)
		if (*p == '\\')
			p++;
		else if (*p == '\n')
			return NULL;
	return p < end ? p + 1 : NULL;
}

size_t asks_next_code_word(const char **s, const char *end)
{
	const char *p = *s;
	size_t n;

	while (p < end && !asks_is_word(*p)) {
		const char *behind = asks_skip_other(p, end);

		p = behind ? behind : p + 1;
	}
	*s = p;
	n = asks_next_word(s, end);
	return n && ascii_digit(**s) ? (size_t)(skip_digits(*s + n, end) - *s) : n;
}

const char *asks_skip_gap(const char *s, const char *end)
{
	while (s < end) {
		const char *behind = *s == '/' ? asks_skip_other(s, end) : NULL;

		if (behind)
			s = behind;
		else if (is_gap(*s) || *s == '\\')
			s++;
		else
			break;
	}
	return s;
}

int asks_is_parameter(const struct asks_body *body, const char *word, size_t len)
{
	const char *list = body->list;

	for (size_t n; (n = asks_next_code_word(&list, body->s)) != 0; list += n)
		if (n == len && memcmp(list, word, n) == 0)
			return 1;
	return 0;
}

/* Long names are told apart by three parts of eight bytes. */
static uint64_t hash(const char *s, size_t n)
{
	uint64_t h = n, part;

	if (n < sizeof part)
		for (size_t i = 0; i < n; i++)
			h = h << 8 | (unsigned char)s[i];
	for (size_t i = 0; n >= sizeof part && i < 3; i++) {
		memcpy(&part, s + i * (n - sizeof part) / 2, sizeof part);
		h = (h ^ part) * 0x9e3779b97f4a7c15u;
	}
	return h * 0x9e3779b97f4a7c15u;
}

int asks_has_other_ends(const char *s, const char *end)
{
	for (; (s = memchr(s, '\r', (size_t)(end - s))) != NULL; s++)
		if (s + 1 == end || s[1] != '\n')
			return 1;
	return 0;
}

int asks_clear_table(struct asks *x)
{
	if (x->buckets)
		memset(x->buckets, 0, sizeof(struct asks_table));
	else
		x->buckets = arena_alloc(x->arena, sizeof(struct asks_table));
	x->macros.len = 0;
	return x->buckets ? 0 : -1;
}

static struct asks_macro *find(const struct asks *x, uint64_t h, const char *name, size_t len)
{
	unsigned bit = h >> 20 & (8 * ASKS_PRESENT - 1), i;

	if (!(x->buckets->present[bit / 8] >> bit % 8 & 1))
		return NULL;
	for (i = x->buckets->first[h >> 48 & (ASKS_BUCKETS - 1)]; i;
	     i = ASKS_AT(x->macros, asks_macro, i - 1)->next) {
		struct asks_macro *m = ASKS_AT(x->macros, asks_macro, i - 1);

		if (m->len == len && memcmp(m->name, name, len) == 0)
			return m;
	}
	return NULL;
}

const struct asks_macro *asks_known(const struct asks *x, const char *name, size_t len)
{
	return find(x, hash(name, len), name, len);
}

struct asks_macro *asks_macro(struct asks *x, const char *name, size_t len, int add)
{
	uint64_t h = hash(name, len);
	struct asks_macro *found = find(x, h, name, len);
	unsigned bit = h >> 20 & (8 * ASKS_PRESENT - 1);
	unsigned *head = &x->buckets->first[h >> 48 & (ASKS_BUCKETS - 1)];
	struct asks_macro new = {.name = name, .len = len, .next = *head};

	if (found || !add)
		return found;
	if (ASKS_COUNT(x->macros, asks_macro) >= MACROS_MOST)
		x->macros.failed = 1;
	buf_add(&x->macros, &new, sizeof new);
	if (x->macros.failed)
		return NULL;
	x->buckets->present[bit / 8] |= (unsigned char)(1u << bit % 8);
	*head = ASKS_COUNT(x->macros, asks_macro);
	return ASKS_AT(x->macros, asks_macro, *head - 1);
}

void asks_init(struct asks *x, struct arena *arena, unsigned words)
{
	*x = (struct asks){.arena = arena, .words = words, .texts = BUF_INIT(arena),
		           .macros = BUF_INIT(arena), .uses = BUF_INIT(arena),
		           .lines = BUF_INIT(arena), .dead = BUF_INIT(arena),
		           .bodies = BUF_INIT(arena), .flagged = BUF_INIT(arena),
		           .ends = BUF_INIT(arena), .known_uses = BUF_INIT(arena)};
}

static const char types[] =
	"char\0" "double\0" "float\0" "int\0" "long\0" "short\0" "signed\0" "unsigned\0";

static size_t run(const char *s, size_t n, const char *of)
{
	size_t i = 0;

	while (i < n && s[i] && strchr(of, s[i]))
		i++;
	return i;
}

int asks_is_own_value(const char *s, size_t n)
{
	size_t i;

	if (!ascii_digit(*s))
		return n > 2 && n < 9 && list_has_n(types, s, n);
	i = n > 2 && s[0] == '0' && s[1] == 'x' ? 2 + run(s + 2, n - 2, "0123456789abcdefABCDEF")
	                                        : run(s, n, "0123456789");
	return i + run(s + i, n - i, "LUlu") == n;
}

int asks_is_own_suffix(const char *s, size_t n)
{
	static const char suffixes[] = "L\0LL\0U\0UL\0ULL\0Z\0UZ\0extern\0weak\0";

	return n < 7 && list_has_n(suffixes, s, n);
}

int asks_holds_own_value(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ascii_digit(s[i]) || asks_is_own_suffix(s + i, n - i))
			return 1;
	for (const char *type = types; *type; type = LIST_NEXT(type))
		if (asks_seek(s, s + n, type))
			return 1;
	return 0;
}

static void note_ends(struct asks *x, unsigned i)
{
	const struct asks_macro *m = ASKS_AT(x->macros, asks_macro, i);
	struct asks_ends e = {.macro = i};

	if (!m->bodies || m->len < sizeof e.first)
		return;
	memcpy(e.first, m->name, sizeof e.first);
	memcpy(e.last, m->name + m->len - sizeof e.last, sizeof e.last);
	buf_add(&x->ends, &e, sizeof e);
}

static int note_flags(struct asks *x)
{
	x->flagged.len = x->ends.len = 0;
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++) {
		struct asks_text *t = ASKS_AT(x->texts, asks_text, i);

		t->pasted = t->pasted_known = t->could_known = 0;
		t->opened = NULL;
	}
	if (!x->hints)
		x->hints = arena_alloc(x->arena, ASKS_HINTS);
	if (!x->hints)
		return -1;
	for (unsigned i = 0; i < ASKS_COUNT(x->macros, asks_macro); i++) {
		struct asks_macro *m = ASKS_AT(x->macros, asks_macro, i);
		unsigned hint = asks_hint(m->name, m->len);

		m->pasted = m->pasted_known = 0;
		note_ends(x, i);
		if (m->flags & (CALLS | PASTES | BASES))
			x->hints[hint / 8] |= (unsigned char)(1u << hint % 8);
		if (m->flags & (TAKES | BASES | OPENED))
			buf_add(&x->flagged, &i, sizeof i);
	}
	return x->flagged.failed || x->ends.failed ? -1 : 0;
}

int asks_takes_arguments(const struct asks *x, const struct asks_macro *m)
{
	for (unsigned b = m->bodies; b; b = ASKS_AT(x->bodies, asks_body, b - 1)->next)
		if (asks_has_parameters(ASKS_AT(x->bodies, asks_body, b - 1)))
			return 1;
	return 0;
}

int asks_stands_alone(const struct asks *x, const struct asks_macro *m)
{
	for (unsigned b = m->bodies; b; b = ASKS_AT(x->bodies, asks_body, b - 1)->next)
		if (!asks_has_parameters(ASKS_AT(x->bodies, asks_body, b - 1)))
			return 1;
	return 0;
}

/* A macro's name that stands in another macro's text takes its arguments from elsewhere. */
static void note_bare(struct asks *x)
{
	for (unsigned i = 0; i < ASKS_COUNT(x->macros, asks_macro); i++) {
		const struct asks_macro *m = ASKS_AT(x->macros, asks_macro, i);

		if (!asks_takes_arguments(x, m))
			continue;
		for (unsigned u = m->used_by; u; u = ASKS_AT(x->uses, asks_use, u - 1)->next) {
			const struct asks_use *use = ASKS_AT(x->uses, asks_use, u - 1);

			if (use->bare)
				ASKS_AT(x->macros, asks_macro, use->user - 1)->flags |= OPENS;
		}
	}
}

int asks_spread(struct asks *x)
{
	unsigned count = ASKS_COUNT(x->macros, asks_macro), waiting = 0, room = 8 * count + 1;
	unsigned *stack = arena_alloc(x->arena, room * sizeof *stack);

	if (!stack)
		return -1;
	note_bare(x);
	for (unsigned i = 0; i < count; i++)
		if (ASKS_AT(x->macros, asks_macro, i)->flags)
			stack[waiting++] = i;
	/* Each word is put there again at most once for each flag that it gains. */
	while (waiting) {
		const struct asks_macro *m = ASKS_AT(x->macros, asks_macro, stack[--waiting]);

		for (unsigned u = m->used_by; u; u = ASKS_AT(x->uses, asks_use, u - 1)->next) {
			unsigned user = ASKS_AT(x->uses, asks_use, u - 1)->user - 1;
			struct asks_macro *by = ASKS_AT(x->macros, asks_macro, user);

			if ((by->flags | m->flags) == by->flags)
				continue;
			by->flags |= m->flags;
			if (waiting == room)
				return -1;
			stack[waiting++] = user;
		}
	}
	return note_flags(x);
}
