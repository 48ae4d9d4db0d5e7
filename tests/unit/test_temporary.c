/* tests/unit/test_temporary.c - names of temporary files in outputs of a command. */
#include "tools/cmdline/cmdline.h"

#include <criterion/criterion.h>
#include <string.h>

/* Whether this text shows a name, after TMPDIR was read as /scratch/. */
static int shows(const char *tool, const char *text)
{
	struct cmdline c = {0};
	struct temporary t;

	cr_assert(temporary_begin(&t, tool_find(tool, "+mytool"), &c), "%s", tool);
	temporary_read(&t, "HOME", "/root");
	temporary_read(&t, "TMPDIR", "/scratch/");
	cr_assert(temporary_possible(&t));
	temporary_look(&t, text, strlen(text), 1);
	return t.named;
}

Test(temporary, by_family)
{
	cr_assert(shows("gcc", "cc1 /tmp/ccAb3dEf.s"));
	cr_assert_not(shows("gcc", "cc1 /tmp/hello.s"));
	cr_assert(shows("clang", "/tmp/a-0a1b2c.o"));
	cr_assert(shows("nvcc", "rm /tmp/tmpxft_00000001_00000002-6"));
	cr_assert_not(shows("nvcc", "rm /tmp/ccAb3dEf.s"));
	cr_assert(shows("mytool", "see /scratch/whatever"));
	cr_assert_not(shows("mytool", "see /tmp/whatever"));
}

Test(temporary, no_names_of_other_tools)
{
	struct cmdline c = {0};
	struct temporary t;

	cr_assert_not(temporary_begin(&t, tool_find("ld", NULL), &c));
	cr_assert_not(temporary_begin(&t, tool_find("cc1", NULL), &c));
	cr_assert_not(temporary_begin(&t, tool_find("ptxas", NULL), &c));
	cr_assert(temporary_begin(&t, tool_find("gcc", NULL), &c));
	cr_assert_not(temporary_possible(&t), "no variable was read");
}

Test(temporary, nvcc_tells_its_path)
{
	struct cmdline_arg v[] = {{.text = "nvcc"}, {.text = "-Xcompiler=-gz"}};
	struct cmdline c = {.v = v, .count = 2};
	struct temporary t;

	cr_assert(temporary_begin(&t, tool_find("nvcc", NULL), &c));
	cr_assert(t.named, "compressed debug information shows nothing");
	cr_assert_eq(t.read, 1u, "asked or not");
	temporary_look(&t, "#$ PATH=", 8, 0);
	cr_assert_not(t.search, "an output is not a stream");
	temporary_look(&t, "#$ PATH=", 8, 1);
	cr_assert(t.search);
}
