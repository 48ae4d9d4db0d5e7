/* tests/unit/test_dependency.c - texts whose meaning depends on the times of files, and other
 * texts. */
#include "tools/dependency.h"

#include <criterion/criterion.h>
#include <string.h>

Test(dependency, found)
{
	static const char *const texts[] = {
		"#pragma GCC dependency \"x\"", "int v;\n #\tpragma\tGCC  dependency <x> and more",
		"%:pragma GCC dependency",
		"#pragma clang dependency \"x\"", "_Pragma(\"GCC dependency \\\"x\\\"\")",
		"DO(GCC dependency \"x\")", "dependency #pragma GCC dependency"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(dependency_in(texts[i], strlen(texts[i])), "%s", texts[i]);
}

Test(dependency, not_found)
{
	static const char *const texts[] = {
		"", "dependency", "GCC dependency", "#pragma dependency", "#pragma GCC dependenc",
		"/* the clang dependency scanner */",
		"#pragma GCCdependency", "#pragmaGCC dependency", "#pragma GCC poison dependency",
		"clang", "a GCC dependency"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(dependency_in(texts[i], strlen(texts[i])), "%s", texts[i]);
}
