/* A UNIT line on any bytes up to the first newline, and the rest as a path: a line that is accepted
 * is a pattern that can be matched, whose guard refuses nothing that fits. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "units/shape/declared.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static char *copy_of(const uint8_t *p, size_t n)
{
	char *out = malloc(n + 1);

	must(out != NULL);
	memcpy(out, p, n);
	out[n] = 0;
	return out;
}

static int allows(const struct pattern_guard *g, const char *component, size_t n)
{
	unsigned char c = g->distance &&
		n >= g->distance ? (unsigned char)component[n - g->distance] : 0;

	return n >= g->least && n <= g->most && (!g->distance || (g->set[c / 8] >> c % 8 & 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = memchr(data, '\n', size);
	size_t n = newline ? (size_t)(newline - data) : size, rest = newline ? size - n - 1 : 0,
		name = 0;
	char *line = copy_of(data, n);
	struct declared row;

	if (!declared_parse(&row, line) && rest < 4096) {
		char *path = copy_of(newline ? newline + 1 : data, rest);
		size_t len = strlen(path), at;

		must(row.components == pattern_components(row.path) && row.complete && *row.name);
		must(row.class == UNIT_USER_FILES || row.class == UNIT_USER_DIRS ||
		     row.class == UNIT_USER_CACHES);
		at = (size_t)pattern_place(path, len, 1);
		if (pattern_place(path, len, row.components) == 0 &&
		    pattern_fits(row.path, path, len, &name))
			must(name <= len && allows(&row.guard, path + at, len - at));
		free(path);
	}
	free(line);
	return 0;
}
