/* tools/comment_free.c - the form of a text in all readings, and its digest. */
#include "tools/comment_free.h"

#include <string.h>

#include "tools/comment_lex.h"
#include "tools/comment_lines.h"
#include "tools/comment_parts.h"
#include "tools/comment_words.h"

#include "shim/banned.h"

static const char BLANK_OR_MARK[] = {' ', '\t', COMMENT_MARK, COMMENT_JOIN};

/* Bytes that stand for something else in a form, ends of lines that clang alone sees, trigraphs. */
static int has_odd_bytes(const char *text, size_t n)
{
	const char *end = text + n;

	if (memchr(text, 0, n) || memchr(text, COMMENT_MARK, n) || memchr(text, COMMENT_JOIN, n) ||
	    (n >= 2 && memcmp(text, "#!", 2) == 0) ||
	    (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0))
		return 1;
	for (const char *p = text; (p = memchr(p, '\r', (size_t)(end - p))) != NULL; p++)
		if (p + 1 == end || p[1] != '\n')
			return 1;
	for (const char *p = text; (p = memchr(p, '?', (size_t)(end - p))) != NULL; p++)
		if (end - p > 2 && p[1] == '?' && memchr("/'=", p[2], 3))
			return 1;
	return 0;
}

/* 1: a backslash joins the line at this place to the one before. */
static int is_joined(const unsigned char *form, size_t at)
{
	size_t before = at > 1 && form[at - 2] == '\r' ? at - 1 : at;

	return before > 1 && form[before - 2] == '\\';
}

/* The length of a form without the lines of comments alone, and the empty ones, at its end. They
 * stay where they are many or long: gcc numbers the places in them (places_of). */
static size_t without_end(const unsigned char *form, size_t len)
{
	size_t end = len;
	int lines = 0;

	while (end && form[end - 1] == '\n') {
		size_t at = end - 1;

		while (at && memchr(BLANK_OR_MARK, form[at - 1], sizeof BLANK_OR_MARK))
			lines += form[--at] == COMMENT_JOIN;
		if ((at && form[at - 1] != '\n') || end - at > COMMENT_LONG || is_joined(form, at))
			return end;
		if (++lines > COMMENT_END_LINES)
			return len;
		end = at;
	}
	return end;
}

enum comment_kind comment_form(const char *text, size_t n, unsigned reading, char *out, size_t *len,
                               unsigned *doubts)
{
	const unsigned char *p = (const unsigned char *)text;
	struct comment_text t = {.p = p, .end = p + n, .line = p, .kept = p, .reading = reading};

	t.out = t.out_line = t.out_kept = (unsigned char *)out;
	t.diagnostic = comment_word_diagnostic(text, n);
	if (has_odd_bytes(text, n))
		comment_unclear(&t);
	while (t.p < t.end && t.kind == COMMENT_FREE)
		comment_step(&t);
	if (t.kind == COMMENT_FREE) {
		comment_line_end(&t, t.end, 0);
		comment_real_newlines(&t);
	}
	*len = without_end((unsigned char *)out, (size_t)(t.out - (unsigned char *)out));
	*doubts = t.doubts;
	return t.kind;
}

static unsigned bits_for(size_t columns)
{
	unsigned bits = 7;

	while (columns >= (size_t)1 << bits)
		bits++;
	return bits;
}

/* gcc (4.3 to 14) numbers 128 places a line, or a power of two above the longest line so far. From
 * 1024 on it goes back to 128 at the next line of up to 80 columns. A token behind column 127 needs
 * its column and 50 more. joined: lines that a backslash joins may be one. */
static uint64_t places_of(const char *text, size_t n, int joined)
{
	const char *end = text + n;
	/* A file's beginning and end take places, too, and so do lines that the form leaves out. */
	uint64_t lines = 4 + COMMENT_END_LINES, more = 0;
	size_t before = 0;
	unsigned stays = 7, now = 7;

	for (const char *p = text, *newline; p < end; p = newline + 1, lines++) {
		size_t len;
		unsigned bits;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		len = (size_t)(newline - p) + before;
		before = joined && newline > p && newline[-1] == '\\' ? len : 0;
		bits = bits_for(len < COMMENT_LONG ? len : len + 64);
		if (bits < 10 && bits > stays)
			stays = bits;
		now = bits >= now || len <= 80 ? bits : now;
		if (now >= 10)
			more += 2ull << now;
	}
	return (lines << stays) + more;
}

enum comment_kind comment_free_digest(const char *text, size_t n, char *out, struct digest *digest,
                                      uint64_t *places)
{
	const unsigned char head = COMMENT_FREE_VERSION;
	enum comment_kind kind = comment_words_say(text, n) ? COMMENT_VOID : COMMENT_FREE;
	struct digest_state state;
	unsigned todo = 1;
	int joined = 0;

	digest_init(&state);
	digest_add(&state, &head, sizeof head);
	for (unsigned reading = 0; todo >> reading && kind == COMMENT_FREE; reading++) {
		unsigned doubts;
		size_t len;

		if (!(todo >> reading & 1))
			continue;
		kind = comment_form(text, n, reading, out, &len, &doubts);
		digest_add(&state, &len, sizeof len);
		digest_add(&state, out, len);
		joined |= doubts & COMMENT_JOINED;
		/* If nothing depends on a property of the language, both readings are one. */
		for (unsigned bit = READING_RAW; bit <= READING_DIGITS; bit <<= 1)
			if (doubts & bit)
				todo |= 1u << (reading | bit);
	}
	if (kind == COMMENT_FREE)
		digest_final(&state, digest);
	*places = places_of(text, n, joined || kind != COMMENT_FREE);
	/* Nobody has read all of its directives. */
	return kind == COMMENT_BYTES && comment_words_may_say(text, n) ? COMMENT_VOID : kind;
}

void comment_line_lengths(const char *text, size_t n, struct digest *lengths)
{
	const char *end = text + n;
	struct digest_state state;

	digest_init(&state);
	for (const char *p = text, *newline; p < end; p = newline + 1) {
		uint64_t len;

		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			newline = end;
		len = (uint64_t)(newline - p);
		digest_add(&state, &len, sizeof len);
	}
	digest_final(&state, lengths);
}

void comment_counted(const struct digest *form, const struct digest *lengths,
                     struct digest *counted)
{
	const struct digest both[] = {*form, *lengths};

	digest_of(counted, both, sizeof both);
}
