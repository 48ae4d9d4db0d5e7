/* tests/unit/test_prefix_map.c - which maps of a command hide one directory. */
#include "tools/cmdline/cmdline.h"

#include <criterion/criterion.h>
#include <string.h>

#include "cmdline_fixture.h"

Test(prefix_map, one_directory)
{
	static const struct {
		const char *line, *old;
		unsigned flags;
		int below_only;
	} rows[] = {
		{"gcc -ffile-prefix-map=/a/b=.", "/a/b", CMD_MAPS_DEBUG | CMD_MAPS_MACRO, 0},
		{"gcc -fdebug-prefix-map=/a/b=/src", "/a/b", CMD_MAPS_DEBUG, 0},
		{"gcc -fmacro-prefix-map=/a/b/=", "/a/b", CMD_MAPS_MACRO, 1},
		{"gcc -fmacro-prefix-map=/a/b=x -g -fdebug-prefix-map=/a/b/=y/", "/a/b",
		 CMD_MAPS_DEBUG | CMD_MAPS_MACRO, 1},
		{"gcc -ffile-prefix-map=/a/b=/a/c", "/a/b", CMD_MAPS_DEBUG | CMD_MAPS_MACRO, 0},
		{"gcc -ffile-prefix-map=/a/.b/c..=..", "/a/.b/c..",
		 CMD_MAPS_DEBUG | CMD_MAPS_MACRO, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cmdline c = classify(rows[i].line);
		struct prefix_map m;

		cr_expect(prefix_map_find(&m, &c), "%s", rows[i].line);
		cr_expect(m.len == strlen(rows[i].old) && memcmp(m.old, rows[i].old, m.len) == 0,
		          "%s", rows[i].line);
		cr_expect_eq(m.flags, rows[i].flags, "%s", rows[i].line);
		cr_expect_eq(m.below_only, rows[i].below_only, "%s", rows[i].line);
	}
}

Test(prefix_map, none)
{
	static const char *const lines[] = {
		"gcc -c a.c", "gcc -ffile-prefix-map=/a", "gcc -ffile-prefix-map=a=b",
		"gcc -ffile-prefix-map==x", "gcc -ffile-prefix-map=/=x",
		/* Divided at the first '=' or at the last. */
		"gcc -ffile-prefix-map=/a=b=c",
		/* A compiler does not spell names so. */
		"gcc -ffile-prefix-map=/a//b=x", "gcc -ffile-prefix-map=/a/./b=x",
		"gcc -ffile-prefix-map=/a/../b=x", "gcc -ffile-prefix-map=/a/..=x",
		"gcc -ffile-prefix-map=/a/.=x", "gcc -ffile-prefix-map=/a//=x",
		/* The new name may begin with OLD again. */
		"gcc -ffile-prefix-map=/a=", "gcc -ffile-prefix-map=/a=/a/b",
		"gcc -ffile-prefix-map=/a=/ab", "gcc -ffile-prefix-map=/a/b=/a",
		"gcc -ffile-prefix-map=/a/b=/", "gcc -ffile-prefix-map=/a=/a",
		/* The assembler maps names that its text has. */
		"gcc -ffile-prefix-map=/a/b=x -c a.s",
		/* Two. */
		"gcc -ffile-prefix-map=/a=x -ffile-prefix-map=/b=y",
		"gcc -fdebug-prefix-map=/a=x -fmacro-prefix-map=/a/b=y",
		"gcc -fdebug-prefix-map=/a=x -fmacro-prefix-map=b=y",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct cmdline c = classify(lines[i]);
		struct prefix_map m;

		cr_expect_not(prefix_map_find(&m, &c), "%s", lines[i]);
	}
}
