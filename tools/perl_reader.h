/* tools/perl_reader.h - where a text in Perl is read, and its tokens. Pure code. THREAD. */
#ifndef TOOLS_PERL_READER_H
#define TOOLS_PERL_READER_H

#include <stddef.h>

struct perl_reader {
	const char *p;       /* the next byte */
	const char *why;     /* why the text is refused, for people; NULL: it is not */
	int letters;         /* the text may look at letters of its arguments */
	int joins;           /* the text may put a value together that begins with a minus */
	int options;         /* a pattern asks for a text that begins with a minus */
	unsigned depth;      /* of blocks, parentheses and choices */
	void (*variable)(void *ctx, const char *name, size_t n);
	void *ctx;
};

/* Refuses the text, once. Returns 0. */
int perl_refuse(struct perl_reader *r, const char *why);
/* Letters of names. */
int perl_is_name(char c);
int perl_is_letter(char c);
size_t perl_name_len(const char *s);
/* 1: the name is not that of a variable of Perl's own. */
int perl_is_plain(const char *name, size_t n);

/* Blanks and comments. */
void perl_skip(struct perl_reader *r);
/* 1: the sign, or one byte of it, comes next. sign and need read it; without it, need refuses. */
int perl_comes(struct perl_reader *r, char c);
int perl_sign(struct perl_reader *r, const char *s);
int perl_need(struct perl_reader *r, const char *s);
/* 1: the word comes next, and was read; of any_word, one of a list (tools/list.h). A word before
 * => is a text, and one with a mark of a package is another word. */
int perl_word(struct perl_reader *r, const char *s);
int perl_any_word(struct perl_reader *r, const char *words);
int perl_number(struct perl_reader *r);
/* One more bracket is open; r->depth-- closes it. 0: too many. */
int perl_deeper(struct perl_reader *r);

#endif
