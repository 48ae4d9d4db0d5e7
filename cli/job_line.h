/* cli/job_line.h - what `reprise run` says when the job has ended. TOOL. */
#ifndef CLI_JOB_LINE_H
#define CLI_JOB_LINE_H

#include "cli/cli.h"
#include "store/job_counts.h"

/* A job from here on: others of the same name may have run before, or run on other nodes. */
struct job_line {
	const char *job;          /* NULL: no events are kept */
	int64_t since;            /* ns since 1970 */
	struct job_counts before;
};
void job_line_begin(struct job_line *l, struct cli *c);
/* Prints one line on stderr, and a second one where something was off: the reason that cost most,
 * and the command that explains it. Nothing for a job that ran no tool and found no unit. */
void job_line_end(const struct job_line *l, struct cli *c);

#endif
