/* tools/drivers/clang.c - clang, where it differs from gcc. Names in its command lines reach the
 * same places as gcc's: tools/drivers/gcc.c. */
#include <string.h>

#include "tools/drivers/drivers.h"
#include "tools/tool.h"

#include "shim/banned.h"

/* clang names code for a device by device and inode of the source:
 * "__omp_offloading_fe00_2420b2_f_l2". */
static enum output_flaw flaw(const void *data, size_t n, long pid)
{
	static const char name[] = "__omp_offloading_";

	return memmem(data, n, name, sizeof name - 1) ? FLAW_INODE : FLAW_NONE;
}

/* clang asks the stream that it writes to for a terminal's width. "# +-g" in its variable edits the
 * command line. */
#define CLANG \
	.flaw = flaw, .temporary = TEMPORARY_SCRATCH, .files = FILES_CLANG, .output = "a.out", \
	.linked = 1, .stdin_source = 1, .shows_streams = 1, .editor = DRIVER_EDITOR

const struct driver driver_clang = {
	CLANG,
	.fact = driver_gcc_fact,
	.reach = driver_gcc_reach,
	.maps = 1,
	.depfile = DEPFILE_CLANG,
	.flows = 1,
};
/* AMD's and Intel's: what names reach has not been measured, so they reach anything. Each has its
 * own variables. */
const struct driver driver_clang_off = {
	CLANG,
	.variables = "HIPCC_COMPILE_FLAGS_APPEND\0HIPCC_LINK_FLAGS_APPEND\0"
	             "__INTEL_PRE_CFLAGS\0__INTEL_POST_CFLAGS\0",
};

/* --- compilers that assemble in their own process --- */

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
