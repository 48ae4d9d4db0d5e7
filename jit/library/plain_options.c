/* jit/library/plain_options.c - options that only say what code is made. */
#include "jit/library/plain_options.h"

#include <string.h>

#include "shim/banned.h"

/* What follows is a text of the program's own. */
static const char own[] = "-I\0-D\0-U\0--include-path=\0--define-macro=\0--undefine-macro=\0"
                          "--pre-include=\0-include=\0-kernels-used=\0--kernels-used=\0"
                          "-variables-used=\0--variables-used=\0";

static int begins(const char *text, size_t n, const char *with)
{
	return n >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* The end of the word's next occurrence. NULL: there is none. */
static const char *behind(const char *text, const char *end, const char *word)
{
	const char *at = memmem(text, (size_t)(end - text), word, strlen(word));

	return at ? at + strlen(word) : NULL;
}

/* 1: the text does not say -split-compile, or its end is -split-compile=1 or
 * -split-compile-extended=1, perhaps as the option of another compiler (-Xptxas=-split-compile=1).
 * The number may be the next option. */
static int splits_nothing(const char *text, const char *end, const char *next)
{
	const char *p = behind(text, end, "split-compile");

	if (!p)
		return 1;
	if (begins(p, (size_t)(end - p), "-extended"))
		p += strlen("-extended");
	return p == end ? next && strcmp(next, "1") == 0 : end - p == 2 && memcmp(p, "=1", 2) == 0;
}

/* -dlink-time-opt times nothing. */
static int times(const char *text, const char *end)
{
	static const char link[] = "link-time";

	for (const char *p = text; (p = behind(p, end, "time"));)
		if (p - text < (ptrdiff_t)strlen(link) ||
		    memcmp(p - strlen(link), link, strlen(link)) != 0)
			return 1;
	return 0;
}

/* next: the option behind it, or NULL. */
static int is_plain(const char *option, size_t n, const char *words, const char *next)
{
	const char *end = option + n;

	for (const char *w = own; *w; w += strlen(w) + 1)
		if (begins(option, n, w))
			return 1;
	for (const char *w = words; *w; w += strlen(w) + 1)
		if (behind(option, end, w))
			return 0;
	return splits_nothing(option, end, next) && !times(option, end);
}

/* --- public, in header order --- */

const char *options_unplain(int n, const char *const *options, const char *words, const char *but)
{
	for (int i = 0; i < n; i++) {
		if (!options || !options[i])
			return "";
		if (*but && begins(options[i], strlen(options[i]), but))
			continue;
		if (!is_plain(options[i], strlen(options[i]), words,
		              i + 1 < n ? options[i + 1] : NULL))
			return options[i];
	}
	return NULL;
}

int options_text_plain(const char *text, const char *words)
{
	static const char blanks[] = " \t\n";

	for (size_t n; text && *(text += strspn(text, blanks)); text += n) {
		n = strcspn(text, blanks);
		if (!is_plain(text, n, words, NULL))
			return 0;
	}
	return 1;
}
