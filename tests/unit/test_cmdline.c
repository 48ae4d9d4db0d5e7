/* tests/unit/test_cmdline.c - what command lines say. Each case is one line to read. */
#include "tools/cmdline.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmdline_ar.h"
#include "tools/options.h"
#include "tools/response.h"

static struct arena arena;

static const char *read_nothing(void *ctx, const char *path, size_t *n)
{
	(void)ctx;
	(void)path;
	*n = 0;
	return NULL;
}

/* Splits at spaces; '~' stands for a space inside a word and "''" for an empty one. */
static struct cmdline classify(const char *line)
{
	char *copy = arena_strdup(&arena, line), *argv[512];
	struct cmdline_reader reader = {read_nothing, NULL};
	struct cmdline c;
	const struct tool_row *row;
	int argc = 0;

	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
		for (char *p = w; *p; p++)
			*p = *p == '~' ? ' ' : *p;
		argv[argc++] = strcmp(w, "''") == 0 ? w + 2 : w;
	}
	argv[argc] = NULL;
	row = tool_find(argv[0], "+generic-tool");
	cr_assert(row, "%s is no tool", argv[0]);
	cr_assert_eq(cmdline_expand(&c, row, argc, argv, &reader, &arena), 0);
	cmdline_classify(&c, row);
	return c;
}

/* One letter an argument after argv[0]: . plain, O output, o joined output, I input, i joined
 * input, L literal. */
static const char *roles(const struct cmdline *c)
{
	static char out[512];
	static const char letters[] = {[ARG_PLAIN] = '.', [ARG_OUTPUT] = 'O',
		                       [ARG_OUTPUT_JOINED] = 'o',
		                       [ARG_INPUT] = 'I', [ARG_INPUT_JOINED] = 'i',
		                       [ARG_LITERAL] = 'L'};

	for (int i = 1; i < c->count; i++)
		out[i - 1] = letters[c->v[i].role];
	out[c->count > 0 ? c->count - 1 : 0] = '\0';
	return out;
}

static char listed[4096];
static void list_path(void *ctx, const char *path)
{
	(void)ctx;
	strcat(listed, listed[0] ? "|" : "");
	strcat(listed, path);
}
static const char *paths_of(const struct cmdline_arg *arg)
{
	listed[0] = '\0';
	cmdline_each_path(arg, list_path, NULL);
	return listed;
}

static void check_roles(const char *line, const char *expected)
{
	struct cmdline c = classify(line);

	cr_expect_str_eq(roles(&c), expected, "%s: %s, not %s", line, roles(&c), expected);
}

Test(options, tables_are_sorted)
{
	const struct option_table *const tables[] = {&options_gcc, &options_cc1,   &options_as,
		                                     &options_ld,  &options_ptxas, &options_generic,
		                                     &options_nvcc, &options_cudafe, &options_cicc,
		                                     &options_fatbinary, &options_nvlink,
		                                     &options_rustc};

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t i = 0; i < tables[t]->count; i++) {
			cr_expect(memchr(tables[t]->rows[i].text, 0, OPTION_TEXT), "no NUL in %.*s",
			          OPTION_TEXT, tables[t]->rows[i].text);
			cr_expect(strlen(tables[t]->rows[i].text) >= 2);
			if (i)
				cr_expect(strcmp(tables[t]->rows[i - 1].text,
				                 tables[t]->rows[i].text) < 0,
				          "%s before %s", tables[t]->rows[i - 1].text,
				          tables[t]->rows[i].text);
			if (tables[t]->rows[i].set & OPT_BYPASS)
				cr_expect_str_neq(options_why(&tables[t]->rows[i]),
				                  tables[t]->rows[i].text);
		}
}

Test(options, every_row_finds_itself)
{
	const struct option_table *const tables[] = {&options_gcc, &options_cc1,   &options_as,
		                                     &options_ld,  &options_ptxas, &options_generic,
		                                     &options_nvcc, &options_cudafe, &options_cicc,
		                                     &options_fatbinary, &options_nvlink,
		                                     &options_rustc};
	size_t at;

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t i = 0; i < tables[t]->count; i++)
			cr_expect_eq(options_find(tables[t], tables[t]->rows[i].text, &at),
			             &tables[t]->rows[i], "%s", tables[t]->rows[i].text);
	cr_assert_null(options_find(&options_gcc, "-Zz", &at));
	cr_assert_null(options_find(&options_gcc, "", &at));
	cr_assert_null(options_find(&options_gcc, "-", &at));
	cr_assert_null(options_find(&options_gcc, "zzz", &at));
	cr_assert_str_eq(options_find(&options_gcc, "-include-pchx", &at)->text, "-include");
	cr_assert_eq(at, 8);
	cr_assert_str_eq(options_find(&options_gcc, "-fopt-info-vec=x", &at)->text, "-fopt-info");
	cr_assert_eq(at, 15);
}

