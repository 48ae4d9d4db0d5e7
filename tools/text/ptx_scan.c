/* tools/text/ptx_scan.c - PTX as LLVM's NVPTX back-end and cicc print it; other layouts stay
 * literal. */
#include "tools/text/ptx_scan.h"

#include <string.h>

#include "shim/ascii.h"

#include "shim/banned.h"

#define BREAK 0x01 /* no name holds it */

enum section { SECTION_NONE, SECTION_DEBUG, SECTION_INFO };

struct line {
	size_t begin, end; /* without the newline */
	size_t first;      /* first character that is not blank */
	/* of "//" outside quotes, or end; only functions that look inside a line ask for it */
	size_t comment;
};

/* The place of the next character of a kind. Most lines hold none, and a separate search for each
 * line would cost more than all other work. */
struct ahead {
	char wanted;
	size_t at; /* n: the character does not occur any more */
};

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static inline size_t skip_blank(const struct ptx_scan *s, size_t at, size_t end)
{
	/* LLVM puts its comments in column 40. */
	for (; at + 8 <= end && memcmp(s->text + at, "        ", 8) == 0; at += 8)
		;
	while (at < end && is_blank(s->text[at]))
		at++;
	return at;
}

/* Whether this word and a blank stand at `at`. */
static inline int word_at(const struct ptx_scan *s, size_t at, size_t end, const char *word,
                          size_t n)
{
	return end - at > n && memcmp(s->text + at, word, n) == 0 && is_blank(s->text[at + n]);
}
#define IS_WORD(s, l, word) word_at(s, (l)->first, (l)->end, word, sizeof(word) - 1)

static struct ahead look_ahead(const struct ptx_scan *s, char wanted, size_t begin)
{
	const char *p = memchr(s->text + begin, wanted, s->n - begin);

	return (struct ahead){wanted, p ? (size_t)(p - s->text) : s->n};
}

/* Whether the character stands in text[begin, end); begin never goes back. */
static inline int stands_ahead(const struct ptx_scan *s, struct ahead *next, size_t begin,
                               size_t end)
{
	if (next->at < begin)
		*next = look_ahead(s, next->wanted, begin);
	return next->at < end;
}

static void add_piece(struct buf *b, size_t at, size_t len)
{
	struct ptx_piece p = {(uint32_t)at, (uint32_t)len};

	buf_add(b, &p, sizeof p);
}

static void add_byte(struct ptx_scan *s, unsigned value, size_t at, size_t len)
{
	struct ptx_byte w = {(uint32_t)at, (uint32_t)len};

	/* The usual case needs no call: there are thousands. */
	if (s->bytes.cap > s->bytes.len && s->where.cap - s->where.len >= sizeof w) {
		s->bytes.data[s->bytes.len++] = (unsigned char)value;
		memcpy(s->where.data + s->where.len, &w, sizeof w);
		s->where.len += sizeof w;
		return;
	}
	buf_u8(&s->bytes, value & 0xff);
	buf_add(&s->where, &w, sizeof w);
}

static void add_break(struct ptx_scan *s)
{
	if (s->bytes.len && s->bytes.data[s->bytes.len - 1] != BREAK)
		add_byte(s, BREAK, 0, 0);
}

/* .file N "path" [, time, size] and nothing more. */
static void scan_file(struct ptx_scan *s, const struct line *l)
{
	size_t at = skip_blank(s, l->first + 5, l->comment);
	struct ptx_file f = {0, 0, 0, 0};

	if (at == l->comment || !ascii_digit(s->text[at]))
		return;
	for (; at < l->comment && ascii_digit(s->text[at]) && f.number < UINT32_MAX / 16; at++)
		f.number = f.number * 10 + (uint32_t)(s->text[at] - '0');
	at = skip_blank(s, at, l->comment);
	if (at == l->comment || s->text[at] != '"')
		return;
	f.at = (uint32_t)++at;
	while (at < l->comment && s->text[at] != '"' && s->text[at] != '\\')
		at++;
	if (at == l->comment || s->text[at] != '"')
		return;
	f.len = (uint32_t)at++ - f.at;
	for (; at < l->comment; at++) {
		if (!is_blank(s->text[at]) && !ascii_digit(s->text[at]) && s->text[at] != ',')
			return;
		f.has_times |= s->text[at] == ',';
	}
	buf_add(&s->files, &f, sizeof f);
}

#define BIT(c) (1ull << ((c) & 63))

/* Whether a character of an instruction, a block or a string is there: ; { } [ ] % " */
static int is_odd_in_loc(const char *p, const char *end)
{
	static const unsigned long long odd[4] = {BIT('%') | BIT('"') | BIT(';'),
	                                          BIT('[') | BIT(']') | BIT('{') | BIT('}'), 0, 0};
	unsigned long long found = 0;

	for (; p < end; p++)
		found |= odd[(unsigned char)*p >> 6] >> (*p & 63);
	return found & 1;
}

