/* shim/progress.c - counts how often another process is seen computing. */
#include "shim/progress.h"

#include "shim/process.h"

#include "shim/banned.h"

#define LOOK_NS 25000000ll
/* A fair part: a quarter. */
#define RUNNING_PART 4

int progress_goes_on(struct progress *p, int64_t waited_ns)
{
	struct process_tree t;
	struct process self;

	if (p->looks && waited_ns < p->looked_ns + LOOK_NS)
		return 1;
	if (!p->looks && process_read(&self, 0) == 0)
		p->nice = self.nice;
	if (!p->pid || process_tree(p->pid, p->nice, &t) < 0)
		return waited_ns < PROGRESS_PATIENCE_NS;
	/* A limit of its control group leaves a process without a processor, and "running". */
	if (!p->looks)
		p->apart = !process_shares(p->pid);
	p->running += p->apart ? t.used > p->used : t.runs;
	p->looked_ns = waited_ns;
	p->looks++;
	p->used = t.used;
	return !t.stopped &&
	       (waited_ns < PROGRESS_PATIENCE_NS || p->running * RUNNING_PART >= p->looks);
}
