/* Limits on entries of other nodes: outputs by command line, modes, statuses; candidates. */
#include "judge/output/confine.h"

#include <criterion/criterion.h>

#include "store/entry/candidate.h"

#include "names/bases.h"
#include "scratch.h"
#include "shim/buf.h"
#include "tools/cmdline/response.h"

static struct start here;
static struct start *const a = &here;
static char *no_env[] = {NULL};
static const char *last_why;

static void start(void)
{
	memset(a, 0, sizeof *a);
	a->call.envp = no_env;
	a->call.cwd = "/srv/uu/p";
	a->call.cwd_len = strlen(a->call.cwd);
	names_init(&a->names, &a->arena, 1000, NULL, NULL, NULL, no_env);
	start_prober(a);
	digest_of(&a->k1, "k1", 2);
}

/* A command line in words; every argument learns its names, as for the key. */
static void command(const char *words)
{
	static char copy[4096];
	static char *argv[256];
	static const struct cmdline_reader none = {NULL, NULL};
	int argc = 0;

	start();
	snprintf(copy, sizeof copy, "%s", words);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	argv[argc] = NULL;
	a->row = tool_find(argv[0], "+mytool");
	cr_assert_not_null(a->row, "%s", argv[0]);
	cr_assert_eq(cmdline_expand(&a->cmd, a->row, argc, argv, &none, &a->arena), 0);
	cmdline_classify(&a->cmd, a->row);
	for (int i = 0; i < a->cmd.count; i++) {
		struct buf spec = BUF_INIT(&a->arena);

		names_arg(&a->names, a->cmd.v[i].text, 1, &spec);
	}
}

static struct candidate bound_to_nothing;

/* Whether a result with one output at this spec is let in. */
static int spec_passes(const char *spec, size_t len)
{
	struct result_output o = {.spec = spec, .spec_len = len, .style = WRITE_TRUNCATE,
	                          .mode_kind = MODE_PLAIN, .mode = 0644};
	struct result r = {.out = &o, .out_count = 1};

	last_why = confine_result(a, &bound_to_nothing, &r);
	return last_why == NULL;
}

/* As recorded: relative paths relative, with their names replaced. */
static int passes(const char *path)
{
	struct buf spec = BUF_INIT(&a->arena);

	names_path(&a->names, path, &spec);
	return spec_passes((const char *)spec.data, spec.len);
}

struct row {
	const char *command, *good, *bad; /* paths, in words */
};

static void check_paths(const char *line, const char *paths, int want)
{
	for (const char *p = paths; *p; p += strspn(p, " ")) {
		char path[256];
		size_t n = strcspn(p, " ");

		snprintf(path, sizeof path, "%.*s", (int)n, p);
		cr_expect_eq(passes(path), want, "%s: %s: %s", line, path,
		             last_why ? last_why : "passes");
		p += n;
	}
}

#define ELSEWHERE " /etc/passwd /srv/uu/.bashrc .bashrc ../x.o ../../uu/.profile /srv/uu/p/y.o" \
	" .a.o Makefile a a. a- sub/a.o /tmp/a.o ./a.o a.so a.py a.h main"

