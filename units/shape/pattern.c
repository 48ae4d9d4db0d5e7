/* units/shape/pattern.c - matches patterns forwards, with a way back for groups and '*'. */
#include "units/shape/pattern.h"

#include <string.h>

#include "shim/ascii.h"

#include "shim/banned.h"

/* What is matched: a path, and whether `p` lies in a negated group. */
struct subject {
	const char *begin, *end;
	const char *name; /* where '<' was met */
	int negated;
	/* a later component does not fit: no other way through this one helps, since neither '*'
	 * nor a group goes beyond a slash */
	int over;
	const char *stop; /* in the pattern: what follows is not matched; NULL: all is */
};

static int is_end(char c)
{
	return c == '\0' || c == ' ';
}

/* Behind the element at p: a set, a reference, or one character; its count stays. */
static const char *element_end(const char *p)
{
	if (*p == '[')
		return strchr(p, ']') + 1;
	return *p == '\\' ? p + 2 : p + 1;
}

/* Behind the element's "{n}"; *count is n, or 1. */
static const char *count_end(const char *p, size_t *count)
{
	*count = 1;
	if (*p != '{')
		return p;
	for (*count = 0, p++; *p != '}'; p++)
		*count = *count * 10 + (size_t)(*p - '0');
	return p + 1;
}

/* The '|' or ')' that ends the alternative at p. */
static const char *alternative_end(const char *p)
{
	while (*p != '|' && *p != ')')
		p = element_end(p);
	return p;
}

static const char *group_end(const char *p)
{
	while (*(p = alternative_end(p)) == '|')
		p++;
	return p + 1;
}

/* The element at p takes the character c: a set, '?', '#', or a character itself. */
static int takes(const char *p, unsigned char c)
{
	if (*p != '[')
		return *p == '?' ? c != '/' : *p == '#' ? ascii_digit((char)c)
		       : c == (unsigned char)*p;
	for (p++; *p != ']'; p++) {
		int is_range = p[1] == '-' && p[2] != ']';

		if (is_range ? c >= (unsigned char)p[0] && c <= (unsigned char)p[2]
		    : c == (unsigned char)*p)
			return 1;
		p += is_range ? 2 : 0;
	}
	return 0;
}

static int begins_component(const struct subject *t, const char *s)
{
	return s == t->begin || s[-1] == '/';
}

/* The first n characters of the component before that of s stand at s. */
static int repeats(const struct subject *t, const char *s, size_t n)
{
	const char *own = s, *before;

	while (!begins_component(t, own))
		own--;
	if (own == t->begin)
		return 0;
	for (before = own - 1; !begins_component(t, before);)
		before--;
	return (size_t)(own - 1 - before) >= n && (size_t)(t->end - s) >= n &&
	       memcmp(before, s, n) == 0;
}

static int match(struct subject *t, const char *p, const char *s);

static int match_group(struct subject *t, const char *p, const char *s)
{
	for (;; p++) {
		if (match(t, p, s))
			return 1;
		p = alternative_end(p);
		if (*p == ')' || t->over)
			return 0;
	}
}

static int match_any(struct subject *t, const char *p, const char *s)
{
	for (; !match(t, p, s); s++)
		if (t->over || s == t->end || *s == '/' || (*s == '.' && begins_component(t, s)))
			return 0;
	return 1;
}

/* One element that is no choice, its count included: behind it in the path, or NULL. */
static const char *take(const struct subject *t, const char **p, const char *s)
{
	const char *element = *p, *from = s;
	size_t count;

	*p = count_end(element_end(element), &count);
	if (*element == '\\')
		return repeats(t, s, (size_t)(element[1] - '0')) ? s + (element[1] - '0') : NULL;
	if (*element == '#') {
		while (s < t->end && ascii_digit(*s))
			s++;
		return s > from ? s : NULL;
	}
	for (; count; count--, s++)
		if (s == t->end || !takes(element, (unsigned char)*s) ||
		    (*element == '?' && *s == '.' && begins_component(t, s)))
			return NULL;
	return s;
}

/* Recursion is as deep as the pattern has groups and stars. */
static int match(struct subject *t, const char *p, const char *s)
{
	while (s) {
		if (is_end(*p) || p == t->stop)
			return s == t->end;
		switch (*p) {
		case '|':
		case ')':
			if (t->negated)
				return s == t->end || *s == '/';
			p = *p == ')' ? p + 1 : group_end(p);
			break;
		case '(':
			return match_group(t, p + 1, s);
		case '!': {
			struct subject inner = {.begin = t->begin, .end = t->end,
			                        .negated = 1};

			if (match_group(&inner, p + 2, s))
				return 0;
			p = group_end(p + 2);
			break;
		}
		case '*':
			return match_any(t, p + 1, s);
		case '<':
			t->name = s;
			p++;
			break;
		case '/':
			if (s == t->end || *s != '/')
				return 0;
			t->over = !match(t, p + 1, s + 1);
			return !t->over;
		default:
			s = take(t, &p, s);
		}
	}
	return 0;
}

/* --- guards --- */

static void add_range(unsigned char set[32], unsigned char first, unsigned char last)
{
	for (unsigned c = first; c <= last; c++)
		set[c / 8] |= (unsigned char)(1u << c % 8);
}

