/* shim/descriptors.c - closes descriptors. */
#include "shim/descriptors.h"

#include "shim/sys.h"

#include "shim/banned.h"

/* On kernels without close_range, a process has no more descriptors than this unless it asked for
 * them. */
#define OLD_KERNEL_DESCRIPTORS 4096u

/* Before Linux 5.9: one descriptor at a time. */
static void close_from(unsigned first, unsigned last)
{
	if (SYS3(SYS_close_range, first, last, 0) != -ENOSYS)
		return;
	for (unsigned fd = first; fd <= last && fd < OLD_KERNEL_DESCRIPTORS; fd++)
		sys_close((int)fd);
}

/* The lowest of keep[0 .. n) that is at least `from`, or -1. */
static int next_kept(const int *keep, int n, unsigned from)
{
	int next = -1;

	for (int i = 0; i < n; i++)
		if (keep[i] >= 0 && (unsigned)keep[i] >= from && (next < 0 || keep[i] < next))
			next = keep[i];
	return next;
}

void descriptors_close_others(const int *keep, int n)
{
	unsigned from = 0;

	for (int fd; (fd = next_kept(keep, n, from)) >= 0; from = (unsigned)fd + 1)
		if ((unsigned)fd > from)
			close_from(from, (unsigned)fd - 1);
	close_from(from, ~0u);
}
