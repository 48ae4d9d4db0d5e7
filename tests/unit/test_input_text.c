/* The engine's part of a text whose names do not belong to the key. What ptxas makes of it is in
 * test_ptx.c. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/cmdline/input_text.h"

static struct arena arena;
static void fini(void) { arena_free(&arena); }
TestSuite(input_text, .fini = fini);

static int stands_in(const char *text, const char *name)
{
	return input_text_stands_in(text, strlen(text), name, strlen(name));
}

Test(input_text, a_string_is_found_wherever_it_stands)
{
	static const char *const names[] = {"kernel_a.py", "Q", "(8)", "$%"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *name = names[i];
		char text[3][64];

		for (int at = 0; at < 3; at++) {
			memset(text[at], 0, sizeof text[at]);
			strcat(text[at], at ? "kernel_ Q ( $" : "");
			strcat(text[at], name);
			strcat(text[at], at < 2 ? "kernel_ Q ( $" : "");
			cr_expect(stands_in(text[at], name), "%s in %s", name, text[at]);
		}
		cr_expect_not(stands_in("", name));
		cr_expect_not(stands_in("kernel_a.p (8 $ q %", name), "%s", name);
	}
}

Test(input_text, mentions_what_the_blanked_text_holds)
{
	struct input_text x = {.blanked = "ret; /data/ann", .blanked_len = 13};

	cr_expect(input_text_mentions(&x, "/data/an", 8));
	cr_expect_not(input_text_mentions(&x, "/data/ann", 9));
}

Test(input_text, keeps_names_and_paths)
{
	char name[] = "name\0\1", path[] = "/a/name";
	struct input_text x = {
		.count = 1, .names = {{'P', INPUT_TEXT_SOURCES_MAX, name, 6}},
		.source_count = 1, .sources = {{.path = path}}};

	cr_assert_eq(input_text_keep(&x, &arena), 0);
	memset(name, '-', sizeof name);
	memset(path, '-', sizeof path);
	cr_expect_eq(memcmp(x.names[0].text, "name\0\1", 6), 0);
	cr_expect_str_eq(x.sources[0].path, "/a/name");
	cr_expect_eq(input_text_source_of(&x, "/a/name"), 0);
	cr_expect_eq(input_text_source_of(&x, "name"), -1);
}

/* An output that names a source has its entry, if the tool asked for it. */
Test(input_text, entries_of_sources_that_were_asked_for)
{
	struct input_text x = {
		.count = 2, .names = {{'P', 0, "name", 4},
		                      {'P', INPUT_TEXT_SOURCES_MAX, "name\0\1\5\6", 8}},
		.source_count = 2,
		.sources = {{"/a/name", 1, 5, 6}, {"/a/other", 2, 5, 6}}};

	cr_expect(input_text_entries_hold(&x, "name\0\2\5\6", 8));
	x.asked = 1;
	cr_expect_not(input_text_entries_hold(&x, "name\0\2\5\6", 8));
	cr_expect(input_text_entries_hold(&x, "name\0\1\5\6", 8));
	cr_expect(input_text_entries_hold(&x, "name-\2\5\6", 8));
	/* It did not ask after all. */
	cr_expect(input_text_entries_hold(&x, "name\0\1\0\0", 8));
	cr_expect_not(input_text_entries_hold(&x, "name\0\2\0\0", 8));
	/* One source with two entries. */
	x.sources[1].path = "/a/name";
	cr_expect(input_text_entries_hold(&x, "name\0\2\5\6", 8));
	cr_expect_not(input_text_entries_hold(&x, "name\0\3\5\6", 8));
	cr_expect(input_text_entries_hold(&x, NULL, 0));
}
