/* tests/unit/test_path.c */
#include "shim/path.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(path, join)
{
	static const struct {
		const char *dir, *name, *want;
	} rows[] = {
		{"/a", "b", "/a/b"}, {"/", "b", "/b"}, {"a/", "b", "a/b"}, {"", "b", "b"},
		{".", "b", "./b"},
		{"/a", "", "/a/"},
	};
	char out[16];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_assert_eq(path_join(out, sizeof out, rows[i].dir, rows[i].name),
		             strlen(rows[i].want));
		cr_assert_str_eq(out, rows[i].want);
	}
}

Test(path, join_that_does_not_fit_is_empty_and_tells_the_length)
{
	char out[8] = "zzzzzzz";

	cr_assert_eq(path_join(out, 5, "/a", "bc"), 5);
	cr_assert_str_eq(out, "");
	cr_assert_eq(out[1], 'z', "no half path");
	cr_assert_eq(path_join(out, 6, "/a", "bc"), 5);
	cr_assert_str_eq(out, "/a/bc");
	cr_assert_eq(path_join(NULL, 0, "/a", "bc"), 5);
}

Test(path, join_in_place)
{
	char out[16] = "/a";

	path_join(out, sizeof out, out, "b");
	cr_assert_str_eq(out, "/a/b");
}

Test(path, tidy)
{
	static const char *const rows[][2] = {
		{"/", "/"},           {"//", "/"},           {"/.", "/"},          {"/a/", "/a"},
		{"//a///b//", "/a/b"}, {"/a/./b/.", "/a/b"},  {"a/./../b", "a/../b"}, {"", ""},
		{"/..", "/.."},       {"/.a/..b/", "/.a/..b"}, {"./a", "./a"},       {".", "."},
		{"/./././x", "/x"},   {"a//", "a"},          {"/a/.../b", "/a/.../b"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char path[32];

		snprintf(path, sizeof path, "%s", rows[i][0]);
		cr_assert_eq(path_tidy(path), strlen(rows[i][1]), "%s", rows[i][0]);
		cr_assert_str_eq(path, rows[i][1]);
	}
}

Test(path, base_and_dir)
{
	cr_assert_str_eq(path_base("/a/b"), "b");
	cr_assert_str_eq(path_base("b"), "b");
	cr_assert_str_eq(path_base("/"), "");
	cr_assert_str_eq(path_base(""), "");
	cr_assert_eq(path_dir_len("/a/b"), 2);
	cr_assert_eq(path_dir_len("/a"), 1);
	cr_assert_eq(path_dir_len("a"), 0);
	cr_assert_eq(path_dir_len("a/b"), 1);

	char dir[4];

	cr_assert_eq(path_parent(dir, sizeof dir, "/ab/c"), 0);
	cr_assert_str_eq(dir, "/ab");
	cr_assert_eq(path_parent(dir, sizeof dir, "/a"), 0);
	cr_assert_str_eq(dir, "/");
	cr_assert_lt(path_parent(dir, sizeof dir, "a"), 0);
	cr_assert_lt(path_parent(dir, sizeof dir, "/abc/d"), 0);
}

Test(path, below_goes_by_whole_components)
{
	cr_assert(path_below("/tmp/a", "/tmp"));
	cr_assert(path_below("/tmp", "/tmp"));
	cr_assert(!path_below("/tmpx", "/tmp"));
	cr_assert(path_ends("/lib/a.so", ".so"));
	cr_assert(!path_ends(".so", ".so"));
	cr_assert(!path_ends("so", ".so"));
	cr_assert(!path_below("/tm", "/tmp"));
	cr_assert(path_below("/x", "/"));
	cr_assert(!path_below("x", "/"));
	cr_assert(!path_below("x", ""));
}

Test(path, special_ones)
{
	static const char *const special[] = {"/dev", "/dev/null", "/dev/shmx", "/proc/self/fd/1",
	                                      "/sys/x"};
	static const char *const plain[] = {"/", "/device", "/dev/shm", "/dev/shm/a.c", "/tmp/dev",
	                                    "dev/null"};

	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		cr_expect(path_special(special[i]), "%s", special[i]);
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		cr_expect(!path_special(plain[i]), "%s", plain[i]);
}
