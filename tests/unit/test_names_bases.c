/* Base directories of names: lists, TMPDIR, a mapped directory, CMake's try_compile. */
#include "names_fixture.h"

TestSuite(names_bases, .init = init, .fini = fini);

Test(names_bases, bases_longest_match_and_nesting)
{
	char *env[] = {"TRITON_CACHE_DIR=/data/cache/triton/0",
	               "TORCHINDUCTOR_CACHE_DIR=/data//cache/", "OTHER=/data", NULL};

	names_init(&names, &arena, 0, "/scratch/job7/", "/more:relative::/", "/data:rel:/:/srv/uu/",
	           env);
	cr_assert_str_eq(path("/data/cache/triton/0/x.ptx"), "@B1/x.ptx");
	cr_assert_str_eq(path("/data/cache/triton/1/x.ptx"), "@B0/triton/1/x.ptx");
	cr_assert_str_eq(path("/data/cache"), "@B0");
	cr_assert_str_eq(path("/data/cachex"), "@B3/cachex");
	cr_assert_str_eq(path("/data"), "@B3");
	cr_assert_str_eq(path("/database/x"), "/database/x");
	cr_assert_str_eq(path("/srv/uu/x"), "@B4/x");
	cr_assert_str_eq(arg("-I/data/cache/inc", 1), "-I@B0/inc");
	cr_assert_str_eq(arg("-DX=/data:/data/cache", 1), "-DX=@B3:@B0");
	cr_assert_eq(names.base_used, 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4);
	/* Bases without /tmp above are no temporary roots; the two others given are. */
	cr_assert_str_eq(arg("/data/cache/tmpab12cd34/x", 1), "@B0/tmpab12cd34/x");
	cr_assert_str_eq(arg("/scratch/job7/tmpab12cd34/x", 1), "/scratch/job7/@T0/x");
	cr_assert_str_eq(arg("/more/tmpab12cd34/x", 1), "/more/@T0/x");
	cr_assert_str_eq(arg("/relative/tmpab12cd34/x", 1), "/relative/tmpab12cd34/x");
	round_trip(&names, "/data/cache/triton/0/x");
	round_trip(&names, "/data/cache//x");
}

Test(names_bases, a_base_is_the_directory_that_holds_the_working_directory)
{
	char *env[] = {"TRITON_CACHE_DIR=/home/u/*", NULL};
	static const struct {
		const char *cwd, *base;
	} rows[] = {{"/home/u/one/build", "/home/u/one"}, {"/home/u/one", "/home/u/one"},
	            {"/home/u", NULL}, {"/home/us/one", NULL}, {"/home", NULL}, {"/", NULL}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		names_init(&names, &arena, 0, NULL, NULL, "/home/u/*:/srv", env);
		names_children(&names, rows[i].cwd);
		if (rows[i].base)
			cr_expect_str_eq(names_base(&names, 3), rows[i].base);
		else
			cr_expect_null(names_base(&names, 3));
		/* The other bases keep their places, and variables keep their values. */
		cr_expect_str_eq(names_base(&names, 4), "/srv");
		cr_expect_str_eq(names_base(&names, 1), "/home/u/*");
	}
	names_init(&names, &arena, 0, NULL, NULL, "/home/u/*", NULL);
	names_children(&names, "/home/u/two/build");
	cr_assert_str_eq(path("/home/u/two/src/a.c"), "@B3/src/a.c");
	cr_assert_str_eq(path("/home/u/one/src/a.c"), "/home/u/one/src/a.c");
	cr_assert_str_eq(path("/home/u/two-more/a.c"), "/home/u/two-more/a.c");
	round_trip(&names, "/home/u/two/src/a.c");
}

Test(names_bases, flashinfers_directory_is_the_last_of_the_list)
{
	char *env[] = {"FLASHINFER_WORKSPACE_BASE=/nodes/7", NULL};

	names_init(&names, &arena, 0, NULL, NULL, "/home/u", env);
	cr_assert_str_eq(path("/nodes/7/.cache/flashinfer/k.o"), "@B3/.cache/flashinfer/k.o");
	cr_assert_str_eq(path("/home/u/a.c"), "@B4/a.c");
	cr_assert_str_eq(path("/nodes/77/k.o"), "/nodes/77/k.o");
}

Test(names_bases, numbered_as_they_occur)
{
	char *env[] = {"TRITON_CACHE_DIR=/home/u/two/cache", NULL};
	static const char list[] = "/home/u/one:/home/u:/home/u/two:/home/u/two/:/home/u/two/build";

	names_init(&names, &arena, 0, NULL, NULL, list, env);
	cr_assert_str_eq(path("/home/u/two/cache/x"), "@B1/x");
	cr_assert_str_eq(path("/home/u/two/build/x"), "@B3/x");
	cr_assert_str_eq(path("/home/u/two/src/x"), "@B4/src/x");
	cr_assert_str_eq(path("/home/u/two/build/y"), "@B3/y");
	cr_assert_str_eq(path("/home/u/three/x"), "@B5/three/x");
	cr_assert_str_eq(path("/home/u/one"), "@B6");
	cr_assert_str_eq(path("/home/u/two"), "@B4");
	cr_assert_str_eq(names_base(&names, 3), "/home/u/two/build");
	cr_assert_str_eq(names_base(&names, 6), "/home/u/one");
	cr_assert_eq(names.base_used, 1u << 1 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6);
	round_trip(&names, "/home/u/two/build/x");
	round_trip(&names, "/home/u/one/x");
	names_init(&names, &arena, 0, NULL, NULL, list, NULL);
	cr_assert_str_eq(path("/home/u/one/src/x"), "@B3/src/x");
	cr_assert_str_eq(path("/home/u/two/src/x"), "@B4/src/x");
}

