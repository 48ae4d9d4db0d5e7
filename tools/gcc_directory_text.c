/* tools/gcc_directory_text.c - the working directory in the text that gcc -S and cc1 write. */
#include "tools/gcc_directory_text.h"

#include <string.h>

#include "tools/gcc_order.h"

#include "shim/banned.h"

/* gcc cuts strings of 256 bytes and more into pieces. */
#define WHOLE 200
#define FILE_ZERO "\t.file 0 \""

static int begins(const char *p, const char *end, const char *what, size_t n)
{
	return (size_t)(end - p) >= n && memcmp(p, what, n) == 0;
}

/* gcc writes it unchanged: other characters are escaped. */
static int is_plain(const char *s)
{
	size_t n = 0;

	for (; s[n]; n++)
		if (s[n] < ' ' || s[n] > '~' || s[n] == '"' || s[n] == '\\')
			return 0;
	return n && n < WHOLE;
}

static size_t count(const char *text, size_t n, const char *what)
{
	size_t len = strlen(what), found = 0;
	const char *end = text + n;

	for (const char *p = text; (p = memmem(p, (size_t)(end - p), what, len)); p += len)
		found++;
	return found;
}

/* Begin of the directory in `.file 0 "directory" "name"`, or NULL. */
static const char *file_zero(const char *text, size_t n, const char *from)
{
	size_t len = strlen(from), head = sizeof FILE_ZERO - 1;
	const char *end = text + n, *p = memmem(text, n, FILE_ZERO, head);

	if (!p || (p > text && p[-1] != '\n'))
		return NULL;
	p += head;
	return begins(p, end, from, len) && begins(p + len, end, "\" \"", 3) ? p : NULL;
}

static void put_block(struct buf *out, const char *text, const struct gcc_order_block *b,
                      const char *string)
{
	buf_add(out, text + b->begin, b->string - b->begin);
	buf_add(out, string, strlen(string));
	buf_add(out, text + b->string + b->len, b->end - b->string - b->len);
}

static char *copy(struct arena *a, const char *text, const struct gcc_order_block *b)
{
	return arena_memdup(a, text + b->string, b->len);
}

int gcc_directory_move_text(struct buf *out, const char *text, size_t n, const char *from,
                            const char *to)
{
	struct gcc_order_block b[2];
	const char *zero = file_zero(text, n, from), *string[2];
	size_t start = out->len, name, moved;

	if (!zero || !is_plain(from) || !is_plain(to) || gcc_order_blocks(text, n, b) < 0 ||
	    (size_t)(zero - text) > b[0].begin || count(text, n, from) != 2)
		return -1;
	for (int i = 0; i < 2; i++)
		if (!(string[i] = copy(out->arena, text, &b[i])))
			return -1;
	name = strcmp(string[0], from) == 0;
	if (strcmp(string[!name], from) != 0 ||
	    (gcc_order(string[name], from) == LINE_ORDER_NAME) != !name)
		return -1;
	moved = gcc_order(string[name], to) == LINE_ORDER_NAME;
	buf_add(out, text, (size_t)(zero - text));
	buf_add(out, to, strlen(to));
	zero += strlen(from);
	buf_add(out, zero, b[0].begin - (size_t)(zero - text));
	for (size_t i = 0; i < 2; i++)
		if (i == moved)
			put_block(out, text, &b[!name], to);
		else
			put_block(out, text, &b[name], string[name]);
	buf_add(out, text + b[1].end, n - b[1].end);
	return out->failed || count((char *)out->data + start, out->len - start, to) != 2 ? -1 : 0;
}
