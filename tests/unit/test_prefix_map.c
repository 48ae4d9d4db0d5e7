/* tests/unit/test_prefix_map.c - which directories the maps of a command hide. */
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
		struct prefix_maps all;
		struct prefix_map m;

		cr_expect(prefix_map_find(&all, &c) && all.count == 1, "%s", rows[i].line);
		m = all.v[0];
		cr_expect(m.len == strlen(rows[i].old) && memcmp(m.old, rows[i].old, m.len) == 0,
		          "%s", rows[i].line);
		cr_expect_eq(m.flags, rows[i].flags, "%s", rows[i].line);
		cr_expect_eq(m.below_only, rows[i].below_only, "%s", rows[i].line);
	}
}

Test(prefix_map, several_directories)
{
	struct cmdline c = classify("gcc -ffile-prefix-map=/a/b=x -ffile-prefix-map=/a/c/=/y/ "
	                            "-ffile-prefix-map=/a/b/=z -ffile-prefix-map=/e=x -g");
	struct prefix_maps m;

	cr_assert(prefix_map_find(&m, &c));
	cr_assert_eq(m.count, 3);
	cr_expect(m.v[0].len == 4 && memcmp(m.v[0].old, "/a/b", 4) == 0 && m.v[0].below_only);
	cr_expect(m.v[1].len == 4 && memcmp(m.v[1].old, "/a/c", 4) == 0 && m.v[1].below_only);
	cr_expect(m.v[2].len == 2 && memcmp(m.v[2].old, "/e", 2) == 0 && !m.v[2].below_only);
	/* The last option counts. Before the maps are known to fit, names stay as they are. */
	cr_expect_str_eq(prefix_map_debug(&c, "/a/b/s.c", &arena), "/a/b/s.c");
	c.flags |= m.v[0].flags;
	cr_expect_str_eq(prefix_map_debug(&c, "/a/b/s.c", &arena), "zs.c");
	cr_expect_str_eq(prefix_map_debug(&c, "/a/b", &arena), "x");
	cr_expect_str_eq(prefix_map_debug(&c, "/a/c/s.c", &arena), "/y/s.c");
	cr_expect_str_eq(prefix_map_debug(&c, "/a/c", &arena), "/a/c");
	cr_expect_str_eq(prefix_map_debug(&c, "/a/cs.c", &arena), "/a/cs.c");
	cr_expect_str_eq(prefix_map_debug(&c, "s.c", &arena), "s.c");
	/* Maps of macros alone change nothing there. */
	c = classify("gcc -fmacro-prefix-map=/a/b=x -g");
	c.flags |= CMD_MAPS_MACRO;
	cr_expect_str_eq(prefix_map_debug(&c, "/a/b/s.c", &arena), "/a/b/s.c");
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
		/* One begins with the letters of another, or what a map writes does. */
		"gcc -ffile-prefix-map=/a=x -ffile-prefix-map=/a/b=y",
		"gcc -ffile-prefix-map=/a/bc=x -ffile-prefix-map=/a/b=y",
		"gcc -ffile-prefix-map=/a=x -ffile-prefix-map=/b=/a/b",
		"gcc -ffile-prefix-map=/a=/b -ffile-prefix-map=/b=y",
		"gcc -ffile-prefix-map=/a/c=/ -ffile-prefix-map=/b=y",
		/* Places that differ. */
		"gcc -ffile-prefix-map=/a=x -fdebug-prefix-map=/b=y",
		"gcc -fmacro-prefix-map=/a=x -fdebug-prefix-map=/b=y",
		/* Four. */
		"gcc -ffile-prefix-map=/a=x -ffile-prefix-map=/b=x -ffile-prefix-map=/c=x "
		"-ffile-prefix-map=/d=x",
		"gcc -fdebug-prefix-map=/a=x -fmacro-prefix-map=/a/b=y",
		"gcc -fdebug-prefix-map=/a=x -fmacro-prefix-map=b=y",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct cmdline c = classify(lines[i]);
		struct prefix_maps m;

		cr_expect_not(prefix_map_find(&m, &c), "%s", lines[i]);
	}
}