Test(names_bases, once_listed_no_base_joins)
{
	char *env[] = {"TRITON_CACHE_DIR=/data/cache/triton", NULL};

	names_init(&names, &arena, 0, "/scratch/job7", NULL, "/data:/srv/uu", env);
	names_move_tmpdir(&names, "/scratch/job7");
	cr_assert_str_eq(path("/data/x"), "@B3/x");
	names_close(&names);
	cr_assert_str_eq(path("/data/x"), "@B3/x");
	cr_assert_str_eq(path("/srv/uu/x"), "/srv/uu/x");
	/* The longest listed base counts. */
	cr_assert_str_eq(path("/data/cache/triton/x"), "@B3/cache/triton/x");
	cr_assert_str_eq(path("/scratch/job7/x"), "@B31/x");
	cr_assert_eq(names.base_used, 1u << 3 | 1u << 31);
	round_trip(&names, "/srv/uu/x");
}

Test(names_bases, try_compile)
{
	static const char dir[] = "/home/u/b/CMakeFiles/CMakeScratch/TryCompile-P4nSa3";
	static const struct {
		const char *path;
		size_t len;
	} rows[] = {
		{dir, sizeof dir - 1},
		{"/home/u/b/CMakeFiles/CMakeScratch/TryCompile-P4nSa3/x", sizeof dir - 1},
		{"/b/CMakeFiles/CMakeTmp", 22}, {"/b/CMakeFiles/CMakeTmp/CMakeFiles/x", 22},
		{"/b/CMakeFiles/CMakeTmpx", 0}, {"/b/CMakeFiles/x", 0}, {"/CMakeScratch/x", 0},
		{"/b/CMakeFiles/CMakeFiles/CMakeTmp", 33},
		{"/b/CMakeFiles/CMakeScratch/TryCompile-P4nS", 0},
		{"/b/CMakeFiles/CMakeScratch/TryCompile-P4nSa3x", 0}, {"CMakeFiles/CMakeTmp", 0}};
	struct buf spec = BUF_INIT(&arena);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(name_cmake_len(rows[i].path), rows[i].len, "%s", rows[i].path);
	names_init(&names, &arena, 0, NULL, NULL, NULL, NULL);
	cr_assert_eq(names_set_base(&names, NAME_KIND_TRIED, dir, sizeof dir - 1), 0);
	cr_assert_str_eq(arg("CMakeFiles/cmTC_2d6db.dir/src.c.o", 1), "CMakeFiles/@T0.dir/src.c.o");
	cr_assert_str_eq(arg("cmTC_2d6db", 1), "@T0");
	cr_assert_str_eq(arg("-o/x/cmTC_2d6db/cmTC_00000", 1), "-o/x/@T0/@T1");
	cr_assert_str_eq(arg("-DX=cmTC_2d6db", 1), "-DX=@T0");
	cr_assert_str_eq(arg("-DX=\"cmTC_2d6db\"", 1), "-DX=\"cmTC_2d6db\"");
	cr_assert_str_eq(arg("cmTC_2d6d/cmTC_2d6dg/cmTC_2d6dbb/xcmTC_2d6db", 1),
	                 "cmTC_2d6d/cmTC_2d6dg/cmTC_2d6dbb/xcmTC_2d6db");
	cr_assert_str_eq(path("/home/u/b/CMakeFiles/CMakeScratch/TryCompile-P4nSa3/src.c"),
	                 "@B28/src.c");
	cr_assert_str_eq(path("CMakeFiles//cmTC_2d6db.dir/x"), "CMakeFiles//@T0.dir/x");
	round_trip(&names, "CMakeFiles/cmTC_2d6db.dir/x");
	names_path(&names, "CMakeFiles/cmTC_11111.dir/x", &spec); /* not learnt */
	cr_assert_eq(spec.len, sizeof "CMakeFiles/cmTC_11111.dir/x");
}

