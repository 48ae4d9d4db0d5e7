/* units/gather/pickle.c - walks pickles without loading them. */
#include "units/gather/gather.h"

/* No source has so many lines. The limit refuses a word of four bytes that are letters as a line
 * number. */
#define LINES_MAX (1u << 24)

/* The argument of each opcode (CPython's pickletools, protocols 0 to 5). */
enum argument {
	UNKNOWN, BARE, BYTES_1, BYTES_2, BYTES_4, BYTES_8, LINE, TWO_LINES,
	COUNTED_1, COUNTED_4, COUNTED_8, /* a length of so many bytes, then the bytes */
	LAST
};
static const unsigned char argument_of[256] = {
	['('] = BARE, ['.'] = LAST, ['0'] = BARE, ['1'] = BARE, ['2'] = BARE, ['F'] = LINE,
	        ['I'] = LINE, ['J'] = BYTES_4,
	['K'] = BYTES_1, ['L'] = LINE, ['M'] = BYTES_2, ['N'] = BARE, ['P'] = LINE, ['Q'] = BARE,
	['R'] = BARE, ['S'] = LINE,
	['T'] = COUNTED_4, ['U'] = COUNTED_1, ['V'] = LINE, ['X'] = COUNTED_4, ['a'] = BARE,
	['b'] = BARE, ['c'] = TWO_LINES,
	['d'] = BARE, ['}'] = BARE, ['e'] = BARE, ['g'] = LINE, ['h'] = BYTES_1, ['i'] = TWO_LINES,
	['j'] = BYTES_4,
	['l'] = BARE, [']'] = BARE, ['o'] = BARE, ['p'] = LINE, ['q'] = BYTES_1, ['r'] = BYTES_4,
	['s'] = BARE, ['t'] = BARE,
	[')'] = BARE, ['u'] = BARE, ['G'] = BYTES_8, ['B'] = COUNTED_4, ['C'] = COUNTED_1,
	[0x80] = BYTES_1, [0x81] = BARE, [0x82] = BYTES_1, [0x83] = BYTES_2, [0x84] = BYTES_4,
	[0x85] = BARE, [0x86] = BARE,
	[0x87] = BARE, [0x88] = BARE, [0x89] = BARE, [0x8a] = COUNTED_1, [0x8b] = COUNTED_4,
	[0x8c] = COUNTED_1,
	[0x8d] = COUNTED_8, [0x8e] = COUNTED_8, [0x8f] = BARE, [0x90] = BARE, [0x91] = BARE,
	[0x92] = BARE, [0x93] = BARE,
	[0x94] = BARE, [0x95] = BYTES_8, [0x96] = COUNTED_8, [0x97] = BARE, [0x98] = BARE,
};

static void skip_line(struct reader *r)
{
	const unsigned char *end = memchr(r->p, '\n', (size_t)(r->end - r->p));

	if (end)
		r->p = end + 1;
	else
		r->failed = 1;
}

/* Walks one pickle. WHOLE: r is behind it. */
static enum check walk(struct reader *r)
{
	/* Protocol 2 and later begin with it. A text whose bytes happen to be opcodes does not. */
	if (r->p < r->end && r->p[0] != 0x80)
		return CHECK_NEVER;
	while (r->p < r->end && !r->failed) {
		switch (argument_of[reader_u8(r)]) {
		case UNKNOWN: return CHECK_NEVER;
		case BARE: break;
		case BYTES_1: reader_bytes(r, 1); break;
		case BYTES_2: reader_bytes(r, 2); break;
		case BYTES_4: reader_bytes(r, 4); break;
		case BYTES_8: reader_bytes(r, 8); break;
		case LINE: skip_line(r); break;
		case TWO_LINES: skip_line(r); skip_line(r); break;
		case COUNTED_1: reader_bytes(r, reader_u8(r)); break;
		case COUNTED_4: reader_bytes(r, reader_u32(r)); break;
		case COUNTED_8: reader_bytes(r, reader_u64(r)); break;
		case LAST: return CHECK_WHOLE;
		}
	}
	return CHECK_CUT;
}

enum check check_pickle(const void *bytes, size_t n)
{
	struct reader r = reader_of(bytes, n);
	enum check what = walk(&r);

	return what == CHECK_WHOLE && r.p != r.end ? CHECK_NEVER : what;
}

enum check check_pickles(const void *bytes, size_t n)
{
	struct reader r = reader_of(bytes, n);
	enum check what;

	do
		what = walk(&r);
	while (what == CHECK_WHOLE && r.p != r.end);
	return what;
}

/* Reads a string with type and length before it, as pickle and marshal write it: its bytes. NULL: a
 * reference to an earlier string. Marshal sets the high bit of types that it refers to later. */
