/* units/rank.h - whether a process has the rank that its environment names (shim/rank.h).
 * THREAD. */
#ifndef UNITS_RANK_H
#define UNITS_RANK_H

#include <stddef.h>

#include "shim/rank.h"

/* rank_read for this process: NULL, or why its rank cannot be told. cmdline and block are
 * /proc/self/cmdline and environ (as they were at its start), of n and m bytes; a block of
 * UNIT_ENVIRON_MAX may be cut. */
#define UNIT_ENVIRON_MAX (256u << 10) /* the system allows 2 MiB */
const char *unit_rank_judge(struct rank *r, char *const envp[], const char *cmdline, size_t n,
                            const char *block, size_t m);

#endif
