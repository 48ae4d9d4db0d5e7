/* tools/shell_argument.c - which variables may hold arguments, and what is done with these. */
#include "tools/shell_argument.h"

#include <string.h>

#include "tools/shell.h"

#include "shim/banned.h"

/* In a longer run of letters a generated name has none of a pattern's by chance. */
#define LETTERS_MIN 3

struct holders {
	struct {
		const char *s;
		size_t n;
	} *v;
	size_t count, cap;
	struct arena *a;
	int (*ran)(void *ctx, const char *program);
	void *ctx;
	int changed, failed;
};

static int in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static size_t name_len(const char *s)
{
	size_t n = 0;

	while (in_name(s[n]))
		n++;
	return n;
}

static int is_held(const struct holders *h, const char *s, size_t n)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->v[i].n == n && memcmp(h->v[i].s, s, n) == 0)
			return 1;
	return 0;
}

static void hold(struct holders *h, const char *s, size_t n)
{
	void *v;

	if (!n || is_held(h, s, n))
		return;
	v = arena_grow(h->a, h->v, h->count, &h->cap, sizeof *h->v, 16);
	if (!v) {
		h->failed = 1;
		return;
	}
	h->v = v;
	h->v[h->count].s = s;
	h->v[h->count++].n = n;
	h->changed = 1;
}

/* s: at a `$`. The place behind the name, or NULL: it expands to no argument. */
static const char *behind_held(const struct holders *h, const char *s)
{
	size_t n;

	s += 1 + (s[1] == '{');
	if (*s == '@' || *s == '*' || (*s >= '1' && *s <= '9'))
		return s + 1;
	if (*s == '#' || *s == '!')
		s++;
	n = name_len(s);
	return n && is_held(h, s, n) ? s + n : NULL;
}

static int has_held(const struct holders *h, const char *s, const char *end)
{
	for (; s < end; s++)
		if (*s == '$' && behind_held(h, s))
			return 1;
	return 0;
}

static const char *line_end(const char *s)
{
	return s + strcspn(s, "\n;");
}

static const char *first_word(const char *s, const char *end)
{
	s += strspn(s, " \t");
	return s < end ? s : end;
}

/* What a line gives to variables. */
static void hold_in_line(struct holders *h, const char *s, const char *end)
{
	int is_read = 0;

	for (s = first_word(s, end); s < end; s = first_word(s + strcspn(s, " \t\n;"), end)) {
		size_t word = strcspn(s, " \t\n;"), n = name_len(s);
		const char *value = s + n + (s[n] == '+');

		if (word == 3 && memcmp(s, "for", 3) == 0) {
			const char *name = first_word(s + 3, end);
			const char *rest = first_word(name + name_len(name), end);

			if (rest == end || has_held(h, rest, end))
				hold(h, name, name_len(name));
		}
		if (is_read)
			hold(h, s, n);
		is_read |= word == 4 && memcmp(s, "read", 4) == 0;
		if (n && value < end && *value == '=' && has_held(h, value, end))
			hold(h, s, n);
	}
}

/* 1: the pattern's answer may depend on letters of a generated name. */
static int decides_by_letters(const char *s, size_t n, int is_prefix)
{
	int behind_star = 0;

	if (n && (*s == '"' || *s == '\''))
		s++, n--;
	/* An option is no name. */
	if (n && *s == '-')
		return 0;
	if (memchr(s, '[', n) || memchr(s, '?', n))
		return 1;
	for (size_t i = 0; i < n; i++) {
		size_t run = name_len(s + i);

		if (s[i] == '*') {
			behind_star = 1;
			continue;
		}
		run = run < n - i ? run : n - i;
		if (behind_star && run && run < LETTERS_MIN)
			return 1;
		/* /tmp/cca* and not /opt/x/ followed by a star. */
		if (!behind_star && *s == '/' && s[i] != '/' && i + run < n && s[i + run] == '*')
			return 1;
		if (is_prefix && !behind_star && *s == '/')
			return 1;
		behind_star = 0;
		i += run ? run - 1 : 0;
	}
	return 0;
}

