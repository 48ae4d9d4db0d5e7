/* tools/text/line_marks.c - looks at each '#' that may begin a directive. */
#include "tools/text/line_marks.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/list.h"
#include "tools/asks/words.h"

#include "shim/banned.h"

/* Before it on its line are only blanks, or a comment that ends there. A joined line may divide the
 * end of that comment. */
static int may_begin(const char *text, const char *at)
{
	while (at > text && ascii_blank(at[-1]))
		at--;
	return at == text || at[-1] == '\n' ||
	       (at - text >= 2 && at[-1] == '/' && (at[-2] == '*' || at[-2] == '\n'));
}

/* A joined line may divide a "%:". */
static int has_divided(const char *text, size_t n)
{
	const char *end = text + n;

	for (const char *p = text; (p = memchr(p, '%', (size_t)(end - p))) != NULL; p++)
		if (end - p > 3 && ((p[1] == '\\' && (p[2] == '\n' || ascii_blank(p[2]))) ||
		                    memcmp(p + 1, "?\?/", 3) == 0))
			return 1;
	return 0;
}

/* Behind the '#' stands a number, the word, or something that may hide either. */
static int may_name(const char *p, const char *end, const char *word)
{
	size_t i = 0;

	while (p < end && ascii_blank(*p))
		p++;
	if (p == end)
		return 0;
	if ((*p >= '0' && *p <= '9') || *p == '/')
		return 1;
	while (p < end && word[i] && *p == word[i])
		p++, i++;
	/* A backslash or its trigraph may join the next line. */
	return !word[i] || (p < end && (*p == '\\' || *p == '?'));
}

/* A line number follows the '#', and either no name or a relative name in quotes. */
static int keeps_relative(const char *p, const char *end)
{
	while (p < end && ascii_blank(*p))
		p++;
	if (end - p > 4 && memcmp(p, "line", 4) == 0 && ascii_blank(p[4]))
		p += 4;
	while (p < end && ascii_blank(*p))
		p++;
	if (p == end || *p < '0' || *p > '9')
		return 0;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	while (p < end && ascii_blank(*p))
		p++;
	if (p == end || *p == '\n')
		return 1;
	return end - p > 1 && p[0] == '"' && p[1] != '/' && p[1] != '\\' && p[1] != '?';
}

static int marks(const char *text, size_t n, const char *hash, const char *word, int renames)
{
	const char *end = text + n, *at = text;
	size_t len = strlen(hash);

	while ((at = memmem(at, (size_t)(end - at), hash, len))) {
		if (may_begin(text, at) && may_name(at + len, end, word) &&
		    !(renames && keeps_relative(at + len, end)))
			return 1;
		at += len;
	}
	return 0;
}

static int has_marks(const char *text, size_t n, const char *word, int renames)
{
	return marks(text, n, "#", word, renames) || marks(text, n, "%:", word, renames) ||
	       marks(text, n, "?\?=", word, renames) || has_divided(text, n);
}

int line_marks_in(const char *text, size_t n)
{
	return has_marks(text, n, "line", 0);
}

int line_marks_embed(const char *text, size_t n)
{
	return has_marks(text, n, "embed", 0);
}

int line_marks_rename(const char *text, size_t n)
{
	return has_marks(text, n, "line", 1);
}

/* Looks for words. */

static const char words[] =
	"__asm\0" "__asm__\0" "__section__\0" "asm\0";
static const char choosing[] =
	"__section__\0";
/* The last piece of a pasted asm, __asm or __asm__. */
static const char ends[] =
	"_\0" "__\0" "_asm\0" "_asm__\0" "asm_\0" "asm__\0" "m\0" "m_\0" "m__\0" "sm\0" "sm_\0"
	"sm__\0";
/* "#" twice, its other spellings, and a part of macros that paste (__CONCAT). */
static const char pastes[] =
	"##\0" "%:\0" "?\?=\0" "PASTE\0" "CATENATE\0";
static const char qualifiers[] =
	"__inline\0" "__inline__\0" "__volatile\0" "__volatile__\0" "goto\0" "inline\0"
	"volatile\0";

static int may_paste(const char *text, size_t n)
{
	for (const char *p = pastes; *p; p = LIST_NEXT(p))
		if (memmem(text, n, p, strlen(p)))
			return 1;
	/* Not DEPRECATED, ALLOCATE, LOCATION */
	for (const char *p = text, *end = text + n; (p = asks_seek(p, end, "CAT")); p += 3)
		if (p + 3 == end || p[3] < 'A' || p[3] > 'Z')
			return 1;
	return 0;
}

/* 1: the word is `section` as an attribute, or stands in a directive, whose macro may be one. As
 * the name of a type or variable it is harmless. */
static int is_attribute(const char *text, const char *word, size_t len, const char *end)
{
	const char *line = word;

	if (len != strlen("section") || memcmp(word, "section", len) != 0 ||
	    (word > text && word[-1] == '.')) /* a member, or a text of assembler */
		return 0;
	if (asks_is_called(word + len, end))
		return 1;
	while (line > text && line[-1] != '\n')
		line--;
	while (line < end && ascii_blank(*line))
		line++;
	return line < end && strchr("#%?", *line) != NULL;
}

