/* tools/comment_free.h - the comment-free form of a C or C++ text: equal for two texts that a
 * compiler cannot distinguish, because they differ only inside comments.
 *
 * Line and column of every token stay. So the form is the text with these changes:
 *   a comment before a token of its line     each byte but a tab becomes COMMENT_MARK
 *   a comment or blanks at a line's end      nothing
 *   a line of comments alone                 its indentation, and one or two COMMENT_MARK
 *   the end of a line inside a comment       COMMENT_JOIN, where the comment joins two lines
 *   at most COMMENT_END_LINES lines of        nothing, if the text ends with the end of a line
 *   comments, or empty ones, behind all tokens
 * gcc warns by the indentation of lines (-Wmisleading-indentation), also by that of a comment. It
 * ignores a line whose last byte is the only one that is no blank, hence the second mark.
 *
 * A comment stays as it is where its bytes can matter:
 *   - "/" before "*" in it, and a backslash at a line's end (-Wcomment);
 *   - bytes outside ASCII (-Wbidi-chars, -Winvalid-utf8);
 *   - "fall" (-Wimplicit-fallthrough);
 *   - a line that begins with "#" (old gcc);
 *   - a line of COMMENT_LONG bytes or more (gcc's columns).
 *
 * A text has no such form if its reading is in doubt. Examples are trigraphs, stray backslashes,
 * and a header's name that holds a comment's beginning. Languages differ about raw strings and
 * digit separators: a text that has them is read in each way, and its form consists of all
 * readings.
 *
 * Pure code. THREAD. */
#ifndef TOOLS_COMMENT_FREE_H
#define TOOLS_COMMENT_FREE_H

#include <stddef.h>
#include <stdint.h>

#include "shim/digest.h"

/* Number of these rules; raise it when a form or a kind changes. */
#define COMMENT_FREE_VERSION 9
#define COMMENT_MARK 1
#define COMMENT_JOIN 2
/* Up to 127 columns gcc places tokens in the same way, whatever follows on their line. */
#define COMMENT_LONG 120

/* A text's end has at most so many lines that the form leaves out. */
#define COMMENT_END_LINES 32

enum comment_kind {
	COMMENT_FREE,   /* the form stands for the text */
	COMMENT_BYTES,  /* it has no form: its bytes count */
	/* it may make the compiler read other files as data, or look at comments: the bytes of all
	 * texts count */
	COMMENT_VOID
};
enum { /* in which a language may differ */
	READING_RAW = 1,   /* R"x(...)x" */
	READING_DIGITS = 2,/* 1'000 */
	COMMENT_JOINED = 4 /* no reading: a comment has a backslash at a line's end */
};

/* Writes the form to out, which has room for n bytes, and its length to *len. *doubts receives the
 * readings in which the text differs. */
enum comment_kind comment_form(const char *text, size_t n, unsigned reading, char *out, size_t *len,
                               unsigned *doubts);

/* Digest of all readings. out: memory of n bytes. *digest is unchanged where the answer is not
 * COMMENT_FREE. *places: an upper bound of the numbers that gcc gives to places in this text, when
 * it reads the text once, in units of 32. */
enum comment_kind comment_free_digest(const char *text, size_t n, char *out, struct digest *digest,
                                      uint64_t *places);
/* If a unit has more such numbers, gcc stops counting columns from some place on. The lengths of
 * comments decide at which place: for example, of a comment behind an #include, or in a file's last
 * line. */
#define COMMENT_PLACES_MAX (0x50000000u / 32)

/* gcc gives the same numbers to the places of two texts that have one form, and lines of equal
 * lengths. comment_line_lengths() makes a digest of these lengths. comment_counted() makes a digest
 * of a form and such lengths. */
/* Number of these rules in the memo. It differs from every COMMENT_FREE_VERSION. */
#define COMMENT_LENGTHS_VERSION 0x10001
void comment_line_lengths(const char *text, size_t n, struct digest *lengths);
void comment_counted(const struct digest *form, const struct digest *lengths,
                     struct digest *counted);

#endif
