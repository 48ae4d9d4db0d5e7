/* tools/drivers/generic.c - unknown programs, and launchers. */
#include "tools/driver.h"

#include "shim/banned.h"

/* The user declares that names do not reach the result. */
static unsigned nothing(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	return 0;
}

const struct driver driver_generic = {
	.temporary = TEMPORARY_ANY,
	.files = FILES_NONE,
	.stdin_width = 1,
};
const struct driver driver_declared = {
	.reach = nothing,
	.temporary = TEMPORARY_ANY,
	.files = FILES_NONE,
	.stdin_width = 1,
};
/* A launcher bypasses: nothing is asked of its driver. */
const struct driver driver_launcher = {.files = FILES_NONE};
