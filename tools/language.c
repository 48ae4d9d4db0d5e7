/* tools/language.c - tells languages of C compilers by name and by ending. */
#include "tools/language.h"

#include <string.h>

#include "tools/list.h"

#include "shim/banned.h"

static const char compiled[] = "ast\0" "pcm\0";

enum language language_named(const char *name)
{
	static const char c[] =
		"c\0" "c++\0" "cpp-output\0" "c++-cpp-output\0" "objective-c\0" "objective-c++\0";
	size_t n = strlen(name);

	if (strcmp(name, "none") == 0)
		return LANGUAGE_BY_NAME;
	if (n > 7 && strcmp(name + n - 7, "-header") == 0)
		return LANGUAGE_HEADER;
	if (strcmp(name, "cuda") == 0)
		return LANGUAGE_CUDA;
	if (list_has(compiled, name))
		return LANGUAGE_COMPILED;
	return list_has(c, name) ? LANGUAGE_C : LANGUAGE_OTHER;
}

enum language language_of_file(const char *path)
{
	static const char c[] =
		"c\0" "i\0" "ii\0" "cc\0" "cp\0" "cxx\0" "cpp\0" "CPP\0" "c++\0" "C\0" "m\0" "mi\0"
		"mm\0" "M\0" "mii\0";
	static const char headers[] =
		"h\0" "H\0" "hh\0" "hp\0" "hpp\0" "HPP\0" "hxx\0" "h++\0" "tcc\0";
	const char *base = strrchr(path, '/'), *dot;

	dot = strrchr(base ? base : path, '.');
	if (!dot)
		return LANGUAGE_OTHER;
	if (list_has(headers, dot + 1))
		return LANGUAGE_HEADER;
	if (strcmp(dot, ".cu") == 0)
		return LANGUAGE_CUDA;
	if (list_has(compiled, dot + 1))
		return LANGUAGE_COMPILED;
	return list_has(c, dot + 1) ? LANGUAGE_C : LANGUAGE_OTHER;
}
