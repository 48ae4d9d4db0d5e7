/* jit/symbols.c - which served function a symbol's name means. */
#include "jit/symbols.h"

#include <string.h>

#include "jit/libraries.h"
#include "shim/format.h"

#include "shim/banned.h"

static int find(enum jit_id id, const char *name, size_t len)
{
	for (int e = libraries_first(id); e < libraries_first(id) + libraries_count(id); e++)
		if (strlen(entry_name(e)) == len && memcmp(entry_name(e), name, len) == 0)
			return e;
	return -1;
}

/* Length of "_13_0" at the end, 0 for none. */
static size_t version_len(const char *name, size_t len)
{
	size_t n = len, digits = 0, bars = 0;

	while (n > 0 && bars < 2) {
		char c = name[--n];

		if (c == '_' && !digits)
			return 0;
		digits = c == '_' ? 0 : digits + 1;
		bars += c == '_';
		if (c != '_' && (c < '0' || c > '9'))
			return 0;
	}
	return bars == 2 && len - n < JIT_VERSION ? len - n : 0;
}

static int find_versioned(enum jit_id id, const char *name, char version[JIT_VERSION])
{
	size_t prefix = strlen(libraries_linked(id)), len = strlen(name), v;

	if (!prefix || strncmp(name, libraries_linked(id), prefix) != 0)
		return -1;
	v = version_len(name, len);
	if (!v)
		return -1;
	memcpy(version, name + len - v, v + 1);
	return find(id, name + prefix, len - v - prefix);
}

int names_find(const char *name, char version[JIT_VERSION])
{
	int entry = -1;

	version[0] = '\0';
	for (int id = 0; id < JIT_LIBRARIES && entry < 0; id++) {
		size_t prefix = strlen(libraries_symbols((enum jit_id)id));

		if (strncmp(name, libraries_symbols((enum jit_id)id), prefix) == 0)
			entry = find((enum jit_id)id, name + prefix, strlen(name + prefix));
		else
			entry = find_versioned((enum jit_id)id, name, version);
	}
	return entry;
}

void names_symbol(char *to, int entry, const char *version)
{
	enum jit_id id = entry_library(entry);

	format_text(to, NAMES_SYMBOL, "%s%s%s",
	            *version ? libraries_linked(id) : libraries_symbols(id), entry_name(entry),
	            version);
}

int names_mention(const char *text, const char *words)
{
	for (; *words; words += strlen(words) + 1)
		if (strstr(text, words))
			return 1;
	return 0;
}
