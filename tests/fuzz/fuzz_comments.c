/* Any text, and its form: it has as many lines, and is its own form. Each byte of a line is one of
 * the text, or stands for one in the same column. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/comment/comment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The blanks at both ends of each line stay. */
static void compare_lines(const char *text, size_t n, const char *form, size_t len)
{
	const char *end = text + n, *form_end = form + len;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *other = memchr(form, '\n', (size_t)(form_end - form));

		if (!newline != !other)
			abort();
		newline = newline ? newline : end;
		other = other ? other : form_end;
		if (other - form > newline - text)
			abort();
		if (newline > text && (newline[-1] == ' ') != (other > form && other[-1] == ' '))
			abort();
		for (; text < newline && form < other && (*text == ' ' || *text == '\t'); text++)
			if (*text != *form++)
				abort();
		text = newline + (newline < end);
		form = other + (other < form_end);
	}
	if (form != form_end)
		abort();
}

static void check(const char *text, size_t n, int documented, char *form, char *second)
{
	size_t len, again;

	if (!comment_free_form(text, n, documented, form, &len))
		return;
	if (len > n || !comment_free_form(form, len, documented, second, &again) || again != len ||
	    memcmp(form, second, len) != 0)
		abort();
	compare_lines(text, n, form, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exact copies, so that a byte read or written behind them is seen. */
	const size_t room = size ? size : 1;
	char *text = malloc(room), *form = malloc(room), *second = malloc(room);

	memcpy(text, data, size);
	comment_free_places(text, size);
	check(text, size, 0, form, second);
	check(text, size, 1, form, second);
	free(text);
	free(form);
	free(second);
	return 0;
}
