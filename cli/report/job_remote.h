/* cli/report/job_remote.h - a job of several nodes: each leaves its part in the remote store
 * (store/job/job_node.h), and a report on any node joins them. TOOL. */
#ifndef CLI_REPORT_JOB_REMOTE_H
#define CLI_REPORT_JOB_REMOTE_H

#include "cli/cli.h"
#include "cli/report/job_summary.h"

/* A node that left its part. */
struct job_remote_node {
	const char *host;
	struct figures f; /* its sums */
	uint32_t events;  /* that it left; 0 where REPRISE_EVENTS is not "remote" there */
};
struct job_remote {
	struct job_remote_node *v;
	size_t count, cap;
	unsigned refused; /* parts that were damaged, forged, unsigned, or of another job */
};

/* Leaves this node's part of the job. 0, also where there is nothing to leave; -1 with *fault. */
int job_remote_leave(struct cli *c, struct store *s, const char *job, struct fault *fault);
/* 1: a report asks the remote store without an option: there is one, and REPRISE_EVENTS is
 * "remote". */
int job_remote_expected(struct cli *c);
/* Reads a job as events_read(), and where asked adds what other nodes left in the remote store.
 * 0; -1: nothing is known of the job. What the remote store does not answer is missing, with a
 * message on standard error, and *status becomes CLI_FINDING. asked: 1 by an option, which is an
 * error without a remote store; 0: as job_remote_expected() says. */
int job_remote_read(struct cli *c, struct store *s, const char *job, int asked, struct events *e,
                    struct job_remote *nodes, int *status, const char *who);

#endif