/* s: behind the name of an expansion in braces. */
static int takes_letters(const char *s)
{
	size_t n = strcspn(s, "}");

	if (*s == '[')
		s = strchr(s, ']') ? strchr(s, ']') + 1 : s;
	if (*s == ':')
		return !strchr("-=?+", s[1]);
	if (*s == '#' || *s == '%') {
		const char *pattern = s + 1 + (s[1] == *s);

		n = strcspn(pattern, "}");
		return decides_by_letters(pattern, n, *s == '#') ||
		       (*s == '%' && n && in_name(*pattern) && memchr(pattern, '*', n));
	}
	return *s == '/' || *s == '^' || *s == ',' || *s == '@';
}

/* s: behind `case`. The patterns up to its end. */
static const char *case_looks(const struct holders *h, const char *s)
{
	const char *in = strstr(s, " in"), *end = strstr(s, "esac");

	if (!in || !end || in > end || !has_held(h, s, in))
		return NULL;
	for (s = in + 3; s < end; s++) {
		const char *close = memchr(s, ')', (size_t)(end - s)), *next;

		if (!close)
			break;
		for (s += strspn(s, " \t\n;("); s < close; s += strspn(s, " \t|")) {
			size_t n = strcspn(s, "|) \t");

			if (decides_by_letters(s, n, 0))
				return "a pattern of case";
			s += n;
		}
		next = strstr(close, ";;");
		s = next && next < end ? next + 1 : end;
	}
	return NULL;
}

/* 1: the word at s stands in a substitution, $( ), and no argument reaches that: neither inside it
 * nor by a pipe before it. */
static int is_apart(const struct holders *h, const char *line, const char *s, const char *end)
{
	const char *begin = s, *close = s;
	int depth = 0;

	for (; begin > line && depth >= 0; begin--)
		depth += (begin[-1] == ')') - (begin[-1] == '(');
	if (depth >= 0 || begin == line || begin[-1] != '$' ||
	    memchr(line, '|', (size_t)(begin - line)))
		return 0;
	for (depth = 0; close < end && depth >= 0; close++)
		depth += (*close == '(') - (*close == ')');
	return depth < 0 && !has_held(h, begin, close);
}

/* Programs and comparisons that take letters of what they get. */
static const char programs[] = "cut\0expr\0sed\0tr\0sort\0uniq\0head\0tail\0wc\0grep\0";
static const char comparisons[] = "=~\0\\>\0\\<\0";
/* scripts that start grep */
static const char greps[] = "egrep\0fgrep\0";

static const char *taker(const struct holders *h, const char *s, size_t n)
{
	const char *found = shell_among(s, n, programs);

	if (found)
		return h->ran(h->ctx, found) ? found : NULL;
	found = shell_among(s, n, greps);
	if (found)
		return h->ran(h->ctx, "grep") ? found : NULL;
	return shell_among(s, n, comparisons);
}

static const char *line_looks(const struct holders *h, const char *s, const char *end)
{
	const char *line = s;

	if (!has_held(h, s, end))
		return NULL;
	for (; s < end; s += strcspn(s, " \t\n;|&(){}`\"'")) {
		const char *found;

		s += strspn(s, " \t\n;|&(){}`\"'");
		if (s >= end)
			break;
		found = taker(h, s, strcspn(s, " \t\n;|&(){}`\"'"));
		if (found && !is_apart(h, line, s, end))
			return found;
	}
	return NULL;
}

const char *shell_looks_into_arguments(const char *text, int (*ran)(void *ctx, const char *program),
                                       void *ctx, struct arena *a)
{
	struct holders h = {.a = a, .ran = ran, .ctx = ctx};
	const char *why = NULL;

	do {
		h.changed = 0;
		for (const char *s = text; *s; s = line_end(s) + (*line_end(s) != '\0'))
			hold_in_line(&h, s, line_end(s));
	} while (h.changed && !h.failed);
	if (h.failed)
		return "memory";
	for (const char *s = text; !why && *s; s = line_end(s) + (*line_end(s) != '\0'))
		why = line_looks(&h, s, line_end(s));
	for (const char *s = text; !why && (s = strchr(s, '$')); s++) {
		const char *behind = s[1] == '{' && s[2] != '#' ? behind_held(&h, s) : NULL;

		if (behind && takes_letters(behind))
			why = "a part of an argument";
	}
	for (const char *s = text; !why && (s = strstr(s, "case ")); s += 5)
		why = case_looks(&h, s + 5);
	return why;
}
