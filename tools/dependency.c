/* tools/dependency.c - looks at the text before each "dependency". */
#include "tools/dependency.h"

#include <string.h>

#include "shim/banned.h"

static const char *before_blanks(const char *text, const char *at)
{
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at;
}

/* Start of the word if it ends at `at`, or NULL. */
static const char *before_word(const char *text, const char *at, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(at - text) >= n && memcmp(at - n, word, n) == 0 ? at - n : NULL;
}

/* #pragma, _Pragma(", or the argument of a macro that makes a pragma of it. */
static int begins(const char *text, const char *at)
{
	const char *before = before_blanks(text, at);

	return before > text && (before[-1] == '"' || before[-1] == '(' ||
	                         (before < at && before_word(text, before, "pragma")));
}

int dependency_in(const char *text, size_t n)
{
	static const char word[] = "dependency";
	const char *end = text + n;

	for (const char *p = text;
	     (p = memmem(p, (size_t)(end - p), word, sizeof word - 1)) != NULL;
	     p += sizeof word - 1) {
		const char *before = before_blanks(text, p);
		const char *owner = before_word(text, before, "GCC");

		if (!owner)
			owner = before_word(text, before, "clang");
		if (owner && before < p && begins(text, owner))
			return 1;
	}
	return 0;
}
