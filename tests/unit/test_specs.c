/* tests/unit/test_specs.c - which files hold flags, and which flags the key should have had. */
#include "tools/cmdline/response.h"

#include <criterion/criterion.h>
#include <string.h>

Test(specs, files_by_name)
{
	cr_assert(specs_is("/usr/lib/gcc/x86_64-linux-gnu/12/specs"));
	cr_assert(specs_is("nano.specs"));
	cr_assert(specs_is("/opt/conda.spec"));
	cr_assert_not(specs_is("/usr/lib/specs/a.h"));
	cr_assert(specs_is_config("/etc/clang/x86_64.cfg"));
	cr_assert_not(specs_is_config("cfg"));
}

Test(specs, flags_for_the_processor)
{
	static const char plain[] = "*cc1:\n%{march=native:%>march=native} -O2\n";
	static const char flag[] = "*cc1:\n-march=native\n", open[] = "%include <x";
	static const char known[] = "%include <conda.specs>\n", unknown[] = "%include <a.txt>\n";

	cr_assert_not(specs_adds(plain, strlen(plain)));
	cr_assert(specs_adds(flag, strlen(flag)));
	cr_assert_not(specs_adds(known, strlen(known)));
	cr_assert(specs_adds(unknown, strlen(unknown)));
	cr_assert(specs_adds(open, strlen(open)));
	cr_assert(specs_config_adds("-mcpu=native", 12));
	cr_assert(specs_config_adds("@other.cfg", 10));
	cr_assert_not(specs_config_adds("-O2 -g", 6));
}
