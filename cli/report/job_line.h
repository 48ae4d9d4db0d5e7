/* cli/report/job_line.h - what `reprise run` says when the job has ended. TOOL. */
#ifndef CLI_REPORT_JOB_LINE_H
#define CLI_REPORT_JOB_LINE_H

#include "cli/cli.h"
#include "cli/run/unseen.h"
#include "store/job/events.h"

/* A job from here on: others of the same name may have run before, or run on other nodes. */
struct job_line {
	const char *job;          /* NULL: no events are kept */
	int64_t since;            /* ns since 1970 */
	struct job_counts before;
	const struct job_counts *now; /* NULL: no counters */
	char *const *argv;        /* the job's command */
	int quiet;                /* nothing is printed */
	struct unseen unseen;
};

/* 1: this process speaks for the job: no `reprise run` of the same job started it, and it is the
 * first rank of its node. job: that --job names, or NULL. Before cli_launch(). */
int job_line_speaks(struct cli *c, const char *job);
/* 1: a build tool (make, ninja, CMake) starts a compiler behind reprise-run, as a compiler
 * launcher. A line for each compile is too much, and so is a job. */
int job_line_below_build(struct cli *c, const char *command);
void job_line_begin(struct job_line *l, struct cli *c, char *const argv[], int quiet);
/* To be called now and then while the job runs. Returns the ms until the next call, 0: never. */
int job_line_look(struct job_line *l, pid_t pid);
/* Adds the command to the job's events. Prints one line on stderr, and a second one where something
 * was off: the reason that cost most, and the command that explains it. Where no compiler was seen
 * although one was expected, the line says so. Otherwise nothing is printed for a job that ran no
 * tool and found no unit. */
void job_line_end(const struct job_line *l, struct cli *c);

#endif
