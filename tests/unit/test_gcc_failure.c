/* tests/unit/test_gcc_failure.c - which messages of gcc come from its input. */
#include "tools/drivers/drivers.h"
#include "tools/driver.h"

#include <criterion/criterion.h>
#include <string.h>

static int known(const char *text)
{
	return gcc_failure(1, text, strlen(text));
}

Test(gcc_failure, errors_at_places_are_of_the_input)
{
	static const char *const texts[] = {
		"a.c:1:9: error: expected expression before ';' token\n"
		"    1 | int x = ;\n"
		"      |         ^\n",
		"a.c:3: error: no column\n",
		"a.c:1:10: fatal error: x.h: No such file or directory\n"
		"    1 | #include <x.h>\n"
		"      |          ^~~~~\n"
		"compilation terminated.\n",
		"In file included from b.h:1,\n"
		"                 from a.c:1:\n"
		"c.h:1:2: error: #error no\n",
		"a.c: In function 'f':\n"
		"a.c:2:3: warning: unused variable 'x' [-Wunused-variable]\n"
		"a.c:2:5: error: unused variable 'y' [-Werror=unused-variable]\n"
		"a.c:2:5: note: here\n"
		"cc1: some warnings being treated as errors\n",
		"a.cc: In instantiation of 'struct s<int>':\n"
		"a.cc:2:8:   required from here\n"
		"a.cc:1:45: error: 'int' is not a class\n",
		"a.cc: At global scope:\n"
		"a.cc:1:1: error: 'x' does not name a type\n",
		"gcc: error: unrecognized command-line option '-V'\n"
		"gcc: fatal error: no input files\n"
		"compilation terminated.\n",
		"a.c:1:1: error: without a newline",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(known(texts[i]), "%s", texts[i]);
}

Test(gcc_failure, what_the_machine_may_have_done_is_not)
{
	static const char *const errors[] = {
		"cc1: out of memory allocating 65536 bytes after a total of 1 bytes\n",
		"\nvirtual memory exhausted: Cannot allocate memory\n",
		"gcc: fatal error: Killed signal terminated program cc1\n",
		"gcc: fatal error: cannot execute 'cc1': execvp: No such file or directory\n",
		"a.c:1:1: internal compiler error: Segmentation fault\n",
		"a.c:1:1: fatal error: error writing to /tmp/cc.s: No space left on device\n",
		"a.c:1: fatal error: opening dependency file x/a.d: No such file or directory\n",
		"a.c:1:10: fatal error: x.h: Permission denied\n",
		"a.c:1:10: fatal error: x.h: Too many open files\n",
		"a.c:1:10: error: x.h: Input/output error\n",
		"a.c:1:10: error: x.h: Stale file handle\n",
		"a.c:1:10: error: could not open dump file 'x'\n",
		"/tmp/cc.s: Assembler messages:\n",
		"/tmp/cc.s:3: Error: no such instruction: `x'\n",
		"/usr/bin/ld: cannot find -lx: No such file or directory\n",
		"collect2: error: ld returned 1 exit status\n",
		"a.c:2: undefined reference to `f'\n",
		"a wrapper speaks\n",
		"gcc: error: a.c: No such file or directory\n",
		"cc1: error: bad value 'x' for '-march=' switch\n",
		": error: nothing before it\n",
		"12: error: no file\n",
		"a.c:1:1: error: x\nKilled\n",
	};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		char text[512] = "a.c:1:1: error: the input's own\n";

		cr_expect(!known(errors[i]), "%s", errors[i]);
		/* The machine may fail behind an error of the input. */
		strcat(text, errors[i]);
		cr_expect(!known(text), "%s", text);
	}
}

Test(gcc_failure, no_error_and_other_ends_are_not)
{
	static const char error[] = "a.c:1:1: error: x\n";

	cr_expect(!known(""));
	cr_expect(!known("\n"));
	cr_expect(!known("a.c:1:1: warning: x\n"));
	cr_expect(!known("compilation terminated.\n"));
	cr_expect(known(error));
	cr_expect(!gcc_failure(4, error, sizeof error - 1), "an internal error");
	cr_expect(!gcc_failure(0, error, sizeof error - 1));
	cr_expect(!gcc_failure(1, "a.c:1:1: error: a\0b\nx", 22), "text that is none");
}

Test(gcc_failure, only_tools_whose_failures_are_known_keep_them)
{
	static const char bad[] = "ptxas k.ptx, line 1; fatal   : Parsing error\n",
		full[] = "ptxas fatal   : Memory allocation failure\n";
	const struct tool_row *gcc = tool_find("gcc", NULL), *ptxas = tool_find("ptxas", NULL);

	cr_expect(failure_may_be_known(gcc));
	cr_expect(failure_may_be_known(ptxas));
	cr_expect(!failure_may_be_known(tool_find("clang", NULL)));
	cr_expect(!failure_may_be_known(tool_find("ld", NULL)));
	cr_expect(!failure_is_of_input(tool_find("ld", NULL), 1, "", 0));
	cr_expect(failure_is_of_input(ptxas, 255, bad, sizeof bad - 1));
	cr_expect(!failure_is_of_input(ptxas, 255, full, sizeof full - 1));
	cr_expect(!failure_is_of_input(gcc, 1, bad, sizeof bad - 1));
}
