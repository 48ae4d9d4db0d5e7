/* tools/cmdline_native.c - finds the word "native" in arguments. */
#include "tools/cmdline_native.h"

#include <string.h>

#include "shim/banned.h"

/* "native" as a separate word: -march=native, native behind -Xclang -target-cpu, in a comma
 * list. */
static int word_says_native(const char *s, size_t n)
{
	const char *at = s, *end = s + n;

	if (n > 1 && s[0] == '-' && strchr("DUIL", s[1]))
		return 0;
	while ((at = memmem(at, (size_t)(end - at), "native", 6))) {
		int begins = at == s || at[-1] == '=' || at[-1] == ',';

		at += 6;
		if (begins && (at == end || *at == ',' || *at == '+'))
			return 1;
	}
	return 0;
}

int cmdline_says_native(const char *s)
{
	static const char between[] = " \t\n\"'";

	for (size_t n; *(s += strspn(s, between)); s += n) {
		n = strcspn(s, between);
		if (word_says_native(s, n))
			return 1;
	}
	return 0;
}
