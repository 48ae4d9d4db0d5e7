/* Trailing comments: what is taken off, and what must stay. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/comment/comment.h"

static const char *stripped(const char *text)
{
	static char out[256];
	size_t n = comments_strip(text, strlen(text));

	memcpy(out, text, n);
	out[n] = '\0';
	return out;
}

Test(comments, whole_lines_at_the_end_go)
{
	cr_expect_str_eq(stripped("int x;\n// a\n// b\n"), "int x;\n");
	cr_expect_str_eq(stripped("int x;\n"), "int x;\n");
	cr_expect_str_eq(stripped("int x; // a\n"), "int x; // a\n");
	cr_expect_str_eq(stripped("int x;\n// a\nint y;\n// c\n"), "int x;\n// a\nint y;\n");
	cr_expect_str_eq(stripped("int x;\n\n// a\n\n// b\n\n"), "int x;\n");
	cr_expect_str_eq(stripped(""), "");
}

Test(comments, what_could_matter_stays)
{
	static const char *const same[] = {
		"int x;\n// no newline", "int x;\n// joined \\\n", "int x;\n// trigraph ?\?/\n",
		"#define X \\\n// a\n",  "int x;\n// caf\xc3\xa9\n", "int x;\n  // indented\n",
		"// only\n",             "int x;\r\n// a\n",          "int x;\n// a\r\n",
		"int x;\n/* a */\n", "int x;\n// a \n",
		"int x; /*\n// a */ int b;\n", "R\"(\n// a)\"; int b;\n",
		"R\"x(\n// a)x\"\n", "#define X \\ \n// a\n", "#define X ?\?/\n// a\n",
	};

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		cr_expect_str_eq(stripped(same[i]), same[i], "%zu", i);
}

Test(comments, names)
{
	const struct tool_row gcc = {.family = FAMILY_GCC}, clang = {.family = FAMILY_CLANG};
	struct cmdline none = {0}, lto = {.flags = CMD_LTO};

	cr_expect(comments_drop(&gcc, &none, "a.cpp") && comments_drop(&gcc, &none, "/x/a.cc"));
	cr_expect(comments_drop(&gcc, &none, "b.C") && !comments_drop(&gcc, &none, "a.c"));
	cr_expect(!comments_drop(&gcc, &none, ".cpp") && !comments_drop(&gcc, &none, "a.cpp.o"));
	cr_expect(!comments_drop(&gcc, &lto, "a.cpp") && !comments_drop(&clang, &none, "a.cpp"));
}
