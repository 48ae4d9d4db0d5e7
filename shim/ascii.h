/* shim/ascii.h - kinds of characters, beginnings of texts, and hexadecimal digits, whatever the
 * locale. CHILD. */
#pragma once

#include <stdint.h>
#include <string.h>

static inline int ascii_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline int ascii_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline int ascii_alnum(int c)
{
	return ascii_letter(c) || ascii_digit(c);
}

/* A character of a name in C. */
static inline int ascii_word(int c)
{
	return ascii_alnum(c) || c == '_';
}

static inline int ascii_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The n bytes at s begin with this text. */
static inline int ascii_begins(const char *s, size_t n, const char *text)
{
	size_t len = strlen(text);

	return n >= len && memcmp(s, text, len) == 0;
}

/* The number that n digits of lower case spell, at most 15; -1: one of them is no digit. */
static inline int64_t ascii_get_hex(const char *s, int n)
{
	int64_t v = 0;

	for (; n; n--, s++)
		if (ascii_digit(*s) || (*s >= 'a' && *s <= 'f'))
			v = v << 4 | (*s > '9' ? *s - 'a' + 10 : *s - '0');
		else
			return -1;
	return v;
}

/* Writes the last n digits of v, and no NUL. */
static inline void ascii_put_hex(char *out, uint64_t v, int n)
{
	for (; n; v >>= 4)
		out[--n] = "0123456789abcdef"[v & 15];
}
