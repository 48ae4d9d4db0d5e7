/* tools/generic.c - programs that nobody described, and launchers. */
#include "tools/driver.h"

#include "shim/banned.h"

/* Its user knows it. */
static unsigned nothing(const struct tool_row *row, const struct cmdline *c, enum name_role role)
{
	(void)row, (void)c, (void)role;
	return 0;
}

const struct driver driver_generic = {.temporary = TEMPORARY_ANY, .stdin_width = 1};
const struct driver driver_declared = {
	.reach = nothing,
	.temporary = TEMPORARY_ANY,
	.stdin_width = 1,
};
/* Passed by: it is asked nothing. */
const struct driver driver_launcher = {0};
