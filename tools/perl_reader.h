/* tools/perl_reader.h - where a text in Perl is read, shared by the files that read its parts. Pure
 * code. THREAD. */
#ifndef TOOLS_PERL_READER_H
#define TOOLS_PERL_READER_H

#include <stddef.h>

#define PERL_DEPTH 64
#define PERL_SUBS 32

/* What the last token leaves open. */
enum perl_after {
	PERL_TERM,     /* a value is expected */
	PERL_EITHER,   /* a function that may have an argument: shift, return */
	PERL_OPERATOR  /* a value has ended */
};

struct perl_reader {
	const char *p;       /* the next byte */
	const char *start;   /* of the text */
	const char *word;    /* the last token was this word: its place and length; NULL: none */
	size_t word_len;
	const char *why;     /* why the text is refused, for people; NULL: it is not */
	enum perl_after after;
	int begins;          /* a statement may begin here */
	int header;          /* the condition of a block may follow, or was closed right before */
	int letters;         /* the text may look at letters of its arguments */
	int counted;         /* the last value is a number of values, or a status */
	unsigned depth;
	/* Brackets that are open. Parentheses: ( H of a condition, S around what system gets;
	 * braces: B of a block, M of map's and its like. */
	char bracket[PERL_DEPTH];
	const char *sub[PERL_SUBS];       /* names of the text's own functions */
	size_t sub_len[PERL_SUBS];
	unsigned subs;
	void (*variable)(void *ctx, const char *name, size_t n);
	void *ctx;
};

/* Letters of names. */
int perl_is_name(char c);
size_t perl_name_len(const char *s);
/* Refuses the text, once. */
void perl_refuse(struct perl_reader *r, const char *why);

/* The rest of a string behind its first delimiter, or of a list of words (qw). values: $x and @x
 * are replaced by their values. */
void perl_string(struct perl_reader *r, char end, int values);
/* The rest of m//, s/// or tr/// behind its first delimiter, with its flags. kind: m, s or t. */
void perl_match(struct perl_reader *r, char end, char kind);
/* In a string: a variable behind its $, with its index. */
void perl_variable_in_string(struct perl_reader *r);
/* The key of $ENV behind its brace, and the closing brace. */
void perl_environment_key(struct perl_reader *r);

#endif
