/* tests/unit/test_d_time.c - texts of D that may let the time in, and texts that cannot. */
#include "tools/d_time.h"

#include <criterion/criterion.h>
#include <string.h>

#define HOME "/usr/lib/gcc/x86_64-linux-gnu/12/include/d/"

static int in(const char *path, const char *text)
{
	return d_time_in(path, text, strlen(text));
}

Test(d_time, may)
{
	static const char *const texts[] = {
		"enum t = __TIME__;", "__DATE__", "x(__TIMESTAMP__)", "// __TIME__",
		"mixin(\"int x;\");", "mixin (s)", "mixin\n\t(s)",
		"mixin/**/(s)", "enum s = import(\"x\");", "import /+ +/ (\"x\")", "imported!\"a\"",
		"import core.internal.traits;",
		"atomicOp!op(x, 1)", "arrayOp!(int[], \"+\")", "\xff\xfe" "a",
		"\xef\xbb\xbf__TIME__"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(in("/w/a.d", texts[i]), "%s", texts[i]);
	cr_expect(d_time_in("/w/a.d", "a\0b", 3));
}

Test(d_time, cannot)
{
	static const char *const texts[] = {
		"", "int f(int x) { return x; }", "mixin Foo!(int);", "mixin template T() {}",
		"import std.stdio;", "import a = b, c;",
		"__TIME", "a__TIME__", "__TIME__s", "__FILE__ __LINE__", "mixins(x)", "amixin(x)",
		"imports(1)", "mixin", "import"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(in("/w/a.d", texts[i]), "%s", texts[i]);
}

Test(d_time, modules_of_the_compiler)
{
	cr_expect_not(in(HOME "object.d", "mixin(x); imported"));
	cr_expect_not(in(HOME "core/internal/hash.d", "mixin(x)"));
	cr_expect_not(in(HOME "core/lifetime.d", "import core.internal.x;"));
	cr_expect_not(in(HOME "core/stdc/config.d", "mixin (\"re \"~op~\"= a;\");"));
	cr_expect(in(HOME "object.d", "__TIME__"));
	cr_expect(in(HOME "core/time.d", "mixin(x)"));
	cr_expect(in(HOME "std/stdio.d", "mixin(x)"));
	cr_expect(in("/w/include/d/object.d", "mixin(x)"));
	cr_expect(in(HOME "gcc/../../../w.d", "mixin(x)"));
}

Test(d_time, zones)
{
	cr_expect(d_time_zone_fixed("UTC0"));
	cr_expect(d_time_zone_fixed("UTC"));
	cr_expect_not(d_time_zone_fixed(NULL));
	cr_expect_not(d_time_zone_fixed(""));
	cr_expect_not(d_time_zone_fixed("Europe/Paris"));
}
