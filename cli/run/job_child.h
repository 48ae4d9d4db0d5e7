/* cli/run/job_child.h - a job that is a child of `reprise run`. TOOL. */
#ifndef CLI_RUN_JOB_CHILD_H
#define CLI_RUN_JOB_CHILD_H

#include "cli/cli.h"

/* True if `reprise run` must wait for the job's end. There are four reasons: `reprise run` says
 * what the job saved (unless quiet), publishes the job's results, packs the files that the job
 * wrote last (packs), or is process 1. */
int cli_waits_for_job(struct cli *c, int packs, int quiet);
/* Runs argv[0] as a child that gets our signals; process 1 also waits for processes that it
 * inherits. Then packs and publishes, and says what was saved and what is left unless quiet. Ends
 * as the child did, also by its signal. Returns the errno of an exec that failed. */
int cli_supervise(struct cli *c, char **argv, int quiet);

#endif