Test(cmdline, roles_rustc)
{
	struct cmdline c;

	check_roles("rustc --crate-type lib --crate-name=a -o x a.rs", "LLLLOI");
	check_roles("rustc --emit=dep-info=x.d,link -C metadata=1 -Copt-level=3 --extern a=x.rlib "
	            "-L deps a.rs", ".L..L.L.I");
	c = classify("rustc --test -g -O -vV a.rs");
	cr_expect_eq(c.bypass, REASON_NONE);
	c = classify("rustc -Zself-profile a.rs");
	cr_expect_str_eq(c.bypass_detail, "-Z: an unstable option");
	c = classify("rustc --unheard a.rs");
	cr_expect_eq(c.bypass, REASON_BYPASS_ARGUMENTS);
	cr_expect_str_eq(c.bypass_detail, "--unheard");
	c = classify("rustc -");
	cr_expect(c.flags & CMD_STDIN);
	c = classify("rustc -C target-cpu=native a.rs");
	cr_expect(c.flags & CMD_NATIVE);
}

Test(cmdline, roles_gcc)
{
	check_roles("gcc -c a.c -o a.o", "LILO");
	check_roles("gcc -c a.c -oa.o", "LIo");
	check_roles("gcc --output=a.o --output b.o a.c", "oLOI");
	check_roles("gcc -MD -MF a.d -MFb.d -MT a.o -MQb", "LLOoLLL");
	check_roles("gcc -Wp,-MD,a.d -Wp,-MMD,b.d -Wp,-DX=/etc/passwd", "ooL");
	check_roles("gcc -Xpreprocessor -MD -Xpreprocessor a.d", "LLLO");
	check_roles("gcc -D X=/a -DY=/b -U Z -x c", "LLLLLLL");
	check_roles("gcc -I inc -Iinc -isystem /x -isystem/x -Wall -O2", "L..L..LL");
	check_roles("gcc --param max=1 --param=max=1 -std=c11 -m64 -lfoo -l foo -L/x", "LLLLLLLL.");
	check_roles("gcc -include x.h -includex.h -imacros y.h -T s.ld", "LIiLILI");
	check_roles("gcc -Wl,-Map=a.map -Wl,-Map,a.map -Wl,-Map -Wl,a.map a.o", "ooLoI");
	check_roles("gcc -Xlinker -Map -Xlinker a.map -Xlinker -Map=b.map", "LLLOLo");
	check_roles("gcc -Wl,-Map=a.map,-T,s.ld -Wl,-soname,x.so,-Map,a.map", ".o");
	check_roles("gcc -Wl,-rpath,/x,-z,now -Wl,--version-script=v.map -Wl,--out-implib,x.lib",
	            "L.o");
	check_roles("gcc -Wa,-a=a.lst -Wa,-adhln=b.lst -Wa,--MD,a.d -Wa,-a -Wa,--noexecstack",
	            "oooLL");
	check_roles("gcc -Xassembler --MD -Xassembler a.d -Xassembler -a=x", "LLLOLo");
	check_roles("gcc -aux-info x -MJ y -dumpbase b -dumpdir d -save-temps=obj", "LOLOLLLLL");
	check_roles("clang --serialize-diagnostics x -serialize-diagnostics y", "LOLO");
	check_roles("gcc -fopt-info-vec=x -fopt-info -fdump-tree-all=x -fdump-tree-all", "oLoL");
	check_roles("clang -ftime-trace=x -foptimization-record-file=x -fmodule-output=x", "ooo");
	check_roles("gcc -fdeps-file=x -specs=y -fplugin=z.so -fprofile-use=/p", "oii.");
	check_roles("clang -Xclang -load -Xclang p.so -Xclang -dependency-file -Xclang d",
	            "LLLILLLO");
	check_roles("clang -include-pch a.pch --config x --config=y -- -c", "LILIi.I");
	check_roles("gcc -frandom-seed=/a -ffile-prefix-map=/a=/b -finput-charset=x", "LL.");
	check_roles("cpp a.c a.i", "IO");
	check_roles("gcc a.c b.c -o", "IIL");
	check_roles("gcc '' -o ''", "ILO");
	check_roles("gcc -D", "L");
}

