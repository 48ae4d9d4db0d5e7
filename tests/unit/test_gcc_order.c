/* The order in which gcc 12 wrote its two strings, as seen in objects. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/object/gcc_order.h"

/* gcc -g -c NAME in DIRECTORY, then `readelf -p .debug_line_str`: the first of the two. */
Test(gcc_order, as_gcc_wrote_them)
{
	static const struct {
		const char *name, *directory;
		enum line_order order;
	} rows[] = {
#include "tests/data/gcc_order.inc"
	};
	int by_name = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_eq(gcc_order(rows[i].name, rows[i].directory), rows[i].order, "%s in %s",
		             rows[i].name, rows[i].directory);
		by_name += rows[i].order == LINE_ORDER_NAME;
	}
	cr_expect(by_name > 5 && by_name < (int)(sizeof rows / sizeof *rows) - 5,
	          "one order alone shows nothing");
}

Test(gcc_order, what_the_section_begins_with)
{
	const char *name = "a.c", *directory = "/w";
	int first = gcc_order(name, directory) == LINE_ORDER_NAME;
	const char *right = first ? "a.c\0/w\0more" : "/w\0a.c\0more",
		*wrong = first ? "/w\0a.c" : "a.c\0/w";

	cr_expect(gcc_order_holds(right, 7, name, directory));
	cr_expect(gcc_order_holds(right, 12, name, directory));
	cr_expect_not(gcc_order_holds(wrong, 7, name, directory));
	cr_expect_not(gcc_order_holds(right, 6, name, directory));
	cr_expect_not(gcc_order_holds(right, 0, name, directory));
}

static int both_ways(const char *form, const char *name, const char *directory)
{
	int first = gcc_order(name, directory) == LINE_ORDER_NAME;
	char text[512];
	int n = snprintf(text, sizeof text, form, first ? name : directory,
	                 first ? directory : name);

	return gcc_order_holds_text(text, (size_t)n, name, directory);
}

Test(gcc_order, what_assembly_says)
{
	const char *whole = "\t.text\n\t.section\t.debug_line_str,\"MS\",@progbits,1\n.LASF0:\n"
		"\t.string\t\"%s\"\n.LASF1:\n\t.string\t\"%s\"\n"
		            "\t.ident\t\"GCC\"\n";

	cr_expect(both_ways(whole, "/tmp/x/a.c", "/tmp/x"));
	cr_expect(both_ways(whole, "a.c", "/w"));
	cr_expect_not(both_ways("\t.section\t.debug_str,\"MS\",@progbits,1\n\t.string\t\"%s\"\n"
	                        "\t.string\t\"%s\"\n", "a.c", "/w"));
	cr_expect_not(both_ways("\t.section\t.debug_line_str,\"MS\",@progbits,1\n"
	                        "\t.string\t\"%s\"\n\t.section\t.x\n\t.string\t\"%s\"\n", "a.c",
	                        "/w"));
	cr_expect_not(both_ways("\t.section\t.debug_line_str,\"MS\"\n\t.string\t\"%s\"\n"
	                        "\t.string\t\"%s\"\n\t.section\t.debug_line_str,\"MS\"\n", "a.c",
	                        "/w"));
	cr_expect_not(both_ways("\t.section\t.debug_line_str,\"MS\"\n\t.string\t\"%s", "a.c",
	                        "/w"));
	cr_expect_not(gcc_order_holds_text("", 0, "a.c", "/w"));
}

/* As gcc 12 writes them: the rest of the text is the same in both orders. */
Test(gcc_order, the_other_order)
{
	static const char form[] = "\t.text\n\t.section\t.debug_line_str,\"MS\",@progbits,1\n"
		".LASF%d:\n\t.string\t\"%s\"\n.LASF%d:\n\t.string\t\"%s\"\n"
		                   "\t.ident\t\"GCC\"\n";
	static const char *const odd[] = {
		"", "\t.section\t.debug_line_str,\"MS\"\n",
		"\t.section\t.debug_line_str,\"MS\"\n.LASF0:\n\t.string\t\"a\"\n",
		"\t.section\t.debug_line_str,\"MS\"\n.LASF0:\n\t.string\t\"a\"\n.LASF1:\n"
		"\t.string\t\"b\"\n.LASF2:\n\t.string\t\"c\"\n",
		"\t.section\t.debug_line_str,\"MS\"\n.LASF0:\n\t.string\t\"a\"\n.LASF1:\n"
		"\t.ascii\t\"b\"\n",
		"\t.section\t.debug_line_str,\"MS\"\n.LASF0:\n\t.string\t\"a\"\n.LASF1:\n"
		"\t.string\t\"b",
		"\t.section\t.debug_line_str,\"MS\"\n.LASF0:\n\t.string\t\"a\"\n.LASF1:\n"
		"\t.string\t\"b\"\n\t.section\t.debug_line_str,\"MS\"\n",
	};
	char text[512], want[512], copy[512];
	int n = snprintf(text, sizeof text, form, 7, "/tmp/x/a.c", 12, "/w");

	snprintf(want, sizeof want, form, 12, "/w", 7, "/tmp/x/a.c");
	cr_assert_eq(gcc_order_exchange(text, (size_t)n), 0);
	cr_expect_str_eq(text, want);
	cr_assert_eq(gcc_order_exchange(text, (size_t)n), 0);
	snprintf(want, sizeof want, form, 7, "/tmp/x/a.c", 12, "/w");
	cr_expect_str_eq(text, want);
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		strcpy(copy, odd[i]);
		cr_expect_eq(gcc_order_exchange(copy, strlen(copy)), -1, "%zu", i);
		cr_expect_str_eq(copy, odd[i]);
	}
}

Test(gcc_order, places_in_assembly)
{
	static const char text[] = "\t.file 0 \"/tmp/N0\" \"/tmp/N1/a.c\"\n\t.string\t\"N2\"\n"
		"\t.loc 1 2 3\n"
		                   "\t.section\t.debug_line_str,\"MS\"\n.LASF0:\n"
		                   "\t.string\t\"N3\"\n.LASF1:\n\t.string\t\"N4\"\n"
		                   "\t.section\t.rodata\n\t.string\t\"N5\"\n";
	static const int lists[] = {1, 1, 0, 1, 1, 0};

	for (int i = 0; i < 6; i++) {
		char name[3] = {'N', (char)('0' + i), 0};
		const char *at = strstr(text, name);

		cr_expect_eq(gcc_order_lists(text, sizeof text - 1, (size_t)(at - text)), lists[i],
		             "%s", name);
	}
	cr_expect_not(gcc_order_lists(text, sizeof text - 1, sizeof text + 5));
}
