/* tools/object/gcc_order.c - the hash table of gcc's strings. */
#include "tools/object/gcc_order.h"

#include <stdint.h>
#include <string.h>

#include "shim/banned.h"

#define PLACES 13 /* places in a table with few entries */

static uint32_t hash(const char *s)
{
	uint32_t h = 0;

	for (; *s; s++)
		h = h * 67 + (uint32_t)(signed char)*s - 113;
	return h;
}

/* The name is entered first. */
enum line_order gcc_order(const char *name, const char *directory)
{
	uint32_t first = hash(name) % PLACES, h = hash(directory), second = h % PLACES;

	if (second == first)
		second = (second + 1 + h % (PLACES - 2)) % PLACES;
	return first < second ? LINE_ORDER_NAME : LINE_ORDER_DIRECTORY;
}

int gcc_order_holds(const void *strings, size_t n, const char *name, const char *directory)
{
	int by_name = gcc_order(name, directory) == LINE_ORDER_NAME;
	const char *first = by_name ? name : directory, *second = by_name ? directory : name;
	size_t a = strlen(first) + 1, b = strlen(second) + 1;

	return n >= a + b && memcmp(strings, first, a) == 0 &&
	       memcmp((const char *)strings + a, second, b) == 0;
}

#define SECTION "\t.section\t.debug_line_str,"
#define STRING "\t.string\t\""
#define FILES "\t.file "

static const char *line_end(const char *p, const char *end)
{
	const char *stop = memchr(p, '\n', (size_t)(end - p));

	return stop ? stop : end;
}

static int begins(const char *p, const char *end, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(end - p) >= n && memcmp(p, what, n) == 0;
}

/* Returns the section's next string without its quotes, and moves *p behind it. NULL: another
 * section begins, or the text ends. */
static const char *next_string(const char **p, const char *end, size_t *len)
{
	const char *line = *p, *stop;

	for (; line < end; line = stop < end ? stop + 1 : end) {
		stop = line_end(line, end);
		if (begins(line, end, "\t.section\t"))
			return NULL;
		if (!begins(line, end, STRING))
			continue;
		*p = stop;
		line += strlen(STRING);
		if (stop == line || stop[-1] != '"')
			return NULL;
		*len = (size_t)(stop - 1 - line);
		return line;
	}
	return NULL;
}

int gcc_order_holds_text(const char *text, size_t n, const char *name, const char *directory)
{
	int by_name = gcc_order(name, directory) == LINE_ORDER_NAME;
	const char *expected[2] = {by_name ? name : directory, by_name ? directory : name};
	const char *end = text + n, *p = memmem(text, n, SECTION, strlen(SECTION));

	if (!p || memmem(p + 1, (size_t)(end - p - 1), SECTION, strlen(SECTION)))
		return 0;
	p = line_end(p, end);
	for (int i = 0; i < 2; i++) {
		size_t len;
		const char *s = next_string(&p, end, &len);

		if (!s || len != strlen(expected[i]) || memcmp(s, expected[i], len) != 0)
			return 0;
	}
	return 1;
}

/* A separate label and one string at *at. Moves *at behind them. */
static int read_block(const char *text, size_t n, size_t *at, struct gcc_order_block *b)
{
	static const char label[] = ".LASF", behind[] = ":\n" STRING;
	const char *p = text + *at, *end = text + n, *stop;

	if (!begins(p, end, label))
		return -1;
	for (p += sizeof label - 1; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (!begins(p, end, behind))
		return -1;
	p += sizeof behind - 1;
	stop = memchr(p, '\n', (size_t)(end - p));
	if (!stop || stop == p || stop[-1] != '"')
		return -1;
	b->begin = *at;
	b->string = (size_t)(p - text);
	b->len = (size_t)(stop - 1 - p);
	b->end = *at = (size_t)(stop + 1 - text);
	return 0;
}

int gcc_order_blocks(const char *text, size_t n, struct gcc_order_block b[2])
{
	const char *end = text + n, *p = memmem(text, n, SECTION, strlen(SECTION)), *line;
	size_t at;

	if (!p || memmem(p + 1, (size_t)(end - p - 1), SECTION, strlen(SECTION)))
		return -1;
	line = line_end(p, end);
	if (line == end)
		return -1;
	at = (size_t)(line + 1 - text);
	if (read_block(text, n, &at, &b[0]) < 0 || read_block(text, n, &at, &b[1]) < 0)
		return -1;
	return begins(text + at, end, ".LASF") || begins(text + at, end, STRING) ? -1 : 0;
}

static void reverse(char *from, char *to)
{
	while (from < --to) {
		char c = *from;

		*from++ = *to;
		*to = c;
	}
}

int gcc_order_exchange(char *text, size_t n)
{
	struct gcc_order_block b[2];

	if (gcc_order_blocks(text, n, b) < 0)
		return -1;
	reverse(text + b[0].begin, text + b[0].end);
	reverse(text + b[1].begin, text + b[1].end);
	reverse(text + b[0].begin, text + b[1].end);
	return 0;
}

int gcc_order_lists(const char *text, size_t n, size_t at)
{
	const char *end = text + n, *line = text + (at < n ? at : n), *p;

	while (line > text && line[-1] != '\n')
		line--;
	if (begins(line, end, FILES))
		return 1;
	if (!begins(line, end, STRING))
		return 0;
	/* The strings of its section, their labels, and the section's own line come before it. */
	for (p = line; p > text;) {
		const char *stop = p - 1;

		for (p = stop; p > text && p[-1] != '\n'; p--)
			;
		if (begins(p, end, SECTION))
			return 1;
		if (!begins(p, end, STRING) && !(p < stop && stop[-1] == ':'))
			return 0;
	}
	return 0;
}
