/* Command lines as a test writes them, expanded and classified. */
#pragma once

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/response.h"

static struct arena arena;

static inline const char *read_nothing(void *ctx, const char *path, size_t *n)
{
	(void)ctx;
	(void)path;
	*n = 0;
	return NULL;
}

/* Splits at spaces; '~' stands for a space inside a word and "''" for an empty one. */
static inline struct cmdline classify(const char *line)
{
	char *copy = arena_strdup(&arena, line), *argv[512];
	struct cmdline_reader reader = {read_nothing, NULL};
	struct cmdline c;
	const struct tool_row *row;
	int argc = 0;

	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
		for (char *p = w; *p; p++)
			*p = *p == '~' ? ' ' : *p;
		argv[argc++] = strcmp(w, "''") == 0 ? w + 2 : w;
	}
	argv[argc] = NULL;
	row = tool_find(argv[0], "+generic-tool");
	cr_assert(row, "%s is no tool", argv[0]);
	cr_assert_eq(cmdline_expand(&c, row, argc, argv, &reader, &arena), 0);
	cmdline_classify(&c, row);
	return c;
}