Test(cmdline, roles_other_families)
{
	check_roles("cc1 -quiet a.c -MD a.d -dumpbase a.c -o a.s", "LILOLLLO");
	check_roles("clang -cc1 -triple x -main-file-name a.c -dependency-file a.d -o a.o -x c a.c",
	            ".LLLLLOLOLLI");
	check_roles("as -o a.o a.s --MD a.d -a=a.lst -al --defsym X=1 -I inc", "LOILOoLLLL.");
	check_roles("ld -o a a.o -Map m -Map=m --Map n -T s.ld -L/x -lfoo -rpath /x -z now",
	            "LOILOoLOLI.LLLLL");
	check_roles("ld.lld --reproduce=x.tar --dependency-file=d --out-implib i @left", "ooLO.");
	check_roles("ld --version-script=v -soname x -plugin p.so -plugin-opt=/w --output=z",
	            "iLLLI.o");
	check_roles("ptxas -arch=sm_80 k.ptx -o k.cubin --output-file=x --output-file y",
	            "L.LOoLO");
	check_roles("ptxas -o=x --gpu-name sm_90a -O3 -maxrregcount 3 a.ptx,b.ptx", "oLLLLL.");
	check_roles("ptxas -optf o --options-file=p", "LIi");
	check_roles("generic-tool x -o y --output=z -q", ".LOo.");
	check_roles("ar rcs l.a a.o b.o", "LOII");
	check_roles("ar -r -c l.a a.o", "LLOI");
	check_roles("ar t l.a a.o", "LIL");
	check_roles("ar d l.a a.o", "LOL");
	check_roles("ar rab m l.a a.o", "LLOI");
	check_roles("ar xN 2 l.a a.o", "LLIL");
	check_roles("gcc-ar --plugin p.so --target=x -qc l.a a.o", "LILLOI");
	check_roles("ar rcsl l.a a.o", "L..");
}

static void check_flags(const char *line, unsigned expected)
{
	struct cmdline c = classify(line);
	unsigned seen = c.flags & ~CMD_CONFIG;

	cr_expect_eq(seen, expected, "%s: %#x, not %#x", line, seen, expected);
	cr_expect_eq(c.bypass, REASON_NONE, "%s: %s", line, c.bypass_detail);
}

#define FREE CMD_CWD_FREE

Test(cmdline, flags_modes)
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

Test(cmdline, flags_precompiled_headers)
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
	/* the one who made it decided about times */
	check_flags("clang -Xclang -fno-pch-timestamp -include-pch a.pch -c a.c", CMD_PCH_TIMES);
	check_flags("clang -fmodules -c a.c", CMD_PCH_TIMES);
	check_flags("cc -include a.h -c a.c", FREE | CMD_PCH_TIMES);
}

Test(cmdline, flags_debug)
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

Test(cmdline, flags_native)
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

Test(cmdline, flags_nests)
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

Test(cmdline, flags_stdin)
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

Test(cmdline, flags_ptxas)
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

Test(cmdline, plain_preprocessor)
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

Test(cmdline, config_files)
{
	cr_assert(classify("clang -c a.c").flags & CMD_CONFIG);
	cr_assert_not(classify("clang --no-default-config -c a.c").flags & CMD_CONFIG);
	cr_assert(classify("clang --no-default-config --config x -c a.c").flags & CMD_CONFIG);
	cr_assert_not(classify("gcc -c a.c").flags & CMD_CONFIG);
}

static void check_bypass(const char *line, enum reason reason, const char *word)
{
	struct cmdline c = classify(line);

	cr_expect_eq(c.bypass, reason, "%s: %d", line, (int)c.bypass);
	if (c.bypass != REASON_NONE)
		cr_expect(strstr(c.bypass_detail, word), "%s: %s", line, c.bypass_detail);
}

Test(cmdline, bypasses)
{
	check_bypass("gcc -wrapper gdb,--args -c a.c", REASON_BYPASS_ARGUMENTS, "-wrapper");
	check_bypass("gcc -time=log -c a.c", REASON_BYPASS_ARGUMENTS, "-time=");
	check_bypass("gcc -time -c a.c", REASON_NONE, "");
	check_bypass("clang -fbuild-session-timestamp=1 -c a.c", REASON_BYPASS_ARGUMENTS,
	             "session");
	check_bypass("gcc -fmodule-mapper=localhost:1 -c a.c", REASON_BYPASS_ARGUMENTS, "mapper");
	check_bypass("ld.lld --error-handling-script=x a.o", REASON_BYPASS_ARGUMENTS, "script");
	check_bypass("gcc -Wl,--error-handling-script=x a.o", REASON_BYPASS_ARGUMENTS, "script");
	check_bypass("ld.gold --incremental-update a.o", REASON_BYPASS_ARGUMENTS, "patches");
	check_bypass("mold -run make", REASON_BYPASS_LAUNCHER, "-run");
	check_bypass("ccache gcc -c a.c", REASON_BYPASS_LAUNCHER, "ccache");
	check_bypass("ar rcU l.a a.o", REASON_BYPASS_ARGUMENTS, "times");
	check_bypass("ar rcUD l.a a.o", REASON_NONE, "");
	check_bypass("ar ru l.a a.o", REASON_BYPASS_ARGUMENTS, "ar u");
	check_bypass("ar tv l.a", REASON_BYPASS_ARGUMENTS, "times");
	check_bypass("ar rcv l.a a.o", REASON_NONE, "");
	check_bypass("ar xo l.a", REASON_BYPASS_ARGUMENTS, "times");
	check_bypass("gcc -D -wrapper -c a.c", REASON_NONE, "");
}

