/* tests/unit/test_driver.c - what drivers say of a command. A case is one line. */
#include "tests/unit/driver_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

#include "shim/list.h"
#include "tools/asks/asks.h"
#include "tools/cmdline/cmdline.h"
#include "tools/object/debug_strings.h"

/* The answer is yes for each line of the first list, and no for the others. */
static void expect(int (*ask)(const struct tool_row *row, const struct cmdline *c),
                   const char *const *yes, const char *const *no)
{
	struct cmdline c;

	for (; *yes; yes++)
		cr_expect(ask(split(*yes, &c), &c), "%s", *yes);
	for (; *no; no++)
		cr_expect_not(ask(split(*no, &c), &c), "%s", *no);
}

Test(driver, asks_about_itself)
{
	static const char *const yes[] = {
		"gcc --version", "gcc -v", "g++ -print-search-dirs", "gcc -print-prog-name=ld -v",
		"gcc -dumpmachine", "ld --help", "ld -v", "ld.lld --version", NULL};
	static const char *const no[] = {
		"gcc", "gcc -v a.c", "gcc -c a.c", "gcc --version -c a.c", "gcc --help=target",
		"ld", "ld --verbose", "ld -v a.o", "cc --version", "clang --version",
		"mold --version",
		"as --version", "gcc -V", NULL};

	expect(driver_asks_itself, yes, no);
}

/* clang enters this value in the place of the working directory. */
Test(driver, a_directory_for_debug_information)
{
	static const char *const yes[] = {
		"clang -g -fdebug-compilation-dir=. -c a.c",
		"clang -g -ffile-compilation-dir=/x -c a.c",
		"clang -g -fdebug-compilation-dir x -c a.c"};
	static const char *const bound[] = {
		"clang -g -fdebug-compilation-dir= -c a.c",
		"clang -g -ffile-compilation-dir= -c a.c",
		"gcc -g -fdebug-compilation-dir=. -c a.c",
		"cc -g -ffile-compilation-dir=. -c a.c",
		"clang -g -gdwarf-4 -fdebug-compilation-dir=. -c a.c"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		cr_expect_eq(reaches(yes[i], ROLE_CWD), 0, "%s", yes[i]);
		cr_expect_eq(reaches(yes[i], ROLE_SOURCE), REACH_ASKED | REACH_DEBUG, "%s",
		             yes[i]);
	}
	for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
		cr_expect(reaches(bound[i], ROLE_CWD) & REACH_ANYTHING, "%s", bound[i]);
}

/* gcc with debug information and a link is bound; what compiles below it is not. */
Test(driver, tools_with_steps_that_are_actions)
{
	static const char *const yes[] = {
		"gcc -g a.c -o a", "g++ -g1 -shared -fPIC a.cc -o a.so -lm", "gcc -g a.c b.c",
		NULL};
	static const char *const no[] = {"gcc a.c -o a", "gcc -g -c a.c", "gcc -g -pipe a.c",
		                         "gcc -g a.c -save-temps", "gcc -gdwarf-4 a.c",
		                         "cc -g a.c", "clang -g a.c", "gcc -g --coverage a.c",
		                         "gcc -g -flto a.c", "ld -g a.o", "nvcc -g a.cu", NULL};

	expect(driver_has_steps, yes, no);
}

