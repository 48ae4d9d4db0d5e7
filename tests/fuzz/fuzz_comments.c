/* Any text, and its form: equal in all readings where none is in doubt; as many lines, but for some
 * at the end; and each byte of a line stands in the same column, or a mark stands for it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/comment_free.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int ends_line(char c) { return c == '\n' || c == COMMENT_JOIN; }

/* Behind the end, at most two marks stand for omitted bytes. */
static void compare_lines(const char *text, size_t n, const char *form, size_t len)
{
	size_t i = 0, k = 0;

	while (k < len) {
		size_t at = 0;

		for (; k < len && !ends_line(form[k]) && form[k] != '\r'; k++, at++)
			if (i + at >= n || text[i + at] == '\n' ||
			    (form[k] != text[i + at] &&
			     (form[k] != COMMENT_MARK || text[i + at] == '\t') &&
			     !(form[k] == COMMENT_MARK && (k + 1 == len || ends_line(form[k + 1]) ||
			                                   form[k + 1] == '\r' ||
			                                   form[k + 1] == COMMENT_MARK))))
				abort();
		while (i < n && text[i] != '\n')
			i++;
		if (k < len && form[k] == '\r' && (i == 0 || text[i - 1] != '\r'))
			abort();
		k += k < len && form[k] == '\r';
		if (k < len && (i++ == n || !ends_line(form[k++])))
			abort();
	}
	/* The form leaves out lines at the end: few, and only where the last one has an end. */
	if (i < n && memchr(text + i, '\n', n - i)) {
		int lines = 0;

		for (size_t at = i; at < n; at++)
			lines += text[at] == '\n';
		if (lines > COMMENT_END_LINES || text[n - 1] != '\n')
			abort();
	}
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
