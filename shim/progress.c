/* shim/progress.c - counts how often another process is seen computing. */
#include "shim/progress.h"

#include "shim/process.h"

#include "shim/banned.h"

#define LOOK_NS 25000000ll
/* A fair part: a quarter. */
#define RUNNING_PART 4

int progress_goes_on(struct progress *p, int64_t waited_ns)
{
	struct process self;
	int runs, stopped;

	if (p->looks && waited_ns < p->looked_ns + LOOK_NS)
		return 1;
	if (!p->looks && process_read(&self, 0) == 0)
		p->nice = self.nice;
	if (!p->pid || process_tree(p->pid, p->nice, &runs, &stopped) < 0)
		return waited_ns < PROGRESS_PATIENCE_NS;
	p->looked_ns = waited_ns;
	p->looks++;
	p->running += runs != 0;
	return !stopped &&
	       (waited_ns < PROGRESS_PATIENCE_NS || p->running * RUNNING_PART >= p->looks);
}
