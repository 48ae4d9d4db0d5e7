/* tools/failure.c - asks the driver of the tool that failed. */
#include "tools/failure.h"

#include "tools/driver.h"

#include "shim/banned.h"

int failure_may_be_known(const struct tool_row *row)
{
	return driver_of(row)->fails_by_input != NULL;
}

int failure_is_of_input(const struct tool_row *row, int status, const char *text, size_t n)
{
	const struct driver *d = driver_of(row);

	return d->fails_by_input && d->fails_by_input(status, text, n);
}
