/* Whether the source or the machine caused a failed compile, by its log. */
#include <criterion/criterion.h>

#include "jit/jit.h"

Test(compile_error, by_the_machine_or_by_the_source)
{
	static const char *const by_machine[] = {
		"",
		"default_program(1): catastrophic error: out of memory\n  template<int N>\n",
		"inc/n1.h(1): catastrophic error: cannot open source file \"n2.h\": Too many open "
		"files\n  #include \"n2.h\"\n",
		"k.cu(1): catastrophic error: cannot open source file \"n2.h\": Input/output error",
		"k.cu(1): catastrophic error: cannot open source file \"n2.h\": Stale file "
		"handle\n",
		"k.cu(1): catastrophic error: could not open temporary file \"/tmp/x\": No such "
		"file or directory\n",
		"k.cu(2): error: cannot open source file \"a.h\"\n\n"
		"k.cu(3): error: cannot open source file \"b.h\": Cannot allocate memory\n",
		"ptxas fatal   : Memory allocation failure\n",
		"nvrtc: error: failed with an internal error\n",
		"(0): Internal error: assertion failed\n",
	};
	static const char *const by_source[] = {
		"k.cu(1): error: identifier \"x\" is undefined\n",
		"k.cu(1): catastrophic error: cannot open source file \"a.h\"\n"
		"  #include \"a.h\"\n",
		"k.cu(1): catastrophic error: cannot open source file \"a.h\"",
		"k.cu(1): catastrophic error: could not open source file \"a.h\" (no directories "
		"in search list)\n",
		"k.cu(1): catastrophic error: cannot open source file \"a.h\": No such file or "
		"directory\n", "k.cu(1): error: open \"x\": that\n",
		"ptxas error   : Entry function 'k' uses too much shared data\n",
	};

	for (size_t i = 0; i < sizeof by_machine / sizeof *by_machine; i++)
		cr_expect(compile_error_by_machine(by_machine[i]), "%s", by_machine[i]);
	for (size_t i = 0; i < sizeof by_source / sizeof *by_source; i++)
		cr_expect_not(compile_error_by_machine(by_source[i]), "%s", by_source[i]);
}
