/* Texts that hold the time of day, or spell a directory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/dated.h"

static int look(const char *text) { return dated_text(text, strlen(text), "/some/here", 10); }

Test(dated, names_that_give_the_time)
{
	static const char *const yes[] = {
		"__TIME__", "x = __DATE__;", "int n = sizeof __TIMESTAMP__", "(__TIME__)", "CAT(__TI, ME__)", "CAT(__T,IME__)",
		"CAT(__, TIME__)", "CAT(_, _TIME__)", "CAT(__DA,TE__) ATE__", "__TIMEST##AMP__",
		"CAT(__TIM, E__)", "CAT(__TIME, __)", "CAT(__TIME_, _)", "__TI\\\nME__", "__DA\\\r\nTE__", "-DA=__TIME",
	};
	static const char *const no[] = {
		"", "__", "__TIM", "TIME", "_", "__CUDA_ARCH__", "__restrict__", "__TYPE__", "__FILE__ __LINE__", "my__TIME__x", "a__TIME__",
		"x__", "__TIME__s", "a \\\n b", "__SIZE__", "VALUE__",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(look(yes[i]), DATED_TIME, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(look(no[i]), 0, "%s", no[i]);
}

Test(dated, the_directory)
{
	cr_expect_eq(look("#include \"/some/here/a.h\""), DATED_NAMES_CWD);
	cr_expect_eq(look("#include \"/some/her/a.h\""), 0);
	cr_expect_eq(look("/some/here __DATE__"), DATED_NAMES_CWD | DATED_TIME);
	cr_expect_eq(dated_text("/a", 2, "", 0), 0);
}

Test(dated, files)
{
	char path[] = "/tmp/dated.XXXXXX";
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_expect_eq(dated_file(path, "", 0, 1), 0);
	cr_assert_eq(write(fd, "__TIME__", 8), 8);
	cr_expect_eq(dated_file(path, "", 0, 1), DATED_TIME);
	close(fd);
	unlink(path);
	cr_expect_eq(dated_file(path, "", 0, 1), DATED_TIME | DATED_NAMES_CWD | DATED_NAMES_ITSELF);
	cr_expect_eq(dated_file("/dev/zero", "", 0, 1), DATED_TIME | DATED_NAMES_CWD | DATED_NAMES_ITSELF);
}

Test(dated, what_asks_for_its_own_name)
{
	static const char *const yes[] = {
		"__FILE__", "int n = sizeof __BASE_FILE__;", "__FILE_NAME__", "__builtin_FILE()", "std::source_location", "-DA=__FILE__",
		"#define CAT(a, b) a##b", "#define CAT(a, b) a %:%: b", "a ?\?=?\?= b", "CAT(__FI, LE__)", "#line 7 \"x\"", "# line 7", "#\t7 \"x\" 2",
		"#/**/line 7 \"x\"", "x\n#  12",
	};
	static const char *const no[] = {
		"", "#", "# ", "#include <a.h>", "#define A(x) #x", "#define line 7", "# define LINE", "#lin", "__LINE__", "file", "%", "??", "_F",
		"#pragma unroll",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(dated_itself(yes[i], strlen(yes[i])), DATED_NAMES_ITSELF, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(dated_itself(no[i], strlen(no[i])), 0, "%s", no[i]);
	cr_expect_eq(dated_itself("a #line", 6), 0, "not beyond the end");
}
