/* tests/unit/test_line_marks.c - texts that name files, and texts that do not. */
#include "tools/text/line_marks.h"

#include <criterion/criterion.h>
#include <string.h>

Test(line_marks, found)
{
	static const char *const texts[] = {
		"#line 3", "# 3 \"x\" 2", "int v;\n#line 3 \"x\"\n", " \t# \t7 \"x\"",
		"x\n/* y */ # 1 \"x\"",
		"x\n y */#line 1", "%:line 2", "%: 2 \"x\"", "?\?=line 2", "x\r\n#line 2",
		"#l\\\nine 2", "#\\\n1",
		"#/**/1", "# /* */ line 1", "#li?\?/\nne 1", "#line", "/*\n# 1 of 2\n*/"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(line_marks_in(texts[i], strlen(texts[i])), "%s", texts[i]);
}

Test(line_marks, not_found)
{
	static const char *const texts[] = {
		"", "#", "# ", "int v;\n", "#include <x>\n#define LINE #line\n", "  # define X 1",
		"x # 1", "// #1",
		" * see #19537 */", "#pragma warning 1", "#if 1", "#elif 2", "#lin", "\"#line\"",
		"%d", "#li ne"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(line_marks_in(texts[i], strlen(texts[i])), "%s", texts[i]);
}

Test(line_marks, absolute_names)
{
	static const char *const yes[] = {
		"# 1 \"/x\"", "#line 3 \"/x\"", "#line N", "#line 3 N", "# 3 \"\\057x\"",
		"# 3 \"?\?/x\"", "#line 3 /* */", "%:line 2 \"/x\"", "# 3 L\"/x\"",
		"# 1 \"x\"\n# 1 \"/x\"", "#linex 3 \"x\"", "#line", "#/**/ 1 \"x\"", "# 1 \""};
	static const char *const no[] = {
		"# 1 \"x\" 2", "#line 3", "#line 3\r\n", "\t# line\t3 \"x/y\"", "# 1",
		"#define X 1",
		"# 1 \"<built-in>\"", "%:line 2 \"x\""};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(line_marks_rename(yes[i], strlen(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(line_marks_rename(no[i], strlen(no[i])), "%s", no[i]);
}

Test(line_marks, files_as_data)
{
	static const char *const yes[] = {
		"#embed \"a.h\"\n", "a;\n# embed <a>\n", "/* a\n */ #embed \"a\"\n",
		"#/* a */embed \"a\"\n", "#em\\\nbed \"a\"\n", "# \\\nembed \"a\"\n",
		"%:embed \"a\"\n", "?\?=embed \"a\"\n", "#e?\?/\nmbed \"a\"\n",
		"/* a *\\\n/ #embed \"a\"\n", "%\\\n:embed \"a\"\n", "%?\?/\n:embed \"a\"\n",
	};
	static const char *const no[] = {"#define A\n", "int embed;\n", "#else\n", "embed #\n",
	                                "\"100%\\n\""};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(line_marks_embed(yes[i], strlen(yes[i])), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(line_marks_embed(no[i], strlen(no[i])), "%s", no[i]);
}

Test(line_marks, ends_at_the_end)
{
	cr_expect_not(line_marks_in("#line", 4));
	cr_expect_not(line_marks_in("# 1", 2));
	cr_expect_not(line_marks_in("%:1", 1));
}
