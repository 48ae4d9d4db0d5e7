/* units/text.c - small files. */
#include "units/text.h"

#include <string.h>

#include "shim/sys.h"

#include "shim/banned.h"

char *text_read(const char *path, size_t max, size_t *n, struct arena *a)
{
	/* A FIFO instead of a file must not block the host. */
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	char *text = fd >= 0 ? arena_alloc(a, max + 1) : NULL;
	ssize_t got = text ? sys_read_all(fd, text, max) : -1;

	if (fd >= 0)
		sys_close(fd);
	if (got < 0)
		return NULL;
	text[got] = 0;
	*n = (size_t)got;
	return text;
}

char *text_line(const char *text, const char *head, struct arena *a)
{
	size_t len = strlen(head);

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n >= len && memcmp(text, head, len) == 0) {
			const char *p = text + len, *end = text + n;

			while (p < end && (*p == ' ' || *p == '\t'))
				p++;
			while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
				end--;
			return arena_memdup(a, p, (size_t)(end - p));
		}
		text += n + (text[n] == '\n');
	}
	return NULL;
}

const char *text_variable(const char *block, size_t m, const char *name)
{
	size_t len = strlen(name);

	for (size_t at = 0; at < m; at += strnlen(block + at, m - at) + 1)
		if (m - at > len && !memcmp(block + at, name, len) && block[at + len] == '=' &&
		    memchr(block + at, 0, m - at))
			return block + at + len + 1;
	return NULL;
}
