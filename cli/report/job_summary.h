/* cli/report/job_summary.h - figures of a job, from its events. */
#ifndef CLI_REPORT_JOB_SUMMARY_H
#define CLI_REPORT_JOB_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "store/job/events_read.h"

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

#endif