/* An option without a row, and those whose rows let a name through. */
Test(driver, what_binds)
{
	static const char *const lines[] = {
		"gcc -c a.c --param=x=1", "gcc -c a.c -fnew-thing", "gcc -c a.c -fno-new-thing",
		"gcc -c a.c -funknown=/x",
		"gcc -gdwarf-4 -c a.c", "gcc -gdwarf-2 -c a.c", "gcc -g -gz -c a.c",
		"gcc -gsplit-dwarf -c a.c", "gcc -g a.c -o a",
		"cc1 -quiet a.c -MD a.d -o a.s", "cc1 -E a.c",
		"cc1 -quiet a.c --param=max-inline-insns-auto=9 -o a.s",
		"cc1 -quiet a.c -fdump-tree-all -o a.s",
		"gcc -ggdb3 -gstabs -c a.c", "cc -g -c a.c", "gcc --coverage -c a.c",
		"gcc -fprofile-arcs -c a.c", "gcc -flto -c a.c",
		"gcc -fsanitize=address -c a.c", "gcc -fstack-usage -c a.c",
		"gcc -fcallgraph-info -c a.c", "gcc -save-temps -c a.c",
		"gcc -fdump-tree-all -c a.c", "gcc -aux-info x -c a.c", "gcc -fopt-info=x -c a.c",
		"gcc -fverbose-asm -S a.c",
		"clang -ftime-trace -c a.c", "clang -MJ x -c a.c",
		"clang -fsave-optimization-record -c a.c",
		"clang --serialize-diagnostics x -c a.c", "clang -fmodules -c a.c",
		"clang -Xclang x -c a.c",
		"clang -funique-internal-linkage-names -c a.c",
		"gcc -finstrument-functions-exclude-file-list=x -c a.c",
		"gcc -finstrument-functions-exclude-function-list=x -c a.c",
		"clang -fmodule-map-file=x -c a.c", "clang -fsanitize-ignorelist=x -c a.c",
		"clang -fsanitize-blacklist=x -c a.c", "clang -fprofile-list=x -c a.c",
		"clang -fsanitize-coverage-ignorelist=x -c a.c", "clang -fxray-attr-list=x -c a.c",
		"gcc -fmacro-prefix-map=a=b -c a.c", "gcc -frecord-gcc-switches -c a.c",
		"gcc -fplugin=x -c a.c",
		"gcc -Bx -c a.c", "gcc -specs=x -c a.c", "clang -v -c a.c", "gcc -H -c a.c",
		"gcc -Wp,-MD,x -c a.c",
		"gcc -Wa,-a=x -c a.c", "gcc -Wa,-g -c a.c", "gcc -c -", "gcc -c a.h",
		"gcc -x assembler-with-cpp -c a.c",
		"gcc -c a.f", "gcc a.c -T x.ld", "gcc a.c -Wl,-T,x.ld", "gcc a.c -Wl,-Map=x",
		"gcc a.c -Wl,x.ld", "gcc a.c -Xlinker -Map=x",
		"gcc a.c -Wl,-rpath a.o", "gcc a.c -Wl,-rpath -Wl,x -Wl,/y",
		"gcc a.c -Xlinker -rpath a.o -Xlinker /x",
		"gcc a.c -Xlinker -rpath -Xlinker -rpath -Xlinker /x",
		"gcc a.c -Wl,--cref", "gcc a.c -Wl,@x", "gcc a.c x.ld", "ld -T x.ld a.o",
		"ld a.o -Map x", "ld --script=x a.o",
		"ld.lld a.o -lto-obj-path=x", "ld.lld a.o -mllvm -x", "ld.lld -map-whole-files a.o",
		"ld.lld a.o -unresolved-symbols=ignore-all", "ld.lld a.o -load-pass-plugin=x",
		"ld -b binary a.o", "ld a.o --trace", "ld --exclude-libs ALL a.o", "mold a.o",
		"collect2 a.o", "ar rcsT l.a a.o", "ar rcsP l.a a.o",
		"ar rcU l.a a.o", "ar rcs l.a --plugin x a.o", "as -g a.s", "as -a a.s",
		"as --gdwarf-5 a.s", "as --MD x a.s",
		"nvcc -arch=sm_80 -c a.cu", "nvcc -c a.cu",
		"nvcc -gencode arch=compute_80,code=compute_80 -c a.cu",
		"nvcc -gencode arch=compute_80,code=[sm_80,compute_80] -c a.cu",
		"nvcc -rdc=true -gencode arch=compute_80,code=sm_80 -c a.cu",
		"nvcc -gencode arch=compute_80,code=sm_80 -lineinfo -c a.cu",
		"nvcc -gencode arch=compute_80,code=sm_80 a.cu",
		"nvcc -gencode arch=compute_80,code=sm_80 -Xcompiler -g -c a.cu", "lto1 a.o",
		"clang -cc1 a.c", "mytool a",
		"hipcc -c a.cpp", "icpx -O2 -c a.cpp", "nvc++ -c a.cpp", "rustc a.rs",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		for (int role = 0; role < ROLE_COUNT; role++)
			cr_expect_eq(reaches(lines[i], (enum name_role)role), REACH_ANYTHING,
			             "role %d: %s", role, lines[i]);
}

Test(driver, tools_that_are_off)
{
	static const char *const lines[] = {"hipcc -c a.cpp", "icpx -O2 -c a.cpp", "nvc++ -c a.cpp",
	                                    "hipcc -x cuda -c a.cu"};
	struct cmdline c;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		split(lines[i], &c);
		cr_expect(c.flags & CMD_NATIVE, "%s", lines[i]);
		cr_expect_not(c.flags & (CMD_CWD_FREE | CMD_NAME_FREE | CMD_NESTS), "%s", lines[i]);
	}
	cr_expect(list_has(driver_of(tool_known("icpx"))->variables, "__INTEL_PRE_CFLAGS"));
	cr_expect(list_has(driver_of(tool_known("hipcc"))->variables,
	                   "HIPCC_COMPILE_FLAGS_APPEND"));
}

