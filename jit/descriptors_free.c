/* jit/descriptors_free.c - whether the process may open more files. */
#include "jit/descriptors_free.h"

#include <limits.h>
#include <poll.h>
#include <sys/resource.h>

#include "shim/sys.h"

#include "shim/banned.h"

/* The number of descriptors that one ppoll asks about. After QUESTIONS such calls the process
 * counts as one at its limit. */
#define CHUNK 64
#define QUESTIONS 16

/* Asks from the limit down: nearly every process has no descriptor there, so one question is
 * enough. */
int descriptors_free(unsigned need)
{
	static const struct timespec at_once = {0, 0};
	struct rlimit limit = {0, 0};
	struct pollfd v[CHUNK];
	unsigned free_count = 0;
	int end;

	if (SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) < 0)
		return 0;
	end = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
	for (int i = 0; i < QUESTIONS && end > 0 && free_count < need; i++) {
		int n = end < CHUNK ? end : CHUNK;

		end -= n;
		for (int k = 0; k < n; k++)
			v[k] = (struct pollfd){end + k, 0, 0};
		if (SYS5(SYS_ppoll, v, n, &at_once, NULL, 0) < 0)
			return 0;
		for (int k = 0; k < n; k++)
			free_count += (v[k].revents & POLLNVAL) != 0;
	}
	return free_count >= need;
}
