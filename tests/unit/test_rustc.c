/* Commands of rustc that run for real, and what it looks for in directories. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/cmdline/response.h"
#include "tools/crates.h"
#include "tools/driver.h"

static struct arena arena;

static const struct tool_row *split(const char *line, struct cmdline *c)
{
	char *copy = arena_strdup(&arena, line), *argv[64];
	struct cmdline_reader reader = {NULL, NULL};
	const struct tool_row *row;
	int argc = 0;

	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	row = tool_find(argv[0], NULL);
	cr_assert_eq(cmdline_expand(c, row, argc, argv, &reader, &arena), 0);
	cmdline_classify(c, row);
	driver_read(row, c);
	return row;
}

static const char *refused(const char *line)
{
	struct cmdline c;

	split(line, &c);
	return c.bypass == REASON_BYPASS_ARGUMENTS ? c.bypass_detail : "";
}

Test(rustc, commands_that_run_for_real)
{
	static const char *const no[] = {
		"rustc a.rs", "rustc -C opt-level=3 -Copt_level=3 --codegen=lto=fat --codegen "
		"debuginfo=2 -g a.rs",
		"rustc -C rpath -C target-cpu=native a.rs",
		"rustc --cfg incremental -C extra-filename=-incremental a.rs"};
	static const char *const yes[] = {
		"rustc -C incremental=x a.rs", "rustc -Cincremental a.rs",
		"rustc --codegen=incremental=x a.rs",
		"rustc --codegen incremental=x a.rs", "rustc -C save_temps a.rs",
		"rustc -C llvm-args=-time-passes a.rs",
		"rustc -C unheard a.rs", "rustc @args", "rustc a.rs @args",
		"rustc -C a-word-that-is-longer-than-all-words-of-rustc=1 a.rs"};

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_str_eq(refused(no[i]), "", "%s", no[i]);
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_str_neq(refused(yes[i]), "", "%s", yes[i]);
}

static int library(const char *line, const char *dir, const char *file)
{
	struct cmdline c;
	const struct tool_row *row = split(line, &c);

	return crates_prefix(row, &c, &(struct listed_dir){dir, "/w"}, file);
}

Test(rustc, names_that_it_looks_for)
{
	cr_expect_eq(library("rustc a.rs", "/w", NULL), -1);
	cr_expect_eq(library("rustc -L d a.rs", "/w/e", NULL), -1);
	cr_expect_eq(library("rustc -L d a.rs", "/w/d", NULL), 0);
	/* libfoo */
	cr_expect_eq(library("rustc -L d a.rs", "/w/d", "/r/libfoo-12.rlib"), 6);
	cr_expect_eq(library("rustc -Ld a.rs", "/w/d", "/r/libfoo_b-12.rmeta"), 8);
	cr_expect_eq(library("rustc -L . a.rs", "/w", "/r/libfoo.so"), 6);
	cr_expect_eq(library("rustc -L all=/w/d/ a.rs", "/w/d", "libfoo.so"), 6);
	cr_expect_eq(library("rustc -L crate=./d a.rs", "/w/d", "libfoo.so"), 6);
	cr_expect_eq(library("rustc -L d a.rs", "/w/d", "/r/foo.rlib"), 0);
	cr_expect_eq(library("rustc -L d a.rs", "/w/d", "/r/libfoo.a"), 0);
	/* libfoo-12 */
	cr_expect_eq(library("rustc -L dependency=d a.rs", "/w/d", "/r/libfoo-12.rlib"), 9);
	cr_expect_eq(library("rustc -Ldependency=d a.rs", "/w/d", "/r/libfoo-12.rmeta"), 9);
	cr_expect_eq(library("rustc -L dependency=d -L d a.rs", "/w/d", "/r/libfoo-12.rmeta"), 6);
	cr_expect_eq(library("rustc -L native=d a.rs", "/w/d", "/r/libfoo-12.rlib"), 0);
	cr_expect_eq(library("rustc -L native=d a.rs", "/w/d", NULL), 0);
	cr_expect_eq(library("gcc -L d a.c", "/w/d", NULL), -1);
}

Test(rustc, names_that_give_way)
{
	char other[LISTED_NAME_SIZE];
	const struct tool_row *row = tool_find("rustc", NULL);

	cr_assert(crates_replaced(row, "liba-1.rlib", other));
	cr_assert_str_eq(other, "liba-1.rmeta");
	cr_assert_not(crates_replaced(row, "liba-1.rmeta", other));
	cr_assert_not(crates_replaced(tool_find("gcc", NULL), "liba-1.rlib", other));
}

static int runs(const char *line, const char *file)
{
	struct cmdline c;
	const struct tool_row *row = split(line, &c);

	return crates_run(row, &c, "/w", file);
}

Test(rustc, code_of_macros)
{
	cr_expect(runs("rustc --extern pm=libpm.so a.rs", "/w/libpm.so"));
	cr_expect(runs("rustc --extern=priv:pm=/m/libpm.so a.rs", "/m/libpm.so"));
	cr_expect(runs("rustc -L dependency=m a.rs", "/w/m/libpm-1.so"));
	cr_expect(runs("rustc -L m a.rs", "/w/m/libpm-1.so"));
	cr_expect_not(runs("rustc -L native=m a.rs", "/w/m/libpm-1.so"));
	cr_expect_not(runs("rustc -L m a.rs", "/usr/lib/libstd-1.so"));
	cr_expect_not(runs("rustc --extern pm=libpm.rlib a.rs", "/w/libpm.rlib"));
}
