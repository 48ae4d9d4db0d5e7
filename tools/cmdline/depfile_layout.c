/* tools/cmdline/depfile_layout.c - where a compiler breaks the lines of a dependency file. */
#include "tools/cmdline/cmdline.h"

#include <string.h>

#include "shim/banned.h"

#define GCC_COLUMNS 72
#define CLANG_COLUMNS 75

/* A word of the first rule: a name as make(1) reads it, where a backslash keeps a blank. */
struct word {
	const char *text;
	size_t len;
};

/* The next word at *p, or len 0 at the end of the rule. *p is then behind the rule's newline. */
static struct word next_word(const char **p, const char *end)
{
	struct word w = {NULL, 0};
	const char *s = *p;

	while (s < end && (*s == ' ' || (*s == '\\' && s + 1 < end && s[1] == '\n')))
		s += *s == ' ' ? 1 : 2;
	w.text = s;
	for (; s < end && *s != ' ' && *s != '\n'; s++)
		if (*s == '\\' && s + 1 < end && s[1] != '\n')
			s++;
	w.len = (size_t)(s - w.text);
	*p = w.len ? s : s < end ? s + 1 : s;
	return w;
}

/* begin: the column behind the blanks that begin a line. */
static void put_wrapped(struct buf *out, const struct word *w, int target, size_t *column,
                        size_t most, const char *line, size_t begin)
{
	size_t size = w->len - (target ? 1 : 0); /* without the colon */

	if (*column && *column + size > most) {
		buf_str(out, line);
		*column = begin;
	} else if (*column) {
		buf_u8(out, ' ');
		++*column;
	}
	buf_add(out, w->text, w->len);
	*column += w->len;
}

/* "x.o : a.cu \", then four blanks before each name. */
static void put_line(struct buf *out, const struct word *w, int target, size_t *column)
{
	if (target || *column < 2)
		buf_str(out, *column ? " " : "");
	else
		buf_str(out, " \\\n    ");
	*column = target ? 1 : *column + 1;
	buf_add(out, w->text, w->len);
}

int depfile_put(struct buf *out, enum depfile_layout layout, const char *text, size_t n)
{
	const char *p = text, *end = text + n;
	size_t column = 0;
	int targets = 1;

	for (struct word w; (w = next_word(&p, end)).len;) {
		int target = targets && w.text[w.len - 1] == ':';

		switch (layout) {
		case DEPFILE_GCC:
			put_wrapped(out, &w, target, &column, GCC_COLUMNS, " \\\n ", 1);
			break;
		case DEPFILE_CLANG: {
			size_t begin = target ? 2 : 3;

			put_wrapped(out, &w, target, &column, CLANG_COLUMNS - begin, " \\\n  ",
			            begin);
			break;
		}
		case DEPFILE_LINES: put_line(out, &w, targets, &column); break;
		case DEPFILE_UNKNOWN: return -1;
		}
		targets &= !target;
	}
	if (targets || p == text || p[-1] != '\n')
		return -1;
	buf_u8(out, '\n');
	buf_add(out, p, (size_t)(end - p));
	return out->failed ? -1 : 0;
}

int depfile_has(enum depfile_layout layout, const char *text, size_t n, struct arena *a)
{
	struct buf out = BUF_INIT(a);

	return depfile_put(&out, layout, text, n) == 0 && out.len == n &&
	       memcmp(out.data, text, n) == 0;
}
