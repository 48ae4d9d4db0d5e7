/* shim/kernel/memory.c - asks the kernel for readable pages. */
#include "shim/kernel/memory.h"

#include "shim/kernel/signals.h"

#include "shim/banned.h"

/* rt_sigprocmask copies a signal mask from there before it refuses an unknown `how`, and no file is
 * looked at as cheaply. */
int memory_page_readable(uintptr_t address)
{
	return SYS4(SYS_rt_sigprocmask, ~0, address & ~(uintptr_t)7, NULL, SIGNALS_SET_SIZE) ==
	       -EINVAL;
}

int memory_stack_has(size_t n)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), end = here - n;

	if (end > here)
		return 0;
	for (uintptr_t at = here - MEMORY_PAGE; at > end; at -= MEMORY_PAGE)
		if (!memory_page_readable(at))
			return 0;
	return memory_page_readable(end);
}
