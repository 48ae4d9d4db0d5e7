/* tools/perl_reader.h - where a text in Perl is read, shared by the files that read its parts. Pure
 * code. THREAD. */
#ifndef TOOLS_PERL_READER_H
#define TOOLS_PERL_READER_H

#include <stddef.h>

struct perl_reader {
	const char *p;       /* the next byte */
	const char *why;     /* why the text is refused, for people; NULL: it is not */
	int letters;         /* the text may look at letters of its arguments */
	int joins;           /* a value may be put together that begins with a minus */
	int options;         /* a pattern asks for what begins with a minus */
	unsigned depth;      /* of blocks and parentheses */
	void (*variable)(void *ctx, const char *name, size_t n);
	void *ctx;
};

/* Refuses the text, once. Returns 0. */
int perl_refuse(struct perl_reader *r, const char *why);
/* Letters of names. */
int perl_is_name(char c);
size_t perl_name_len(const char *s);
/* 1: no variable of Perl's own: none of these has its name. */
int perl_is_plain(const char *name, size_t n);

/* All of these: r->p stands behind what was read. 0: refused. */

/* The rest of a string behind its first delimiter. values: $x and @x are replaced by their
 * values. */
int perl_string(struct perl_reader *r, char end, int values);
/* A pattern behind =~: /a/, m|a|, with its flags. */
int perl_pattern(struct perl_reader *r);
/* s/a/b/ behind its s. */
int perl_replacement(struct perl_reader *r);
/* {NAME} behind $ENV. */
int perl_environment_key(struct perl_reader *r);
/* Behind a $: a variable, an element of a list by a number, or $ENV{NAME}; with what would belong
 * to it in a string or in code. */
int perl_scalar(struct perl_reader *r);

#endif
