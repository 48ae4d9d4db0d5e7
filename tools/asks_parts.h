/* tools/asks_parts.h - what the files of asks.h share: words of macros, and how texts are cut (asks_words.c). Pure code. THREAD. */
#ifndef TOOLS_ASKS_PARTS_H
#define TOOLS_ASKS_PARTS_H

#include <string.h>

#include "tools/asks.h"

enum {
	TAKES = 1,  /* its use in a text leads to that text's name */
	CALLS = 2,  /* the same where it is a default argument: the name of who calls */
	TELLS = 4,  /* the name goes to a function that is only declared */
	PASTES = 8, /* ## makes a word of it */
	EQUALS = 16,/* it holds "=", and so may be a declaration with a default argument */
	BASES = 32  /* it leads to __BASE_FILE__, which is the source's name in every text */
};

struct asks_text {
	const char *s, *end;
	int own;
	unsigned dead, dead_count; /* its parts in asks.dead */
};
/* Any word that stands in a macro's text, a macro or not. */
struct asks_macro {
	const char *name;
	size_t len;
	unsigned flags, next /* in its bucket */, used_by, bodies;
	int defined, tested; /* tested: an #ifdef took it for one that nothing defines */
};
/* One of its definitions: parameters and text. */
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

/* They give the caller's name, as a default argument. */
#define ASKS_CALLERS "__builtin_FILE\0__builtin_FILE_NAME\0__builtin_source_location\0"
/* Words that ask by themselves: a list (tools/list.h). */
extern const char asks_takers[];

/* Inline: they are asked of each byte of some megabytes. */
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

/* Where it stands first, else NULL. */
const char *asks_seek(const char *s, const char *end, const char *what);
/* The next word: its length, 0 at the end. *s moves to it. */
size_t asks_next_word(const char **s, const char *end);
/* Whether a quote behind this word begins a raw string: R"x( ... )x". */
int asks_is_raw(const char *word, size_t n);
/* The end of a word with what belongs to it: digits of 1'000, a raw string. NULL: not understood.
 */
const char *asks_skip_word(const struct asks *x, const char *word, size_t n, const char *end);
/* Behind a comment or what is quoted, if one begins here; NULL: none does, or it does not end. */
const char *asks_skip_other(const char *s, const char *end);
/* As asks_next_word(), without what stands in comments and between quotes; 1'000 is one word. Raw
 * strings are not known here: their first quote begins what is quoted. */
size_t asks_next_code_word(const char **s, const char *end);
int asks_is_parameter(const struct asks_body *body, const char *word, size_t len);
/* The end of a line that may go on behind a backslash. */
const char *asks_line_end(const char *s, const char *end);
/* The same of a directive: a comment in it may hold line ends. */
const char *asks_body_end(const char *s, const char *end);
/* The place of a word that stands in a macro, or that `add` puts there; NULL: none. */
struct asks_macro *asks_macro(struct asks *x, const char *name, size_t len, int add);
/* Flags go from each word to the macros that hold it. -1: no memory. */
int asks_spread(struct asks *x);
/* A bit for words of this kind: set where one of them has a flag that asks_calls.c looks for. */
#define ASKS_HINTS 8192
static inline unsigned asks_hint(const char *word, size_t n)
{
	return ((unsigned char)word[0] * 31u + (unsigned char)word[n - 1] * 7u + (unsigned char)word[n / 2] + (unsigned)n * 1031u) %
	       (8 * ASKS_HINTS);
}


/* asks.c: what a word asks for by itself. */
unsigned asks_word_flags(const struct asks *x, const char *word, size_t n);
/* It spells "#" otherwise (%:, trigraphs), or holds a word that nothing more need be known of. */
int asks_is_odd(const struct asks *x, const struct asks_text *t);
/* Enters every definition of a text, wherever one seems to stand. To be called for all texts with
 * names, which enters that a macro is defined, and then without, which enters its text. */
void asks_definitions(struct asks *x, const struct asks_text *t, int names);
/* Enters what all texts say of macros and functions. 1: a unit asks whatever its own words are. */
int asks_learn(struct asks *x);

/* asks_dead.c: parts of a text that no compile reaches, once it is known what is defined. */
void asks_find_dead(struct asks *x, struct asks_text *t);
int asks_is_dead(const struct asks *x, const struct asks_text *t, const char *at);

/* asks_calls.c, of headers: every name of a function that hands its caller's place on becomes a word with
 * TAKES and CALLS. 1: it could do so in a way that is not followed, or a header asks for the source's name itself. */
int asks_calls(struct asks *x);
/* asks_paste.c: whether this use of a macro that pastes could make a word with one of these flags. */
int asks_paste(struct asks *x, const char *word, size_t n, const char *end, unsigned flags);
/* asks_tells.c: whether the word is __FILE__, or glibc's macro that stands for it. */
int asks_is_file(const char *word, size_t n);
/* Whether the word is a whole argument of a function that is only declared, in a macro's text. */
int asks_is_told(const char *s, const char *word, size_t n, const char *end);
/* Whether some text defines one of these functions, or makes a macro of it, or makes something else of glibc's macro. */
int asks_tell_defined(struct asks *x);
/* The names of these functions and of glibc's macro: a list (tools/list.h). */
extern const char asks_tellers[];

#endif
