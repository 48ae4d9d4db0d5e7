/* jit/spare.c - whether the process has descriptors to spare. */
#include <limits.h>
#include <poll.h>
#include <sys/resource.h>

#include "jit/jit.h"
#include "shim/sys.h"

#include "shim/banned.h"

/* To a question; where so many questions found too little, the process lives at its limit. */
#define CHUNK 64
#define QUESTIONS 16

/* From the limit down, where nearly every process has none: one question. Nothing is opened, not even for a moment, since
 * another thread may need the last one. */
int jit_spare_descriptors(unsigned need)
{
	static const struct timespec at_once = {0, 0};
	struct rlimit limit = {0, 0};
	struct pollfd v[CHUNK];
	unsigned spare = 0;
	int end;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0)
		return 0;
	end = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
	for (int i = 0; i < QUESTIONS && end > 0 && spare < need; i++) {
		int n = end < CHUNK ? end : CHUNK;

		end -= n;
		for (int k = 0; k < n; k++)
			v[k] = (struct pollfd){end + k, 0, 0};
		if (SYS5(SYS_ppoll, v, n, &at_once, NULL, 0) < 0)
			return 0;
		for (int k = 0; k < n; k++)
			spare += (v[k].revents & POLLNVAL) != 0;
	}
	return spare >= need;
}
