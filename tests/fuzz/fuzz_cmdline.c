/* Command lines of any bytes: line 1 is the program's name, the lines to the first empty one are
 * its arguments, the rest is the text of every response file but "gone". Offsets must lie inside
 * their argument, what is called free of the cwd must have no flag that binds, and paths must be
 * strings. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmdline/cmdline.h"
#include "tools/cmdline/response.h"
#include "tools/drivers/drivers.h"

#define ARGUMENTS 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static const char *read_text(void *ctx, const char *path, size_t *n)
{
	*n = strlen(ctx);
	return strcmp(path, "gone") == 0 ? NULL : ctx;
}

static size_t path_bytes;
static void visit(void *ctx, const char *path)
{
	const struct cmdline_arg *arg = ctx;

	require(path != NULL && arg->role != ARG_LITERAL);
	path_bytes += strlen(path);
}

static void check(const struct cmdline *c)
{
	unsigned binding = CMD_DEBUG | CMD_COVERAGE | CMD_LTO | CMD_DUMP | CMD_PCH |
	                   CMD_PREPROCESS | CMD_STDIN;

	require(c->count == 0 || c->v != NULL);
	for (int i = 0; i < c->count; i++) {
		const struct cmdline_arg *arg = &c->v[i];

		if (arg->role == ARG_OUTPUT_JOINED || arg->role == ARG_INPUT_JOINED)
			require(arg->at > 0 && arg->at <= strlen(arg->text));
		cmdline_each_path(arg, visit, (void *)arg);
	}
	if (c->flags & (CMD_CWD_FREE | CMD_NAME_FREE))
		require(!(c->flags & binding));
	require(c->bypass == REASON_NONE || c->bypass_detail != NULL);
	require(!(c->flags & ~(unsigned)CMD_PARSED));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct cmdline_reader reader = {read_text, NULL};
	struct cmdline c;
	const struct tool_row *row;
	char *text = arena_memdup(&a, data, size), *argv[ARGUMENTS + 1];
	int argc = 0;

	while (argc < ARGUMENTS && *text && *text != '\n') {
		size_t n = strcspn(text, "\n");

		/* an exact copy, so that a byte read behind it is seen */
		argv[argc] = malloc(n + 1);
		memcpy(argv[argc], text, n);
		argv[argc++][n] = '\0';
		text += n + (text[n] == '\n');
	}
	argv[argc] = NULL;
	row = argc ? tool_find(argv[0], "+generic") : NULL;
	if (argc)
		(void)tool_write_style(argv[0]), (void)tool_is_interpreter(argv[0]);
	if (row) {
		reader.ctx = text;
		if (cmdline_expand(&c, row, argc, argv, &reader, &a) == 0) {
			cmdline_classify(&c, row);
			check(&c);
		}
	}
	cmdline_archive_has_times(data, size);
	while (argc > 0)
		free(argv[--argc]);
	arena_free(&a);
	return 0;
}