/* .loc with its comment. ptxas would keep an instruction on the same line together with it. */
static void scan_loc(struct ptx_scan *s, const struct line *l)
{
	if (l->comment == l->end || is_odd_in_loc(s->text + l->first, s->text + l->comment))
		return;
	add_piece(&s->comments, l->comment + 2, l->end - l->comment - 2);
}

static int is_base(char c)
{
	c |= 0x20;
	return c == 'x' || c == 'f' || c == 'd';
}

/* Reads the number at *at and moves *at behind it: decimal, 0x, 0f, 0d. -1: no number. */
static int read_number(const struct ptx_scan *s, size_t *at, size_t end, unsigned long long *value)
{
	size_t i = *at;

	*value = 0;
	if (end - i > 2 && s->text[i] == '0' && is_base(s->text[i + 1])) {
		for (i += 2; i < end; i++) {
			int c = s->text[i] | 0x20;

			if (ascii_digit(s->text[i]))
				*value = *value << 4 | (unsigned)(c - '0');
			else if (c >= 'a' && c <= 'f')
				*value = *value << 4 | (unsigned)(c - 'a' + 10);
			else
				break;
		}
	} else {
		for (; i < end && ascii_digit(s->text[i]); i++)
			*value = *value * 10 + (unsigned)(s->text[i] - '0');
	}
	if (i == *at)
		return -1;
	*at = i;
	return 0;
}

/* Element size of the type word that ends at the digits ".b8", ".u32", ...; 0: no type word. */
static unsigned type_size(const struct ptx_scan *s, size_t at, size_t end)
{
	if (end - at < 4 || s->text[at] != '.')
		return 0;
	switch (s->text[at + 1]) {
	case 'b':
	case 'u':
	case 's':
	case 'f':
		break;
	default:
		return 0;
	}
	switch (s->text[at + 2]) {
	case '8':
		return 1;
	case '1':
		return 2;
	case '3':
		return 4;
	case '6':
		return 8;
	}
	return 0;
}

static void add_value(struct ptx_scan *s, unsigned long long value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		add_byte(s, (unsigned)(value >> 8 * i), 0, 0);
}

/* The data of a .debug_* section. ".b8 97" alone on its line may be blanked in .debug_info. Any
 * other data only says which bytes are there. */
static void scan_data(struct ptx_scan *s, const struct line *l, enum section section)
{
	unsigned size = type_size(s, l->first, l->comment);
	size_t at = l->first, begin, end;
	unsigned long long value;

	if (!size || size > 1) {
		if (l->first < l->comment)
			add_break(s);
		if (!size)
			return;
	}
	at = begin = skip_blank(s, at + (size == 1 ? 3 : 4), l->comment);
	if (read_number(s, &at, l->comment, &value) < 0) {
		add_break(s);
		return;
	}
	end = skip_blank(s, at, l->comment);
	if (size == 1 && section == SECTION_INFO && end == l->comment && value < 256 &&
	    ascii_digit(s->text[at - 1]) && at - begin == (value > 99 ? 3u : value > 9 ? 2u : 1u)) {
		add_byte(s, (unsigned)value, begin, end - begin);
		return;
	}
	for (at = begin; at < l->comment; at = skip_blank(s, at, l->comment)) {
		if (s->text[at] == ',')
			at++;
		else if (read_number(s, &at, l->comment, &value) == 0)
			add_value(s, value, size);
		else
			break;
	}
}

/* ".global .align 1 .b8 x[3] = {1, 2, 3};", perhaps over several lines. */
static void scan_initialiser(struct ptx_scan *s, const struct line *l)
{
	const char *equal = memchr(s->text + l->first, '=', l->comment - l->first);
	unsigned size = 1;
	unsigned long long value;
	size_t at;

	if (!equal)
		return;
	at = (size_t)(equal - s->text);
	for (size_t i = l->first; i < at; i++)
		if (s->text[i] == '.' && type_size(s, i, at))
			size = type_size(s, i, at);
	at = skip_blank(s, at + 1, l->comment);
	if (at == l->comment || s->text[at] != '{')
		return;
	add_break(s);
	while (at < s->n && s->text[at] != '}' && s->text[at] != ';')
		if (read_number(s, &at, s->n, &value) == 0)
			add_value(s, value, size);
		else
			at++;
	add_break(s);
}

static int is_quoted(const char *p, const char *end)
{
	int quoted = 0;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		quoted = !quoted;
		p++;
	}
	return quoted;
}