static const struct row rows[] = {
	{"gcc -c a.c", "a.o a.d", "a.c b.o a.i a.s a.gcno a.out aa.o a.o.sh" ELSEWHERE},
	{"gcc -c a.c b.c", "a.o b.o", "c.o"},
	{"gcc -c a.c -o obj/x.o", "obj/x.o obj/x.d obj/a.d",
	 "obj/y.o obj/x.c obj/.bashrc x obj obj/" ELSEWHERE},
	{"gcc -c a.c -oobj/x.o", "obj/x.o", "obj/y.o"},
	{"gcc -c a.c -o ./x.o", "x.o", "./x.o"},
	{"gcc -c a.c -o obj//x.o", "obj/x.o obj/x.d", ""},
	{"gcc -c a.c -o ../x.o", "../x.o ../x.d", "../y.o ../../x.o"},
	{"gcc -c a.c -o /abs/x.o", "/abs/x.o /abs/x.d a.o", "/abs/y.o /abs/../etc/x.o /x.o"},
	{"gcc -c src/a.c", "a.o a.d", "src/a.o src/a.d src/a.h src/a.c"},
	{"gcc -c /usr/include/a.c", "a.o", "/usr/include/a.o /usr/include/a.c /usr/include/a.d"},
	{"gcc -c a.c -MD -MF deps/a.dep", "deps/a.dep a.o deps/a.d", "deps/b.dep"},
	{"gcc -c a.c -MFdeps/a.dep", "deps/a.dep", ""},
	{"gcc -c a.c -Wp,-MD,deps/x.d", "deps/x.d a.o", "deps/y.d deps"},
	{"gcc -c a.c -MD -MT /etc/passwd", "a.o a.d", "/etc/passwd"},
	{"gcc -c a.c -DX=/etc/passwd", "a.o", "/etc/passwd"},
	{"gcc -c a.c -include /etc/a.h", "a.o", "/etc/a.h /etc/a.d"},
	{"gcc -c a.c -I/usr/lib", "a.o", "/usr/lib/a.o"},
	{"gcc -S a.c", "a.s", "a.i a.S"},
	{"gfortran -c a.f90", "a.o shapes.mod shapes.smod a@b.smod",
	 "a.f90 Shapes.mod go.sum .mod sub/shapes.mod /etc/shapes.mod ../shapes.mod"},
	{"gfortran -J mods -c a.f90", "a.o mods/shapes.mod",
	 "shapes.mod mods/shapes.f90 other/shapes.mod mods/x/shapes.mod"},
	{"gfortran -Jmods/ -c a.f90", "mods/shapes.mod", "shapes.mod"},
	{"gcc -c a.c -o b.o", "b.o", "shapes.mod"},
	{"rustc --crate-type lib a.rs", "liba.rlib liba.rmeta a.d a.o liba.so",
	 "a a.rs liba b.d liba.rlib.sh sub/liba.rlib .bashrc"},
	{"rustc my-app.rs", "my_app my-app libmy_app.rmeta my_app.d",
	 "my_app.rs my_appx /abs/my_app"},
	{"rustc --crate-name a --out-dir d -C extra-filename=-1 x.rs",
	 "d/liba-1.rlib d/a-1.d d/a-1", "d/a d/x-1 liba-1.rlib d/liba.rlib d/../a-1.d"},
	{"rustc --crate-name library --crate-type=rlib --out-dir=d/ x.rs",
	 "d/liblibrary.rlib d/library.d", "d/library d/rary.d"},
	{"rustc -o out/x --emit=link,dep-info a.rs", "out/x out/x.d", "out/b.d out/y y.d"},
	{"rustc --emit=obj=q.o,dep-info=deps/q.dep a.rs", "q.o deps/q.dep", "r.o deps/r.dep"},
	{"gcc -save-temps -c a.c", "a.o a.i a.s", "a.c a.h b.i"},
	{"gcc --coverage -c a.c -o obj/x.o", "obj/x.gcno obj/x.o", "obj/x.i x.c"},
	{"gcc -O2 -fdump-tree-all -c a.c", "a.c.005t.original a.c.243r.expand",
	 "a.c.5t.original b.c.005t.x"},
	{"gcc -O2 -fdump-tree-all -dumpdir d/ -c a.c", "d/a.c.005t.x a.o",
	 "d/a.c d/b.c.005t.x e/a.o"},
	{"gcc -fsave-optimization-record -c a.c", "a.c.opt-record.json.gz", "a.json.gz.py"},
	{"gcc -fstack-usage -c a.c", "a.su", ""},
	{"gcc a.c", "a.out a-x.o", "a.in b.out"},
	{"gcc a.o b.o -o prog -Wl,-Map=out/prog.map", "prog out/prog.map prog.o",
	 "c.out out/x.map"},
	{"gcc a.o -Wl,-Map,x.map,--gc-sections", "x.map", ""},
	{"gcc a.h", "a.h.gch", "a.h b.h.gch"},
	{"gcc inc/a.h", "inc/a.h.gch", "inc/a.h inc/b.h.gch inc/a.o"},
	{"clang -emit-llvm -c a.c", "a.bc", "a.py"},
	{"clang -c a.c -ftime-trace", "a.json a.o", ""},
	{"clang -c a.c --serialize-diagnostics d/x.dia", "d/x.dia a.o", "d/y.dia"},
	{"cc1 a.c", "a.s", "a.c a.h"},
	{"as x.s", "a.out", "x.s"},
	{"as x.s -o x.o", "x.o", "x.s y.o"},
	{"ld a.o -o prog", "prog", "a.c other a.h"},
	{"ar rcs libx.a a.o b.o", "libx.a", "a.c liby.a"},
	{"ptxas k.ptx -o k.cubin", "k.cubin", "j.cubin"},
	{"ptxas k.ptx", "elf.o", "elf.x"},
	{"mytool in out", "out", "other in.c out.h"},
	{"mytool --to=dir/out -xother", "dir/out other", "dir/out2"},
};

