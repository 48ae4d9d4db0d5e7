/* tools/line_marks.c - looks at each '#' that may begin a directive. */
#include "tools/line_marks.h"

#include <string.h>

#include "shim/banned.h"

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

/* Before it on its line are only blanks, or a comment that ends there. A joined line may divide the
 * end of that comment. */
static int may_begin(const char *text, const char *at)
{
	while (at > text && is_blank(at[-1]))
		at--;
	return at == text || at[-1] == '\n' ||
	       (at - text >= 2 && at[-1] == '/' && (at[-2] == '*' || at[-2] == '\n'));
}

/* A joined line may divide a "%:". */
static int has_divided(const char *text, size_t n)
{
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, '%', (size_t)(end - p))) != NULL; p++)
		if (end - p > 3 && ((p[1] == '\\' && (p[2] == '\n' || is_blank(p[2]))) ||
		                    memcmp(p + 1, "?\?/", 3) == 0))
			return 1;
	return 0;
}

/* Behind the '#' stands a number, the word, or something that may hide either. */
static int may_name(const char *p, const char *end, const char *word)
{
	size_t i = 0;

	while (p < end && is_blank(*p))
		p++;
	if (p == end)
		return 0;
	if ((*p >= '0' && *p <= '9') || *p == '/')
		return 1;
	while (p < end && word[i] && *p == word[i])
		p++, i++;
	/* A backslash or its trigraph may join the next line. */
	return !word[i] || (p < end && (*p == '\\' || *p == '?'));
}

/* A line number follows the '#', and either no name or a relative name in quotes. */
static int keeps_relative(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	if (end - p > 4 && memcmp(p, "line", 4) == 0 && is_blank(p[4]))
		p += 4;
	while (p < end && is_blank(*p))
		p++;
	if (p == end || *p < '0' || *p > '9')
		return 0;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	while (p < end && is_blank(*p))
		p++;
	if (p == end || *p == '\n')
		return 1;
	return end - p > 1 && p[0] == '"' && p[1] != '/' && p[1] != '\\' && p[1] != '?';
}

static int marks(const char *text, size_t n, const char *hash, const char *word, int renames)
{
	const char *end = text + n, *at = text;
	size_t len = strlen(hash);

	while ((at = memmem(at, (size_t)(end - at), hash, len))) {
		if (may_begin(text, at) && may_name(at + len, end, word) &&
		    !(renames && keeps_relative(at + len, end)))
			return 1;
		at += len;
	}
	return 0;
}

static int has_marks(const char *text, size_t n, const char *word, int renames)
{
	return marks(text, n, "#", word, renames) || marks(text, n, "%:", word, renames) ||
	       marks(text, n, "?\?=", word, renames) || has_divided(text, n);
}

int line_marks_in(const char *text, size_t n)
{
	return has_marks(text, n, "line", 0);
}

int line_marks_embed(const char *text, size_t n)
{
	return has_marks(text, n, "embed", 0);
}

int line_marks_rename(const char *text, size_t n)
{
	return has_marks(text, n, "line", 1);
}
