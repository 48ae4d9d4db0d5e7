/* units/mark.c - writes and reads marks in names. */
#include "units/mark.h"

#include <string.h>

#include "shim/digest.h"
#include "shim/buf.h"

#include "shim/banned.h"

enum { PREFIX = sizeof MARK_PREFIX - 1, DIGITS = 16 };

static void put_hex(char out[DIGITS + 1], uint64_t mark)
{
	for (int i = 0; i < DIGITS; i++)
		out[i] = "0123456789abcdef"[mark >> (60 - 4 * i) & 15];
	out[DIGITS] = '\0';
}

uint64_t mark_of(const char *scope)
{
	struct digest d;
	uint64_t mark;

	digest_name(&d, scope, strlen(scope));
	mark = le_get(d.b, 8);
	return mark > MARK_NONE ? mark : mark + MARK_NONE + 1;
}

const char *mark_name(uint64_t mark, const char *member, struct arena *a)
{
	char hex[DIGITS + 1];

	put_hex(hex, mark);
	return arena_cat(a, MARK_PREFIX, hex, "-", member, NULL);
}

int mark_is_of_other(const char *name, uint64_t mark)
{
	char hex[DIGITS + 1];

	if (name[0] != MARK_PREFIX[0] || strncmp(name, MARK_PREFIX, PREFIX) != 0)
		return 0;
	put_hex(hex, mark);
	return mark <= MARK_NONE || strncmp(name + PREFIX, hex, DIGITS) != 0 ||
	       name[PREFIX + DIGITS] != '-' || !name[PREFIX + DIGITS + 1];
}
