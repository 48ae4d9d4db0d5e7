/* tools/specs.c - looks for flags in files from which compilers take flags. */
#include "tools/specs.h"

#include <string.h>

#include "shim/path.h"

#include "shim/banned.h"

int specs_is_config(const char *path)
{
	return path_ends(path, ".cfg");
}

int specs_is(const char *path)
{
	return strcmp(path_base(path), "specs") == 0 || path_ends(path, ".specs") ||
	       path_ends(path, ".spec");
}

/* The output of gcc -dumpspecs, which some distributions put into a file, has "march=native" in
 * conditions. A flag begins with a minus. */
static int adds_native(const char *text, size_t n)
{
	static const char *const flags[] = {"-march=native", "-mtune=native", "-mcpu=native"};

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (memmem(text, n, flags[i], strlen(flags[i])))
			return 1;
	return 0;
}

/* "%include <conda.specs>" is checked when it is read. A file with another name is not recognised
 * as specs. */
static int includes_unseen(const char *text, const char *end)
{
	static const char word[] = "%include";

	for (const char *p = text;
	     (p = memmem(p, (size_t)(end - p), word, sizeof word - 1)) != NULL; p++) {
		const char *close = memchr(p, '>', (size_t)(end - p));
		char name[256];
		const char *opening = close ? memrchr(p, '<', (size_t)(close - p)) : NULL;

		if (!opening || (size_t)(close - opening) > sizeof name)
			return 1;
		memcpy(name, opening + 1, (size_t)(close - opening - 1));
		name[close - opening - 1] = '\0';
		if (!specs_is(name))
			return 1;
	}
	return 0;
}

int specs_config_adds(const char *text, size_t n)
{
	return memmem(text, n, "native", 6) || memchr(text, '@', n);
}

int specs_adds(const char *text, size_t n)
{
	return adds_native(text, n) || includes_unseen(text, text + n);
}
