/* Names in preprocessed text, and the command that makes the text. */
#include <criterion/criterion.h>
#include <string.h>

#include "cmdline_fixture.h"
#include "shim/arena.h"
#include "tools/asks/preprocessed.h"

static int silent(const char *text)
{
	return expanded_is_silent(text, strlen(text), "a.c\0h-1.hpp\0");
}

Test(preprocessed, a_unit_that_names_its_texts_is_not_silent)
{
	static const char *const no[] = {
		"f(\"/src/a.c\");", "f(\"a.c\");", "# 1 \"/src/a.c\"\nf(\"h-1.hpp\")", "a.c",
		"L\"a.c\"",
		"\"\\\"/x/a.c\\\"\"", "#pragma message __FILE__", "x = __builtin_FILE();",
		"__BASE_FILE__", "__FILE_NAME__", "T c = __builtin_source_location()",
		"# 1 \"a.c\" x", "# 1 \"x\" \"a.c\"", "# x \"a.c\"", "#ident \"a.c\"",
		"# 1 \"x\\\"a.c",
		"R\"(\n# 1 \"y)\" \"a.c\"", "\n\n# 1\"a.c\"",
	};
	static const char *const yes[] = {
		"", "\n", "# 1 \"a.c\"\nint a;\n# 2 \"h-1.hpp\" 1 3 4\n",
		"aa.c a.cc xa.c a.c.d h-1.hp",
		"# 1 \"a.c\" 2\n# 1 \"x\\\"a.c\"", "typedef FILE __FILE;", "a . c", "1.0 + x.y",
		"# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"a.c\"\nint f(void) { return 1.5f; }",
	};

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(silent(no[i]), 0, "%s", no[i]);
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(silent(yes[i]), 1, "%s", yes[i]);
}

Test(preprocessed, a_name_counts_outside_of_line_markers)
{
	static const char text[] = "# 1 \"/src/a.c\"\nint x;\n# 2 \"/src/h\" 1\n\"/srcs\"\n";

	cr_expect_eq(expanded_holds(text, sizeof text - 1, "/srcs", 5), 1);
	cr_expect_eq(expanded_holds(text, sizeof text - 1, "/src/", 5), 0);
	cr_expect_eq(expanded_holds(text, 20, "x", 1), 1);
	cr_expect_eq(expanded_holds(text, 0, "x", 1), 0);
}

Test(preprocessed, names_of_files)
{
	cr_expect_eq(expanded_finds("a.c"), 1);
	cr_expect_eq(expanded_finds("a-b+c_1.x"), 1);
	cr_expect_eq(expanded_finds("vector"), 0);
	cr_expect_eq(expanded_finds("a b.c"), 0);
	cr_expect_eq(expanded_finds(""), 0);
}

/* The words that the command becomes, with blanks between; "" for none. */
static void becomes(const char *want, const char *line)
{
	struct cmdline c = classify(line);
	char name[16], got[256] = "";
	const char **words;

	cr_assert_eq(sscanf(line, "%15s", name), 1);
	words = expanded_command(tool_find(name, ""), &c, &arena);
	for (int i = 0; words && words[i]; i++)
		strcat(strcat(got, i ? " " : ""), words[i]);
	cr_expect_str_eq(got, want, "%s: %s", line, got);
}

Test(preprocessed, debug_information_counts_unless_it_is_accepted)
{
	struct cmdline c = classify("gcc -g3 -c a.c");
	const struct tool_row *row = tool_find("gcc", "");
	const char **words;

	c.flags |= CMD_CWD_FREE;
	cr_expect_null(expanded_command(row, &c, &arena));
	c.flags |= CMD_DEBUG_ANYWHERE;
	words = expanded_command(row, &c, &arena);
	cr_assert_not_null(words);
	cr_expect_str_eq(words[1], "-g3");
	cr_expect_str_eq(words[3], "-E");
	cr_expect_str_eq(words[4], "-g0");
	cr_expect_null(words[5]);
}

Test(preprocessed, text_of_the_source)
{
	struct cmdline c = classify("gcc -c -o x.o d/a.c");

	cr_expect_eq(expanded_begins("# 0 \"d/a.c\"\nx", 14, &c), 1);
	cr_expect_eq(expanded_begins("# 1 \"d/a.c\"\n", 13 - 1, &c), 1);
	cr_expect_eq(expanded_begins("# 1 \"d/a.c\"\n", 11, &c), 0);
	cr_expect_eq(expanded_begins("# 1 \"d/b.c\"\n", 12, &c), 0);
	cr_expect_eq(expanded_begins("", 0, &c), 0);
}

Test(preprocessed, command)
{
	becomes("gcc a.c -E", "gcc -c a.c");
	becomes("g++ -O2 -Iinc a.cc -E", "g++ -O2 -Iinc -o a.o -c a.cc");
	becomes("gcc -DX=1 a.c -E", "gcc -oa.s -DX=1 -S a.c");
	becomes("gcc -x c a -E", "gcc -MD -MF d -MT t -MP -c -x c a");
	becomes("", "gcc -c a.c b.c");
	becomes("", "gcc -P -c a.c");
	becomes("", "gcc a.c");
	becomes("", "gcc -g -c a.c");
	becomes("", "gcc -E a.c");
	becomes("", "gcc -c a.h");
	becomes("", "gcc -c a.s");
	becomes("", "gcc -c a.S");
	becomes("", "gcc -c -x c -");
	becomes("", "gcc -Wp,-MD,d -c a.c");
	becomes("", "gcc -flto -c a.c");
	becomes("", "gcc -fsyntax-only a.c");
	becomes("", "clang -c a.c");
	becomes("", "gfortran -c a.f90");
}
