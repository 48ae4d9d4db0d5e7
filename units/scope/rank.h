/* units/scope/rank.h - whether a process has the rank that its environment names
 * (shim/settings/job.h). THREAD. */
#pragma once

#include <stddef.h>

#include "shim/arena.h"
#include "shim/settings/job.h"

/* rank_read for this process: NULL, or why its rank cannot be told. cmdline and block are
 * /proc/self/cmdline and environ (as they were at its start), of n and m bytes; a block of
 * UNIT_ENVIRON_MAX may be cut. */
#define UNIT_ENVIRON_MAX (256u << 10) /* the system allows 2 MiB */
const char *unit_rank_judge(struct rank *r, char *const envp[], const char *cmdline, size_t n,
                            const char *block, size_t m);

/* Reads small files, and finds lines in them. THREAD; of libc only string.h. */

/* A regular file or one of /proc, cut at max bytes; ends in NUL, which *n does not count. NULL: it
 * cannot be read. */
char *text_read(const char *path, size_t max, size_t *n, struct arena *a);
/* The rest of the first line that begins with head, without blanks around it, copied. NULL: no such
 * line. */
char *text_line(const char *text, const char *head, struct arena *a);
/* A variable's value in m bytes of an environment, as /proc/<pid>/environ holds it. NULL: it is not
 * there, or cut. */
const char *text_variable(const char *block, size_t m, const char *name);
