/* Any text as a preprocessor's output. Nothing is read beyond it. A name that is reported stands in
 * the text. If a line that names a file, or a word that asks, follows any text, it is found. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/asks/preprocessed.h"

#define FILES "a.c\0b-1.hpp\0"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int silent_with(const uint8_t *data, size_t size, const char *line)
{
	size_t n = strlen(line);
	char *copy = malloc(size + n + 1);
	int answer;

	memcpy(copy, data, size);
	memcpy(copy + size, line, n);
	answer = expanded_is_silent(copy, size + n, FILES);
	free(copy);
	return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char name[] = "ab";
	char *copy = malloc(size ? size : 1);

	memcpy(copy, data, size);
	if (expanded_holds(copy, size, name, 2) && !memmem(copy, size, name, 2))
		abort();
	free(copy);
	if (silent_with(data, size, "\nx = \"/d/b-1.hpp\";\n") ||
	    silent_with(data, size, "\n__builtin_FILE()"))
		abort();
	silent_with(data, size, "");
	return 0;
}