/* The place behind a string literal that begins here and holds no dot, other than one behind a
 * letter (fmove.l). NULL: there is none. */
static const char *skip_dotless(const char *p, const char *end)
{
	int letter = 0;

	if (p == end || *p != '"')
		return NULL;
	for (p++; p < end && *p != '"'; p++) {
		if ((*p == '.' && !letter) || *p == '\n')
			return NULL;
		letter = asks_is_word(*p) && !(*p >= '0' && *p <= '9');
		if (*p == '\\' && (++p == end || !strchr("nt\"", *p)))
			return NULL;
	}
	return p < end ? p + 1 : NULL;
}

/* 1: behind asm comes assembler text without a dot. Names of sections and of gcc's own labels begin
 * with one, and so do all directives. */
static int is_dotless(const char *p, const char *end)
{
	const char *behind;
	size_t len;

	for (p = asks_skip_gap(p, end); p < end && *p != '('; p = asks_skip_gap(p + len, end)) {
		const char *word = p;

		len = asks_next_word(&word, end);
		if (word != p || !list_has_n(qualifiers, p, len))
			return 0;
	}
	if (p == end || !(p = skip_dotless(asks_skip_gap(p + 1, end), end)))
		return 0;
	while ((behind = skip_dotless(asks_skip_gap(p, end), end)))
		p = behind;
	p = asks_skip_gap(p, end);
	return p < end && (*p == ':' || *p == ')');
}

/* What the words of a text say; ODD: it may be read in another way. */
enum reading { HARMLESS, ASSEMBLES, ODD };

/* Pieces of __asm__: bit k of from[i]: a word is its bytes i to k - 1. */
struct pieces {
	unsigned from[8];
};

static void add_piece(struct pieces *x, const char *word, size_t len)
{
	static const char whole[] = "__asm__";

	for (size_t i = 0; i + len < sizeof whole; i++)
		if (memcmp(whole + i, word, len) == 0)
			x->from[i] |= 1u << (i + len);
}

/* 1: asm, __asm or __asm__ can be put together. */
static int make_asm(const struct pieces *x)
{
	unsigned of_long = 1u << 0, of_short = 1u << 2;

	for (size_t i = 0; i < 7; i++) {
		of_long |= of_long >> i & 1 ? x->from[i] : 0;
		of_short |= of_short >> i & 1 ? x->from[i] : 0;
	}
	return of_long & (1u << 5 | 1u << 7) || of_short & 1u << 5;
}

/* 1: the word stands behind ##. */
static int is_pasted(const char *text, const char *word)
{
	while (word > text && ascii_blank(word[-1]))
		word--;
	return word > text && (word[-1] == '#' || word[-1] == ':' || word[-1] == '=');
}

/* lines: two slashes begin a comment, as since C99. */
static enum reading read_words(const char *text, size_t n, int pasting, int lines)
{
	const char *p = text, *end = text + n;
	struct pieces pieces = {{0}};

	while (p < end) {
		const char *word = p, *behind;
		size_t len;

		if (!asks_is_word(*p)) {
			behind = lines || p[0] != '/' || p + 1 == end || p[1] != '/'
			                 ? asks_skip_other(p, end) : NULL;
			p = behind ? behind : p + 1;
			continue;
		}
		len = asks_next_word(&word, end);
		p += len;
		if (p < end && ((*p == '"' && asks_is_raw(word, len)) ||
		                (*p == '\'' && *word >= '0' && *word <= '9')))
			return ODD;
		if ((list_has_n(words, word, len) &&
		     (list_has_n(choosing, word, len) || !is_dotless(p, end))) ||
		    is_attribute(text, word, len, end) ||
		    (pasting && list_has_n(ends, word, len) && is_pasted(text, word)))
			return ASSEMBLES;
		if (!list_has_n(words, word, len))
			add_piece(&pieces, word, len);
	}
	return pasting && make_asm(&pieces) ? ASSEMBLES : HARMLESS;
}

/* Of a text that may be read in another way all words count. */
static int has_word(const char *text, size_t n, int pasting)
{
	const char *p = text, *end = text + n;

	for (size_t len; (len = asks_next_word(&p, end)) != 0; p += len)
		if (list_has_n(words, p, len) || is_attribute(text, p, len, end) ||
		    (pasting && list_has_n(ends, p, len)))
			return 1;
	return 0;
}

int assembly_words(const char *text, size_t n)
{
	int pasting = may_paste(text, n);

	if (!has_word(text, n, pasting))
		return 0;
	/* A trigraph may be a backslash. Before C99 two slashes are a division and the begin of a
	 * comment, if anything. */
	return memmem(text, n, "?\?", 2) || read_words(text, n, pasting, 1) != HARMLESS ||
	       (memmem(text, n, "//*", 3) && read_words(text, n, pasting, 0) != HARMLESS);
}

int assembly_of_system(const char *path)
{
	static const char folders[] = "/usr/include/\0" "/usr/lib/gcc/\0";

	return list_begins(folders, path) && !strstr(path, "/../");
}
