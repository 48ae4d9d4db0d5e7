/* The roles of arguments, the paths in them, and the commands that run for real. Each case is one
 * line to read. */
#include "cmdline_fixture.h"

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
	check_bypass("ar ru l.a a.o", REASON_NONE, "");
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

Test(cmdline, no_argv)
{
	struct cmdline c = {.v = NULL};

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
