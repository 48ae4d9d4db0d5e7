/* jit/dated.c - what a source's text says that no file call shows. */
#include "jit/dated.h"

#include <string.h>

#include "shim/arena.h"
#include "shim/path.h"
#include "shim/sys.h"

#include "shim/banned.h"

#define FILE_MOST (64u << 20)
/* Shorter ends of the three names ("__") stand alone in many headers; what they would be pasted to does not. */
#define TAIL_LEAST 3

static int is_word(unsigned char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name that gives the time, an end of one, or one that lacks a shorter end. */
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

/* A line that goes on in the next one, within a word; or in one that itself may go on so. */
static int is_split(const char *text, const char *end, const char *backslash)
{
	const char *p = backslash + 1;

	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\v' || *p == '\f'))
		p++;
	return backslash > text && is_word((unsigned char)backslash[-1]) && p + 1 < end &&
	       *p == '\n' && (is_word((unsigned char)p[1]) || p[1] == '\\');
}

/* As in "/a/b.h", </a/b.h>, or (/a/b.h) for what makes a text of words; no comment and no quotient. */
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

int dated_reaches(const char *text, const char *cwd)
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
	/* What comes before it may be the directory that a relative path is below. */
	return n <= 1 || path_below(cwd, path) || path_below(path, cwd);
}

int dated_text(const char *text, size_t n, const char *cwd, size_t cwd_len)
{
	const char *end = text + n;
	int found = (cwd_len > 1 ? memmem(text, n, cwd, cwd_len) != NULL : names_path(text, end)) ? DATED_NAMES_CWD : 0;

	for (const char *p = text; (p = memchr(p, '\\', (size_t)(end - p))) != NULL; p++)
		if (is_split(text, end, p))
			return found | DATED_TIME;
	for (const char *p = text; (p = memchr(p, '_', (size_t)(end - p))) != NULL;) {
		const char *begin = p;

		while (begin > text && is_word((unsigned char)begin[-1]))
			begin--;
		while (p < end && is_word((unsigned char)*p))
			p++;
		if (is_piece(begin, (size_t)(p - begin)))
			return found | DATED_TIME;
	}
	return found;
}

const char *dated_read(struct dated_room *room, const char *path, size_t *n)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	const char *text = NULL;
	struct statx st;

	if (fd < 0)
		return NULL;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE | STATX_TYPE, &st) == 0 && (st.stx_mode & S_IFMT) == S_IFREG &&
	    st.stx_size <= FILE_MOST) {
		if (!room->data || room->size <= st.stx_size) {
			room->size = st.stx_size + 1;
			room->data = arena_alloc(room->arena, room->size);
		}
		if (room->data && sys_read_all(fd, room->data, st.stx_size) == (ssize_t)st.stx_size) {
			*n = st.stx_size;
			text = room->data;
		}
	}
	sys_close(fd);
	return text;
}
