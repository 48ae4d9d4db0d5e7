/* Opens of a file that clang's assembler made, distinguished from those of its preprocessor:
 * trace/real_names.h and tools/drivers/drivers.h. */
#include "tree_fixture.h"

#include "tools/drivers/drivers.h"
#include "trace/real_names.h"

#define CLANG 300u

static void start_clang(void)
{
	start();
	hello(CLANG, "/usr/lib/llvm-14/bin/clang", "clang", TOOL);
}

TestSuite(real_names, .init = start_clang, .fini = stop);

static void asks_name(const char *path)
{
	ev(CLANG, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/proc/self/fd/3", path);
}

static void opens(const char *path)
{
	ev(CLANG, TRACE_READ, 0, 7, path, "");
}

static void expect(const char *path, unsigned open, unsigned named)
{
	const struct tree_file *f = tree_find(&t, path);

	cr_assert(f);
	cr_expect_eq(f->opens, open, "%s: %u opens", path, f->opens);
	cr_expect_eq(f->named, named, "%s: %u named", path, f->named);
}

Test(real_names, a_header_is_named_directly_after_its_open)
{
	opens("/s/a.c");
	ev(CLANG, TRACE_PRESENT, 0, 0, "/proc/self/fd", ""); /* LLVM's first question */
	asks_name("/s/a.c");
	opens("/s/a.h");
	asks_name("/s/a.h");
	opens("/s/b.h");
	opens("/s/a.h");
	outcome();
	expect("/s/a.c", 1, 1);
	expect("/s/a.h", 2, 1);
	expect("/s/b.h", 1, 0);
}

Test(real_names, what_else_is_asked_names_nothing)
{
	opens("/s/a.h");
	ev(CLANG, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/proc/self/exe", "/bin/clang");
	asks_name("/s/a.h");
	opens("/s/b.h");
	ev(CLANG, TRACE_WRITE, 0, S_IFREG | 0644, "/s/a.o", "");
	asks_name("/s/a.o");
	opens("/s/c.h");
	ev(TOOL, TRACE_READLINK, TRACE_FLAG_NOFOLLOW, 0, "/proc/self/fd/3", "/s/c.h");
	ev(CLANG, TRACE_LIST, 0, 0, "/s", "");
	asks_name("/s");
	outcome();
	expect("/s/a.h", 1, 0);
	expect("/s/b.h", 1, 0);
	expect("/s/c.h", 1, 0);
}

Test(real_names, releases_whose_assembler_is_distinguished)
{
	static const struct {
		const char *path;
		enum tree_assembler answer;
	} cases[] = {
		{"/usr/lib/llvm-14/lib/clang/14.0.6/include/stddef.h", TREE_ASSEMBLER_SHOWN},
		{"/usr/lib/llvm-21/lib/clang/21/include", TREE_ASSEMBLER_SHOWN},
		{"/usr/lib/llvm-22/lib/clang/22/include", TREE_ASSEMBLER_HIDDEN},
		{"/src/clang/14/a.h", TREE_ASSEMBLER_HIDDEN},
		{"/src/a.h", TREE_ASSEMBLER_HIDDEN},
	};
	size_t before = used;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		used = before;
		opens(cases[i].path);
		outcome();
		cr_expect_eq(tree_assembler(&t), cases[i].answer, "%s", cases[i].path);
	}
	/* the newer of two versions counts */
	used = before;
	opens(cases[0].path);
	opens(cases[2].path);
	outcome();
	cr_expect_eq(tree_assembler(&t), TREE_ASSEMBLER_HIDDEN);
}

Test(real_names, gcc_assembles_in_another_process)
{
	stop();
	start();
	on(TRACE_READ, "/s/a.h");
	outcome();
	cr_expect_eq(tree_assembler(&t), TREE_ASSEMBLER_APART);
	cr_expect(own_assembler_in("clang-14"));
	cr_expect_not(own_assembler_in("cc1plus"));
}
