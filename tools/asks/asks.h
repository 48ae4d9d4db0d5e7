/* tools/asks/asks.h - whether a unit could ask for the name of its source.
 *
 * __FILE__ gives the name of the text that holds the use of the outermost macro. So a source's own
 * name reaches the result only if a word of the source leads to __FILE__: directly, or by a macro
 * that any text defines. __builtin_FILE, as a default argument, gives the name of the caller's
 * text. So does a header's function that has __builtin_FILE behind "=" in its parameters, and each
 * function that calls such a function there. A word that ## can put together counts as used.
 *
 * There is no preprocessor here: every #define counts, whichever #if holds. Comments and strings of
 * own texts count as code. Anything that is not understood asks. Measured with gcc 12, clang 14 and
 * NVRTC of seven releases (docs/internals/names.md, "What a text can ask"). Pure code. THREAD. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"
#include "shim/buf.h"

/* The language and compiler of the texts. */
enum {
	ASKS_CXX = 1,    /* texts may hold C++: default arguments */
	/* assert is a macro of the compiler's own, and so are some macros that paste */
	ASKS_NVRTC = 2,
	/* clang: __PRETTY_FUNCTION__ spells the place of a lambda or an unnamed type */
	ASKS_PRETTY = 4
};
enum asks_answer {
	ASKS_NOT,   /* shown: the unit cannot ask */
	/* The unit passes the name, unchanged, to functions that are only declared, such as
	 * __assert_fail. */
	ASKS_TELLS,
	ASKS_FREELY /* the unit may do anything with the name; also where memory ran out */
};

struct asks {
	struct arena *arena;
	/* of the structures in tools/asks/parts.h */
	struct buf texts, macros, uses, bodies, lines, dead;
	/* places of macros by which a text could take a name, after asks_spread() */
	struct buf flagged;
	struct buf ends; /* struct asks_ends of each macro that has a text, after asks_spread() */
	struct buf known_uses; /* struct asks_known_use: what paste.c has answered */
	unsigned char *hints;                  /* asks_hint() */
	struct asks_table *buckets;
	unsigned words;                        /* ASKS_ bits */
	const char *sought;                    /* a list of words to look for instead, or NULL */
	int whole; /* the words of headers count as those of own texts do, but not given ones */
	int opened; /* a macro's text does not close all parentheses that it opens */
	int unclear;                           /* something was seen that is not understood */
	int numbers; /* macros of texts that are not here yet may become numbers (facts.c) */
	/* Of tools/asks/paste.c: the pieces of words, as words of a struct asks of their own; and
	 * the words of all macros' texts. The pieces alone use the other members: how often they
	 * were filled, how many they may be, their lengths (bits), and whether one is a compiler's
	 * own macro. Their own `pieces` are pieces as well. */
	struct asks *pieces, *body_pieces;
	unsigned pieces_number, pieces_most;
	unsigned long long sizes;
	int own_macro;
};
/* Adds a text that the compile read. own: the source, a file found by the source's own name, or an
 * option. The text is kept by its address. */
void asks_add(struct asks *x, const char *text, size_t n, int own);
/* Adds definitions of the command line as a text: #define lines in front of all others. */
void asks_add_given(struct asks *x, const char *text, size_t n);
/* To be called once. */
enum asks_answer asks_answer(struct asks *x);
/* The part of it that looks at the words of texts, after asks_learn(). */
enum asks_answer asks_words(struct asks *x);

/* For the other files of this folder. */
struct asks_text; /* tools/asks/parts.h */
struct asks_macro;
/* The flags that a word has by itself. */
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

/* --- calls.c: functions that pass their caller's place on --- */

/* For headers: every name of a function that passes its caller's place on becomes a
 * word with TAKES and CALLS. 1: a function may pass it on in a way that is not followed, or a
 * header itself asks for the source's name. */
int asks_calls(struct asks *x);

/* --- dead.c: parts of a text that no compile reaches --- */

/* Finds parts of a text that no compile reaches. To be called once all definitions are
 * known. */
