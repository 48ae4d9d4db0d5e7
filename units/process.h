/* units/process.h - a process of this host, as the kernel shows it. THREAD. */
#ifndef UNITS_PROCESS_H
#define UNITS_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Pids are reused. With its start time, a pid names one process until the next boot. */
struct process {
	/* as /proc shows them, maybe of another pid namespace; parent 0: outside of it */
	pid_t pid, parent;
	int64_t began;     /* 1/100 s since the boot */
	char state;        /* a letter of proc(5); Z and X: the process has ended */
};
/* pid 0: this process. 0, or -1: there is none, or /proc does not show it. */
int process_read(struct process *p, pid_t pid);

#endif