Test(confine, outputs_by_command_line)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		command(rows[i].command);
		check_paths(rows[i].command, rows[i].good, 1);
		check_paths(rows[i].command, rows[i].bad, 0);
	}
}

/* A file that exists and that argv names: its content is keyed, and no known tool overwrites it. */
Test(confine, primary_inputs_are_not_overwritten)
{
	struct primary p = {.path = "./k.ptx"};

	command("ptxas k.ptx -o k.cubin");
	a->primaries.v = &p;
	a->primaries.count = 1;
	cr_expect(passes("k.cubin"));
	cr_expect(!passes("k.ptx"));
	command("gcc -c a.c x.d");
	p.path = "x.d";
	a->primaries.v = &p;
	a->primaries.count = 1;
	cr_expect(!passes("x.d"));
	command("mytool out");
	p.path = "out";
	a->primaries.v = &p;
	a->primaries.count = 1;
	cr_expect(passes("out"), "of a tool nobody described");
}

Test(confine, volatile_names_stand_for_this_runs)
{
	static const char spec[] = "A/tmp/\1T0/out.o", other[] = "A/tmp/\1T1/out.o",
		beside[] = "A/tmp/\1T0/out.sh";

	command("gcc -c /tmp/tmpabcdefgh/a.c -o /tmp/tmpabcdefgh/out.o");
	cr_assert_eq(a->names.count, 1);
	cr_expect(spec_passes(spec, sizeof spec - 1));
	cr_expect(!spec_passes(other, sizeof other - 1), "a name that is not there");
	cr_expect(!spec_passes(beside, sizeof beside - 1));
	cr_expect(passes("/tmp/tmpabcdefgh/out.d"));
	cr_expect(!passes("/tmp/tmpabcdefgi/out.o"));
}

Test(confine, odd_specs)
{
	static const char *const bad[] = {"", "C", "A", "C.", "C..", "A/", "C/etc/passwd", "X/x.o",
		"Ca.o/", "C\1", "C\1T",
		"C\1T9/a.o", "Ca.o\1", "C../p/a.o", "A/srv/uu/p/a.o", "C/", "C//a.o"};
	char longest[5000];

	command("gcc -c a.c");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect(!spec_passes(bad[i], strlen(bad[i])), "%s", bad[i]);
	memset(longest, 'a', sizeof longest);
	longest[0] = 'C';
	memcpy(longest + sizeof longest - 2, ".o", 2);
	cr_expect(!spec_passes(longest, sizeof longest));
}

/* Under --coverage and -gsplit-dwarf a relative name is also used in its absolute form. */
Test(confine, absolute_names_in_the_cwd)
{
	struct input in = {.kind = INPUT_CWD, .spec = "", .text = "A/srv/uu/p", .size = 9};
	struct candidate c = {.v = &in, .count = 1};
	struct result_output o = {.spec = "A/srv/uu/p/main.gcno", .spec_len = 20,
	                          .mode_kind = MODE_PLAIN};
	struct result r = {.out = &o, .out_count = 1};

	command("clang --coverage -c main.c");
	cr_expect(!passes("/srv/uu/p/main.gcno"), "it holds elsewhere, too");
	digest_of(&in.value, "A/srv/uu/p", 10);
	cr_expect_null(confine_result(a, &c, &r));
	in.type = 1;
	cr_expect_not_null(confine_result(a, &c, &r), "any cwd of that length");
	in.type = 0;
	digest_of(&in.value, "A/srv/uu/q", 10);
	cr_expect_not_null(confine_result(a, &c, &r), "another cwd");
	digest_of(&in.value, "A/srv/uu/p", 10);
	o.spec = "A/srv/uu/p/.bashrc";
	o.spec_len = strlen(o.spec);
	cr_expect_not_null(confine_result(a, &c, &r));
	o.spec = "A/srv/uu/pp/main.gcno";
	o.spec_len = strlen(o.spec);
	cr_expect_not_null(confine_result(a, &c, &r));
}

