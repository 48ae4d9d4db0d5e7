/* shim/descriptors.c - closes descriptors. */
#include "shim/descriptors.h"

#include <linux/close_range.h>

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

static void sort(int *v, int n)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
			int t = v[k];
			v[k] = v[k - 1];
			v[k - 1] = t;
		}
}

void descriptors_close_others(int *keep, int n)
{
	unsigned from = 0;

	sort(keep, n);
	for (int i = 0; i < n; i++) {
		if ((unsigned)keep[i] > from)
			close_from(from, (unsigned)keep[i] - 1);
		from = (unsigned)keep[i] + 1;
	}
	close_from(from, ~0u);
}
