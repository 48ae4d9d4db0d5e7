/* Texts that use the time of day, or contain a directory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/source_text.h"
#include "shim/arena.h"

static int look(const char *text)
{
	int flags = source_text_flags(text, strlen(text), "/some/here", 10);

	return (flags & SOURCE_DIRECTORY) | (source_text_dates(flags) ? SOURCE_TIME : 0);
}

Test(source_text, names_that_give_the_time)
{
	static const char *const yes[] = {
		"__TIME__", "x = __DATE__;", "int n = sizeof __TIMESTAMP__", "(__TIME__)",
		"CAT(__TI, ME__)", "CAT(__T,IME__)",
		"CAT(__, TIME__)", "CAT(_, _TIME__)", "CAT(__DA,TE__) ATE__", "__TIMEST##AMP__",
		"CAT(__TIM, E__)", "CAT(__TIME, __)", "CAT(__TIME_, _)", "__TI\\\nME__",
		"__DA\\\r\nTE__", "__DA\\\n\\\nTE__", "__DA\\ \t\nTE__", "-DA=__TIME",
	};
	static const char *const no[] = {
		"", "__", "TIME", "_", "P(__, T, I, M)", "P(x, T, I, M, E)", "T A S K __ D",
		"AT ME TE", "__CUDA_ARCH__", "__restrict__", "__TYPE__",
		"__FILE__ __LINE__", "my__TIME__x", "a__TIME__",
		"x__", "__TIME__s", "a \\\n b", "__SIZE__", "VALUE__",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(look(yes[i]), SOURCE_TIME, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(look(no[i]), 0, "%s", no[i]);
}

/* The pieces may stand in different texts. */
Test(source_text, pieces_of_several_texts)
{
	static const char head[] = "_", letters[] = "T I x", more[] = "M E";
	int flags = source_text_flags(head, 1, "", 0) | source_text_flags(letters, 5, "", 0);

	cr_expect_not(source_text_dates(flags));
	cr_expect(source_text_dates(flags | source_text_flags(more, 3, "", 0)));
	cr_expect_not(source_text_dates(source_text_flags(more, 3, "", 0)));
}

Test(source_text, comments_hold_no_pieces)
{
	static const char *const no[] = {"// _ T I M E\n", "/* _ T I\n M E */\n",
	                                 "int a; // _ D A T E, \"D\n"};
	static const char *const yes[] = {
		"_ T/* x */I/* */M // y\nE\n", "/* \" */ _ T I M E /* \" */\n",
		"char *s = \"//\", _, T, I, M, E;\n", "'//' _ T I M E\n",
		"s = R\"(/*)\" _ T I M E R\"(*/)\"\n", "a //\\\n T I\n_ T I M E\n",
	};

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(source_text_dates(look(no[i])), "%s", no[i]);
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(source_text_dates(look(yes[i])), "%s", yes[i]);
}

Test(source_text, the_directory)
{
	cr_expect_eq(look("#include \"/some/here/a.h\""), SOURCE_DIRECTORY);
	cr_expect_eq(look("#include \"/some/her/a.h\""), 0);
	cr_expect_eq(look("/some/here __DATE__"), SOURCE_DIRECTORY | SOURCE_TIME);
}

Test(source_text, a_path_of_its_own)
{
	static const char *const yes[] = {
		"#include \"/w/a.h\"", "#if __has_include(</w/a.h>)", "#define P /w/a.h",
		"S(/w/a.h)", "f(x,/w)", "\"//w\"", "</./w>", "/w", "\n/w",
	};
	static const char *const no[] = {"", "/", "a/b", "a / b", "// w", "/* w */",
	                                 "x /* y */ / z", "<a/b.h>", "\"a/b\"", "1/x"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(source_text_flags(yes[i], strlen(yes[i]), "", 0) & SOURCE_ALL,
		             SOURCE_DIRECTORY, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(source_text_flags(no[i], strlen(no[i]), "", 0) & SOURCE_ALL, 0, "%s",
		             no[i]);
}

Test(source_text, what_reaches_the_directory)
{
	static const char *const yes[] = {"-I/w", "-I/w/dir", "-I/w//dir/", "-I/w/dir/below", "-I/",
	                                  "-I/x/../w", "--include-path=/w/./", "/w"};
	static const char *const no[] = {"", "-Iinc", "-I/wx", "-I/w/di", "-I/w/other", "-I/x",
	                                 "-arch=sm_90", "-I/w/dirs"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(source_text_reaches(yes[i], "/w/dir"), 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(source_text_reaches(no[i], "/w/dir"), 0, "%s", no[i]);
}

Test(source_text, files)
{
	char path[] = "/tmp/source_text.XXXXXX";
	struct arena arena = ARENA_INIT;
	struct source_text_room room = {&arena, NULL, 0};
	int fd = mkstemp(path);
	const char *one, *two;
	size_t n = 9;

	cr_assert_geq(fd, 0);
	cr_expect(source_text_read(&room, path, &n));
	cr_expect_eq(n, 0);
	cr_assert_eq(write(fd, "__TIME__", 8), 8);
	one = source_text_read(&room, path, &n);
	cr_assert(one && n == 8 && memcmp(one, "__TIME__", 8) == 0);
	/* A second read takes the same room, unless the content is to be kept. */
	cr_expect_eq(source_text_read(&room, path, &n), one);
	room.data = NULL;
	two = source_text_read(&room, path, &n);
	cr_expect(two && two != one);
	close(fd);
	unlink(path);
	cr_expect_null(source_text_read(&room, path, &n));
	cr_expect_null(source_text_read(&room, "/dev/zero", &n));
	cr_expect_null(source_text_read(&room, "/", &n));
	arena_free(&arena);
}

Test(source_text, the_definition_of_an_option)
{
	static const char *const cases[][2] = {
		{"-DX=y", "#define X y\n"}, {"X=y", "#define X y\n"}, {"-D=X=y", "#define X y\n"},
		{"-D X", "#define X 1\n"}, {"-DX(a)=a##b", "#define X(a) a##b\n"},
		{"--define-macro=X=y", "#define X y\n"}, {"-DX=", "#define X \n"},
		{" \t-DX", "#define X 1\n"}, {"\n--define-macro=X", "#define X 1\n"},
		{"-D\vX=y", "#define X y\n"}, {"\nX", "#define X 1\n"},
		{"--define-macro", ""}, {"-D", ""}, {"-Isub/x", ""}, {"-G", ""}, {"/w/a.h", ""},
	};
	struct arena arena = ARENA_INIT;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect_str_eq(source_text_definition(cases[i][0], &arena), cases[i][1], "%s",
		                 cases[i][0]);
	arena_free(&arena);
}
