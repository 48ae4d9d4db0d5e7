/* tools/computed_files.c - looks for names of files that a text puts together. */
#include "tools/computed_files.h"

#include <string.h>

#include "shim/banned.h"

static const char *behind_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* 1: word, an #include or __has_include in text, names its file by neither a quote nor "<". */
static int computes_file(const char *text, const char *end, const char *word, size_t len)
{
	const char *before = word, *after = word + len;

	if (end - after >= 5 && memcmp(after, "_next", 5) == 0)
		after += 5;
	after = behind_blanks(after, end);
	if (word[0] == '_') { /* without "(" it only asks whether there is such a question */
		if (after == end || *after != '(')
			return 0;
		after = behind_blanks(after + 1, end);
	} else {
		while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
			before--;
		/* "#", "%:", "?\?=", or a comment behind one of these */
		if (before == text || !before[-1] || !strchr("#:=/", before[-1]))
			return 0;
	}
	return after < end && *after != '"' && *after != '<' && *after != '\n';
}

/* 1: an assembler's directive, at p, has a macro's argument in its line. */
static int computes_binary(const char *p, const char *end)
{
	const char *line = memchr(p, '\n', (size_t)(end - p));

	return memchr(p, '\\', (size_t)((line ? line : end) - p)) != NULL;
}

/* --- public, in header order --- */

int computed_files(const char *text, size_t n)
{
	static const char *const directives[] = {".incbin", ".include"};
	static const char *const words[] = {"include", "import", "embed", "__has_include",
	                                    "__has_embed"};
	const char *end = text + n;

	for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
		size_t len = strlen(words[w]);

		for (const char *p = text; (p = memmem(p, (size_t)(end - p), words[w], len));
		     p += len)
			if (computes_file(text, end, p, len))
				return 1;
	}
	for (size_t d = 0; d < sizeof directives / sizeof *directives; d++)
		for (const char *p = text;
		     (p = memmem(p, (size_t)(end - p), directives[d], strlen(directives[d])));
		     p++)
			if (computes_binary(p, end))
				return 1;
	return 0;
}