static void find_comment(const struct ptx_scan *s, struct line *l, struct ahead *slash)
{
	const char *first = s->text + l->first, *end = s->text + l->end, *p = first;

	l->comment = l->end;
	if (!stands_ahead(s, slash, l->first, l->end))
		return;
	for (p = s->text + slash->at; p && p + 1 < end;
	     p = memchr(p + 1, '/', (size_t)(end - p - 1)))
		if (p[1] == '/' && !is_quoted(first, p)) {
			l->comment = (size_t)(p - s->text);
			return;
		}
}

/* ".target sm_90, debug" makes ptxas write the complete .debug_info, as -g does. */
static int is_debug(const struct ptx_scan *s, const struct line *l)
{
	return memmem(s->text + l->first, l->comment - l->first, "debug", 5) != NULL;
}

static enum section section_of(const struct ptx_scan *s, const struct line *l)
{
	static const char debug[] = ".debug_", info[] = ".debug_info";
	size_t at = skip_blank(s, l->first + 8, l->comment), left = l->comment - at;

	if (left < sizeof debug || memcmp(s->text + at, debug, sizeof debug - 1) != 0)
		return SECTION_NONE;
	if (left >= sizeof info - 1 && memcmp(s->text + at, info, sizeof info - 1) == 0 &&
	    (left == sizeof info - 1 || is_blank(s->text[at + sizeof info - 1]) ||
	     s->text[at + sizeof info - 1] == '{'))
		return SECTION_INFO;
	return SECTION_DEBUG;
}

/* A block comment may hide anything. A star is seldom seen in PTX. */
static int has_block_comment(const char *text, size_t n)
{
	const char *p = text, *end = text + n;

	while (p < end && (p = memchr(p, '*', (size_t)(end - p)))) {
		if (p > text && p[-1] == '/')
			return 1;
		p++;
	}
	return 0;
}

enum directive { OTHER, SECTION, FILE_NAME, LOC, TARGET };

static inline enum directive directive_of(const struct ptx_scan *s, const struct line *l)
{
	if (l->end - l->first < 5 || s->text[l->first] != '.')
		return OTHER;
	switch (s->text[l->first + 1]) {
	case 's':
		return IS_WORD(s, l, ".section") ? SECTION : OTHER;
	case 'f':
		return IS_WORD(s, l, ".file") ? FILE_NAME : OTHER;
	case 'l':
		return IS_WORD(s, l, ".loc") ? LOC : OTHER;
	case 't':
		return IS_WORD(s, l, ".target") ? TARGET : OTHER;
	default:
		return OTHER;
	}
}

/* Memory was short. */
static int has_failed(const struct ptx_scan *s)
{
	return s->files.failed || s->comments.failed || s->sections.failed || s->bytes.failed ||
	       s->where.failed;
}

/* --- public --- */

int ptx_scan(struct ptx_scan *s, const char *text, size_t n, struct arena *a)
{
	enum section section = SECTION_NONE;
	size_t section_at = 0;
	struct line l = {0, 0, 0, 0};
	struct ahead slash, equal, brace;

	memset(s, 0, sizeof *s);
	s->text = text;
	s->n = n;
	s->files = s->comments = s->sections = s->bytes = s->where = (struct buf)BUF_INIT(a);
	if (n > PTX_TEXT_MAX || memchr(text, 0, n) || memchr(text, BREAK, n) ||
	    has_block_comment(text, n))
		return -1;
	slash = look_ahead(s, '/', 0);
	equal = look_ahead(s, '=', 0);
	brace = look_ahead(s, '}', 0);
	for (; l.begin < n; l.begin = l.end + 1) {
		const char *newline = memchr(text + l.begin, '\n', n - l.begin);
		enum directive directive;

		l.end = newline ? (size_t)(newline - text) : n;
		l.first = skip_blank(s, l.begin, l.end);
		directive = directive_of(s, &l);
		/* An instruction, like most lines: there is nothing to look for. */
		if (directive == OTHER && section == SECTION_NONE &&
		    !stands_ahead(s, &equal, l.first, l.end))
			continue;
		find_comment(s, &l, &slash);
		switch (directive) {
		case SECTION:
			section = section_of(s, &l);
			section_at = l.first;
			add_break(s);
			break;
		case FILE_NAME:
			scan_file(s, &l);
			break;
		case LOC:
			scan_loc(s, &l);
			break;
		case TARGET:
			if (is_debug(s, &l))
				return -1;
			/* fall through */
		case OTHER:
			if (section != SECTION_NONE)
				scan_data(s, &l, section);
			else
				scan_initialiser(s, &l);
		}
		if (section != SECTION_NONE && stands_ahead(s, &brace, l.first, l.comment)) {
			add_piece(&s->sections, section_at, l.comment - section_at);
			section = SECTION_NONE;
			add_break(s);
		}
	}
	add_break(s);
	return has_failed(s) ? -1 : 0;
}
