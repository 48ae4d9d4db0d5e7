/* agent/memory_limit.c - a process of the agent takes so much memory and no more. */
#include "agent/memory_limit.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim/kernel/sys.h"

/* Bytes that count for RLIMIT_DATA, and the stack: the sixth number of statm. 0: unknown. */
static uint64_t taken(void)
{
	unsigned long long pages = 0;
	char text[256], *at = text;

	if (sys_read_text("/proc/self/statm", text, sizeof text) <= 0)
		return 0;
	for (int i = 0; i < 6; i++)
		pages = strtoull(at, &at, 10);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void memory_limit(const struct settings *set)
{
	uint64_t now = taken(), most = now + setting_number(set, SETTING_REMOTE_MEMORY);
	struct rlimit r;

	if (!now || getrlimit(RLIMIT_DATA, &r) < 0 || r.rlim_cur <= most)
		return;
	r.rlim_cur = most;
	(void)setrlimit(RLIMIT_DATA, &r);
}
