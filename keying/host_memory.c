/* keying/host_memory.c - asks the kernel for the machine's memory and this process's limits. */
#include "keying/host_memory.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "shim/sys.h"

#include "shim/banned.h"

static unsigned long long bounded(unsigned long long bytes)
{
	return bytes < HOST_MEMORY_ENOUGH ? bytes : HOST_MEMORY_ENOUGH;
}

static unsigned long long limit(int resource)
{
	struct {
		unsigned long long now, most;
	} l;

	return SYS4(SYS_prlimit64, 0, resource, NULL, &l) == 0 ? bounded(l.now)
	                                                       : HOST_MEMORY_ENOUGH;
}

void host_memory(struct host_memory *out)
{
	struct sysinfo all;

	*out = (struct host_memory){HOST_MEMORY_ENOUGH, limit(RLIMIT_AS), limit(RLIMIT_RSS)};
	if (SYS1(SYS_sysinfo, &all) == 0)
		out->physical = bounded((unsigned long long)all.totalram * all.mem_unit);
}