void asks_find_dead(struct asks *x, struct asks_text *t);
/* at: a place of the text. defined: what a #define holds counts as well: it is reached only by the
 * macro's use. */
int asks_is_dead(const struct asks *x, const struct asks_text *t, const char *at, int defined);

/* --- paste.c: words that ## makes --- */

/* Whether this use of a macro that pastes, in this text, could make a word with one of these
 * flags. */
int asks_paste(struct asks *x, struct asks_text *t, const char *word, size_t n, unsigned flags);
/* Whether a use of this macro that pastes makes no word with one of these flags, in any text. The
 * use has no arguments, or has arguments that are numbers (asks.numbers is set). */
int asks_pastes_nothing(struct asks *x, const struct asks_macro *m, unsigned flags);

/* --- spans.c --- */

/* Whether arguments of a macro may begin in the text and go on in another one. After the macros of
 * x are known, with their flags. */
int asks_spans(struct asks *x, const struct asks_text *t);

/* --- tells.c: functions that get the name and are only declared --- */

/* Whether the word is __FILE__, or glibc's macro for it. */
int asks_is_file(const char *word, size_t n);
/* Whether the word is a complete argument of a function that is only declared, in a macro's
 * text. */
int asks_is_told(const char *s, const char *word, size_t n, const char *end);
/* Whether a text defines such a function, makes a macro of it, or redefines glibc's macro. */
int asks_tell_defined(struct asks *x);
/* The names of these functions and of glibc's macro: a list (shim/list.h). */
extern const char asks_tellers[];

/* --- conditionals.c: what an #if says, as far as it is sure in any order of the texts --- */

enum { ASKS_FALSE, ASKS_TRUE, ASKS_UNSURE };

/* Whether the name is a macro wherever a text could look for it. */
int asks_is_macro(struct asks *x, const char *name, size_t n);
/* What the expression behind #if says, to the end of its line. */
int asks_expression(struct asks *x, const char *p, const char *end);
/* Enters what a definition's text, from s to the end of its line, says to an #if that holds the
 * macro. */
void asks_define_value(struct asks_macro *m, const char *s, const char *end);

/* --- computed.c: directives whose effect follows from what a macro gives --- */

/* 1: a text may include, or look for, a file whose name a macro gives, or it gives itself another
 * name (#line). The preprocessed text does not show which name such a directive used. Conservative:
 * `#` and the words count wherever they stand, also in comments and strings. */
int asks_computes(const struct asks *x);
/* 1: the text itself looks for a file whose name a macro gives (__has_include). A macro that passes
 * its argument on does not count here, nor does one that replaces __has_include. */
int asks_looks(const char *text, size_t n);

/* --- facts.c ---
 *
 * Facts are a summary of all texts that are not a unit's own. They serve every unit that reads the
 * same set of texts, in any order and any number of times, as long as the code is the same.
 * asks_declare() alone changes x. */

/* Text i of x: 1; 0 if it is the unit's own text; -1 if there is no text i. */
int asks_header(const struct asks *x, unsigned i, const char **text, size_t *n);
/* 1: asks_add_given() added text i. */
int asks_is_given(const struct asks *x, unsigned i);
/* Adds an empty definition of each macro that the unit's own texts define, as a header. The facts
 * then hold for units that define these macros: an #ifdef of a header may find them. -1: no
 * memory. */
int asks_declare(struct asks *x);
/* 1: the unit's own texts settle it, so the answer is ASKS_FREELY: what headers add can make a unit
 * ask more, never less. */
int asks_own_freely(const struct asks *x);
/* Appends the facts of x's headers. -1: no memory. */
int asks_facts(const struct asks *x, struct buf *facts);
/* The answer that asks_answer() would give for x, whose headers have these facts. ASKS_UNKNOWN: the
 * facts do not settle it. The bytes may be anything. */
#define ASKS_UNKNOWN (-1)
int asks_by_facts(const struct asks *x, const void *facts, size_t n);
