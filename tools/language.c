/* tools/language.c - tells languages of C compilers by name and by ending. */
#include "tools/language.h"

#include <string.h>

#include "shim/banned.h"

static int is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(s, *list) == 0)
			return 1;
	return 0;
}

static const char *const compiled[] = {"ast", "pcm", NULL};

enum language language_named(const char *name)
{
	static const char *const c[] = {"c", "c++", "cpp-output", "c++-cpp-output", "objective-c",
		                        "objective-c++", NULL};
	size_t n = strlen(name);

	if (strcmp(name, "none") == 0)
		return LANGUAGE_BY_NAME;
	if (n > 7 && strcmp(name + n - 7, "-header") == 0)
		return LANGUAGE_HEADER;
	if (strcmp(name, "cuda") == 0)
		return LANGUAGE_CUDA;
	if (is_one_of(name, compiled))
		return LANGUAGE_COMPILED;
	return is_one_of(name, c) ? LANGUAGE_C : LANGUAGE_OTHER;
}

enum language language_of_file(const char *path)
{
	static const char *const c[] = {"c", "i", "ii", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C",
		                        "m", "mi", "mm", "M", "mii", NULL};
	static const char *const headers[] = {"h", "H", "hh", "hp", "hpp", "HPP", "hxx", "h++",
	                                      "tcc", NULL};
	const char *base = strrchr(path, '/'), *dot;

	dot = strrchr(base ? base : path, '.');
	if (!dot)
		return LANGUAGE_OTHER;
	if (is_one_of(dot + 1, headers))
		return LANGUAGE_HEADER;
	if (strcmp(dot, ".cu") == 0)
		return LANGUAGE_CUDA;
	if (is_one_of(dot + 1, compiled))
		return LANGUAGE_COMPILED;
	return is_one_of(dot + 1, c) ? LANGUAGE_C : LANGUAGE_OTHER;
}
