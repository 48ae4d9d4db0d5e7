/* units/rank.h - which of a job's processes this one is, by what its launcher set. THREAD. */
#ifndef UNITS_RANK_H
#define UNITS_RANK_H

#include <stddef.h>

struct unit_rank {
	unsigned long rank, world;             /* global */
	/* of this host; 0, 1 where no variable says; without a number of ranks: as many as there
	 * may be, at most 64 */
	unsigned long local_rank, local_world;
	const char *local_name;
	/* global ranks that may be of this host, this one among them: from <= rank < to */
	unsigned long from, to;
	/* 1: some variable said so; 0: none is set; -1: they make no sense */
	int known;
};
/* From an environment: the variables of the first launcher that set any. Values that are no
 * numbers, and a rank without a world or beyond it: -1, world 1, rank 0. What that launcher does
 * not say of the host is taken from another one that says the same rank of the same world, as in a
 * script under srun. Ranks of a host are taken to be numbered in a row unless they are known not to
 * be; then, and where no variable says the local rank, those up to 63 before and after may be of
 * this host. */
void unit_rank_read(struct unit_rank *r, char *const envp[]);
/* The same for this process: NULL, or why its rank cannot be told. cmdline and block are
 * /proc/self/cmdline and environ (as they were at its start), of n and m bytes; a block of
 * UNIT_ENVIRON_MAX may be cut. */
#define UNIT_ENVIRON_MAX (256u << 10) /* the system allows 2 MiB */
const char *unit_rank_judge(struct unit_rank *r, char *const envp[], const char *cmdline, size_t n,
                            const char *block, size_t m);

#endif