/* Allocators ask for it before the hooks exist, and complain on stderr. */
Test(driver, a_variable_of_allocators)
{
	static const char *const tools[] = {"rustc", "cicc", "nvlink", "nvcc"};

	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		cr_expect(list_has(tool_known(tools[i])->env, "MALLOC_CONF"), "%s",
		          tools[i]);
	cr_expect_not(list_has(tool_known("gcc")->env, "MALLOC_CONF"));
}

Test(driver, roles_of_arguments)
{
	static const struct {
		const char *line;
		int at, last;
		enum name_role role;
	} rows[] = {
		{"gcc -c /t/a.c", 2, 0, ROLE_SOURCE},         {"gcc -c /t/a.c", 2, 1, ROLE_BASE},
		{"gcc -c a.c -o /t/a.o", 4, 0, ROLE_OUTPUT},
		{"gcc -c a.c -o/t/a.o", 3, 1, ROLE_OUTPUT},
		{"gcc -I/t -c a.c", 1, 1, ROLE_INCLUDE},
		{"gcc -isystem /t -c a.c", 2, 1, ROLE_SYSTEM},
		{"gcc -include /t/a.h -c a.c", 2, 0, ROLE_INCLUDE},
		{"gcc -MF /t/d -MD -c a.c", 2, 1, ROLE_DEPFILE},
		{"gcc -MT /t/d -MD -c a.c", 2, 1, ROLE_TARGET},
		{"gcc a.c -L/t", 2, 1, ROLE_LIBRARY},
		{"gcc -DX=/t -c a.c", 1, 1, ROLE_OTHER}, {"gcc -fnew=/t -c a.c", 1, 1, ROLE_OTHER},
		{"gcc a.c /t/liba.so", 2, 0, ROLE_OTHER},
		{"gcc a.c /t/liba.so.1", 2, 0, ROLE_OTHER},
		{"gcc a.c -Wl,-rpath,/t", 2, 1, ROLE_OTHER},
		{"gcc a.c -Wl,-rpath -Wl,/t", 3, 1, ROLE_OTHER},
		{"gcc a.c -Xlinker -rpath -Xlinker /t", 5, 1, ROLE_OTHER},
		{"ld /t/a.o -rpath /t", 3, 1, ROLE_OTHER},
		{"ar rcs /t/l.a a.o", 2, 0, ROLE_OUTPUT}, {"ar rcs l.a /t/a.o", 3, 0, ROLE_SOURCE},
		{"ar rcs l.a /t/a.o", 3, 1, ROLE_BASE}, {"nvcc -I/t -c a.cu", 1, 1, ROLE_INCLUDE},
		{"nvcc -isystem /t -c a.cu", 2, 1, ROLE_SYSTEM},
		{"nvcc -ccbin=/t/g++ -c a.cu", 1, 0, ROLE_OTHER},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cmdline c;

		split(rows[i].line, &c);
		cr_expect_eq(driver_role(&c, rows[i].at, rows[i].last), rows[i].role,
		             "%d of %s", rows[i].at, rows[i].line);
	}
}

Test(driver, words_of_each_language_and_compiler)
{
	static const struct {
		const char *line;
		unsigned words;
	} rows[] = {
		{"gcc -c a.c", 0}, {"gcc -c a.cc", ASKS_CXX}, {"g++ -c a.c", ASKS_CXX},
		{"gcc -x c++ -c a.c", ASKS_CXX},
		{"clang -c a.c", ASKS_PRETTY}, {"clang++ -c a.c", ASKS_CXX | ASKS_PRETTY},
		{"cc -c a.c", ASKS_PRETTY},
		{"nvcc -c a.cu", ASKS_CXX},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cmdline c;
		const struct tool_row *row = split(rows[i].line, &c);

		cr_expect_eq(driver_words(row, &c), rows[i].words, "%s", rows[i].line);
	}
}

