/* tests/unit/test_emulator.c - the kernel's own answers; qemu's: tests/e2e/aarch64.bats. */
#include "shim/kernel/exe.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

Test(emulator, is_not_there)
{
	char exe[PATH_MAX];

	cr_assert(realpath("/proc/self/exe", exe));
	cr_expect_eq(emulator_names(exe), 0);
	cr_expect_eq(emulator_names("/no/such/program"), 0);
}

Test(emulator, only_a_clone_that_is_refused_may_be_asked_for_again)
{
	cr_expect_eq(emulator_refused(-EINVAL), 1); /* our own programs */
	cr_expect_eq(emulator_refused(-EAGAIN), 0);
	cr_expect_eq(emulator_refused(1), 0);
}
