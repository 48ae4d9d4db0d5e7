/* tools/response.h - @files and option files. Files are read by the caller's
 * function alone. THREAD. */
#ifndef TOOLS_RESPONSE_H
#define TOOLS_RESPONSE_H

#include "tools/cmdline.h"

/* Expands response files as the family does, by the rules of libiberty's expandargv (GCC quoting).
 * At most 100 levels and 2000 files; more set bypass. If a file cannot be read, its argument stays.
 * ptxas's option files are inserted behind the option that names them. read() gives the complete
 * text NUL-terminated, or NULL. argv[0] is never expanded. */
struct cmdline_reader {
	const char *(*read)(void *ctx, const char *path, size_t *n);
	void *ctx;
};
/* 0, or -1 when memory is refused or ARGS_MAX is passed. */
#define ARGS_MAX 1000000
int cmdline_expand(struct cmdline *c, const struct tool_row *row, int argc, char *const argv[],
                   const struct cmdline_reader *reader, struct arena *a);

#endif