Test(names_bases, a_directory_that_the_command_hides)
{
	struct buf spec = BUF_INIT(&arena);
	struct names other;

	names_init(&names, &arena, 0, NULL, NULL, "/home/u:/home/u/one:/home/u/one/deep", NULL);
	cr_assert_eq(names_set_base(&names, NAME_KIND_MAPPED, "/home/u/one/x", 11), 0);
	cr_assert_str_eq(names_base(&names, NAME_KIND_MAPPED), "/home/u/one");
	cr_assert_str_eq(arg("-ffile-prefix-map=/home/u/one=.", 0), "-ffile-prefix-map=@B30=.");
	/* The list holds the same base, and others above and below it. */
	cr_assert_str_eq(path("/home/u/one/a.c"), "@B30/a.c");
	cr_assert_str_eq(path("/home/u/one-more/a.c"), "@B3/one-more/a.c");
	cr_assert_str_eq(path("/home/u/one/deep/a.c"), "@B4/a.c");
	round_trip(&names, "/home/u/one/a.c");
	names_path(&names, "/home/u/one/a.c", &spec);
	names_init(&other, &arena, 0, NULL, NULL, NULL, NULL);
	cr_assert_null(names_resolve(&other, (char *)spec.data, spec.len, &arena));
	cr_assert_eq(names_set_base(&other, NAME_KIND_MAPPED, "/home/u/two-is-longer", 21), 0);
	cr_assert_str_eq(names_resolve(&other, (char *)spec.data, spec.len, &arena),
	                 "/home/u/two-is-longer/a.c");
	cr_assert(names.base_used >> NAME_KIND_MAPPED & 1);
	names_drop_base(&names, NAME_KIND_MAPPED);
	cr_assert_not(names.base_used >> NAME_KIND_MAPPED & 1);
	cr_assert_str_eq(path("/home/u/one/a.c"), "@B5/a.c");
	/* Directories that are too short to be searched for, or have letters that not all programs
	 * write alike. */
	cr_assert_eq(names_set_base(&names, NAME_KIND_MAPPED, "/home/u", 7), -1);
	cr_assert_eq(names_set_base(&names, NAME_KIND_MAPPED, "/home/u v/one", 13), -1);
	cr_assert_null(names_base(&names, NAME_KIND_MAPPED));
}

Test(names_bases, tmpdir_is_a_base_where_it_may_move)
{
	char *env[] = {"TORCHINDUCTOR_CACHE_DIR=/scratch/job7/inductor", NULL};
	struct names other;
	struct buf spec = BUF_INIT(&arena);

	names_init(&names, &arena, 0, "/scratch/job7/", NULL, "/data", env);
	cr_assert_str_eq(path("/scratch/job7/x.ptx"), "/scratch/job7/x.ptx");
	cr_assert_null(names_base(&names, NAME_KIND_TMPDIR));
	names_move_tmpdir(&names, "/scratch/job7/");
	cr_assert_str_eq(names_base(&names, NAME_KIND_TMPDIR), "/scratch/job7");
	cr_assert_str_eq(arg("/scratch/job7/tmpab12cd34.ptx", 1), "@B31/@T0.ptx");
	cr_assert_str_eq(path("/scratch/job7/inductor/x"), "@B0/x");
	cr_assert_str_eq(path("/scratch/job77/x"), "/scratch/job77/x");
	cr_assert_str_eq(path("/data/x"), "@B3/x");
	cr_assert_eq(names.base_used, 1u << 31 | 1u << 0 | 1u << 3);
	round_trip(&names, "/scratch/job7/tmpab12cd34/x");
	names_path(&names, "/scratch/job7/x", &spec);
	names_init(&other, &arena, 0, "/var/tmp/2", NULL, NULL, NULL);
	cr_assert_null(names_resolve(&other, (char *)spec.data, spec.len, &arena));
	names_move_tmpdir(&other, "/var/tmp/2");
	cr_assert_str_eq(names_resolve(&other, (char *)spec.data, spec.len, &arena),
	                 "/var/tmp/2/x");
	/* Values of TMPDIR that could not be exchanged in the tool's messages. */
	names_init(&names, &arena, 0, "/tmp", NULL, NULL, NULL);
	names_move_tmpdir(&names, "/tmp");
	names_move_tmpdir(&names, "relative/tmp");
	names_move_tmpdir(&names, NULL);
	cr_assert_str_eq(path("/tmp/x"), "/tmp/x");
}

Test(names_bases, more_bases_than_fit_leave_tmpdir_its_place)
{
	char list[512] = "/b/x";

	for (int i = 1; i < 40; i++)
		snprintf(list + strlen(list), sizeof list - strlen(list), ":/b/%02d", i);
	names_init(&names, &arena, 0, "/scratch/7", NULL, list, NULL);
	names_move_tmpdir(&names, "/scratch/7");
	cr_assert_str_eq(path("/b/22/x"), "@B3/x");
	cr_assert_str_eq(path("/b/23/x"), "/b/23/x");
	cr_assert_str_eq(path("/scratch/7/x"), "@B31/x");
}

Test(names_bases, base_in_a_generated_directory)
{
	char *env[] = {"TORCHINDUCTOR_CACHE_DIR=/tmp/tmpzz12cd34", NULL};

	names_init(&names, &arena, 0, NULL, NULL, NULL, env);
	cr_assert_str_eq(arg("/tmp/tmpzz12cd34/tmpab12cd34/x.c", 1), "@B0/@T0/x.c");
	cr_assert_eq(names.count, 1);
	round_trip(&names, "/tmp/tmpzz12cd34/tmpab12cd34/x.c");
}
