/* The flags of command lines. Each case is one line to read. */
#include "cmdline_fixture.h"

#include "tools/cmdline/cmdline.h"

static void check_flags(const char *line, unsigned expected)
{
	struct cmdline c = classify(line);
	unsigned seen = c.flags & ~CMD_CONFIG;

	cr_expect_eq(seen, expected, "%s: %#x, not %#x", line, seen, expected);
	cr_expect_eq(c.bypass, REASON_NONE, "%s: %s", line, c.bypass_detail);
}

#define FREE CMD_CWD_FREE

Test(cmdline_flags, modes)
{
	check_flags("gcc -c a.c", FREE);
	check_flags("g++ -S a.cc", FREE);
	check_flags("gcc --compile a.c", FREE);
	check_flags("gcc a.c -o a", CMD_LINK);
	check_flags("gcc -shared -fPIC a.c -o a.so", CMD_LINK);
	check_flags("gcc a.o -o a", CMD_LINK);
	check_flags("gcc -E a.c", CMD_PLAIN_CPP | CMD_PREPROCESS);
	check_flags("gcc -M a.c", CMD_PREPROCESS);
	check_flags("gcc -MM a.c", CMD_PREPROCESS);
	check_flags("gcc -MD -c a.c", FREE);
	check_flags("gcc -dM -E -x c /dev/null", CMD_PREPROCESS);
	check_flags("gcc -fsyntax-only a.c", 0);
	check_flags("gcc --version", 0);
	check_flags("gcc -print-file-name=libc.so", 0);
	check_flags("gcc -dumpversion", 0);
	check_flags("cpp a.c", CMD_PREPROCESS);
	check_flags("gcc -c a.s", 0);
	check_flags("gcc -c a.S", 0);
	check_flags("gcc -x c -c a.s", FREE);
	check_flags("gcc -x assembler -c a.c", 0);
	check_flags("gcc -x c -x none -c a.c b.cpp", FREE);
	check_flags("gcc -xc -c a", FREE);
	check_flags("gcc -c a", 0);
	check_flags("gcc -c dir.c/a", 0);
	check_flags("gcc -c", 0);
	check_flags("clang -x cuda -c a.cu", CMD_NESTS);
	check_flags("ld -o a a.o", CMD_LINK);
	check_flags("cc1 a.c -o a.s", 0);
	check_flags("clang -cc1 -emit-obj a.c -o a.o", 0);
	check_flags("as a.s -o a.o", 0);
}

Test(cmdline_flags, precompiled_headers)
{
	check_flags("gcc -x c-header a.c -o a.gch", CMD_PCH);
	check_flags("g++ a.hpp", CMD_PCH);
	check_flags("gcc -c a.h", CMD_PCH);
	check_flags("gcc -E a.h", CMD_PLAIN_CPP | CMD_PREPROCESS);
	check_flags("gcc -fsyntax-only a.h", 0);
	check_flags("gcc -x c -c a.h", FREE);
	check_flags("gcc -include a.h -c a.c", FREE);
	check_flags("clang -x c++-header a.h -o a.pch", CMD_PCH | CMD_PCH_TIMES);
	check_flags("clang -Xclang -fno-pch-timestamp -x c-header a.h", CMD_PCH);
	check_flags("clang -include a.h -c a.c", FREE | CMD_PCH_TIMES);
	check_flags("clang -include-pch a.pch -c a.c", FREE | CMD_PCH_TIMES);
	/* the process that made the PCH decided about times */
	check_flags("clang -Xclang -fno-pch-timestamp -include-pch a.pch -c a.c", CMD_PCH_TIMES);
	check_flags("clang -fmodules -c a.c", CMD_PCH_TIMES);
	check_flags("clang -emit-ast a.c", CMD_PCH | CMD_DUMP | CMD_PCH_TIMES);
	check_flags("clang -Xclang -emit-header-module a.h", CMD_PCH | CMD_PCH_TIMES);
	check_flags("clang -c a.ast", CMD_PCH_TIMES);
	check_flags("clang -x pcm -c m", CMD_PCH_TIMES);
	check_flags("cc -include a.h -c a.c", FREE | CMD_PCH_TIMES);
}

