/* tools/perl_reader.c - the tokens of a text in Perl. */
#include "tools/perl_reader.h"

#include <string.h>

#include "tools/list.h"

#include "shim/banned.h"

#define DEPTH_MAX 64
#define DIGITS "0123456789"
#define NUMBER_DIGITS 9

int perl_refuse(struct perl_reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return 0;
}

int perl_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

int perl_is_letter(char c)
{
	return perl_is_name(c) && (c < '0' || c > '9') && c != '_';
}

size_t perl_name_len(const char *s)
{
	size_t n = 0;

	while (perl_is_name(s[n]))
		n++;
	return n;
}

int perl_is_plain(const char *name, size_t n)
{
	static const char own[] = "ARGVOUT\0ENV\0F\0INC\0SIG\0STDERR\0STDIN\0STDOUT\0";

	return n && perl_is_letter(*name) && !list_has_n(own, name, n);
}

void perl_skip(struct perl_reader *r)
{
	for (;;) {
		r->p += strspn(r->p, " \t\n");
		if (*r->p != '#')
			return;
		r->p += strcspn(r->p, "\n");
	}
}

int perl_sign(struct perl_reader *r, const char *s)
{
	size_t n = strlen(s);

	perl_skip(r);
	if (strncmp(r->p, s, n) != 0)
		return 0;
	r->p += n;
	return 1;
}

int perl_comes(struct perl_reader *r, char c)
{
	perl_skip(r);
	return *r->p == c;
}

int perl_need(struct perl_reader *r, const char *s)
{
	return perl_sign(r, s) || perl_refuse(r, "what is not known here");
}

int perl_word(struct perl_reader *r, const char *s)
{
	size_t n;
	const char *p;

	perl_skip(r);
	n = perl_name_len(r->p);
	if (n != strlen(s) || memcmp(r->p, s, n) != 0)
		return 0;
	p = r->p + n;
	if (*p == '\'' || *p == ':')
		return 0;
	r->p = p;
	perl_skip(r);
	if (strncmp(r->p, "=>", 2) == 0)
		return perl_refuse(r, "a word that is a text");
	return 1;
}

int perl_any_word(struct perl_reader *r, const char *words)
{
	for (; *words; words = LIST_NEXT(words))
		if (perl_word(r, words))
			return 1;
	return 0;
}

int perl_deeper(struct perl_reader *r)
{
	return ++r->depth < DEPTH_MAX || perl_refuse(r, "many brackets");
}

int perl_number(struct perl_reader *r)
{
	size_t n;

	perl_skip(r);
	n = strspn(r->p, DIGITS);
	if (!n || n > NUMBER_DIGITS || perl_is_name(r->p[n]) || r->p[n] == '.')
		return perl_refuse(r, "a number of another form");
	r->p += n;
	return 1;
}
