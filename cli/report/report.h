/* cli/report/report.h - what a job did, as text, JSON and a page. TOOL. */
#pragma once

#include <stddef.h>

#include "cli/run/run.h"
#include "store/job/events_read.h"

/* --- job_line.c: what `reprise run` says when the job has ended --- */

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

/* 1: a `reprise run` of the same job started this process. Before cli_launch(). */
int job_line_is_part(struct cli *c, const char *job);
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

/* --- job_summary.c: figures of a job, from its events --- */

/* What events are grouped by. */
enum group_by { BY_TOOL, BY_CLASS, BY_RANK, BY_REASON, BY_HOST, BY_PROOF, GROUP_BYS };
/* "tool", ... NULL: none of these. */
const char *group_by_name(enum group_by by);
/* -1: no such name. */
int group_by_of(const char *name);

/* Exchanges with a remote store. */
struct exchanged {
	uint64_t count, bytes;
	int64_t took; /* ns, of all together: they overlap */
};
struct figures {
	const char *name;          /* of the group; "" for the whole job */
	uint64_t count[EVENT_KINDS][EVENT_VERDICTS];
	/* Steps of other actions among them, of the events that are kept. Groups by tool, by reason
	 * and by proof count them as starts of their own: 0. */
	uint64_t steps[EVENT_VERDICTS];
	uint64_t from[EVENT_SOURCES]; /* hits */
	int64_t took, spent, waited, worth; /* ns; took: of all events, and not exact */
	int64_t saved;             /* ns of wall time (wall_saved()), of the events that are kept;
	                            * negative where the job lost time */
	uint64_t bytes_remote;     /* of hits from the remote store, unpacked */
	/* What their events say, and no sums. Absent: asked for in vain. */
	struct exchanged received, sent, absent, failed;
	/* Received ahead of the job, and of these, what a hit used. Of the job alone, not of its
	 * groups. */
	struct exchanged ahead, used;
};

/* Hits, and hits and runs, of compiles: tools' starts and compiles inside processes. nvcc and its
 * steps are one. */
uint64_t figures_hits(const struct figures *f);
uint64_t figures_compiles(const struct figures *f);
/* Of all kinds but transfers. */
uint64_t figures_events(const struct figures *f);
uint64_t figures_transfers(const struct figures *f);
/* The same of units. */
uint64_t figures_units(const struct figures *f);
uint64_t figures_units_wanted(const struct figures *f);

/* The figures of the job, by its exact sums where the node has them. saved is 0 without memory. */
void figures_of(struct figures *f, const struct events *e, struct arena *a);
/* The figures of sums alone: saved is 0. */
void figures_of_sums(struct figures *f, const struct job_counts *sums);
/* By group, largest first. Returns their number; *out in the arena. By proof these are hits, and
 * one that rests on two proofs counts for both. */
size_t figures_by(struct figures **out, const struct events *e, enum group_by by, struct arena *a);

/* The wall time that replays saved. TOOL.
 *
 * Parallel work overlaps, so its times cannot be added up. A hit spared its job the interval in
 * which the replayed work ran when it was recorded. A node was spared the union of these intervals,
 * in which the work of ranks and workers that ran side by side counts once. What the node spent in
 * Reprise is the union of its own intervals there. Saved is the first length less the second; of
 * several nodes, the largest value. */

enum wall_kind { WALL_SPARED, WALL_SPENT };
struct wall_span {
	size_t group;     /* index in the result */
	const char *host;
	enum wall_kind kind;
	int64_t from, to; /* ns since 1970; from <= to */
};

/* Sorts the spans. saved: what each group saved, ns; 0 for a group without spans. */
void wall_saved(int64_t *saved, size_t groups, struct wall_span *v, size_t count);

/* --- job_remote.c: a job of several nodes: each leaves its part in the remote store
 * (store/job/job_node.h), and a report on any node joins them. */

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

/* --- lanes.c: events as lanes: one for each rank of a node, with rows in which no two
 * events overlap. */

/* Rows of a lane; what does not fit is put over others in the last one. */
#define LANE_ROWS_MAX 64

struct lane {
	const char *host;
	int rank;          /* EVENT_NO_RANK */
	size_t first, count; /* in lanes.event */
	int rows;
};
struct laned {
	const struct event *e;
	int row;
};
struct lanes {
	struct lane *v;
	size_t count;
	struct laned *event; /* by lane, then by start */
	int64_t begin, end;  /* ns since 1970, of all events */
};

/* 0, or -1: no memory, or no event. */
int lanes_make(struct lanes *out, const struct events *e, struct arena *a);

/* The lanes of a report, as SVG. */

void report_lanes(FILE *to, const struct lanes *l);

/* --- page.c: a job as one page of HTML and SVG: no other file, no link to a host, no
 * script that reading needs. */

struct report {
	const char *job;
	const struct events *e;
	const struct figures *all;
	struct job_remote nodes;
	struct lanes lanes;
	struct arena *a;
	struct cli *c;
};
void report_html(FILE *to, const struct report *r);

/* --- stats_job.c: `reprise stats` of one job, or of all events since a time --- */

struct stats_wish {
	const char *job;    /* NULL: all jobs that have events */
	int last;           /* the job whose event is the latest */
	int remote;         /* join other nodes' parts */
	int64_t since;      /* ns since 1970; 0: all */
	int by;             /* enum group_by, or -1 */
	int json;
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

/* --- classes.c: `reprise config classes` --- */

/* Lists the classes of units, those of UNIT lines last: whether each is on, and where this node or
 * a node with this store saw a unit of it last. Returns the exit status. */
int cli_classes(struct cli *c, int json, const char *who);