static enum output_flaw flaw(const char *tool, const char *text)
{
	return driver_ask(tool_find(tool, "+mytool"), flaw, FLAW_NONE, text, strlen(text), 2523);
}

Test(driver, outputs_that_tell_of_the_run)
{
	cr_assert_eq(flaw("cudafe++", "_4_s_cu_49b905be_2523"), FLAW_PID);
	cr_assert_eq(flaw("cudafe++", "_4_s_cu_49b905be_2524"), FLAW_NONE);
	/* It is the length of a name. */
	cr_assert_eq(flaw("cudafe++", "_4_s_cu_49b905be_2523_x"), FLAW_NONE);
	cr_assert_eq(flaw("gcc", "_4_s_cu_49b905be_2523"), FLAW_NONE);
	cr_assert_eq(flaw("clang", "__omp_offloading_fe00_2420b2_f_l2"), FLAW_INODE);
	cr_assert_eq(flaw("gcc", "__omp_offloading_fe00_2420b2_f_l2"), FLAW_NONE);
	cr_assert_eq(flaw("ptxas", "\177ELF"), FLAW_CUT);
	cr_assert_eq(flaw("mytool", ""), FLAW_NONE);
	cr_assert_eq(flaw("ar", "x"), FLAW_MODE);
	cr_assert_eq(flaw("ar", "!<arch>\n"), FLAW_NONE);
	cr_assert_eq(flaw("gcc", "x"), FLAW_NONE);
}

static const char *default_output(const char *line)
{
	struct cmdline c;
	const struct tool_row *row = split(line, &c);
	const char *name = driver_default_output(row, &c);

	return name ? name : "";
}

Test(driver, outputs_that_no_argument_names)
{
	cr_assert_str_eq(default_output("gcc a.o"), "a.out");
	cr_assert_str_eq(default_output("gcc -c a.c"), "");
	cr_assert_str_eq(default_output("clang a.o"), "a.out");
	cr_assert_str_eq(default_output("as a.s"), "a.out");
	cr_assert_str_eq(default_output("mold a.o"), "a.out");
	cr_assert_str_eq(default_output("collect2 a.o"), "a.out");
	cr_assert_str_eq(default_output("ptxas a.ptx"), "elf.o");
	cr_assert_str_eq(default_output("nvcc a.cu"), "");
	cr_assert_str_eq(default_output("mytool a"), "");
}

static int asks_width(const char *line, int shown)
{
	struct cmdline c;
	const struct tool_row *row = split(line, &c);

	return driver_asks_stdin_width(row, &c, shown);
}

static int reads_stdin(const char *line)
{
	struct cmdline c;
	const struct tool_row *row = split(line, &c);

	return driver_reads_stdin(row, &c);
}

Test(driver, standard_input)
{
	cr_assert(asks_width("gcc -c a.c", 1));
	cr_assert_not(asks_width("gcc -c a.c", 0));
	cr_assert(asks_width("gcc --help=target", 0));
	cr_assert(asks_width("lto1 a", 1));
	cr_assert(asks_width("mytool a", 1));
	cr_assert_not(asks_width("clang --help", 1));
	cr_assert_not(asks_width("ld --help", 1));
	cr_assert(reads_stdin("gcc -x c -"));
	cr_assert(reads_stdin("clang -x c -"));
	cr_assert_not(reads_stdin("clang -cc1 -x c -"));
	cr_assert_not(reads_stdin("gcc -x c /dev/stdin"));
	cr_assert_not(reads_stdin("gcc -x c-header -"));
	cr_assert_not(reads_stdin("cc1 -"));
}

static const char *adds_to(const char *line)
{
	struct cmdline c;

	split(line, &c);
	for (int i = 1; i < c.count; i++)
		if (c.v[i].adds)
			return cmdline_output(&c.v[i]);
	return "";
}

Test(driver, lists_that_grow)
{
	cr_assert_str_eq(adds_to("nvlink a.o --register-link-binaries=l.txt"), "l.txt");
	cr_assert_str_eq(adds_to("nvlink a.o --register-link-binaries l.txt"), "l.txt");
	cr_assert_str_eq(adds_to("nvlink a.o -o l.txt"), "");
}

