/* tools/perl_reader.h - where a text in Perl is read, shared by the files that read its parts. Pure
 * code. THREAD. */
#ifndef TOOLS_PERL_READER_H
#define TOOLS_PERL_READER_H

#include <stddef.h>

#define PERL_DEPTH 64

/* What the last token leaves open. */
enum perl_after {
	PERL_TERM,     /* a value is expected */
	PERL_EITHER,   /* a function that may have an argument: shift, exit */
	PERL_OPERATOR  /* a value has ended */
};

struct perl_reader {
	const char *p;       /* the next byte */
	const char *word;    /* the last token was this word: its place and length; NULL: none */
	size_t word_len;
	const char *why;     /* why the text is refused, for people; NULL: it is not */
	enum perl_after after;
	int begins;          /* a statement may begin here */
	int strict;          /* use strict was read: before it, nothing else is */
	int header;          /* the condition of a block may follow, or was closed right before */
	int letters;         /* the text may look at letters of its arguments */
	int counted;         /* the last value is a number of values, or a status */
	int leads;           /* the last value, or `my`, is what the statement begins with */
	int list;            /* the last value is a list or its size, and no scalar */
	unsigned maps;       /* blocks of map, grep or sort that are open */
	unsigned walks;      /* lists of foreach that are open */
	unsigned depth;
	/* Brackets that are open. Parentheses: ( H of a condition, F of a list that foreach walks,
	 * L of a list that a statement begins with, S around what system gets; braces: B of a
	 * block, M of map's and its like. */
	char bracket[PERL_DEPTH];
	unsigned char asked[PERL_DEPTH + 1]; /* question marks that await their colon */
	void (*variable)(void *ctx, const char *name, size_t n);
	void *ctx;
};

/* Letters of names. */
int perl_is_name(char c);
size_t perl_name_len(const char *s);
/* The same of a variable, whose digits may end before a word: $9or. */
size_t perl_variable_len(const char *s);
/* 1: a variable of Perl's own, whose list is no part of the text. */
int perl_is_special(const char *name, size_t n);
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
