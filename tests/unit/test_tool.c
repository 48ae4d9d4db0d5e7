/* tests/unit/test_tool.c - which names are tools, and the lists by name. */
#include "tools/tool.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *found(const char *base, const char *setting)
{
	const struct tool_row *row = tool_find(base, setting);

	return row ? row->name : "";
}

Test(tool, names_with_prefix_and_version)
{
	static const struct { const char *base, *row; } cases[] = {
		{"gcc", "gcc"}, {"gcc-12", "gcc"}, {"gcc-14.2", "gcc"}, {"g++-4.8.5", "g++"},
		{"x86_64-linux-gnu-gcc-12", "gcc"}, {"aarch64-linux-gnu-gcc-12", "gcc"},
		{"x86_64-conda-linux-gnu-cc", "cc"}, {"x86_64-pc-linux-gnu-c++", "c++"},
		{"nvptx-none-gcc", "gcc"}, {"clang", "clang"}, {"clang++-14", "clang++"},
		{"clang-14", "clang"}, {"clang-cpp-14", "clang-cpp"}, {"cpp-12", "cpp"},
		{"x86_64-linux-gnu-cpp-12", "cpp"}, {"cc1", "cc1"}, {"cc1plus", "cc1plus"},
		{"lto1", "lto1"}, {"gfortran-12", "gfortran"}, {"f951", "f951"},
		{"x86_64-linux-gnu-gdc-12", ""}, {"rustc", "rustc"},
		{"rustc-1.63", "rustc"}, {"rust-lld", "rust-lld"},
		{"as", "as"}, {"x86_64-linux-gnu-as", "as"}, {"collect2", "collect2"},
		{"ld", "ld"}, {"ld.bfd", "ld.bfd"}, {"x86_64-linux-gnu-ld.gold", "ld.gold"},
		{"gold", "gold"}, {"ld.lld-14", "ld.lld"}, {"lld-14", "lld"},
		{"ld.mold", "ld.mold"},
		{"mold", "mold"}, {"ar", "ar"}, {"gcc-ar-12", "gcc-ar"},
		{"x86_64-linux-gnu-gcc-ar-12", "gcc-ar"}, {"llvm-ar-14", "llvm-ar"},
		{"ptxas", "ptxas"},
		{"ptxas-blackwell", "ptxas-blackwell"}, {"nvcc", "nvcc"},
		{"cudafe++", "cudafe++"}, {"cicc", "cicc"}, {"fatbinary", "fatbinary"},
		{"nvlink", "nvlink"}, {"tileiras", "tileiras"}, {"ccache", "ccache"},
		/* no tools */
		{"", ""}, {"-", ""}, {"gcc-", ""}, {"-gcc", ""}, {"gcc-x", ""},
		{"musl-gcc", ""}, {"c99-gcc", ""}, {"x86_64--gcc", ""}, {"a-b-c-d-e-f-gcc", ""},
		{"gcc-nm", ""}, {"gcc-ranlib-12", ""}, {"ranlib", ""}, {"ld64.lld", ""},
		{"llvm-as", ""},
		{"bash", ""}, {"python3.11", ""}, {"c++filt", ""}, {"ldd", ""}, {"gcc-.", ""},
		{"gcc-12.", ""}, {"a b-c-gcc", ""}, {"ar-", ""}, {"clang-format-14", ""},
		{"GCC", ""},
		{"nvccx", ""}, {"/usr/bin/gcc", ""}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_assert_str_eq(found(cases[i].base, NULL), cases[i].row, "%s gives '%s'",
		                 cases[i].base, found(cases[i].base, NULL));
}

Test(tool, renamed_programs)
{
	static const struct { const char *base, *row; } cases[] = {
		{"gcc-real", "gcc"}, {"gcc.orig", "gcc"}, {"g++-12.bin", "g++"},
		{"gcc_real", "gcc"},
		{".gcc-wrapped", "gcc"}, {".gcc-wrapped_", "gcc"}, {"gcc12", "gcc"},
		{"g++12", "g++"},
		{"gcc4.8", "gcc"}, {"gcc-13-real", "gcc"}, {"gcc.real-13", "gcc"},
		{"real-gcc", "gcc"},
		{"_gcc", "gcc"}, {"gcc.br_real", "gcc"}, {"gcc-15-rc1", "gcc"}, {"gcc_12_2", "gcc"},
		{"x86_64-conda-linux-gnu-gcc.bin", "gcc"}, {"avr-gcc", "gcc"}, {"host-gcc", "gcc"},
		{".x86_64-unknown-linux-gnu-gcc-wrapped", "gcc"}, {"cc.real", "cc"},
		{"x86_64-conda_cos6-linux-gnu-c++", "c++"}, {"c++-unwrapped", "c++"},
		{"clang-19.real", "clang"}, {"clang16", "clang"}, {".clang-wrapped", "clang"},
		{"clang-trunk", "clang"}, {"armv7a-linux-androideabi21-clang", "clang"},
		{"clang++16", "clang"}, {"x86_64-apple-darwin13.4.0-clang++", "clang++"},
		/* clang does not see its mode in these */
		{"clang++.real", "clang"}, {"clang-cpp.orig", "clang"},
		{".clang++-wrapped", "clang"},
		{"cc1plus.real", "cc1plus"}, {"collect2-orig", "collect2"}, {"cc1.bin", "cc1"},
		{"x86_64-conda-linux-gnu-ld", "ld"}, {"ld.real", "ld"}, {".ld-wrapped", "ld"},
		{"ld.bfd.orig", "ld.bfd"}, {"ld.gold-old", "ld.gold"}, {"as.real", "as"},
		{"i686-w64-mingw32-as", "as"}, {"m68k-elf-ld", "ld"}, {"s390x-linux-gnu-ar", "ar"},
		{"gcc-ar.real", "gcc-ar"}, {"llvm-ar-19.real", "llvm-ar"}, {"nvcc.real", "nvcc"},
		{"nvcc-12.4-orig", "nvcc"}, {"ptxas.orig", "ptxas"}, {"cicc_real", "cicc"},
		{"rustc-nightly", "rustc"}, {".rustc-wrapped", "rustc"}, {"f951.real", "f951"},
		{"ccache.real", "ccache"},
		/* other programs */
		{"gcc-nm.real", ""}, {"gcc-ranlib", ""}, {"x86_64-linux-gnu-gcc-nm", ""},
		{"gcc-config", ""}, {"g++-mapper-server", ""}, {"gcc-wrapper", ""}, {"afl-gcc", ""},
		{"afl-clang-fast++", ""}, {"goto-cc", ""}, {"goto-gcc", ""}, {"gccgo-12", ""},
		{"c++filt.real", ""}, {"llvm-c++filt", ""}, {"clang-tidy", ""}, {"clang-cl", ""},
		{"clang-format.real", ""}, {".clang-format-wrapped", ""}, {"clangd-14", ""},
		{"clang-offload-bundler", ""}, {"clang-scan-deps-14", ""}, {"nvcc_wrapper", ""},
		{"nvcc-extra", ""}, {"rustc-demangle", ""}, {"rustc_wrapper", ""},
		{"cargo-rustc", ""},
		{"ld-linux-x86-64.so.2", ""}, {"ld.so", ""}, {"ld-2.31.so", ""}, {"ld64", ""},
		{"wasm-ld-14", ""}, {"lld-link", ""}, {"spirv-as", ""}, {"wasm-as", ""},
		{"run-as", ""},
		{"as86", ""}, {"ld86", ""}, {"cc65", ""}, {"ar65", ""}, {"as31", ""}, {"cpp11", ""},
		{"protoc-gen-cpp", ""}, {"grpc_cpp_plugin", ""}, {"h5c++", ""}, {"h5cc", ""},
		{"scorep-mpi-cc", ""}, {"gdc-client", ""}, {"gold-digger", ""}, {"mold-real2x", ""},
		{"sccache-dist", ""}, {"ccache-swig", ""}, {"distccd", ""}, {"ptxas2x", ""},
		{"lto-wrapper", ""}, {"lto1x", ""}, {"cc12", ""}, {"tar", ""}, {"nasm", ""}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect_str_eq(found(cases[i].base, NULL), cases[i].row, "%s gives '%s'",
		                 cases[i].base, found(cases[i].base, NULL));
}

Test(tool, setting_adds_and_removes)
{
	cr_assert_str_eq(found("gcc", ""), "gcc");
	cr_assert_str_eq(found("gcc", "-gcc"), "");
	cr_assert_str_eq(found("gcc-12", "-gcc"), "", "a row's name takes all its spellings off");
	cr_assert_str_eq(found("gcc-real", "-gcc"), "");
	cr_assert_str_eq(found("gcc-real", "-gcc-real"), "");
	cr_assert_str_eq(found("gcc-12", "-gcc-11"), "gcc");
	cr_assert_str_eq(found("gcc-12", "-gcc-12"), "");
	cr_assert_str_eq(found("gcc", "-g++"), "gcc");
	cr_assert_str_eq(found("mytool", "+mytool"), "generic");
	cr_assert_str_eq(found("mytool", "mytool"), "", "a word without sign says nothing");
	cr_assert_str_eq(found("mytool", "+mytool2,+mytoo"), "");
	cr_assert_str_eq(found("mytool", "-gcc,+mytool,"), "generic");
	cr_assert_str_eq(found("mytool", "+mytool,-mytool"), "", "the last word counts");
	cr_assert_str_eq(found("gcc", "-gcc,+gcc"), "gcc");
	cr_assert_str_eq(found("", "+"), "");
	cr_assert_str_eq(found("x", ",,+,-,+x"), "generic");
	cr_assert_eq(tool_find("mytool", "+mytool")->flags, TOOL_UNKNOWN);
}

Test(tool, off_until_it_is_added)
{
	static const char *const names[] = {"hipcc", "amdclang", "amdclang++", "icx", "icpx", "nvc",
	                                    "nvc++"};
	char setting[32];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(setting, sizeof setting, "+%s", names[i]);
		cr_expect_str_eq(found(names[i], NULL), "", "%s", names[i]);
		cr_expect_str_eq(found(names[i], "+gcc"), "", "%s", names[i]);
		cr_expect_str_eq(found(names[i], setting), names[i]);
		cr_expect_str_eq(tool_known(names[i])->name, names[i]);
		cr_expect(tool_known(names[i])->flags & TOOL_OFF);
	}
	cr_expect_str_eq(found("hipcc", "+hipcc,-hipcc"), "");
	cr_expect_str_eq(found("amdclang-17", "+amdclang"), "amdclang");
	cr_expect_null(tool_known("nothing"));
}

Test(tool, rows_have_the_facts_that_others_rely_on)
{
	const struct tool_row *ptxas = tool_find("ptxas", NULL), *gcc = tool_find("gcc", NULL);
	int epoch = 0;

	cr_assert_eq(ptxas->flags &
	             (TOOL_SELF_CONTAINED | TOOL_NAME_FREE | TOOL_TEXT_NAMES),
	             TOOL_SELF_CONTAINED | TOOL_NAME_FREE | TOOL_TEXT_NAMES);
	cr_assert_eq(gcc->flags, TOOL_STDIN_NEVER | TOOL_TIME_BY_LOCALTIME | TOOL_GOES_BY_TIMES |
	                          TOOL_SETTLES | TOOL_LIBCPP | TOOL_ON_REPEAT);
	for (const char *e = gcc->env; *e; e += strlen(e) + 1)
		epoch += strcmp(e, "SOURCE_DATE_EPOCH") == 0;
	cr_assert_eq(epoch, 1);
}

Test(tool, ignored_variables)
{
	const struct tool_row *gcc = tool_find("gcc", NULL), *other = tool_find("x", "+x");

	cr_assert(tool_env_ignored(gcc, "PATH"));
	cr_assert(tool_env_ignored(gcc, "TMPDIR"));
	cr_assert(tool_env_ignored(gcc, "REPRISE_LOG"));
	cr_assert(tool_env_ignored(gcc, "MAKEFLAGS"));
	cr_assert_not(tool_env_ignored(other, "MAKEFLAGS"), "an unknown tool may be make");
	cr_assert(tool_env_ignored(NULL, "LD_PRELOAD"));
	cr_assert_not(tool_env_ignored(gcc, "CPATH"));
	cr_assert_not(tool_env_ignored(gcc, "PATHS"));
	cr_assert_not(tool_env_ignored(gcc, "PWD"));
	/* ld searches it for the libraries that libraries need. */
	cr_assert_not(tool_env_ignored(gcc, "LD_LIBRARY_PATH"));
}

Test(tool, interpreters)
{
	static const char *const yes[] = {"sh", "dash", "bash", "python3.11", "python3", "python",
		                          "perl5.36.0",
		                          "perl", "lua5.4", "ksh93", "make", "gawk", "tclsh8.6",
		                          "busybox"};
	static const char *const no[] = {"gcc", "ld", "3.11", "", "pythonic", "shx", "as"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_assert(tool_is_interpreter(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_assert_not(tool_is_interpreter(no[i]), "%s", no[i]);
}

Test(tool, write_styles)
{
	static const struct { const char *base; enum write_style style; } cases[] = {
		{"as", WRITE_UNLINK}, {"x86_64-linux-gnu-as", WRITE_UNLINK}, {"ld", WRITE_UNLINK},
		{"ld.bfd", WRITE_UNLINK}, {"x86_64-linux-gnu-ld.gold", WRITE_UNLINK},
		{"objcopy", WRITE_UNLINK},
		{"clang-14", WRITE_RENAME}, {"clang", WRITE_RENAME}, {"ld.lld", WRITE_RENAME},
		{"lld", WRITE_RENAME}, {"llvm-ar-14", WRITE_RENAME},
		{"llvm-objcopy-14", WRITE_RENAME},
		{"mold", WRITE_TRUNCATE}, {"cc1", WRITE_TRUNCATE}, {"cc1plus", WRITE_TRUNCATE},
		{"ar", WRITE_TRUNCATE}, {"ptxas", WRITE_TRUNCATE}, {"unheard-of", WRITE_TRUNCATE}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_assert_eq(tool_write_style(cases[i].base), cases[i].style, "%s", cases[i].base);
}

Test(tool, tools_whose_outputs_depend_on_the_old_output)
{
	static const char *const yes[] = {"ar", "aarch64-linux-gnu-ar",
	                                  "x86_64-linux-gnu-gcc-ar-12", "llvm-ar-14",
	                                  "unheard-of", "make", ""};
	static const char *const no[] = {"as", "x86_64-linux-gnu-ld.bfd", "cc1plus", "collect2",
	                                 "clang-14", "ld.lld",
	                                 "ptxas", "objcopy", "x86_64-linux-gnu-objcopy",
	                                 "llvm-objcopy-14"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_assert(tool_minds_output(yes[i]), "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_assert_not(tool_minds_output(no[i]), "%s", no[i]);
}

Test(tool, uses_of_real_paths)
{
	static const struct {
		const char *base;
		enum real_use use;
	} rows[] = {
		{"gcc", REAL_OPERAND}, {"x86_64-linux-gnu-g++-12", REAL_OPERAND},
		{"cc1", REAL_SHORTENS}, {"cc1plus", REAL_SHORTENS},
		{"ld", REAL_INPUT}, {"x86_64-linux-gnu-ld.bfd", REAL_INPUT},
		{"cc", REAL_ANY}, {"clang-14", REAL_ANY}, {"gfortran", REAL_ANY},
		{"f951", REAL_ANY},
		{"lto1", REAL_ANY}, {"lto-wrapper", REAL_ANY}, {"collect2", REAL_ANY},
		{"ld.gold", REAL_ANY}, {"ld.lld", REAL_ANY}, {"mold", REAL_ANY},
		{"unheard-of", REAL_ANY}, {"", REAL_ANY},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(tool_real_use(rows[i].base), rows[i].use, "%s", rows[i].base);
}

Test(tool, wrappers_by_what_they_start)
{
	static const struct {
		char base[24], started[24];
		int in_place, expected;
	} rows[] = {
		{"as", "x86_64-linux-gnu-as", 1, 1}, {"as", "as", 0, 1}, {"as", "python3", 1, 1},
		{"gcc", "x86_64-linux-gnu-gcc-12", 0, 1}, {"gcc", "clang", 1, 1},
		{"ld", "ld.gold", 0, 1}, {"ld", "ld.lld", 1, 1}, {"clang", "clang-14", 1, 1},
		{"mycc", "gcc", 1, 1}, {"afl-clang-fast", "clang", 1, 1},
		{"gcc", "cc1", 0, 0}, {"gcc", "as", 0, 0}, {"gcc", "collect2", 0, 0},
		{"gcc", "lto-wrapper", 0, 0}, {"lto-wrapper", "gcc", 0, 0},
		{"collect2", "ld", 0, 0}, {"ld", "lto-wrapper", 0, 0}, {"gcc-ar", "ar", 0, 0},
		{"clang", "clang", 0, 0}, {"clang", "gcc", 0, 0}, {"clang", "ld.lld", 0, 0},
		{"nvcc", "gcc", 0, 0}, {"nvcc", "nvcc", 1, 0}, {"rustc", "rustc", 1, 0},
		{"ld.lld", "rust-lld", 1, 0}, {"make", "gcc", 0, 0}, {"mytool", "sh", 1, 0},
		{"", "gcc", 0, 0}, {"hipcc", "clang", 1, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(tool_is_wrapper(rows[i].base, rows[i].started, rows[i].in_place),
		             rows[i].expected, "%s, %s", rows[i].base, rows[i].started);
}
