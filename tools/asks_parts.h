/* tools/asks_parts.h - declarations that the files of asks.h share: words of macros, and how texts
 * are cut into words (asks_words.c). Pure code. THREAD. */
#ifndef TOOLS_ASKS_PARTS_H
#define TOOLS_ASKS_PARTS_H

#include <string.h>

#include "tools/asks.h"

enum {
	TAKES = 1,  /* the word's use in a text leads to that text's name */
	CALLS = 2,  /* the same where the word is a default argument: the name of the caller */
	TELLS = 4,  /* the name goes to a function that is only declared */
	PASTES = 8, /* ## makes a word of it */
	EQUALS = 16,/* the macro holds "=", and so may be a declaration with a default argument */
	BASES = 32  /* the word leads to __BASE_FILE__, which is the source's name in every text */
};

struct asks_text {
	const char *s, *end;
	int own;
	unsigned dead, dead_count; /* the text's parts in asks.dead */
};
/* Any word that stands in a macro's text, a macro or not. */
struct asks_macro {
	const char *name;
	size_t len;
	unsigned flags, next /* in its bucket */, used_by, bodies;
	int defined, tested; /* tested: an #ifdef assumed that nothing defines this name */
};
/* One definition of a macro: parameters and text. */
struct asks_body {
	const char *list, *s, *end;
	unsigned next;
};
struct asks_use {
	unsigned user, next;
};

#define ASKS_AT(buf, type, i) (((struct type *)(void *)(buf).data) + (i))
#define ASKS_COUNT(buf, type) ((unsigned)((buf).len / sizeof(struct type)))

#define ASKS_BUCKETS 4096

/* As a default argument these words give the caller's name. */
#define ASKS_CALLERS "__builtin_FILE\0__builtin_FILE_NAME\0__builtin_source_location\0"
/* Words that ask directly: a list (tools/list.h). */
extern const char asks_takers[];

/* Inline: these functions are called for each byte of some megabytes. */
extern const unsigned char asks_letters[256];
static inline int asks_is_word(char c)
{
	return asks_letters[(unsigned char)c];
}

static inline int asks_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline int asks_word_is(const char *word, size_t n, const char *what)
{
	return n == strlen(what) && memcmp(word, what, n) == 0;
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
int asks_is_parameter(const struct asks_body *body, const char *word, size_t len);
/* The end of a line; a line that ends in a backslash goes on. */
const char *asks_line_end(const char *s, const char *end);
/* The same for a directive: a comment in it may hold line ends. */
const char *asks_body_end(const char *s, const char *end);
/* The entry of a word that stands in a macro; `add` makes it. NULL: there is no entry. */
struct asks_macro *asks_macro(struct asks *x, const char *name, size_t len, int add);
/* Passes flags from each word to the macros that hold it. -1: no memory. */
int asks_spread(struct asks *x);
/* One bit for all words with this hint: it is set where such a word has a flag that asks_calls.c
 * looks for. */
#define ASKS_HINTS 8192
static inline unsigned asks_hint(const char *word, size_t n)
{
	return ((unsigned char)word[0] * 31u + (unsigned char)word[n - 1] * 7u +
	        (unsigned char)word[n / 2] + (unsigned)n * 1031u) %
	       (8 * ASKS_HINTS);
}


/* asks.c: the flags that a word has by itself. */
unsigned asks_word_flags(const struct asks *x, const char *word, size_t n);
/* The text spells "#" otherwise (%:, trigraphs), or holds a word that settles the answer by
 * itself. */
int asks_is_odd(const struct asks *x, const struct asks_text *t);
/* Enters every definition of a text, wherever a definition seems to stand. To be called for all
 * texts first with names, which enters the macros' names, and then without, which enters their
 * texts. */
void asks_definitions(struct asks *x, const struct asks_text *t, int names);
/* Enters what all texts say of macros and functions. 1: the unit asks, whatever its own words
 * are. */
int asks_learn(struct asks *x);

/* asks_dead.c: finds parts of a text that no compile reaches. To be called once all definitions are
 * known. */
void asks_find_dead(struct asks *x, struct asks_text *t);
int asks_is_dead(const struct asks *x, const struct asks_text *t, const char *at);

/* asks_calls.c, for headers: every name of a function that passes its caller's place on becomes a
 * word with TAKES and CALLS. 1: a function may pass it on in a way that is not followed, or a
 * header itself asks for the source's name. */
int asks_calls(struct asks *x);
/* asks_paste.c: whether this use of a macro that pastes could make a word with one of these
 * flags. */
int asks_paste(struct asks *x, const char *word, size_t n, const char *end, unsigned flags);
/* asks_tells.c: whether the word is __FILE__, or glibc's macro for it. */
int asks_is_file(const char *word, size_t n);
/* Whether the word is a complete argument of a function that is only declared, in a macro's
 * text. */
int asks_is_told(const char *s, const char *word, size_t n, const char *end);
/* Whether a text defines such a function, makes a macro of it, or redefines glibc's macro. */
int asks_tell_defined(struct asks *x);
/* The names of these functions and of glibc's macro: a list (tools/list.h). */
extern const char asks_tellers[];

#endif
