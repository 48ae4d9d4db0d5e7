/* jit/source_text.c - what a source's text says that no file call shows. */
#include "jit/source_text.h"

#include <string.h>

#include "shim/arena.h"
#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

#define FILE_MOST (64u << 20)
/* Many headers contain shorter ends of the three names ("__"), but not the beginning that such an
 * end is pasted to. */
#define TAIL_LEAST 3

static int is_word(unsigned char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* A name that gives the time, an end of such a name, or such a name without a shorter end. */
static int is_piece(const char *word, size_t n)
{
	static const char *const names[] = {"__TIME__", "__DATE__", "__TIMESTAMP__"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t len = strlen(names[i]);

		if ((n <= len && n >= TAIL_LEAST && memcmp(names[i] + len - n, word, n) == 0) ||
		    (n < len && n > len - TAIL_LEAST && memcmp(names[i], word, n) == 0))
			return 1;
	}
	return 0;
}

/* A backslash at the end of a line joins a word with the next line, which may itself end so. */
static int is_split(const char *text, const char *end, const char *backslash)
{
	const char *p = backslash + 1;

	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\v' || *p == '\f'))
		p++;
	return backslash > text && is_word((unsigned char)backslash[-1]) && p + 1 < end &&
	       *p == '\n' && (is_word((unsigned char)p[1]) || p[1] == '\\');
}

/* An absolute path as in "/a/b.h", </a/b.h>, or (/a/b.h) for a macro that makes a string; not a
 * comment or a division. */
static int names_path(const char *text, const char *end)
{
	for (const char *p = text; (p = memchr(p, '/', (size_t)(end - p))) != NULL; p++) {
		char before = p > text ? p[-1] : ' ', after = p + 1 < end ? p[1] : '\0';

		if (before == '"' || before == '<')
			return 1;
		if (strchr("(, \t\n", before) && (is_word((unsigned char)after) || after == '.'))
			return 1;
	}
	return 0;
}

int source_text_reaches(const char *text, const char *cwd)
{
	const char *slash = strchr(text, '/');
	char path[PATH_SIZE];
	size_t n = slash ? strlen(slash) : 0;

	if (!slash)
		return 0;
	if (n >= sizeof path || strstr(slash, "/.."))
		return 1;
	memcpy(path, slash, n + 1);
	n = path_tidy(path);
	/* The text before the slash may be a directory that the path is relative to. */
	return n <= 1 || path_below(cwd, path) || path_below(path, cwd);
}

int source_text_flags(const char *text, size_t n, const char *cwd, size_t cwd_len)
{
	const char *end = text + n;
	int found = (cwd_len > 1 ? memmem(text, n, cwd, cwd_len) != NULL : names_path(text, end))
	                    ? SOURCE_DIRECTORY
	                    : 0;

	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++)
		if (is_split(text, end, p))
			return found | SOURCE_TIME;
	for (const char *p = text; (p = memchr(p, '_', (size_t)(end - p))) != NULL;) {
		const char *begin = p;

		while (begin > text && is_word((unsigned char)begin[-1]))
			begin--;
		while (p < end && is_word((unsigned char)*p))
			p++;
		if (is_piece(begin, (size_t)(p - begin)))
			return found | SOURCE_TIME;
	}
	return found;
}

const char *source_text_read(struct source_text_room *room, const char *path, size_t *n)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	const char *text = NULL;
	struct statx st;

	if (fd < 0)
		return NULL;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE | STATX_TYPE, &st) == 0 &&
	    (st.stx_mode & S_IFMT) == S_IFREG && st.stx_size <= FILE_MOST) {
		if (!room->data || room->size <= st.stx_size) {
			room->size = st.stx_size + 1;
			room->data = arena_alloc(room->arena, room->size);
		}
		if (room->data &&
		    sys_read_all(fd, room->data, st.stx_size) == (ssize_t)st.stx_size) {
			*n = st.stx_size;
			text = room->data;
		}
	}
	sys_close(fd);
	return text;
}
