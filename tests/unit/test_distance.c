/* How far apart two words are. */
#include <criterion/criterion.h>

#include "shim/settings/setting_value.h"

TestSuite(distance);

Test(distance, words)
{
	cr_expect_eq(distance("explain", 7, "explain"), 0);
	cr_expect_eq(distance("EXPLAIN", 7, "explain"), 0);
	cr_expect_eq(distance("explian", 7, "explain"), 2);
	cr_expect_eq(distance("", 0, "gc"), 2);
	cr_expect_eq(distance("stat", 4, "stats"), 1);
}
