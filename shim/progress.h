/* shim/progress.h - whether a process for which others wait goes on.
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
 * alone. THREAD. */
#ifndef SHIM_PROGRESS_H
#define SHIM_PROGRESS_H

#include <stdint.h>
#include <sys/types.h>

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

#endif
