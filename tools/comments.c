/* tools/comments.c - finds the comment lines that end a source. */
#include "tools/comments.h"

#include <string.h>

#include "shim/banned.h"

/* A line of n bytes without its newline. An empty line counts as a comment. */
static int is_plain_comment(const char *line, size_t n)
{
	if (n == 0)
		return 1;
	/* gcc 15 warns of a blank at a line's end. */
	if (n < 2 || line[0] != '/' || line[1] != '/' || line[n - 1] == ' ' || line[n - 1] == '\t')
		return 0;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)line[i];

		/* A backslash or its trigraph may join lines. Other bytes cause warnings. */
		if ((c < 0x20 && c != '\t') || c > 0x7e || c == '\\' ||
		    (c == '?' && i + 1 < n && line[i + 1] == '?'))
			return 0;
	}
	return 1;
}

size_t comments_strip(const char *text, size_t n)
{
	size_t end = n;

	while (end > 0 && text[end - 1] == '\n') {
		const char *before = memrchr(text, '\n', end - 1);
		size_t start = before ? (size_t)(before - text) + 1 : 0;

		/* The first line stays: otherwise nothing would be left to compile. */
		if (start == 0 || !is_plain_comment(text + start, end - 1 - start))
			break;
		if (start >= 2 && (text[start - 2] == '\\' || text[start - 2] == '\r' ||
		                   text[start - 2] == '/')) /* "??/", or a joined line, or CRLF */
			break;
		end = start;
	}
	return end;
}

int comments_in(const char *path)
{
	static const char *const endings[] = {".cpp", ".cc", ".cxx", ".c++", ".cp", ".C", ".CPP",
		NULL};
	size_t n = strlen(path);

	for (const char *const *e = endings; *e; e++)
		if (n > strlen(*e) && strcmp(path + n - strlen(*e), *e) == 0)
			return 1;
	return 0;
}
