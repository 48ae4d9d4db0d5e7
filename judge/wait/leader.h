/* judge/wait/leader.h - whether a run that another process records may serve this start.
 *
 * The leader is the process that holds the lock of a flight (judge/wait/flight.h). Its directory,
 * names and inputs may differ from this start's. Its trace tells them while it runs: first the
 * start itself, then each file that the run reads. A file that lies below the leader's directory or
 * names is compared with the file that this start would read in its place. At the first difference
 * the run cannot serve this start.
 *
 *     leader_begin(&l, s, pid);
 *     while (the lock is held && !leader_differs(&l))
 *             pause
 *     leader_end(&l);
 *
 * Memory: the start's arena. Between begin and end the leader's trace is open. THREAD. */
#pragma once

#include "judge/start.h"

/* The arg of a TRACE_STARTED: what its text is. Below LEADER_DIRECTORY: a name, by its kind and,
 * above 8 bits, its index. */
enum { LEADER_FLIGHT = 1 << 16, LEADER_DIRECTORY = 2 << 16 };

struct leader {
	struct start *start;
	int pid;
	int fd;                   /* its trace; -1: not open yet */
	uint64_t at;              /* where the next event begins */
	unsigned char *buffer;
	int ours;                 /* the trace is of this start's flight */
	int told;                 /* the directory and all names are known */
	int same;                 /* they are this start's: there is nothing to compare */
	const char *directory;
	size_t directory_len;
	struct patch_name *name;
	size_t name_count;
	const char **written;     /* files that the run has made */
	size_t written_count, written_cap;
	unsigned compared;
};

/* Writes what other processes must know of this start into its own trace. After trace_hello(), in
 * the recorded process. */
void leader_tell(struct start *s);

void leader_begin(struct leader *l, struct start *s, int pid);
/* 1: the run has read a file that differs here. Reads the events since the last call. A leader that
 * has not begun its run has no trace yet. */
int leader_differs(struct leader *l);
void leader_end(struct leader *l);
