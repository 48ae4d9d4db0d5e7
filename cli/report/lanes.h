/* cli/report/lanes.h - events as lanes: one for each rank of a node, with rows in which no two
 * events overlap. TOOL. */
#ifndef CLI_REPORT_LANES_H
#define CLI_REPORT_LANES_H

#include <stdio.h>

#include "store/job/events_read.h"

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

#endif
