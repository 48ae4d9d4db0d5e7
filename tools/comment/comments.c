/* tools/comment/comments.c - finds the comment lines that end a source. */
#include "tools/comment/comment.h"

#include <string.h>

#include "shim/ascii.h"
#include "tools/cmdline/cmdline.h"

#include "shim/banned.h"

/* The bytes may end a block comment or a raw string that began on an earlier line. */
static int may_end(const char *line, size_t n)
{
	const char *paren = memchr(line, ')', n);

	return memmem(line, n, "*/", 2) ||
	       (paren && memchr(paren, '"', n - (size_t)(paren - line)));
}

/* A line of n bytes without its newline. An empty line counts as a comment. */
static int is_plain_comment(const char *line, size_t n)
{
	if (n == 0)
		return 1;
	/* gcc 15 warns of a blank at a line's end. */
	if (n < 2 || memcmp(line, "//", 2) != 0 || ascii_blank(line[n - 1]) || may_end(line, n))
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

/* The line that begins here continues the one before. Also 1 for a line behind a "/", the end of a
 * trigraph, and behind a carriage return. */
static int may_continue(const char *text, size_t start)
{
	size_t end = start - 1; /* the newline */

	if (end && text[end - 1] == '\r')
		return 1;
	while (end && ascii_blank(text[end - 1]))
		end--;
	return end && (text[end - 1] == '\\' || text[end - 1] == '/');
}

size_t comments_strip(const char *text, size_t n)
{
	size_t end = n;

	while (end > 0 && text[end - 1] == '\n') {
		const char *before = memrchr(text, '\n', end - 1);
		size_t start = before ? (size_t)(before - text) + 1 : 0;

		/* The first line stays: otherwise nothing would be left to compile. */
		if (start == 0 || !is_plain_comment(text + start, end - 1 - start) ||
		    may_continue(text, start))
			break;
		end = start;
	}
	return end;
}

int comments_drop(const struct tool_row *row, const struct cmdline *c, const char *path)
{
	static const char *const endings[] = {".cpp", ".cc", ".cxx", ".c++", ".cp", ".C", ".CPP",
		NULL};
	size_t n = strlen(path);

	if (row->family != FAMILY_GCC || row->flags & TOOL_EITHER ||
	    c->flags & (CMD_PREPROCESS | CMD_PCH | CMD_COVERAGE | CMD_DUMP | CMD_LTO) ||
	    cmdline_begins(c, "-finput-charset\0"))
		return 0;
	for (const char *const *e = endings; *e; e++)
		if (n > strlen(*e) && strcmp(path + n - strlen(*e), *e) == 0)
			return 1;
	return 0;
}
