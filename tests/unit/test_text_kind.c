/* tests/unit/test_text_kind.c - what a file is, by its first bytes and by its name. */
#include "tools/cmdline/language.h"

#include <criterion/criterion.h>
#include <string.h>

Test(text_kind, by_the_head)
{
	cr_assert_eq(text_kind("\177ELF\2\1\1", 8), TEXT_OBJECT);
	cr_assert_eq(text_kind("\177ELF", 4), TEXT_PLAIN, "cut");
	cr_assert_eq(text_kind("!<arch>\n", 8), TEXT_OBJECT);
	cr_assert_eq(text_kind("!<thin>\n", 8), TEXT_PLAIN, "its members are read by their names");
	cr_assert_eq(text_kind("CPCH", 4), TEXT_COMPILED);
	cr_assert_eq(text_kind("DXSB....", 8), TEXT_COMPILED);
	cr_assert_eq(text_kind("gpch", 4), TEXT_PRECOMPILED);
	cr_assert_eq(text_kind("gpc", 3), TEXT_PLAIN);
	cr_assert_eq(text_kind("", 0), TEXT_PLAIN);
	cr_assert_eq(text_kind("#include", 8), TEXT_PLAIN);
}

Test(text_kind, scripts_that_see_names)
{
	static const char *const yes[] = {"SECTIONS { }", "x\nSECTIONS\n\t{", "EXCLUDE_FILE(*x.o)",
	                                  "!<thin>\n"};
	static const char *const no[] = {"", "SECTIONS", "SECTIONS x {", "GROUP ( libc.so.6 )",
	                                 "!<arch>\n"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_assert(text_sees_names(yes[i], strlen(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_assert_not(text_sees_names(no[i], strlen(no[i])), "%s", no[i]);
}

Test(text_kind, times_by_name)
{
	cr_assert(text_kind_holds_times("a.pch"));
	cr_assert(text_kind_holds_times("a.h.gch/x"));
	cr_assert(text_kind_holds_times("m.pcm"));
	cr_assert_not(text_kind_holds_times("a.h"));
}
