/* Free descriptors below the limit. */
#include <criterion/criterion.h>
#include <sys/resource.h>
#include <unistd.h>

#include "jit/jit.h"

static void limit_to(rlim_t n)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = n;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Test(descriptors_free, as_many_as_can_be_opened)
{
	int fd[256], n = 0, here;
	int too_low = 0;

	limit_to(200);
	cr_expect(descriptors_free(64));
	while ((here = dup(0)) >= 0)
		fd[n++] = here;
	cr_assert_gt(n, 100);
	cr_expect_not(descriptors_free(1));
	/* Wherever they lie. */
	for (int i = 0; i < 40; i++) {
		cr_expect_not(descriptors_free((unsigned)i + 1), "%d", i);
		close(fd[2 * i]);
		cr_expect(descriptors_free((unsigned)i + 1), "%d", i);
	}
	limit_to(10);
	too_low = descriptors_free(11);
	limit_to(0);
	too_low |= descriptors_free(1);
	limit_to(200);
	cr_expect_not(too_low);
}
