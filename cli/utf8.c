/* cli/utf8.c - makes UTF-8 of any bytes. */
#include "cli/utf8.h"

#include <string.h>

#define BAD "\xef\xbf\xbd" /* U+FFFD */

/* The length of the sequence at s; 0: no valid sequence begins here. */
static size_t sequence(const unsigned char *s)
{
	size_t n = s[0] < 0x20 || s[0] == 0x7f ? 0
	           : s[0] < 0x80               ? 1
	           : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
	           : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
	           : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
	                                         : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, above U+10FFFF. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	return n;
}

char *utf8_clean(char *out, size_t size, const char *in)
{
	size_t at = 0;

	while (*in) {
		size_t n = sequence((const unsigned char *)in), put = n ? n : sizeof BAD - 1;

		if (at + put >= size)
			break;
		memcpy(out + at, n ? in : BAD, put);
		at += put;
		in += n ? n : 1;
	}
	out[at] = '\0';
	return out;
}