static const unsigned char *read_string(struct reader *r, size_t *len)
{
	unsigned type = reader_u8(r);

	*len = 0;
	if (type == 0x8c || (type & 0x7f) == 'z' || (type & 0x7f) == 'Z')
		*len = reader_u8(r);
	else if (type == 'X' || ((type & 0x7f) && strchr("aAut", type & 0x7f)))
		*len = reader_u32(r);
	else if (type == 'r')
		return reader_bytes(r, 4), NULL;
	else
		r->failed = 1;
	if (*len >= PATH_SIZE)
		r->failed = 1;
	return reader_bytes(r, *len);
}

/* 1: a name that a function may have, also one without a name of its own. */
static int is_function(const unsigned char *s, size_t len)
{
	static const char *const nameless[] = {"<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>",
	                                       "<genexpr>", "<module>"};

	for (size_t i = 0; i < sizeof nameless / sizeof *nameless; i++)
		if (strlen(nameless[i]) == len && memcmp(s, nameless[i], len) == 0)
			return 1;
	for (size_t i = 0; i < len; i++)
		if (s[i] < 0x80 && s[i] != '_' && !(s[i] >= '0' && s[i] <= '9') &&
		    !((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z'))
			return 0;
	return 1;
}

/* Where the fields after a code object's file name end. They are the name, from Python 3.11 on the
 * qualified name, and the first line; the line table follows. NULL: other bytes, or a code object
 * whose file name an inner code object has already given. */
static const unsigned char *code_goes_on(struct reader r, const unsigned char *s, size_t s_len)
{
	size_t len;

	for (int names = 0; names < 2; names++) {
		struct reader line;

		read_string(&r, &len);
		line = r;
		unsigned first = reader_u32(&line), table = reader_u8(&line) & 0x7f;
		if (names == 0 && is_function(s, s_len))
			continue;
		if (!line.failed && first < LINES_MAX && (table == 's' || table == 'r'))
			return line.p - 1;
	}
	return NULL;
}

/* Names found so far. */
struct sources {
	const char **name;
	int count, max;
	struct arena *a;
};

/* Adds a name. 0, or -1: more than max, or no memory. */
static int add_source(struct sources *v, const void *name, size_t len)
{
	for (int i = 0; i < v->count; i++)
		if (strlen(v->name[i]) == len && memcmp(v->name[i], name, len) == 0)
			return 0;
	if (v->count == v->max || !(v->name[v->count] = arena_memdup(v->a, name, len)))
		return -1;
	v->count++;
	return 0;
}

static int add_strings(struct sources *v, const unsigned char *p, const unsigned char *end)
{
	for (; p < end; p++) {
		struct reader r = {p, end, 0};
		size_t len;
		const unsigned char *s = read_string(&r, &len), *code = s &&
		                         len ? code_goes_on(r, s, len) : NULL;

		if (!s || r.failed || !len || memchr(s, 0, len) || memchr(s, '\n', len) ||
		    (!code && (len < 4 || memcmp(s + len - 3, ".py", 3) != 0)))
			continue;
		if (add_source(v, s, len) < 0)
			return -1;
		p = code ? code - 1 : p; /* skips the names, which look like file names */
	}
	return 0;
}

/* "# File: /x/layers.py:12 in forward, code: ...": the end of the file's name, or NULL. */
static const unsigned char *comment_name_end(const unsigned char *p, const unsigned char *line_end)
{
	for (; (p = memchr(p, ':', (size_t)(line_end - p))); p++) {
		const unsigned char *digit = p + 1;

		while (digit < line_end && *digit >= '0' && *digit <= '9')
			digit++;
		if (digit > p + 1 && line_end - digit >= 4 && memcmp(digit, " in ", 4) == 0)
			return p;
	}
	return NULL;
}

static int add_comments(struct sources *v, const unsigned char *p, const unsigned char *end)
{
	/* an annotation of the operation may follow the # */
	static const char head[] = " File: ";

	while ((p = memmem(p, (size_t)(end - p), head, sizeof head - 1))) {
		const unsigned char *line, *at;

		p += sizeof head - 1;
		line = memchr(p, '\n', (size_t)(end - p));
		at = comment_name_end(p, line ? line : end);
		if (at && at > p && at - p < PATH_SIZE && !memchr(p, 0, (size_t)(at - p)) &&
		    add_source(v, p, (size_t)(at - p)) < 0)
			return -1;
	}
	return 0;
}

int pickle_sources(const void *bytes, size_t n, const char *out[], int max, struct arena *a)
{
	const unsigned char *end = (const unsigned char *)bytes + n;
	struct sources v = {out, 0, max, a};

	return add_strings(&v, bytes, end) < 0 || add_comments(&v, bytes, end) < 0 ? -1 : v.count;
}
