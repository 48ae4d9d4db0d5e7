/* tools/ar.c - archives hold base names of members, and no directory, except thin archives and
 * archives made with P. An assembler's object holds neither: it has no symbol with its source's
 * name. Measured with GNU ar and llvm-ar, gas (docs/internals/names.md). */
#include <ar.h>
#include <string.h>

#include "tools/ar.h"
#include "tools/cmdline_ar.h"
#include "tools/driver.h"
#include "tools/list.h"

#include "shim/banned.h"

enum { PLAIN = 1 }; /* no argument lets names through */

static unsigned archive_facts(const struct tool_row *row, const struct cmdline *c)
{
	(void)row;
	/* rcs, rcsD, -rcU: letters that add nothing to the usual operation. */
	if (c->count < 3 || c->v[1].text[strspn(c->v[1].text, "-rcsqD")] != '\0')
		return 0;
	for (int i = 2; i < c->count; i++)
		if (c->v[i].text[0] == '-' || c->v[i].text[0] == '@')
			return 0;
	return PLAIN;
}

static unsigned archive(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	(void)row;
	return c->facts & PLAIN &&
	       (role == ROLE_SOURCE || role == ROLE_CWD || role == ROLE_OUTPUT) ? 0
	                                                                        : REACH_ANYTHING;
}

static const char plain[] =
	"--32\0" "--64\0" "--fatal-warnings\0" "--noexecstack\0" "-I\0" "-W\0" "-o\0";

static unsigned assembler_facts(const struct tool_row *row, const struct cmdline *c)
{
	(void)row;
	for (int i = 1; i < c->count; i++)
		if (c->v[i].option ? !list_has(plain, c->v[i].option) : c->v[i].text[0] == '-')
			return 0;
	return PLAIN;
}

static unsigned assembler(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	(void)row;
	if (c->flags & (CMD_STDIN | CMD_DEBUG | CMD_DUMP) || !(c->facts & PLAIN))
		return REACH_ANYTHING;
	switch (role) {
	case ROLE_SOURCE:
	case ROLE_BASE:
	case ROLE_CWD:
	case ROLE_OUTPUT:
	case ROLE_INCLUDE:
	case ROLE_RESPONSE: return 0;
	default: return REACH_ANYTHING;
	}
}

static enum name_role archive_role(const struct cmdline *c, int i, int last)
{
	(void)c;
	return i == 1 ? ROLE_OTHER : i == 2 ? ROLE_OUTPUT : last ? ROLE_BASE : ROLE_SOURCE;
}

int ar_is_archive(const void *data, size_t n)
{
	return n >= SARMAG && memcmp(data, ARMAG, SARMAG) == 0;
}

static enum output_flaw archive_flaw(const void *data, size_t n, long pid)
{
	(void)pid;
	return !ar_is_archive(data, n)               ? FLAW_MODE
	       : cmdline_archive_has_times(data, n) ? FLAW_TIME
	                                            : FLAW_NONE;
}

const struct driver driver_ar = {.facts = archive_facts, .reach = archive, .role = archive_role,
	.flaw = archive_flaw};
const struct driver driver_as = {.facts = assembler_facts, .reach = assembler, .output = "a.out"};