Test(cmdline_flags, debug)
{
	static const char *const on[] = {"-g", "-g1", "-ggdb", "-gdwarf-4", "-g0 -g", "-gtoggle",
		"-gtoggle -g0",
		"-Wa,-g", "-Wa,-g -g0", "-Wa,--gdwarf-5", "-Xassembler -g",
		"-Xassembler --gen-debug",
		"-Xclang -debug-info-kind=limited", "-gline-tables-only", "--debug", "-Xclang -g",
		"-gmodules"};
	static const char *const off[] = {"", "-g0", "-g -g0", "-ggdb3 -g0", "-gz", "-gz=zlib",
		"-gno-column-info", "-g -ggdb0", "-Wall -Dg", "-D -g", "-MT -g", "-Wl,-g",
		"-Wp,-D-g"};
	char line[256];

	for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
		snprintf(line, sizeof line, "gcc -c a.c %s", on[i]);
		cr_expect(classify(line).flags & CMD_DEBUG, "%s", line);
		cr_expect_not(classify(line).flags & CMD_CWD_FREE, "%s", line);
	}
	for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
		snprintf(line, sizeof line, "gcc -c a.c %s", off[i]);
		cr_expect_not(classify(line).flags & CMD_DEBUG, "%s", line);
	}
}

Test(cmdline_flags, native)
{
	static const char *const yes[] = {"gcc -march=native -c a.c", "gcc -mtune=native -c a.c",
		"clang -mcpu=native+nofp -c a.c", "clang -Xclang -target-cpu -Xclang native -c a.c",
		"gcc -Wa,-march=native -c a.c", "gcc -Xassembler -mtune=native -c a.c",
		"as -march=native a.s",
		"ld.lld -mllvm -mcpu=native a.o", "gcc -Wl,-plugin-opt=mcpu=native a.o",
		"gcc -specs=x -c a.c",
		"clang --config x -c a.c", "generic-tool -Ctarget-cpu=native",
		"clang -march native -c a.c"};
	static const char *const words[] = {"-Xcompiler -march=native", "-O3 -march=native",
		"-Xcompiler '-march=native -O2'",
		"-Xcompiler \"-O2 -mtune=native\"", "-march=native\t-O2",
		"-DX -Xcompiler -march=native"};
	static const char *const no[] = {"gcc -c native.c", "gcc -march=x86-64 -c a.c",
		"gcc -Dx=native -c a.c",
		"gcc -c x/native/a.c", "gcc -Inative -c a.c", "gcc -march=natively -c a.c"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(classify(yes[i]).flags & CMD_NATIVE, "%s", yes[i]);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		cr_expect(cmdline_says_native(words[i]), "%s", words[i]);
	cr_expect_not(cmdline_says_native("-Xcompiler -Inative -DX=native -march=natively"));
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(classify(no[i]).flags & CMD_NATIVE, "%s", no[i]);
}

Test(cmdline_flags, nests)
{
	static const char *const yes[] = {"clang -x cuda -c a.cc", "clang++-19 -xcuda a.cc",
	                                  "clang -c a.cu", "clang -c a.c b.cu"};
	static const char *const no[] = {"clang -c a.cc", "clang -x c++ -c a.cu",
		"clang -cc1 -x cuda a.cu", "gcc -c a.cu",
		"clang -c a.c -o a.cu", "clang -x cuda -x none -c a.cc"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(classify(yes[i]).flags & CMD_NESTS, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(classify(no[i]).flags & CMD_NESTS, "%s", no[i]);
}

Test(cmdline_flags, stdin)
{
	static const char *const yes[] = {"gcc -E -", "gcc -x c - -c", "gcc -x c -c /dev/stdin",
		"cpp", "cpp -DX",
		"cc1 -quiet -o a.s", "clang -cc1 -emit-obj", "as -o a.o", "as --", "as -",
		"ptxas - -o x", "ar -M", "gcc -include /dev/stdin -c a.c", "clang-cpp-14 -"};
	static const char *const no[] = {"gcc", "gcc --version", "cpp --version", "cpp a.c",
		"ld -o a -",
		"gcc -c a.c -o -", "gcc -DX=/dev/stdin -c a.c", "ptxas --version", "ar rc l.a a.o",
		"as a.s", "gcc -MF - -c a.c"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(classify(yes[i]).flags & CMD_STDIN, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(classify(no[i]).flags & CMD_STDIN, "%s", no[i]);
}

Test(cmdline_flags, ptxas)
{
	check_flags("ptxas -arch=sm_90a k.ptx -o k.cubin", FREE | CMD_NAME_FREE);
	check_flags("ptxas -lineinfo -v --fmad=false -O3 --gpu-name=sm_90a k.ptx -o k",
	            FREE | CMD_NAME_FREE);
	check_flags("ptxas -g k.ptx -o k.cubin", CMD_DEBUG);
	check_flags("ptxas --device-debug k.ptx -o k.cubin", CMD_DEBUG);
	check_flags("ptxas -unheard-of k.ptx -o k.cubin", 0);
	check_flags("ptxas -lineinfo -c k.ptx", FREE | CMD_NAME_FREE | CMD_HASHES_SOURCES);
	check_flags("ptxas --compile-only k.ptx", FREE | CMD_NAME_FREE | CMD_HASHES_SOURCES);
	/* an option's value is no option */
	check_flags("ptxas -e -g k.ptx -o k.cubin", FREE | CMD_NAME_FREE);
}

Test(cmdline_flags, plain_preprocessor)
{
	static const char *const yes[] = {
		"gcc -E a.c", "g++ -E -P a.h -o a.i", "g++-12 -x c++ -E a.h",
		"gcc -E -Wall -DA=1 -D A -I/x -I /y a.c",
		"g++ h.hpp -D A -O3 -g1 -fno-math-errno -march=native -fPIC -std=c++20 -pedantic "
		"-fopenmp -E -P -o h.i",
		"gcc -E -include b.h -imacros c.h -isystem /x -iquote /y -idirafter /z a.c"};
	static const char *const no[] = {
		"gcc -c a.c", "gcc -M a.c", "gcc -E -M a.c", "gcc -E -MD a.c",
		"gcc -E -Wp,-MD,a.d a.c", "gcc -E -H a.c",
		"gcc -E -fmacro-prefix-map=/a=/b a.c", "gcc -E -ffile-prefix-map=/a=/b a.c",
		"gcc -E -dD a.c",
		"gcc -E -fdirectives-only a.c", "gcc -E -traditional-cpp a.c",
		"gcc -E -fpreprocessed a.c",
		"gcc -E a.i", "gcc -E -x cpp-output a.c", "gcc -E -x assembler-with-cpp a.S",
		"gcc -E a.S",
		"gcc -E -fplugin=/p.so a.c", "gcc -E -finput-charset=UTF-16 a.c",
		"gcc -E -fpch-preprocess a.c",
		"gcc -E -fworking-directory a.c", "gcc -E -remap a.c", "gcc -E -unheard-of a.c",
		"gcc -E -v a.c",
		"gcc -E -specs=/x a.c", "gcc -E -B/x a.c", "gcc -E --sysroot=/x a.c",
		"gcc -E -wrapper x a.c",
		"gcc -E -save-temps a.c", "gcc -E -Xpreprocessor -H a.c", "cpp a.c", "clang -E a.c",
		"cc -E a.c", "gcc -E", "gcc -E -", "gcc -E a.c -I", "gcc -E a.c -x"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect(classify(yes[i]).flags & CMD_PLAIN_CPP, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_not(classify(no[i]).flags & CMD_PLAIN_CPP, "%s", no[i]);
}

Test(cmdline_flags, config_files)
{
	cr_assert(classify("clang -c a.c").flags & CMD_CONFIG);
	cr_assert_not(classify("clang --no-default-config -c a.c").flags & CMD_CONFIG);
	cr_assert(classify("clang --no-default-config --config x -c a.c").flags & CMD_CONFIG);
	cr_assert_not(classify("gcc -c a.c").flags & CMD_CONFIG);
}

/* The same list is proved with real compilers by tests/long/cwd_free.sh. */
Test(cmdline_flags, cwd_free_as_listed)
{
	FILE *f = fopen("tests/data/cwd_free.txt", "r");
	char row[512], line[600];
	int count = 0;

	cr_assert(f, "run from the top of the tree");
	while (fgets(row, sizeof row, f)) {
		char verdict[16], who[16];
		int at = 0;

		if (row[0] == '#' || sscanf(row, "%15s %15s%n", verdict, who, &at) != 2)
			continue;
		row[strcspn(row, "\n")] = '\0';
		snprintf(line, sizeof line, "%s %s t.c",
		         strcmp(who, "clang") == 0 ? "clang" : "gcc", row + at);
		cr_expect_eq((classify(line).flags & CMD_CWD_FREE) != 0,
		             strcmp(verdict, "free") == 0, "%s: %s", verdict, line);
		count++;
	}
	fclose(f);
	cr_assert_gt(count, 80);
}
