/* Any bytes as a path. A reported part lies inside it, and is one component or one module path. It
 * is reported again for the unit's own path and below another root. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "units/shape/shape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static char *copy_of(const char *head, const void *p, size_t n)
{
	size_t h = strlen(head);
	char *out = malloc(h + n + 1);

	must(out != NULL);
	memcpy(out, head, h);
	memcpy(out + h, p, n);
	out[h + n] = 0;
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path = copy_of("", data, size);
	struct unit_path u, again;
	enum unit_part part = unit_shape(&u, path);

	if (part != PART_NONE) {
		size_t n = strlen(path), from = u.root_len || path[0] == '/' ? u.root_len + 1 : 0;
		char *unit = copy_of("", path, u.unit_len),
			*moved = copy_of("/elsewhere/", path + from, n - from);

		must(u.part == part && u.class > 0 && u.class < UNIT_CLASSES_MAX &&
		     unit_rows[u.class].class == u.class);
		must(u.name_at + u.name_len == u.unit_len && u.unit_len <= n && from <= u.name_at &&
		     u.name_len > 0);
		must((part == PART_UNIT) == !u.member && (u.member || u.unit_len == n));
		if (u.member)
			must(u.member == path + u.unit_len + 1 && *u.member && *u.member != '.' &&
			     !strchr(u.member, '/'));
		must(unit_rows[u.class].form != UNIT_FILE || !u.member);
		must(unit_shape(&again, unit) == PART_UNIT && again.class == u.class &&
		     again.root_len == u.root_len);
		must(unit_shape(&again, moved) == part && again.class == u.class &&
		     again.name_len == u.name_len);
		must(again.root_len == strlen("/elsewhere"));
		free(unit);
		free(moved);
	}
	free(path);
	return 0;
}