Test(driver, variables_that_hold_arguments)
{
	cr_assert_str_eq(driver_of(tool_find("nvcc", NULL))->variables, "NVCC_PREPEND_FLAGS");
	cr_assert_str_eq(driver_of(tool_find("gcc", NULL))->variables, "");
	cr_assert_str_eq(driver_of(tool_find("clang", NULL))->editor, "CCC_OVERRIDE_OPTIONS");
	cr_assert_str_eq(driver_of(tool_find("gcc", NULL))->editor, "");
	cr_assert(driver_says_time("-O2 --time x.csv"));
	cr_assert_not(driver_says_time("-O2"));
}

/* The flag says that a row's texts are read, and the driver reads them. */
Test(driver, who_reads_a_text)
{
	static const char tools[] = "gcc\0clang\0as\0ld\0nvcc\0cicc\0ptxas\0ptxas-blackwell\0"
		"tileiras\0";

	for (const char *name = tools; *name; name += strlen(name) + 1) {
		const struct tool_row *row = tool_find(name, NULL);

		cr_expect_eq((row->flags & TOOL_TEXT_NAMES) != 0,
		             driver_of(row)->read_text != NULL, "%s", name);
	}
}

static int missing(const char *path, long long *mtime, unsigned long long *size)
{
	(void)path;
	*mtime = 1;
	*size = 1;
	return -1;
}

Test(driver, names_in_a_text)
{
	static const char text[] = ".version 8.7\n.file 1 \"/data/ann/cache/kernel_a.py\"\n";
	const struct tool_row *ptxas = tool_find("ptxas", NULL);
	struct arena work = ARENA_INIT;
	struct input_text x;
	struct input_text_request r = {text, sizeof text - 1, INPUT_TEXT_PATCHED, missing,
	                               &work, &arena};

	cr_assert_eq(driver_ask(ptxas, read_text, -1, &x, &r), 0);
	cr_expect_not(input_text_mentions(&x, "kernel_a.py", 11));
	arena_free(&work);
	cr_assert_eq(x.count, 3);
	cr_expect_str_eq(x.names[0].text, "/data/ann/cache");
	cr_expect_str_eq(x.names[1].text, "kernel_a.py");
	cr_expect_eq(x.names[2].index, INPUT_TEXT_SOURCES_MAX);
	cr_expect_eq(memcmp(x.names[2].text, "kernel_a.py\0\1\0\0", 15), 0);
	cr_expect_eq(input_text_source_of(&x, "/data/ann/cache/kernel_a.py"), 0);
	r.names = INPUT_TEXT_SLOPPY;
	cr_assert_eq(driver_ask(ptxas, read_text, -1, &x, &r), 0);
	cr_expect(x.sloppy);
	cr_expect_eq(x.count, 0);
	cr_expect_eq(driver_ask(tool_find("gcc", NULL), read_text, -1, &x, &r), -1);
	r.n = 8;
	cr_expect_eq(driver_ask(ptxas, read_text, -1, &x, &r), -1);
	arena_free(&work);
}

Test(driver, debug_lines_of_tools_that_are_known_for_them)
{
	static const char text[] = "\t.section\t.debug_line_str,\"MS\",@progbits,1\n"
		".LASF0:\n\t.string\t\"bb.c\"\n.LASF1:\n\t.string\t\"/tmp/go/caad\"\n";
	struct buf out = BUF_INIT(&arena);
	struct cmdline c;
	const struct tool_row *gcc = split("gcc -g -S bb.c", &c);
	const struct tool_row *cc1 = split("cc1 bb.c", &c), *clang = split("clang -g -S bb.c", &c);
	const size_t n = sizeof text - 1;
	size_t at = (size_t)(strstr(text, "bb.c") - text);

	cr_expect_eq(debug_strings_order(gcc, "bb.c", "/tmp/go/caad"), LINE_ORDER_NAME);
	cr_expect_eq(debug_strings_order(cc1, "bb.c", "/tmp/go/e2f3221_ah3"), LINE_ORDER_DIRECTORY);
	cr_expect_eq(debug_strings_order(clang, "bb.c", "/tmp/go/caad"), LINE_ORDER_NONE);
	cr_expect(debug_strings_hold(gcc, text, n, "bb.c", "/tmp/go/caad"));
	cr_expect_not(debug_strings_hold(clang, text, n, "bb.c", "/tmp/go/caad"));
	cr_expect(debug_strings_at(gcc, text, n, at));
	cr_expect_not(debug_strings_at(clang, text, n, at));
	cr_expect_eq(debug_strings_exchange(gcc, &out, text, n), 0);
	cr_expect_eq(out.len, n);
	cr_expect_not(debug_strings_hold(gcc, out.data, n, "bb.c", "/tmp/go/caad"));
	cr_expect_lt(debug_strings_exchange(clang, &out, text, n), 0);
	cr_expect_lt(debug_strings_exchange(gcc, &out, "\177ELF and more", 13), 0);
	cr_expect_lt(debug_strings_move(gcc, &out, text, n, "/a", "/a"), 0, "no object");
	cr_expect_lt(debug_strings_move(clang, &out, text, n, "/a", "/a"), 0);
}

