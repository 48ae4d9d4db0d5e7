/* cli/report/stats_job.h - `reprise stats` of one job, or of all events since a time. TOOL. */
#ifndef CLI_REPORT_STATS_JOB_H
#define CLI_REPORT_STATS_JOB_H

#include "cli/cli.h"
#include "cli/report/job_remote.h"

enum stats_format { STATS_TEXT, STATS_JSON, STATS_PROMETHEUS };
struct stats_wish {
	const char *job;    /* NULL: all jobs that have events */
	int last;           /* the job whose event is the latest */
	int remote;         /* join other nodes' parts */
	int64_t since;      /* ns since 1970; 0: all */
	int by;             /* enum group_by, or -1 */
	enum stats_format format;
};

/* Prints. CLI_OK, or CLI_FINDING where there is no such job. */
int stats_job(struct cli *c, struct store *s, const struct stats_wish *w, const char *who);
/* The figures of a job as JSON. CLI_OK or CLI_FINDING. */
int stats_job_json(const struct figures *f, const struct events *e, const struct job_remote *nodes,
                   const char *job);
/* Says that nothing is known of the job (NULL: of any), and what to do. CLI_FINDING. */
int stats_no_job(struct cli *c, const char *job, int remote, const char *who);
/* "30m", "2h", "3d", "2026-11-26", "2026-11-26T10:00": ns since 1970, or -1. now: s since 1970. */
int64_t stats_since(const char *text, int64_t now);

#endif
