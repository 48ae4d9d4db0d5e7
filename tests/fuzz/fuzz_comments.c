/* Any text, and its form: as many lines, and each byte of a line stands in the same column, or a
 * mark stands for it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/comment_free.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int ends_line(char c) { return c == '\n' || c == COMMENT_JOIN; }

/* The byte of the form stands for c. Marks at the end of a line stand for anything. */
static int stands_for(const char *form, const char *end, char c)
{
	if (*form == c || (*form == COMMENT_MARK && c != '\t'))
		return 1;
	return *form == COMMENT_MARK && (form + 1 == end || ends_line(form[1]) ||
	                                 form[1] == '\r' || form[1] == COMMENT_MARK);
}

static void compare_lines(const char *text, size_t n, const char *form, size_t len)
{
	size_t i = 0, k = 0;

	while (k < len) {
		size_t at = 0;

		for (; k < len && !ends_line(form[k]) && form[k] != '\r'; k++, at++)
			if (i + at >= n || text[i + at] == '\n' ||
			    !stands_for(form + k, form + len, text[i + at]))
				abort();
		while (i < n && text[i] != '\n')
			i++;
		if (k < len && form[k] == '\r' && (i == 0 || text[i - 1] != '\r'))
			abort();
		k += k < len && form[k] == '\r';
		if (k < len && (i++ == n || !ends_line(form[k++])))
			abort();
	}
	if (memchr(text + i, '\n', n - i))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exact copies, so that a byte read or written behind them is seen. */
	char *text = malloc(size ? size : 1), *form = malloc(size ? size : 1);
	struct digest first, second;
	unsigned doubts = 0;
	size_t len = 0;
	uint64_t places;
	enum comment_kind kind;

	memcpy(text, data, size);
	kind = comment_free_digest(text, size, form, &first, &places);
	if (kind != comment_free_digest(text, size, form, &second, &places) ||
	    (kind == COMMENT_FREE && !digest_equal(&first, &second)))
		abort();
	for (unsigned reading = 0; reading < 4; reading++)
		if (comment_form(text, size, reading, form, &len, &doubts) == COMMENT_FREE)
			compare_lines(text, size, form, len);
	free(text);
	free(form);
	return 0;
}
