/* Commands whose result depends on no comment. Each case is one line to read. */
#include "tools/cmdline/response.h"
#include "tools/comment/comment.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena arena;

static const char *read_nothing(void *ctx, const char *path, size_t *n)
{
	(void)ctx;
	(void)path;
	*n = 0;
	return NULL;
}

static int allows(const char *line)
{
	char *copy = arena_strdup(&arena, line), *argv[64];
	struct cmdline_reader reader = {read_nothing, NULL};
	const struct tool_row *row;
	struct cmdline c;
	int argc = 0;

	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	row = tool_find(argv[0], NULL);
	cr_assert(row, "%s is no tool", argv[0]);
	cr_assert_eq(cmdline_expand(&c, row, argc, argv, &reader, &arena), 0);
	cmdline_classify(&c, row);
	return comment_options_allow(row, &c);
}

Test(comment_options, allowed)
{
	static const char *const lines[] = {
		"gcc -c a.c", "gcc -O2 -g -Wall -Wextra -c a.c -o b.o", "gcc -S a.c", "cc -c a.c",
		"gcc -MD -MF a.d -MT a.o -c a.c", "gcc -std=c99 -pedantic -c a.c",
		"gcc -std=gnu89 -c a.c", "gcc -fsanitize=undefined -c a.c",
		"gcc -g3 -gdwarf-4 -march=native -c a.c", "clang -O2 -c a.c",
		"clang++ --target=aarch64-linux-gnu -std=c++20 -Wall -c a.cpp",
		"gcc -I. -DX=1 -include x.h -c a.c", "gcc -ffile-prefix-map=/a=/b -c a.c",
		"gcc -Wp,-D_FORTIFY_SOURCE=2 -Wp,-MMD,a.d -c a.c",
		"gcc -fPIC -fvisibility=hidden -c a.c",
		"gcc --param ssp-buffer-size=4 -c a.c", "gcc -B /a -pthread -nostdinc -c a.c",
		"gcc -x c++ -c a.c", "x86_64-linux-gnu-gcc-12 -c a.c",
		"clang -Weverything -g0 -c a.c",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_expect(allows(lines[i]), "%s", lines[i]);
	arena_free(&arena);
}

Test(comment_options, not_listed)
{
	static const char *const lines[] = {
		"gcc a.c", "gcc -E a.c", "gcc -E -C a.c", "gcc -c -CC a.c",
		"gcc -save-temps -c a.c", "gcc -c a.c -Wa,-adhln=a.lst", "clang -g -c a.c",
		"clang -gdwarf-5 -c a.c", "cc -g -c a.c", "gcc -gsplit-dwarf -c a.c",
		"clang -Xclang -verify -c a.c", "gcc -fverbose-asm -S a.c",
		"gcc -fdirectives-only -c a.c", "gcc -fpreprocessed -c a.c", "gcc -ansi -c a.c",
		"gcc -traditional-cpp -c a.c", "gcc -std=c90 -c a.c", "gcc --std=c99 -c a.c",
		"gcc -std=iso9899:199409 -c a.c", "gcc -frecord-gcc-switches -c a.c",
		"gcc --coverage -c a.c", "gcc -flto -c a.c", "gcc -c a.S", "gcc -c a.s",
		"gcc -c a.i", "gcc -c a.m", "gcc -x c - -c", "gcc -x c-header -c a.c",
		"gcc -c a.h", "gcc -M a.c",
		"gcc -finput-charset=sjis -c a.c", "gcc -fplugin=x.so -c a.c",
		"gcc -specs=x -c a.c",
		"gcc -fmodules-ts -c a.cc", "clang -fmodules -c a.c", "gcc -gembed-source -c a.c",
		"gcc -fdiagnostics-format=sarif-file -c a.c", "gcc -fdump-tree-all -c a.c",
		"gcc -Wp,-DX,-C -c a.c", "gcc -Wp,-C -c a.c", "clang -fparse-all-comments -c a.c",
		"clang -mllvm -x -c a.c", "gfortran -c a.f90", "clang -cc1 a.c", "as a.s",
		"nvcc -c a.cu", "clang -c a.cu", "gcc -fprofile-use -c a.c", "gcc -dD -c a.c",
		"gcc -v -c a.c", "clang -fsanitize-ignorelist=a -c a.c",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_expect(!allows(lines[i]), "%s", lines[i]);
	arena_free(&arena);
}

Test(comment_options, names_of_texts)
{
	cr_expect(comment_options_text("/a/b.h"));
	cr_expect(comment_options_text("b.c"));
	cr_expect(comment_options_text("/usr/include/c++/12/vector"));
	cr_expect(!comment_options_text("/usr/lib/locale/C.utf8/LC_CTYPE"));
	cr_expect(!comment_options_text("/a/list.txt"));
	cr_expect(!comment_options_text("/a/module.modulemap"));
	cr_expect(!comment_options_text("/a/libc.so.6"));
}
