/* tools/asks/parts.h - structures that the files here share: texts, words of macros. THREAD. */
#pragma once

#include <string.h>

#include "tools/asks/asks.h"

enum {
	TAKES = 1,  /* the word's use in a text leads to that text's name */
	CALLS = 2,  /* the same where the word is a default argument: the name of the caller */
	TELLS = 4,  /* the name goes to a function that is only declared */
	PASTES = 8, /* ## makes a word of it */
	EQUALS = 16,/* the macro holds "=", and so may be a declaration with a default argument */
	BASES = 32, /* the word leads to __BASE_FILE__, which is the source's name in every text */
	/* The text behind the word and its arguments may be an argument of a macro to which the
	 * word leads. Either the macro's name stands in a text without "(", or a text does not
	 * close as many parentheses as it opens. */
	OPENS = 64,
	OPENED = 128 /* a text of a macro to which the word leads does not close what it opens */
};

struct asks_text {
	const char *s, *end;
	int own;
	int given; /* definitions of the command line, all of which are known */
	unsigned dead, dead_count; /* the text's parts in asks.dead */
	/* whether ## could make a word with a flag of all that the text holds (paste.c) */
	unsigned char pasted, pasted_known;
	/* the same, if the words of all macros' texts count as well (text_could_paste()) */
	unsigned char could, could_known;
	unsigned uses; /* of macros with arguments, so far (paste.c) */
	/* how many parentheses are open at a place of the text (paste.c); -1: not clear */
	const char *place;
	int depth;
	/* the first word by which a macro may open a parenthesis, else the end (paste.c); NULL: not
	 * known */
	const char *opened;
};
/* A part of a text that no compile reaches, or the line of a #define. */
struct asks_part {
	const char *s, *end;
	int defines;
};
/* Whether the name holds what a compiler's own macro may become (paste.c). */
enum asks_numbered { NUMBERED_UNKNOWN, NUMBERED_NOT, NUMBERED_YES };
/* Any word that stands in a macro's text, a macro or not. */
struct asks_macro {
	const char *name;
	size_t len;
	unsigned flags, next /* in its bucket */, used_by, bodies;
	int defined;
	/* defined by the command line, in front of all texts; undone: a text may undefine it */
	int given, undone;
	/* For conditionals.c. wild: some definition is more than a number. has_number: the only
	 * definition is the number `number`. */
	int wild, has_number;
	long number;
	int tested; /* an #ifdef assumed that nothing defines this name, or that it stays defined */
	enum asks_numbered numbered;
	unsigned made_of; /* these pieces (asks.pieces_number) make the name */
	/* of its uses without arguments, as in asks_text */
	unsigned char pasted, pasted_known;
};
/* One definition of a macro: parameters and text. */
struct asks_body {
	const char *list, *s, *end;
	unsigned next;
};
/* The first and last letters of a macro that has a text. paste.c looks at them for thousands
 * of macros, most of which they rule out. */
struct asks_ends {
	unsigned macro;
	char first[2], last[2];
};
struct asks_use {
	unsigned user, next;
	int bare; /* no "(" follows the word */
};

/* A use of a macro with arguments, as it is spelled. Another use of the same spelling makes the
 * same words, unless arguments may stand elsewhere. */
struct asks_known_use {
	const char *s;
	size_t len;
	unsigned flags;
	int pastes, elsewhere;
};

#define ASKS_AT(buf, type, i) (((struct type *)(void *)(buf).data) + (i))
#define ASKS_COUNT(buf, type) ((unsigned)((buf).len / sizeof(struct type)))

#define ASKS_BUCKETS 4096
#define ASKS_PRESENT 8192
struct asks_table {
	unsigned first[ASKS_BUCKETS]; /* the newest word of a bucket, plus 1 */
	/* bits by hash: most words that are sought are in no macro, and this shows it */
	unsigned char present[ASKS_PRESENT];
};

/* Own macros of gcc, clang and nvcc that begin with no underscore, on all systems that they
 * support. */
#define ASKS_OWN_MACROS \
	"linux\0" "unix\0" "i386\0" "arm\0" "mips\0" "sparc\0" "sun\0" "vax\0" "hpux\0" \
	"WIN32\0" "WIN64\0" "WINNT\0" "MSDOS\0" "GO32\0" "DJGPP\0" \
	"MIPSEB\0" "MIPSEL\0" "R3000\0" "LANGUAGE_ASSEMBLY\0" "LANGUAGE_C\0" \
	"LANGUAGE_C_PLUS_PLUS\0" "LANGUAGE_OBJECTIVE_C\0" "SYSTYPE_BSD\0" \
	"PPC\0" "powerpc\0" "hppa\0" "spectrum\0" "hp9000s800\0" "hp9k8\0" "PWB\0" \
	"mc68000\0" "mc68010\0" "mc68020\0" "mc68030\0" "mc68040\0" "mc68060\0" "mcpu32\0" \
	"AVR\0" "BFIN\0" "MSP430\0" "cris\0" "pdp11\0" "tce\0" \
	"SPIR\0" "SPIR64\0" "SPIRV\0" "SPIRV32\0" "SPIRV64\0" \
	"IBAction\0" "IBInspectable\0" "IBOutlet\0" "IBOutletCollection\0" "IB_DESIGNABLE\0" \
	"OBJC_NEW_PROPERTIES\0" "OBJC_ZEROCOST_EXCEPTIONS\0" \
	"CUDA_API_PER_THREAD_DEFAULT_STREAM\0" "CUDA_DOUBLE_MATH_FUNCTIONS\0" \
	"CUDA_FLOAT_MATH_FUNCTIONS\0" "HIP_API_PER_THREAD_DEFAULT_STREAM\0"

/* As a default argument these words give the caller's name. */
#define ASKS_CALLERS "__builtin_FILE\0__builtin_FILE_NAME\0__builtin_source_location\0"

/* One bit for all words with this hint. It is set if one of them has a flag that calls.c looks
 * for. */
#define ASKS_HINTS 8192
static inline unsigned asks_hint(const char *word, size_t n)
{
	return ((unsigned char)word[0] * 31u + (unsigned char)word[n - 1] * 7u +
	        (unsigned char)word[n / 2] + (unsigned)n * 1031u) %
	       (8 * ASKS_HINTS);
}
