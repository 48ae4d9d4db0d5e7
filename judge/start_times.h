/* judge/start_times.h - when a start began, when its tool ran, and how long it waited.
 *
 * Durations come from CLOCK_MONOTONIC. What is compared with the times of files comes from the
 * clock that makes these, CLOCK_REALTIME_COARSE. All in nanoseconds. THREAD. */
#ifndef JUDGE_START_TIMES_H
#define JUDGE_START_TIMES_H

#include <stdint.h>

struct start_times {
	int64_t began_ns;   /* monotonic */
	int64_t started_ns; /* the same; when recorded, the tool's start */
	int64_t ran_ns;     /* that the tool itself ran, when recorded */
	int64_t waited_ns;  /* for other processes and nodes */
	int64_t started_at; /* the clock of file times */
	int64_t ran_at;     /* the same clock when the recorded tool began */
};

/* The start begins now, and its tool with it. */
void start_times_begin(struct start_times *t);
/* Nanoseconds since started_ns. */
int64_t start_times_took(const struct start_times *t);

#endif
