/* units/format/json_path.c - paths as Python's json writes them. */
#include "units/format/json_path.h"

#include <string.h>

#include "shim/ascii.h"
#include "shim/buf.h"

#include "shim/banned.h"

static int continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* The character at s, which ends in NUL, and its length; 0: it is not UTF-8 as Python judges it (no
 * surrogates, no overlong forms). */
static int utf8_get(const unsigned char *s, unsigned *c)
{
	unsigned low = 0x80, high = 0xbf; /* of the second byte */
	int n;

	if (s[0] < 0x80) {
		*c = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		n = 2;
		*c = s[0] & 0x1f;
	} else if ((s[0] & 0xf0) == 0xe0) {
		n = 3;
		*c = s[0] & 0x0f;
		low = s[0] == 0xe0 ? 0xa0 : low;
		high = s[0] == 0xed ? 0x9f : high;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		n = 4;
		*c = s[0] & 0x07;
		low = s[0] == 0xf0 ? 0x90 : low;
		high = s[0] == 0xf4 ? 0x8f : high;
	} else {
		return 0;
	}
	if (s[1] < low || s[1] > high)
		return 0;
	for (int i = 1; i < n; i++) {
		if (!continues(s[i]))
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return n;
}

static void utf8_put(struct buf *b, unsigned c)
{
	if (c < 0x80) {
		buf_u8(b, c);
	} else if (c < 0x800) {
		buf_u8(b, 0xc0 | c >> 6);
		buf_u8(b, 0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		buf_u8(b, 0xe0 | c >> 12);
		buf_u8(b, 0x80 | (c >> 6 & 0x3f));
		buf_u8(b, 0x80 | (c & 0x3f));
	} else {
		buf_u8(b, 0xf0 | c >> 18);
		buf_u8(b, 0x80 | (c >> 12 & 0x3f));
		buf_u8(b, 0x80 | (c >> 6 & 0x3f));
		buf_u8(b, 0x80 | (c & 0x3f));
	}
}

static const char short_of[] = "\"\\\b\f\n\r\t", short_letter[] = "\"\\bfnrt";

static void escape_unit(struct buf *b, unsigned c)
{
	static const char digits[] = "0123456789abcdef";
	char text[6] = {'\\', 'u', digits[c >> 12 & 15], digits[c >> 8 & 15], digits[c >> 4 & 15],
	                digits[c & 15]};

	buf_add(b, text, sizeof text);
}

static void escape_char(struct buf *b, unsigned c)
{
	const char *at = c && c < 0x80 ? strchr(short_of, (int)c) : NULL;

	if (at) {
		buf_u8(b, '\\');
		buf_u8(b, (unsigned char)short_letter[at - short_of]);
	} else if (c >= 0x20 && c < 0x7f) {
		buf_u8(b, c);
	} else if (c < 0x10000) {
		escape_unit(b, c);
	} else {
		escape_unit(b, 0xd800 + ((c - 0x10000) >> 10));
		escape_unit(b, 0xdc00 + ((c - 0x10000) & 0x3ff));
	}
}

/* Four hex digits, lower-case as Python writes them; -1 for anything else. */
static int hex4(const char *s, const char *end)
{
	return end - s < 4 ? -1 : (int)ascii_get_hex(s, 4);
}

/* How many bytes of text follow "\u"; 0: they are no character of a path. */
static int unescape_u(struct buf *b, const char *s, const char *end)
{
	int c = hex4(s, end), low;

	if (c < 0)
		return 0;
	if (c >= 0xdc80 && c <= 0xdcff) {
		buf_u8(b, (unsigned)c & 0xff); /* surrogateescape */
		return 4;
	}
	if (c < 0xd800 || c > 0xdfff) {
		utf8_put(b, (unsigned)c);
		return 4;
	}
	if (c > 0xdbff || end - s < 6 || s[4] != '\\' || s[5] != 'u')
		return 0;
	low = hex4(s + 6, end);
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	utf8_put(b, 0x10000 + ((unsigned)(c - 0xd800) << 10) + (unsigned)(low - 0xdc00));
	return 10;
}

const char *json_path_escape(const char *path, size_t *len, struct arena *a)
{
	const unsigned char *s = (const unsigned char *)path;
	struct buf b = BUF_INIT(a);
	unsigned c;

	while (*s) {
		int n = utf8_get(s, &c);

		escape_char(&b, n ? c : 0xdc00u + *s);
		s += n ? n : 1;
	}
	buf_u8(&b, 0);
	*len = b.len - 1;
	return b.failed ? NULL : (char *)b.data;
}

const char *json_path_unescape(const char *text, size_t n, struct arena *a)
{
	const char *s = text, *end = text + n, *again;
	struct buf b = BUF_INIT(a);
	size_t len;

	while (s < end) {
		if (*s != '\\') {
			buf_u8(&b, (unsigned char)*s++);
			continue;
		}
		if (++s == end)
			return NULL;
		const char *letter = strchr(short_letter, *s);
		if (*s && letter) {
			buf_u8(&b, (unsigned char)short_of[letter - short_letter]);
			s++;
			continue;
		}
		int used = *s == 'u' ? unescape_u(&b, s + 1, end) : 0;
		if (!used)
			return NULL;
		s += 1 + used;
	}
	buf_u8(&b, 0);
	if (b.failed || strlen((char *)b.data) + 1 != b.len)
		return NULL;
	again = json_path_escape((char *)b.data, &len, a);
	return again && len == n && memcmp(again, text, n) == 0 ? (char *)b.data : NULL;
}
