/* tools/asks/words.h - how texts are cut into words, and the words of macros. Pure code. THREAD. */
#pragma once

#include "shim/ascii.h"
#include "tools/asks/parts.h"

void asks_init(struct asks *x, struct arena *arena, unsigned words);
/* A compiler ignores a backslash that ends a line, even within a word. Returns the text without
 * such line ends, if one stands between two characters that are not blanks; else the text itself.
 * *n: its bytes, before and after. NULL: no memory. */
const char *asks_joined(struct arena *arena, const char *text, size_t *n);

/* Words that ask directly: a list (shim/list.h). */
extern const char asks_takers[];

/* Inline: these functions are called for each byte of some megabytes. */
extern const unsigned char asks_letters[256];
static inline int asks_is_word(char c)
{
	return asks_letters[(unsigned char)c];
}

static inline const char *asks_skip_blanks(const char *p, const char *end)
{
	while (p < end && ascii_blank(*p))
		p++;
	return p;
}

static inline int asks_word_is(const char *word, size_t n, const char *what)
{
	return n == strlen(what) && memcmp(word, what, n) == 0;
}

/* The length of the word that begins at s; 0: none begins here. */
static inline size_t asks_word_length(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && asks_is_word(*p))
		p++;
	return (size_t)(p - s);
}

/* The first place of `what`, else NULL. */
const char *asks_seek(const char *s, const char *end, const char *what);
/* Finds the next word. Returns its length, 0 at the end; *s moves to it. */
size_t asks_next_word(const char **s, const char *end);
/* Whether a quote behind this word begins a raw string: R"x( ... )x". */
int asks_is_raw(const char *word, size_t n);
/* The end of a word, with the digits of 1'000 or a raw string that belong to it. NULL: not
 * understood. */
const char *asks_skip_word(const struct asks *x, const char *word, size_t n, const char *end);
/* The place behind a comment or quoted text that begins here. NULL: neither begins here, or it does
 * not end. */
const char *asks_skip_other(const char *s, const char *end);
/* Like asks_next_word(), without the words in comments and between quotes; 1'000 is one word. Raw
 * strings are not known here: a raw string's first quote begins quoted text. */
size_t asks_next_code_word(const char **s, const char *end);
/* The macro has parameters here. */
static inline int asks_has_parameters(const struct asks_body *body)
{
	return body->list != body->s;
}
/* The first byte from s on that is neither a blank, a line's end, nor in a comment. */
const char *asks_skip_gap(const char *s, const char *end);
/* Arguments follow a word that ends here. */
static inline int asks_is_called(const char *s, const char *end)
{
	const char *next = asks_skip_gap(s, end);

	return next < end && *next == '(';
}
int asks_is_parameter(const struct asks_body *body, const char *word, size_t len);
/* The end of a line; a line that ends in a backslash goes on. */
const char *asks_line_end(const char *s, const char *end);
/* The same for a directive: a comment in it may hold line ends. */
const char *asks_body_end(const char *s, const char *end);
/* Carriage returns end lines by themselves: clang ends a line there. */
int asks_has_other_ends(const char *s, const char *end);
/* Makes the table of words in macros, or empties it. -1: no memory. */
int asks_clear_table(struct asks *x);
/* The entry of a word that stands in a macro; `add` makes it. NULL: there is no entry. */
struct asks_macro *asks_macro(struct asks *x, const char *name, size_t len, int add);
const struct asks_macro *asks_known(const struct asks *x, const char *name, size_t len);
/* Some definition of this macro has parameters; some has none. */
int asks_takes_arguments(const struct asks *x, const struct asks_macro *m);
int asks_stands_alone(const struct asks *x, const struct asks_macro *m);
/* A compiler's own macro may become this: a number, or a word of the name of a type. */
int asks_is_own_value(const char *s, size_t n);
/* A macro such as __UINTMAX_C_SUFFIX__ may become this, or __private_extern__. */
int asks_is_own_suffix(const char *s, size_t n);
/* A part of s, at least, is such a value, or ends it as such a suffix. */
int asks_holds_own_value(const char *s, size_t n);
/* Passes flags from each word to the macros that hold it. -1: no memory. */
int asks_spread(struct asks *x);