Test(confine, variables_that_name_outputs)
{
	char *env[] = {"DEPENDENCIES_OUTPUT=deps/all target", "OTHER=/etc/passwd", NULL};

	command("gcc -c a.c");
	cr_expect(!passes("deps/all"));
	a->call.envp = env;
	cr_expect(passes("deps/all"));
	cr_expect(!passes("/etc/passwd"));
	cr_expect(!passes("target"));
}

Test(confine, modes_statuses_sizes)
{
	static const unsigned bad[] = {04755, 02755, 01777, 06644, 07777};
	struct result_output o = {.spec = "Ca.o", .spec_len = 4, .mode_kind = MODE_EXACT,
	                          .mode = 0777};
	struct result r = {.out = &o, .out_count = 1};

	command("gcc -c a.c");
	cr_expect_null(confine_result(a, &bound_to_nothing, &r));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		o.mode = bad[i];
		cr_expect_not_null(confine_result(a, &bound_to_nothing, &r), "%o", bad[i]);
	}
	o.mode = 0644;
	r.exit_status = 1;
	cr_expect_not_null(confine_result(a, &bound_to_nothing, &r));
	r.exit_status = 0;
	o.len = CONFINE_BYTES_MAX;
	cr_expect_null(confine_result(a, &bound_to_nothing, &r));
	o.len++;
	cr_expect_not_null(confine_result(a, &bound_to_nothing, &r));
	o.len = 0;
	r.wall_ns = CONFINE_WALL_MAX;
	cr_expect_null(confine_result(a, &bound_to_nothing, &r));
	r.wall_ns++;
	cr_expect_not_null(confine_result(a, &bound_to_nothing, &r));
	command("ptxas k.ptx -o k.cubin");
	r = (struct result){.exit_status = 255};
	cr_expect_null(confine_result(a, &bound_to_nothing, &r),
	               "ptxas fails in the same way each time");
}

static struct candidate candidate(struct input *v, size_t n)
{
	struct candidate c = {.v = v, .count = n};

	candidate_result_key(&c, &a->k1, &c.result);
	return c;
}

static const char *judged(struct input *v, size_t n)
{
	struct candidate c = candidate(v, n);

	return confine_candidate(a, &c, &c.result);
}

Test(confine, a_candidate_leads_to_its_own_result)
{
	struct input in = {.kind = INPUT_ENV, .spec = "X", .spec_len = 1};
	struct bound_name name = {'T', 0, "tmpabcdefgh", 11, 0};
	struct digest other;
	struct candidate c;

	command("gcc -c a.c");
	c = candidate(&in, 1);
	cr_expect_null(confine_candidate(a, &c, &c.result));
	digest_of(&other, "another result", 14);
	cr_expect_not_null(confine_candidate(a, &c, &other));
	c.result = other;
	cr_expect_not_null(confine_candidate(a, &c, &other));
	/* Of other inputs, of other names, or of another action. */
	c = candidate(&in, 1);
	c.name = &name;
	c.name_count = 1;
	cr_expect_not_null(confine_candidate(a, &c, &c.result));
	c = candidate(&in, 1);
	in.type = 1;
	cr_expect_not_null(confine_candidate(a, &c, &c.result));
	c = candidate(&in, 1);
	digest_of(&a->k1, "k2", 2);
	cr_expect_not_null(confine_candidate(a, &c, &c.result));
}

Test(confine, sets_of_absent_names_are_what_their_digest_says)
{
	const char *names[] = {"x.h", "y.h"};
	struct input in = {.kind = INPUT_ABSENT, .spec = "A/usr/include", .spec_len = 14,
	                   .names = names,
	                   .name_count = 2};

	command("gcc -c a.c");
	digest_of(&in.value, "x.h\0y.h\0", 8);
	cr_expect_null(judged(&in, 1));
	in.name_count = 1; /* the memo would confirm y.h without a look */
	cr_expect_not_null(judged(&in, 1));
	in.name_count = 0;
	cr_expect_not_null(judged(&in, 1));
}

