/* shim/kernel/memory.c - asks the kernel for readable pages. */
#include "shim/kernel/memory.h"

#include "shim/kernel/signals.h"

#include "shim/banned.h"

/* Valgrind answers this request, which its manual describes; a processor rotates a register by two
 * whole turns. 1: the process runs below it. */
static int is_emulated(void)
{
	unsigned long request[6] = {0x1001}, answer = 0; /* VG_USERREQ__RUNNING_ON_VALGRIND */

#if defined(__x86_64__)
	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi;"
	                 "xchgq %%rbx, %%rbx"
	                 : "=d"(answer) : "a"(request), "0"(answer) : "cc", "memory");
#elif defined(__aarch64__)
	__asm__ volatile("mov x3, %1; mov x4, %2;"
	                 "ror x12, x12, #3; ror x12, x12, #13;"
	                 "ror x12, x12, #51; ror x12, x12, #61;"
	                 "orr x10, x10, x10; mov %0, x3"
	                 : "=r"(answer) : "r"(answer), "r"(request) : "cc", "memory", "x3", "x4");
#endif
	return answer != 0;
}

/* rt_sigprocmask copies a signal mask from there before it refuses an unknown `how`, and no file is
 * looked at as cheaply. Valgrind reports both as errors of the program. */
int memory_page_readable(uintptr_t address)
{
	if (is_emulated())
		return address >= MEMORY_PAGE;
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
