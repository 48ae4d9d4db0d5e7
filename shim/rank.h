/* shim/rank.h - which of a job's processes this one is, by what its launcher set. THREAD. */
#ifndef SHIM_RANK_H
#define SHIM_RANK_H

struct rank {
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
void rank_read(struct rank *r, char *const envp[]);

#endif
