/* tools/asks/computed.c - looks for directives whose operand is no plain file name. */
#include "tools/asks/asks.h"

#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

static const char includes[] = "embed\0import\0include\0include_next\0";
static const char looks[] = "__has_embed\0__has_include\0__has_include__\0__has_include_next\0"
	"__has_include_next__\0";

/* Behind blanks, ends of lines that a backslash takes away, and comments. */
static const char *skip(const char *p, const char *end)
{
	for (;;) {
		p = asks_skip_blanks(p, end);
		if (end - p > 1 && p[0] == '/' && p[1] == '*') {
			p = asks_seek(p + 2, end, "*/");
			if (!p)
				return end;
			p += 2;
		} else if (p < end && *p == '\\') {
			const char *q = asks_skip_blanks(p + 1, end);

			if (q == end || *q != '\n')
				return p;
			p = q + 1;
		} else {
			return p;
		}
	}
}

static size_t word_length(const char *p, const char *end)
{
	const char *s = p;

	while (p < end && asks_is_word(*p))
		p++;
	return (size_t)(p - s);
}

static int is_plain_name(const char *p, const char *end)
{
	p = skip(p, end);
	return p < end && (*p == '<' || *p == '"');
}

/* p: at a `#`. A directive has nothing but blanks and comments before it in its line. */
static int directive_computes(const char *begin, const char *p, const char *end)
{
	const char *before = p, *word = skip(p + 1, end), *behind;
	size_t n = word_length(word, end);

	while (before > begin && ascii_blank(before[-1]))
		before--;
	if (before > begin && before[-1] != '\n' && before[-1] != '/')
		return 0;
	/* A line marker is a #line. */
	if (asks_word_is(word, n, "line") || (n && *word >= '0' && *word <= '9'))
		return 1;
	behind = word + n;
	if (!list_has_n(includes, word, n) || is_plain_name(behind, end))
		return 0;
	/* Anything else is no directive, or one that ends the compile. */
	return behind == end || ascii_blank(*behind) || strchr("\\/\n", *behind);
}

/* 1: the word before, or before "(", is one of the list. */
static int follows(const char *begin, const char *p, const char *list)
{
	const char *end;

	while (p > begin && (ascii_blank(p[-1]) || p[-1] == '('))
		p--;
	for (end = p; p > begin && asks_is_word(p[-1]);)
		p--;
	return list_has_n(list, p, (size_t)(end - p));
}

/* The word is only asked for, as in `#ifdef __has_include`, `defined(__has_include)`. */
static int is_tested(const char *begin, const char *word)
{
	return follows(begin, word, "defined\0elifdef\0elifndef\0ifdef\0ifndef\0");
}

/* Each use of the macro, in all texts, names a file plainly. */
static int uses_are_plain(const struct asks *x, const char *name, size_t len)
{
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++) {
		const struct asks_text *t = ASKS_AT(x->texts, asks_text, i);
		const char *p = t->s;

		for (; (p = memmem(p, (size_t)(t->end - p), name, len)) != NULL; p += len) {
			const char *behind = p + len;

			if ((p > t->s && asks_is_word(p[-1])) ||
			    (behind < t->end && asks_is_word(*behind)))
				continue;
			if (follows(t->s, p, "define\0undef\0") || is_tested(t->s, p))
				continue;
			behind = skip(behind, t->end);
			if (behind == t->end || *behind != '(' ||
			    !is_plain_name(behind + 1, t->end))
				return 0;
		}
	}
	return 1;
}

/* `#define NAME(X) __has_include(X)`. word: "__has_include". x: NULL if uses do not matter. */
static int is_renamed(const struct asks *x, const char *begin, const char *word)
{
	const char *list = word, *name;

	while (list > begin && ascii_blank(list[-1]))
		list--;
	if (list == begin || *--list != ')')
		return 0;
	for (list--; list > begin && asks_is_word(*list); list--)
		;
	if (list == begin || *list != '(')
		return 0;
	for (name = list; name > begin && asks_is_word(name[-1]);)
		name--;
	return name < list && follows(begin, name, "define\0") &&
	       (!x || uses_are_plain(x, name, (size_t)(list - name)));
}

static const char *before_blanks(const char *begin, const char *p)
{
	while (p > begin && ascii_blank(p[-1]))
		p--;
	return p;
}

/* 1: the mark begins its line. No literal holds it then: a literal that spans lines is raw, or
 * continues behind a backslash, which blanks may follow. */
static int begins_line(const char *begin, const char *mark)
{
	mark = before_blanks(begin, mark);
	if (mark == begin)
		return 1;
	if (mark[-1] != '\n')
		return 0;
	mark = before_blanks(begin, mark - 1);
	return mark == begin || mark[-1] != '\\';
}

/* `#endif // __has_include`; or the word is surely in a comment: its mark begins a line, and
 * nothing ends the comment before the word. */
static int is_commented(const char *begin, const char *word)
{
	const char *p = before_blanks(begin, word);
	int same_line = 1;

	if (p - begin > 1 && p[-1] == '/' && p[-2] == '/')
		return 1;
	/* Raw strings; a trigraph is a backslash. */
	if (memmem(begin, (size_t)(word - begin), "R\"", 2) ||
	    memmem(begin, (size_t)(word - begin), "?\?/", 3))
		return 0;
	for (p = word - 1; p >= begin; p--) {
		if (p[0] == '*' && p[1] == '/')
			return 0;
		if (p[0] == '/' && (p[1] == '*' || (same_line && p[1] == '/')))
			return begins_line(begin, p);
		same_line &= *p != '\n';
	}
	return 0;
}

/* word: in a text that begins at begin, "__has_". */
static int look_computes(const struct asks *x, const char *begin, const char *word,
                         const char *end)
{
	size_t n = word_length(word, end);
	const char *p;

	if ((word > begin && asks_is_word(word[-1])) || !list_has_n(looks, word, n))
		return 0;
	p = skip(word + n, end);
	if (p < end && *p == '(')
		return !is_plain_name(p + 1, end) && !is_renamed(x, begin, word);
	return !is_tested(begin, word) && !is_commented(begin, word);
}

static int text_computes(const struct asks *x, const struct asks_text *t)
{
	const char *p;

	if (asks_is_odd(x, t))
		return 1;
	for (p = t->s; (p = memchr(p, '#', (size_t)(t->end - p))) != NULL; p++)
		if (directive_computes(t->s, p, t->end))
			return 1;
	for (p = t->s; (p = asks_seek(p, t->end, "__has_")) != NULL; p++)
		if (look_computes(x, t->s, p, t->end))
			return 1;
	return 0;
}

int asks_looks(const char *text, size_t n)
{
	const char *end = text + n;

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), "__has_", 6)); p++)
		if (!follows(text, p, "define\0") && look_computes(NULL, text, p, end))
			return 1;
	return 0;
}

int asks_computes(const struct asks *x)
{
	for (unsigned i = 0; i < ASKS_COUNT(x->texts, asks_text); i++)
		if (text_computes(x, ASKS_AT(x->texts, asks_text, i)))
			return 1;
	return 0;
}
