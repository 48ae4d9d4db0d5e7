/* tests/unit/test_machine.c */
#include "keying/machine.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <unistd.h>

Test(machine, is_the_same_on_every_core)
{
	struct digest first, now;
	cpu_set_t allowed, one;
	int cores = 0;

	if (access("/sys/devices/cpu_atom", F_OK) == 0)
		cr_skip_test("cores of two kinds: their caches differ, and native code may");
	cpu_digest(&first);
	cr_assert(!digest_equal(&first, &(struct digest){0}));
	cr_assert_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	for (int i = 0; i < CPU_SETSIZE && cores < 64; i++) {
		if (!CPU_ISSET(i, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
		cpu_digest(&now);
		cr_assert(digest_equal(&first, &now), "core %d", i);
		cores++;
	}
	cr_assert_gt(cores, 0);
}

Test(machine, saw_a_processor)
{
	struct digest now, zeros;
	unsigned char nothing[20 * 16] = {0};

	/* A version that reads no CPUID would give this: the digest of zero words. */
	cpu_digest(&now);
	for (size_t n = 0; n <= sizeof nothing; n += 16) {
		digest_of(&zeros, nothing, n);
		cr_assert(!digest_equal(&now, &zeros));
	}
}

Test(machine, features_are_the_same_on_every_core_and_are_not_the_model)
{
	struct digest first, now, whole, zeros;
	unsigned char nothing[20 * 16] = {0};
	cpu_set_t allowed, one;

	cpu_features_digest(&first);
	cpu_digest(&whole);
	cr_assert(!digest_equal(&first, &whole));
	for (size_t n = 0; n <= sizeof nothing; n += 16) {
		digest_of(&zeros, nothing, n);
		cr_assert(!digest_equal(&first, &zeros));
	}
	/* The answer is the same on cores of two kinds: a program may move between them. */
	cr_assert_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(i, &one);
		cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
		cpu_features_digest(&now);
		cr_assert(digest_equal(&first, &now), "core %d", i);
	}
}