Test(confine, special_files_are_not_read)
{
	/* All inputs that are read or digested. */
	static const unsigned char kinds[] = {INPUT_FILE, INPUT_PROGRAM, INPUT_REAL_FILE,
	                                      INPUT_DIRECTORY};
	static const char *const bad[] = {"A/proc/kcore", "A/proc", "A/sys/kernel/x", "A/dev/zero",
		"A/usr/../proc/kcore",
		"C../../../proc/kcore", "A//proc//kcore", "A/./dev/zero", "A/../../dev/zero",
		"A/a/b/../../dev/x"};
	static const char *const good[] = {"A/usr/include/stdio.h", "Ca.h", "C../dev/x.h",
	                                   "A/process/x", "A/srv/uu/proc/x"};

	command("gcc -c a.c");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		for (size_t k = 0; k < sizeof kinds; k++) {
			struct input in = {.kind = kinds[k], .spec = bad[i],
			                   .spec_len = strlen(bad[i])};

			cr_expect_not_null(judged(&in, 1), "%s as input of kind %d", bad[i],
			                   kinds[k]);
		}
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct input in = {.kind = INPUT_FILE, .spec = good[i],
		                   .spec_len = strlen(good[i])};

		cr_expect_null(judged(&in, 1), "%s", good[i]);
	}
}

/* Before the working directory is known. */
Test(confine, special_files_are_not_read_from_any_directory)
{
	static const char *const bad[] = {"A/proc/kcore", "A/usr/../proc/kcore",
		"C../../../../proc/kcore", "C../dev/zero", "Ca/../../sys/x",
		"A\x01T0/../../proc/x", "C\x01T0/../x"};
	static const char *const good[] = {"A/usr/include/stdio.h", "Ca.h", "Cproc/x.h",
	                                   "C../inc/dev/x.h", "C./sys/types.h", "A\x01T0/x"};

	command("gcc -c a.c");
	for (size_t i = 0; i < sizeof bad / sizeof *bad + sizeof good / sizeof *good; i++) {
		size_t is_bad = i < sizeof bad / sizeof *bad;
		const char *spec = is_bad ? bad[i] : good[i - sizeof bad / sizeof *bad];
		struct input in = {.kind = INPUT_FILE, .spec = spec, .spec_len = strlen(spec)};
		struct candidate c = candidate(&in, 1);

		cr_expect_eq(foreign_fetched(&a->k1, &c, &a->arena) != NULL, is_bad, "%s", spec);
	}
}

Test(confine, reading_has_a_bound)
{
	struct input in[20];
	char spec[20][256];

	scratch_make();
	command("gcc -c a.c");
	for (int i = 0; i < 20; i++) {
		snprintf(spec[i], sizeof spec[i], "A%s/f%d", scratch_dir, i);
		scratch_write(path_base(spec[i]), "");
		cr_assert_eq(truncate(spec[i] + 1, 1ll << 30), 0);
		in[i] = (struct input){.kind = i % 2 ? INPUT_REAL_FILE : INPUT_FILE,
		                       .spec = spec[i],
		                       .spec_len = strlen(spec[i])};
	}
	cr_expect_null(judged(in, 4));
	cr_expect_not_null(judged(in, 20));
	scratch_remove();
}

/* Probes of something that is no regular file: no read, no wait. */
Test(confine, probes_refuse_what_is_no_file)
{
	struct digest d;

	scratch_make();
	command("gcc -c a.c");
	cr_assert_eq(mkfifo(scratch("fifo"), 0600), 0);
	cr_expect_lt(probe_file(&a->prober, scratch("fifo"), &d, NULL), 0);
	cr_expect_lt(probe_file(&a->prober, "/dev/zero", &d, NULL), 0);
	cr_expect_lt(probe_file(&a->prober, scratch_dir, &d, NULL), 0);
	scratch_remove();
}

/* Where a link in the last place is followed. */
Test(confine, asked_for)
{
	command("gcc -c a.c -o obj/x.o -MD -MF obj/x.d");
	cr_expect(confine_asked_for(a, "obj/x.o"));
	cr_expect(confine_asked_for(a, "obj/x.d"));
	cr_expect(!confine_asked_for(a, "obj/x.su"));
	cr_expect(!confine_asked_for(a, "a.c"));
	cr_expect(!confine_asked_for(a, "x.d"));
	command("gcc -c a.c -MD");
	cr_expect(confine_asked_for(a, "a.o"));
	cr_expect(!confine_asked_for(a, "a.d"));
	command("gcc -S a.c");
	cr_expect(confine_asked_for(a, "a.s"));
	cr_expect(!confine_asked_for(a, "b.s"));
	command("gcc a.c");
	cr_expect(confine_asked_for(a, "a.out"));
}
