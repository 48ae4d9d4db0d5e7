/* The order in which gcc 12 wrote its two strings, as seen in objects. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/gcc_order.h"

/* gcc -g -c NAME in DIRECTORY, then `readelf -p .debug_line_str`: the first of the two. */
Test(gcc_order, as_gcc_wrote_them)
{
	static const struct {
		const char *name, *directory;
		enum gcc_order order;
	} rows[] = {
#include "tests/data/gcc_order.inc"
	};
	int by_name = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_eq(gcc_order(rows[i].name, rows[i].directory), rows[i].order, "%s in %s", rows[i].name, rows[i].directory);
		by_name += rows[i].order == GCC_ORDER_NAME;
	}
	cr_expect(by_name > 5 && by_name < (int)(sizeof rows / sizeof *rows) - 5, "one order alone shows nothing");
}

Test(gcc_order, what_the_section_begins_with)
{
	const char *name = "a.c", *directory = "/w";
	int first = gcc_order(name, directory) == GCC_ORDER_NAME;
	const char *right = first ? "a.c\0/w\0more" : "/w\0a.c\0more", *wrong = first ? "/w\0a.c" : "a.c\0/w";

	cr_expect(gcc_order_holds(right, 7, name, directory));
	cr_expect(gcc_order_holds(right, 12, name, directory));
	cr_expect_not(gcc_order_holds(wrong, 7, name, directory));
	cr_expect_not(gcc_order_holds(right, 6, name, directory));
	cr_expect_not(gcc_order_holds(right, 0, name, directory));
}
