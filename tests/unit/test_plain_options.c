/* Which options only say what code is made. */
#include <criterion/criterion.h>

#include "jit/library/plain_options.h"

static void check(const char *option, const char *next, int plain)
{
	const char *const v[] = {"-arch=sm_90", option, next};
	const char *found = options_unplain(next ? 3 : 2, v, UNPLAIN_NVRTC, "");

	cr_expect_eq(!found, plain, "%s", option);
	if (found)
		cr_expect_str_eq(found, option);
}

Test(plain_options, a_thread)
{
	check("-split-compile=1", NULL, 1);
	check("--split-compile=1", NULL, 1);
	check("-split-compile-extended=1", NULL, 1);
	check("-Xptxas=--split-compile=1", NULL, 1);
	check("--split-compile", "1", 1);
	check("--split-compile", "12", 0);
	check("--split-compile", NULL, 0);
	check("-split-compile=12", NULL, 0);
	check("-split-compile=0", NULL, 0);
	check("-split-compile=1,-split-compile=4", NULL, 0);
	check("-split-compile-extended=4", NULL, 0);
	check("-Xptxas=--split-compile=4", NULL, 0);
}

Test(plain_options, words_of_other_options)
{
	check("--time=-", NULL, 0);
	check("-fdevice-time-trace=a", NULL, 0);
	check("--dlink-time-opt", NULL, 1);
	check("--create-pch=a", NULL, 0);
	check("--keep", NULL, 0);
	check("-I/opt/cuda_runtime/include", NULL, 1);
	check("--include-path=/keep/time", NULL, 1);
	check("-Dkeep_dims=1", NULL, 1);
	check("--define-macro=dump", NULL, 1);
}

Test(plain_options, lists_and_variables)
{
	const char *const v[] = {"-lto", NULL}, *const split[] = {"-split-compile=4"};

	cr_expect_str_eq(options_unplain(2, v, UNPLAIN_NVJITLINK, ""), "");
	cr_expect_str_eq(options_unplain(1, NULL, UNPLAIN_NVJITLINK, ""), "");
	cr_expect_null(options_unplain(0, NULL, UNPLAIN_NVJITLINK, ""));
	cr_expect_null(options_unplain(1, split, UNPLAIN_NVJITLINK, "-split-compile"));
	cr_expect(options_text_plain(NULL, UNPLAIN_NVRTC));
	cr_expect(options_text_plain("  -w -I/opt/runtime\t-DX ", UNPLAIN_NVRTC));
	cr_expect_not(options_text_plain("-w --time=a", UNPLAIN_NVRTC));
}