/* As takes() says. A host computes a thousand sets before its first file. */
static void add_set(unsigned char set[32], const char *p)
{
	if (*p == '?') {
		add_range(set, 1, '/' - 1);
		add_range(set, '/' + 1, 255);
	} else if (*p == '#') {
		add_range(set, '0', '9');
	} else if (*p != '[') {
		add_range(set, (unsigned char)*p, (unsigned char)*p);
	} else {
		for (p++; *p != ']'; p++) {
			int is_range = p[1] == '-' && p[2] != ']';

			add_range(set, (unsigned char)p[0], (unsigned char)p[is_range ? 2 : 0]);
			p += is_range ? 2 : 0;
		}
	}
}

static unsigned size_of(const unsigned char set[32])
{
	uint64_t words[4];
	unsigned n = 0;

	memcpy(words, set, sizeof words);
	for (unsigned i = 0; i < 4; i++)
		n += (unsigned)__builtin_popcountll(words[i]);
	return n;
}

static int has_fixed_length(char element)
{
	return !strchr("*#(!<\\", element);
}

/* What follows the part at p moves what is known further from the end. An element of any length
 * hides what is before it. */
static void advance(struct pattern_guard *g, size_t least, size_t most)
{
	g->least += least;
	g->most = most == PATTERN_ANY_LENGTH || g->most == PATTERN_ANY_LENGTH ? PATTERN_ANY_LENGTH
	          : g->most + most;
	if (g->distance && least == most)
		g->distance += least;
	else if (least != most)
		g->distance = 0;
}

static void guard_element(struct pattern_guard *g, const char *p, size_t count)
{
	unsigned char set[32] = {0};
	unsigned size;

	if (!has_fixed_length(*p) && *p != '#') {
		size_t n = *p == '\\' ? (size_t)(p[1] - '0') : 0;

		advance(g, n, *p == '*' ? PATTERN_ANY_LENGTH : n);
		return;
	}
	advance(g, count, *p == '#' ? PATTERN_ANY_LENGTH : count);
	add_set(set, p);
	size = size_of(set);
	/* The rarest, of those the last. */
	if (!g->distance || size <= size_of(g->set)) {
		memcpy(g->set, set, sizeof set);
		g->distance = 1;
	}
}

/* The last character of a group is one of its alternatives' last ones, if each has one. */
static void guard_group(struct pattern_guard *g, const char *p)
{
	struct pattern_guard all = {.least = SIZE_MAX, .distance = 1};

	for (;; p++) {
		struct pattern_guard one = {.least = 0};
		const char *end = alternative_end(p), *last = NULL;
		size_t count;

		for (const char *q = p; q < end;) {
			const char *next = count_end(element_end(q), &count);

			guard_element(&one, q, count);
			last = q;
			q = next;
		}
		all.least = one.least < all.least ? one.least : all.least;
		all.most = one.most > all.most ? one.most : all.most;
		if (last && (has_fixed_length(*last) || *last == '#'))
			add_set(all.set, last);
		else
			all.distance = 0;
		p = end;
		if (*p == ')')
			break;
	}
	advance(g, all.least, all.most);
	if (all.distance && (!g->distance || size_of(all.set) < size_of(g->set))) {
		memcpy(g->set, all.set, sizeof g->set);
		g->distance = 1;
	}
}

/* --- public, in header order --- */

const char *pattern_next(const char *pattern)
{
	const char *space = strchr(pattern, ' ');

	return space ? space + 1 : NULL;
}

int pattern_fits(const char *pattern, const char *path, size_t n, size_t *name)
{
	struct subject t = {.begin = path, .end = path + n, .name = path};

	if (!match(&t, pattern, path))
		return 0;
	*name = (size_t)(t.name - path);
	return 1;
}

int pattern_fits_above(const char *pattern, const char *path, size_t n)
{
	unsigned count = 1;

	for (const char *p = pattern; !is_end(*p); p++) {
		struct subject t = {.end = path + n, .stop = p};
		ptrdiff_t from;

		if (*p != '/')
			continue;
		from = pattern_place(path, n, count++);
		if (from < 0)
			return 0;
		t.begin = path + from;
		if (match(&t, pattern, t.begin))
			return 1;
	}
	return 0;
}

unsigned pattern_components(const char *pattern)
{
	unsigned n = 1;

	for (; !is_end(*pattern); pattern++)
		n += *pattern == '/';
	return n;
}

ptrdiff_t pattern_place(const char *path, size_t n, unsigned count)
{
	const char *slash = path + n;

	for (; count; count--) {
		if (!slash)
			return -1;
		slash = memrchr(path, '/', (size_t)(slash - path));
	}
	return slash ? slash + 1 - path : 0;
}

void pattern_guard(struct pattern_guard *g, const char *pattern, unsigned after)
{
	unsigned skip = pattern_components(pattern) - 1 - after;
	const char *p = pattern;
	size_t count;

	while (skip)
		skip -= *p++ == '/';
	memset(g, 0, sizeof *g);
	while (!is_end(*p) && *p != '/') {
		const char *element = p;

		if (*p == '(') {
			guard_group(g, p + 1);
			p = group_end(p + 1);
		} else if (*p == '!') {
			p = group_end(p + 2);
		} else {
			p = count_end(element_end(p), &count);
			guard_element(g, element, count);
		}
	}
}