Test(driver, hashes_of_sources)
{
	struct cmdline c;
	char text[SOURCE_HASH + 1];

	cr_expect_not(driver_source_hash(split("nvcc -c a.cu", &c), "a.o", NULL, NULL));
	cr_expect_not(driver_source_hash(split("g++ -c a.cpp", &c), "a.cpp", NULL, NULL));
	cr_expect(driver_source_hash(split("nvcc -c a.cu", &c), "a.cu", "/tmp/h/aa/s2.cu", text));
	cr_expect_str_eq(text, "6092a716");
}

/* -MT, -MQ: the path behind -o that the only target spells. */
Test(driver, a_target_that_is_the_output)
{
	static const struct {
		const char *line;
		int target, output; /* the value of -MT, and the output; 0: none */
	} rows[] = {
		{"gcc -MD -MT b.o -c a.c -o b.o", 3, 7}, {"gcc -MD -MQ b.o -c a.c -o b.o", 3, 7},
		{"gcc -o b.o -c a.c -MD -MT b.o", 7, 2},
		{"gcc -MT b.o -c a.c -o b.o", 2, 0},             /* no dependency file */
		{"gcc -MD -MT c.o -c a.c -o b.o", 3, 0},         /* another name */
		{"gcc -MD -MT b.o -MT b.o -c a.c -o b.o", 3, 0}, /* two targets */
		{"gcc -MD -MT b.o -MQ c.o -c a.c -o b.o", 3, 0},
		{"gcc -MD -MTc.o -MT b.o -c a.c -o b.o", 4, 0},
		{"gcc -MD -MT b.o -c a.c -ob.o", 3, 0},          /* joined */
		{"gcc -MD -MT b.o -c a.c -o b.o --no-such-option", 3, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cmdline c;
		const struct tool_row *row = split(rows[i].line, &c);

		for (int k = 1; k < c.count; k++)
			cr_expect_eq(driver_target_output(row, &c, k),
			             k == rows[i].target ? rows[i].output : 0, "%d of %s", k,
			             rows[i].line);
		for (int k = 1; k < c.count && rows[i].output; k++)
			cr_expect_eq(driver_names_target(row, &c, k), k == rows[i].output,
			             "%d of %s", k, rows[i].line);
	}
}

Test(driver, an_output_that_names_the_dependency_file)
{
	static const struct {
		const char *line;
		int at;
	} rows[] = {
		{"gcc -MD -c a.c -o b.o", 5}, {"gcc -MMD -c a.c -o b.o", 5},
		{"gcc -c a.c -o b.o", 0}, {"gcc -MD -MF c.d -c a.c -o b.o", 0},
		{"gcc -MD -c a.c -o b.o -MFc.d", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cmdline c;

		split(rows[i].line, &c);
		for (int k = 1; k < c.count; k++)
			if (c.v[k].role == ARG_OUTPUT)
				cr_expect_eq(driver_names_depfile(&c, k), k == rows[i].at,
				             "%d of %s", k, rows[i].line);
	}
}

/* A command that was classified, and not read: every name may be anywhere. */
Test(driver, a_command_that_was_not_read)
{
	struct cmdline c;
	const struct tool_row *row = split("gcc -c a.c -o b.o", &c);

	cr_expect_eq(driver_reach(row, &c, ROLE_OUTPUT), 0);
	c.facts = 0;
	cr_expect_eq(driver_reach(row, &c, ROLE_OUTPUT), REACH_ANYTHING);
}
