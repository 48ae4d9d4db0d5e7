/* shim/settings/job.h - the name of the job that a process belongs to. */
#pragma once

#include "shim/settings/settings.h"

/* THREAD. Name of this process's job: REPRISE_JOB, else the scheduler's id, else "session-<sid>".
 * Never NULL. *variable, if requested: the variable that it came from, or NULL. */
const char *settings_job(const struct settings *s, char *const envp[], struct arena *a,
                         const char **variable);

/* The rank of this process in its job, by the variables of its launcher. THREAD. */

struct rank {
	unsigned long rank, world;             /* global */
	/* On this host; 0 and 1 if no variable says so. If no variable says the number of ranks: as
	 * many as there may be, at most 64. */
	unsigned long local_rank, local_world;
	const char *local_name;
	/* global ranks that may be on this host, the own rank among them: from <= rank < to */
	unsigned long from, to;
	/* 1: a variable names the rank; 0: no variable is set; -1: the values make no sense */
	int known;
};
/* From an environment: the variables of the first launcher that set any. Values that are no
 * numbers, and a rank without a world or beyond it: -1, world 1, rank 0. If that launcher does not
 * say the ranks of the host, another launcher's values are taken. It must say the same rank of the
 * same world, as in a script under srun. Ranks of a host are assumed to be numbered in a row,
 * unless they are known not to be. If they are not, or if no variable says the local rank, ranks up
 * to 63 before and after may be on this host. */
void rank_read(struct rank *r, char *const envp[]);
