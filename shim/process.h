/* shim/process.h - a process of this host, as the kernel shows it. THREAD. */
#ifndef SHIM_PROCESS_H
#define SHIM_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

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

#endif
