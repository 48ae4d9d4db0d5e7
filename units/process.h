/* units/process.h - what the kernel says of a process of this host. THREAD. */
#ifndef UNITS_PROCESS_H
#define UNITS_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* A pid is given again; with the time of its start it is one process's alone, until the next boot. */
struct process {
	pid_t pid, parent; /* as /proc has them, which may be another pid namespace's; parent 0: outside of it */
	int64_t began;     /* 1/100 s since the boot */
	char state;        /* a letter of proc(5); Z and X: it has ended */
};
/* pid 0: this one. 0; -1: there is none, or /proc does not show it. */
int process_read(struct process *p, pid_t pid);

#endif
