/* jit/source_text.c - what a source's text says that no file call shows. */
#include "jit/source_text.h"

#include <string.h>

#include "keying/memo.h"
#include "shim/arena.h"
#include "shim/ascii.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "tools/comment/comment.h"

#include "shim/banned.h"

#define FILE_MOST (64u << 20)
/* The number of these flags in the memo. */
#define SOURCE_RULES 1004
/* Headers contain shorter ends of the three names ("__"), and shorter beginnings. */
#define PIECE_LEAST 3

/* What a word adds to one of the names that give the time, by any number of ##. The first piece is
 * a beginning of the name, and the last one is an end. */
static int piece_flags(const char *word, size_t n)
{
	static const char *const names[] = {"__TIME__", "__DATE__", "__TIMESTAMP__"};
	const char *letter;
	int flags = 0;

	if (n == 1 && (letter = memchr(SOURCE_NAMED_LETTERS, *word,
	                               sizeof SOURCE_NAMED_LETTERS - 1)) != NULL)
		return SOURCE_LETTER << (letter - SOURCE_NAMED_LETTERS);
	if (n <= 2 && memcmp("__", word, n) == 0)
		return SOURCE_SCORE;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t len = strlen(names[i]);

		if (n > len)
			continue;
		if (n >= PIECE_LEAST && (memcmp(names[i] + len - n, word, n) == 0 ||
		                         memcmp(names[i], word, n) == 0))
			return SOURCE_TIME;
		if (memmem(names[i], len, word, n))
			flags = SOURCE_LETTERS;
	}
	return flags;
}

int source_text_dates(int flags)
{
	static const char *const names[] = {"TIME", "DATE"};

	if (flags & SOURCE_TIME || (flags & SOURCE_SCORE && flags & SOURCE_LETTERS))
		return 1;
	for (size_t i = 0; flags & SOURCE_SCORE && i < sizeof names / sizeof *names; i++) {
		const char *p = names[i];

		while (*p && flags & SOURCE_LETTER << (strchr(SOURCE_NAMED_LETTERS, *p) -
		                                       SOURCE_NAMED_LETTERS))
			p++;
		if (!*p)
			return 1;
	}
	return 0;
}

/* The text spells a letter otherwise: \u005f, a trigraph for a backslash, a byte of zero. */
static int spells_otherwise(const char *text, size_t n)
{
	return memmem(text, n, "\\u00", 4) || memmem(text, n, "\\U0000", 6) ||
	       memmem(text, n, "\\u{", 3) || memmem(text, n, "\\N{", 3) ||
	       memmem(text, n, "?\?/", 3) || memchr(text, 0, n);
}

/* A backslash at the end of a line joins a word with the next line, which may itself end so. */
static int is_split(const char *text, const char *end, const char *backslash)
{
	const char *p = backslash + 1;

	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\v' || *p == '\f'))
		p++;
	return backslash > text && ascii_word((unsigned char)backslash[-1]) && p + 1 < end &&
	       *p == '\n' && (ascii_word((unsigned char)p[1]) || p[1] == '\\');
}

/* An absolute path as in "/a/b.h", </a/b.h>, or (/a/b.h) for a macro that makes a string; not a
 * comment or a division. */
static int names_path(const char *text, const char *end)
{
	for (const char *p = text; (p = memchr(p, '/', (size_t)(end - p))) != NULL; p++) {
		char before = p > text ? p[-1] : ' ', after = p + 1 < end ? p[1] : '\0';

		if (before == '"' || before == '<')
			return 1;
		if (strchr("(, \t\n", before) && (ascii_word((unsigned char)after) || after == '.'))
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

static int pieces(const char *text, size_t n)
{
	const char *end = text + n;
	int found = 0;

	for (const char *p = text; p < end && !(found & SOURCE_TIME);) {
		const char *begin = p;

		while (p < end && ascii_word((unsigned char)*p))
			p++;
		if (p > begin)
			found |= piece_flags(begin, (size_t)(p - begin));
		p += p == begin;
	}
	return found;
}

/* Words of comments are no pieces: CCCL's headers explain themselves by A, D and T. */
static int pieces_of_code(const char *text, size_t n)
{
	struct arena arena = ARENA_INIT;
	int found = pieces(text, n);
	char *form = found ? arena_alloc(&arena, n) : NULL;
	size_t len;

	if (form && comment_free_form(text, n, 0, form, &len))
		found = pieces(form, len);
	arena_free(&arena);
	return found;
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
	if (spells_otherwise(text, n))
		return found | SOURCE_TIME;
	return found | pieces_of_code(text, n);
}

int source_text_flags_kept(struct memo *m, const char *text, size_t n, const char *cwd,
                           size_t cwd_len)
{
	struct digest code, where, rules, content, key, found;
	uint64_t flags;

	digest_of(&code, ASKS_CODE, strlen(ASKS_CODE));
	digest_of(&where, cwd, cwd_len);
	digest_both(&rules, &code, &where);
	digest_of(&content, text, n);
	digest_both(&key, &rules, &content);
	if (memo_text_get(m, SOURCE_RULES, &key, &found, &flags) && digest_equal(&key, &found))
		return (int)flags;
	flags = (uint64_t)source_text_flags(text, n, cwd, cwd_len);
	memo_text_put(m, SOURCE_RULES, &key, &key, flags);
	return (int)flags;
}

const char *source_text_definition(const char *option, struct arena *arena)
{
	static const char words[] = "-abcdefghijklmnopqrstuvwxyz", blanks[] = "= \t\n\v\f\r";
	const char *text = option + strspn(option, blanks), *equals;
	struct buf line = BUF_INIT(arena);

	if (strncmp(text, "-D", 2) == 0)
		text += 2;
	else if (*text == '-' && (text += strspn(text, words)) && !strchr(blanks, *text))
		return "";
	text += strspn(text, blanks);
	equals = text + strcspn(text, "=");
	if (!ascii_word((unsigned char)*text))
		return "";
	buf_str(&line, "#define ");
	buf_add(&line, text, (size_t)(equals - text));
	buf_u8(&line, ' ');
	buf_str(&line, *equals ? equals + 1 : "1");
	buf_str(&line, "\n");
	buf_u8(&line, 0);
	return line.failed ? NULL : (const char *)line.data;
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