Test(cmdline, each_path)
{
	static const struct { const char *line, *paths; } cases[] = {
		{"gcc a.c", "a.c"}, {"gcc -I/x", "/x"}, {"gcc -L/x", "/x"},
		{"gcc --sysroot=/x", "/x"},
		{"gcc -fprofile-use=/x", "profile-use=/x|/x"}, {"gcc -o/x", "/x"},
		{"gcc -specs=/x", "/x"},
		{"gcc -Wl,-T,s.ld", "s.ld"}, {"gcc -Wl,-Ts.ld", "s.ld"},
		{"gcc -Wl,-T,s.ld,-Map=m", "s.ld"},
		{"gcc -Wl,-Map=m", "m"}, {"gcc -Wl,-Map,m,a.o", "a.o"},
		{"gcc -Wl,--version-script=v", "v"},
		{"gcc -Wl,@r", "r|@r"}, {"gcc -Wl,-rpath,/x", ""}, {"gcc -DX=/x", ""},
		{"gcc -O2", ""},
		{"gcc @r", "r|@r"}, {"gcc -Wa,-I/x", "/x"}, {"gcc -Wa,-a=/l", "/l"}, {"gcc ''", ""},
		{"gcc -Z/x", "/x"}, {"gcc --unknown=/x", "/x"}, {"gcc --unknown", ""},
		{"gcc -fplugin-arg-a-b=/x=/y", "plugin-arg-a-b=/x=/y|/x=/y|/y"}, {"gcc -Wl,", ""},
		{"gcc -Wl,,", ""}, {"ptxas a.ptx,b.ptx", "a.ptx,b.ptx|a.ptx|b.ptx"},
		{"generic-tool --image=kind=elf,file=/x",
	         "kind=elf,file=/x|/x|kind=elf|elf|file=/x|/x"}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cmdline c = classify(cases[i].line);

		cr_expect_str_eq(paths_of(&c.v[1]), cases[i].paths, "%s gives %s", cases[i].line,
		                 listed);
	}
}

/* The same list is proved with real compilers by tests/long/cwd_free.sh. */
Test(cmdline, cwd_free_as_listed)
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

Test(cmdline, no_argv)
{
	struct cmdline c = {NULL, 0, 0, REASON_NONE, NULL};

	for (int f = 0; f < 3; f++) {
		memset(&c, 0, sizeof c);
		cmdline_classify(&c, tool_find(f == 0 ? "gcc" : f == 1 ? "ar" : "clang", NULL));
		cr_assert_eq(c.count, 0);
	}
}

Test(cmdline, long_segments_and_far_values)
{
	size_t n = 70000;
	char *arg = malloc(n + 64), *argv[] = {"gcc", arg, NULL};
	struct cmdline_reader reader = {read_nothing, NULL};
	struct cmdline c;

	memset(arg, 'x', n);
	memcpy(arg, "-Wl,", 4);
	strcpy(arg + n, ",-Map=m");
	cr_assert_eq(cmdline_expand(&c, tool_find("gcc", NULL), 2, argv, &reader, &arena), 0);
	cmdline_classify(&c, tool_find("gcc", NULL));
	cr_assert_eq(c.v[1].role, ARG_PLAIN);
	cr_assert_str_eq(paths_of(&c.v[1]), "");
	free(arg);
}

Test(archive, times)
{
	char plain[8 + 60 + 3 + 1 + 60 + 1], dated[sizeof plain];

	memset(plain, ' ', sizeof plain);
	memcpy(plain, "!<arch>\n", 8);
	memcpy(plain + 8, "a.o/            0           0     0     644     3         `\n", 60);
	memcpy(plain + 72, "b.o/            0           0     0     644     1         `\n", 60);
	memcpy(dated, plain, sizeof plain);
	memcpy(dated + 72 + 16, "1700000000", 10);
	cr_assert_eq(cmdline_archive_has_times(plain, sizeof plain), 0);
	cr_assert_eq(cmdline_archive_has_times(dated, sizeof dated), 1);
	memcpy(dated, "!<thin>\n", 8); /* no content: the second header follows the first */
	memmove(dated + 68, dated + 72, 60);
	cr_assert_eq(cmdline_archive_has_times(dated, sizeof dated - 4), 1);
	cr_assert_eq(cmdline_archive_has_times(dated, 20), 0);
	cr_assert_eq(cmdline_archive_has_times("", 0), 0);
	memcpy(plain + 8 + 48, "9999999999", 10);
	cr_assert_eq(cmdline_archive_has_times(plain, sizeof plain), 0);
}
