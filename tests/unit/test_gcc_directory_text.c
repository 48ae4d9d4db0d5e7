/* tests/unit/test_gcc_directory_text.c - assembly in which the directory is exchanged.
 * tests/e2e/directory.bats compares what gcc writes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/object/gcc_directory.h"
#include "tools/object/gcc_order.h"

static struct arena arena;

/* What gcc -S -g writes for a.c in dir, as far as it matters here. extra: behind `.file 0`. */
static const char *assembly(const char *dir, const char *extra)
{
	static char text[4][4096];
	static int n;
	int by_name = gcc_order("a.c", dir) == LINE_ORDER_NAME;

	n = (n + 1) % 4;
	snprintf(text[n], sizeof text[n],
	         "\t.file\t\"a.c\"\n\t.text\n.Ltext0:\n\t.file 0 \"%s\" \"a.c\"\n%s"
	         "\t.section\t.debug_str,\"MS\",@progbits,1\n.LASF2:\n\t.string\t\"int\"\n"
	         "\t.section\t.debug_line_str,\"MS\",@progbits,1\n"
	         ".LASF%d:\n\t.string\t\"%s\"\n.LASF%d:\n\t.string\t\"%s\"\n"
	         "\t.ident\t\"GCC\"\n",
	         dir, extra, by_name ? 0 : 1, by_name ? "a.c" : dir, by_name ? 1 : 0,
	         by_name ? dir : "a.c");
	return text[n];
}

/* NULL: refused. */
static const char *moved(const char *text, const char *from, const char *to)
{
	struct buf out = BUF_INIT(&arena);

	if (gcc_directory_move(&out, text, strlen(text), from, to) < 0)
		return NULL;
	buf_u8(&out, 0);
	return (const char *)out.data;
}

Test(gcc_directory_text, any_length_and_order)
{
	static const char *const dirs[] = {"/srv/xy/one", "/srv/xy/two", "/h", "/srv/xy/one/x",
	                                   "/build/0123456789abcdef/long", "/q", "/r", "/s",
	                                   "/with space", "/a;b#c"};
	int by_name = 0;

	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		by_name += gcc_order("a.c", dirs[i]) == LINE_ORDER_NAME;
		for (size_t k = 0; k < sizeof dirs / sizeof *dirs; k++) {
			const char *is = moved(assembly(dirs[i], ""), dirs[i], dirs[k]);

			cr_assert_not_null(is, "%s to %s", dirs[i], dirs[k]);
			cr_expect_str_eq(is, assembly(dirs[k], ""), "%s to %s", dirs[i], dirs[k]);
		}
	}
	cr_expect(by_name && by_name < 10, "both orders occur");
}

Test(gcc_directory_text, names_that_gcc_would_write_otherwise)
{
	static const char *const others[] = {"/quo\"te", "/back\\slash", "/\xc3\xa9", "/tab\t", ""};
	const char *text = assembly("/srv/xy/one", "");
	char longest[256] = "/";

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		cr_expect_null(moved(text, "/srv/xy/one", others[i]), "%s", others[i]);
	memset(longest + 1, 'x', 198);
	cr_expect_not_null(moved(text, "/srv/xy/one", longest));
	strcat(longest, "x");
	cr_expect_null(moved(text, "/srv/xy/one", longest));
}

Test(gcc_directory_text, another_place_holds_a_directory)
{
	static const char *const extra[] = {
		"\t.file 1 \"/srv/xy/one/a.h\"\n", "\t.file 1 \"/srv/xy/one-more/a.h\"\n",
		"\t.string\t\"/srv/xy/one\"\n",    "# /srv/xy/one\n",
		"\t.file 1 \"/srv/xy/two/a.h\"\n", "\t.string\t\"x /srv/xy/two\"\n"};

	for (size_t i = 0; i < sizeof extra / sizeof *extra; i++)
		cr_expect_null(moved(assembly("/srv/xy/one", extra[i]), "/srv/xy/one",
		                     "/srv/xy/two"), "%s", extra[i]);
	cr_expect_not_null(moved(assembly("/srv/xy/one", "\t.file 1 \"/usr/a.h\"\n"),
	                         "/srv/xy/one", "/srv/xy/two"));
}

Test(gcc_directory_text, another_form)
{
	static const char dir[] = "/srv/xy/one";
	/* A text, and what stands in place of a part of it. */
	static const char *const change[][2] = {
		{"\t.file 0 ", "\t.file 1 "}, {".debug_line_str,", ".debug_line_xxx,"},
		{".LASF0", ".Lxxx0"}, {"\t.ident\t", ".LASF9:\n\t.string\t\"x\"\n\t.ident\t"},
		{"\t.ident\t", "\t.section\t.debug_line_str,\"MS\",@progbits,1\n\t.ident\t"},
		{"\t.string\t\"a.c\"", "\t.ascii\t\"a.c\\0\""}, {"\t.file 0", " \t.file 0"}};
	const char *text = assembly(dir, "");

	cr_expect_str_eq(moved(text, dir, dir), text);
	for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
		char other[4096];
		const char *at = strstr(text, change[i][0]);

		cr_assert_not_null(at);
		snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, change[i][1],
		         at + strlen(change[i][0]));
		cr_expect_null(moved(other, dir, "/srv/xy/two"), "%s", change[i][1]);
	}
	/* The strings come in the other order. */
	char other[4096];

	strcpy(other, text);
	cr_assert_eq(gcc_order_exchange(other, strlen(other)), 0);
	cr_expect_null(moved(other, dir, dir));
	/* A text that was cut. */
	for (size_t n = 0; n < strlen(text); n++) {
		struct buf out = BUF_INIT(&arena);

		gcc_directory_move(&out, text, n, dir, "/srv/xy/two");
	}
}
