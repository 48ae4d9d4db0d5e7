/* tools/drivers/own_assembler.c - compilers that assemble in their own process. */
#include "tools/drivers/drivers.h"

#include <string.h>

#include "tools/tool.h"

#include "shim/banned.h"

/* A directory that is named so by chance is of no release. */
#define RELEASE_MOST 999
/* The last release whose assembler asks for no real name. */
#define LAST_SHOWN 21

int own_assembler_in(const char *program)
{
	const struct tool_row *row = tool_known(program);

	return row && row->family == FAMILY_CLANG;
}

unsigned own_assembler_release(const char *path)
{
	static const char dir[] = "/clang/", inside[] = "/include";
	const char *p = strstr(path, dir);
	unsigned release = 0;

	if (!p || !strstr(p, inside))
		return 0;
	for (p += sizeof dir - 1; *p >= '0' && *p <= '9' && release <= RELEASE_MOST; p++)
		release = release * 10 + (unsigned)(*p - '0');
	return (*p == '.' || *p == '/') && release <= RELEASE_MOST ? release : 0;
}

int own_assembler_shows(unsigned release)
{
	return release && release <= LAST_SHOWN;
}
