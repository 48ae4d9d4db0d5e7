/* The memory that a thread may use. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "shim/kernel/memory.h"

Test(memory, pages)
{
	char *two = mmap(NULL, 2 * MEMORY_PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(two, MAP_FAILED);
	cr_assert_eq(mprotect(two + MEMORY_PAGE, MEMORY_PAGE, PROT_NONE), 0);
	cr_expect(memory_page_readable((uintptr_t)two));
	cr_expect(memory_page_readable((uintptr_t)two + MEMORY_PAGE - 1));
	cr_expect_not(memory_page_readable((uintptr_t)two + MEMORY_PAGE));
	cr_expect_not(memory_page_readable(0));
	cr_expect_not(memory_page_readable(UINTPTR_MAX));
}

struct asked {
	size_t n;
	int has;
};

static void *ask(void *p)
{
	struct asked *a = p;

	a->has = memory_stack_has(a->n);
	return NULL;
}

static int has(size_t stack, size_t n)
{
	struct asked a = {n, -1};
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	cr_assert_eq(pthread_attr_setstacksize(&attr, stack), 0);
	cr_assert_eq(pthread_create(&thread, &attr, ask, &a), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	return a.has;
}

Test(memory, stacks)
{
	cr_expect_eq(has(1 << 20, 32 << 10), 1);
	cr_expect_eq(has(1 << 20, 512 << 10), 1);
	cr_expect_eq(has(256 << 10, 64 << 20), 0);
	cr_expect_not(memory_stack_has(SIZE_MAX));
	/* The main thread's grows. */
	cr_expect(memory_stack_has(256 << 10));
}
