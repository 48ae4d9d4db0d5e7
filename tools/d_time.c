/* tools/d_time.c - looks for words. */
#include "tools/d_time.h"

#include <string.h>

#include "tools/list.h"

#include "shim/banned.h"

/* GDC keeps its modules in lib/gcc/TARGET/VERSION/include/d. */
static const char home[] = "/lib/gcc/", folder[] = "/include/d/";
/* Files and directories there that every compile may read. */
static const char always[] =
	"core/atomic.d\0" "core/internal/\0" "core/lifetime.d\0"
	"core/stdc/config.d\0" /* mixes in one of four operators, of gdc 14 */
	"gcc/\0" "object.d\0";
static const char times[] =
	"__DATE__\0" "__TIMESTAMP__\0" "__TIME__\0";
/* Templates of those modules that mix in what the caller gives, and their folder's name. */
static const char givers[] =
	"_d_newclassTTrace\0" "_d_newitemTTrace\0" "arrayOp\0" "atomicOp\0" "imported\0"
	"internal\0";
/* Before a parenthesis: a string mixin, and a file as a string. */
static const char makers[] =
	"import\0" "mixin\0";

/* The module's name if it is GDC's own, or NULL. */
static const char *own_module(const char *path)
{
	const char *at = strstr(path, home), *name = at ? strstr(at, folder) : NULL;

	return name && !strstr(path, "/../") ? name + sizeof folder - 1 : NULL;
}

static int is_always(const char *name)
{
	for (const char *s = always; *s; s = LIST_NEXT(s))
		if (strncmp(name, s, strlen(s)) == 0)
			return 1;
	return 0;
}

static int in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* A comment may stand before the parenthesis. */
static int is_called(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
		p++;
	return p < end && (*p == '(' || *p == '/');
}

/* UTF-16 and UTF-32 have a NUL or a mark. */
static int is_wide(const char *text, size_t n)
{
	return memchr(text, 0, n) || memchr(text, 0xff, n);
}

int d_time_in(const char *path, const char *text, size_t n)
{
	const char *module = own_module(path), *end = text + n, *p = text;
	int trusted = module && is_always(module);

	if (is_wide(text, n))
		return 1;
	while (p < end) {
		const char *word = p;

		while (p < end && in_word(*p))
			p++;
		if (p == word) {
			p++;
			continue;
		}
		n = (size_t)(p - word);
		if (list_has_n(times, word, n))
			return 1;
		if (!module && list_has_n(givers, word, n))
			return 1;
		if (!trusted && list_has_n(makers, word, n) && is_called(p, end))
			return 1;
	}
	return 0;
}

int d_time_zone_fixed(const char *tz)
{
	return tz && (strcmp(tz, "UTC0") == 0 || strcmp(tz, "UTC") == 0);
}
