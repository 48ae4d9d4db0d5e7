/* tests/unit/driver_fixture.h - a command as one line, split into arguments with their roles. */
#pragma once

#include <criterion/criterion.h>
#include <string.h>

#include "tools/cmdline/response.h"
#include "tools/driver.h"

static struct arena arena;

static const char *read_nothing(void *ctx, const char *path, size_t *n)
{
	(void)ctx;
	(void)path;
	*n = 0;
	return NULL;
}

static const struct tool_row *split(const char *line, struct cmdline *c)
{
	char *copy = arena_strdup(&arena, line), *argv[128];
	struct cmdline_reader reader = {read_nothing, NULL};
	const struct tool_row *row;
	int argc = 0;

	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	row = tool_find(argv[0], "+mytool,+othertool:names,+hipcc,+icpx,+nvc++");
	cr_assert(row, "%s is no tool", argv[0]);
	cr_assert_eq(cmdline_expand(c, row, argc, argv, &reader, &arena), 0);
	cmdline_classify(c, row);
	driver_read(row, c);
	return row;
}

static inline unsigned reaches(const char *line, enum name_role role)
{
	struct cmdline c;
	const struct tool_row *row = split(line, &c);

	return driver_reach(row, &c, role);
}
