/* shim/kernel/process.h - a process of this host, as the kernel shows it. THREAD. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/arena.h"

/* Pids are reused. With its start time, a pid names one process until the next boot. */
struct process {
	/* as /proc shows them, maybe of another pid namespace; parent 0: outside of it */
	pid_t pid, parent;
	int64_t began;     /* 1/100 s since the boot */
	int64_t used;      /* 1/100 s of processors' time, with that of children that have ended */
	int nice;          /* -20 to 19; more gives way to less */
	char state;        /* a letter of proc(5); Z and X: the process has ended */
};
/* The state of a process that a signal has stopped. A tracer stops it for moments, which is
 * another state. */
#define PROCESS_STOPPED 'T'
/* pid 0: this process. 0, or -1: there is none, or /proc does not show it. */
int process_read(struct process *p, pid_t pid);
/* A line of /proc/thread-self/io, of the calling thread. -1: not known. The question itself is
 * THREAD_IO_READS reads, which later answers count. */
#define THREAD_IO_WRITTEN "wchar: " /* bytes, by write(2) and its kin */
#define THREAD_IO_CALLS "syscr: "   /* calls that have read something */
#define THREAD_IO_READS 2
int64_t thread_io(const char *line);
/* 1: it gets processors as this one does: same control groups, processors and policy. */
int process_shares(pid_t pid);
/* What a process and the processes below it do now. Looks at PROCESS_TREE_MOST processes at most,
 * and only at children of main threads. 0, or -1 as above. */
#define PROCESS_TREE_MOST 32
struct process_tree {
	int runs;    /* one has a processor, or waits for one, and its nice value is <= `nice` */
	int stopped; /* a signal has stopped one of them */
	int64_t used; /* as above, of all */
};
int process_tree(pid_t pid, int nice, struct process_tree *t);

/* The environment without what the loader and libc read in it (LD_*, GLIBC_TUNABLES): a job's
 * libraries are not the agent's. NULL without memory. THREAD. */
char **command_environment(char *const envp[], struct arena *a);

/* Whether a process for which others wait goes on.
 *
 * A wait must not take longer than the work itself would take here. How long that is, nobody knows.
 * So the waiting process looks at the other one, and at the processes below it. One that is stopped
 * does not go on. For PROGRESS_PATIENCE_NS it may do what it likes: it reads files, or waits. After
 * that it must have been seen computing, or waiting for a processor, in a fair part of all looks.
 * Then its work takes about as long as ours would. Where it may get less of the processors, by
 * another control group, set of processors or policy, waiting for one does not count.
 *
 *     struct progress p = {.pid = pid};
 *     while (!done && progress_goes_on(&p, waited))
 *             pause
 *
 * A process that cannot be seen, of another pid namespace for example, is waited for with patience
 * alone. */

#define PROGRESS_PATIENCE_NS 1000000000ll

struct progress {
	pid_t pid; /* or thread; 0: not known */
	int nice;  /* of this process */
	int apart; /* 1: the other one may get less of the processors than this one */
	int64_t used;
	unsigned looks, running;
	int64_t looked_ns;
};
/* waited_ns: since the wait began. Looks at the processes each 25 ms at most: it takes 100 us. */
int progress_goes_on(struct progress *p, int64_t waited_ns);
