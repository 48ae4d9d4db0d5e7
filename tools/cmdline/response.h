/* tools/cmdline/response.h - @files and option files. Files are read by the caller's
 * function alone. THREAD. */
#pragma once

#include <stddef.h>

#include "tools/cmdline/cmdline.h"

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

/* Files by which compilers add to their own command line. These are clang's configuration files,
 * and gcc's specs, which gcc finds beside its libraries and along LIBRARY_PATH.
 *
 * The command was classified without these files. A flag in such a file may bind the result to the
 * working directory (-g) or to the processor (-march=native). Pure code. THREAD. */

/* A file with this name may hold flags for gcc, or for clang where clang reads it. */
int specs_is_config(const char *path);
int specs_is(const char *path);
/* The n bytes of text may add a flag that the key needs: a flag that names the processor, or a
 * further file of flags. */
int specs_config_adds(const char *text, size_t n);
int specs_adds(const char *text, size_t n);
