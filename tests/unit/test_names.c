/* Names that change from run to run: shapes, arguments, paths, round trips. */
#include "names_fixture.h"

#include "names/names.h"

TestSuite(names, .init = init, .fini = fini);

Test(names, scratch)
{
	static const struct {
		const char *text;
		int is;
	} table[] = {
		{"ccAbCdEf", 1}, {"ccabcdef.s -o x", 1}, {"ccabcdef\"", 1}, {"ccabcde", 0},
		{"ccabcdefg", 0}, {"ccabcd_f.s", 0},
		{"cc", 0}, {"", 0}, {"m-4fd87e.o", 1}, {"a-b-000000.s", 1}, {"m-4fd87e", 0},
		{"m-4fd87.o", 0}, {"m-4fd87e0.o", 0},
		{"m-4FD87E.o", 0}, {"m /a-4fd87e.o", 0}, {"m:a-4fd87e.o", 0}, {"include/x.h", 0},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_eq(name_is_scratch(table[i].text, strlen(table[i].text)), table[i].is,
		             "%s", table[i].text);
	cr_expect_eq(name_is_scratch("ccAbCdEf", 7), 0);
	cr_expect_eq(name_is_scratch("m-4fd87e.o", 8), 0);
}

Test(names, shapes)
{
	static const struct {
		const char *text;
		int is;
	} table[] = {
		{"tmpab12cd34", 1}, {"tmpabcdefgh", 1}, {"tmp_a_b_c_d", 1}, {"tmpABCDEFGH", 0},
		{"tmpab12cd3", 1}, {"tmpcheckout", 1}, {"tmpbuild", 0}, {"tmpbuildtree", 0},
		{"tmp.AbCdEfGhIj", 1}, {"tmp.abcdef", 1}, {"tmp.abcde", 0}, {"tmp.abc-def", 0},
		{"tmpxft_0000abcd_00000000", 1}, {"tmpxft_0000abcd_", 0},
		{"tmpxft_0000abcd_00000000-6_x", 0}, {"tmpxft_0000abcd_00000000-16", 1},
		{"tmpxft_0000abcd_00000000-", 0}, {"ccAbCdEf", 1}, {"cca1b2c3", 1},
		{"ccabcdef", 1}, {"cc123456", 1}, {"ccabcdefg", 0}, {"ccabcde_", 0}, {"ccache", 0},
		{"cc12", 0}, {"sm_80", 0}, {"mybuild", 0},
		{"checkout", 0}, {"my-checkout", 0}, {"torchinductor_root", 0},
		{"torchinductor_user01", 0}, {"torchinductor_aB3dE6", 0}, {"project2024", 0},
		{"release_user01", 0}, {"build-x-6e9a1b", 1},
		{"mlir-kernels-nvptx64-nvidia-cuda-sm_90a-92e463", 1},
		{"mlir-kernels-nvptx64-nvidia-cuda-sm_90a.92e463", 0}, {"build-x-123456", 1},
		{"build-x-facade", 1}, {"pip-install-k3x9q_ab", 1},
		{"pip-build-env-abcdefgh", 1}, {"pip-install-Abcdefgh", 0}, {"pip-abc", 0},
		{"pip-install", 0},
		{"build-via-sdist-abcdefgh", 1}, {".tmp-propcache-pep517-abcdefgh", 1},
		{".tmp-some-longer-name-pep517-ab12cd_4", 1},
		{"my-some-longer-name-pep517-ab12cd_4", 0},
		{"numpy_5b9c0ad412344321aaaa0123456789ab", 1},
		{"numpy_5b9c0ad412343321aaaa0123456789ab", 0},
		{"numpy_5b9c0ad412345321caaa0123456789ab", 0},
		{"numpy_5b9c0ad452345321aaaa0123456789ab", 0},
		{"_5b9c0ad412344321aaaa0123456789ab", 0}, {".mesonpy-abcdefgh", 1},
		{"pip_install_abcdefgh", 0}, {"a6e9a1b", 0}, {"pa6e9a1b", 1},
		{".tmpAb12Cd", 1}, {".tmpabcdef", 1}, {".tmpabcde_", 0}, {".tmpabcdefg", 0},
		{"5b9c0ad4-1234-4321-aaaa-0123456789ab", 1},
		{"5B9C0AD4-1234-4321-AAAA-0123456789AB", 1},
		{"5b9c0ad4-1234-4321-aaaa_0123456789ab", 0}, {"V1StGXR8_Z5jdHi6B-myT", 1},
		{"v1stgxr8_z5jdhi6b-myt", 0},
		{"gemm_1732900000000", 1}, {"build-4194304", 1}, {"build-12345", 0},
		{"mojo_archive-0a1b2c3", 1}, {"mojo_archive-abc1234", 1},
		{"mojo_archive-abc123456", 0}, {"tempfile_Ab12Cd", 1},
		/* as scripts of linkers look for them */
		{"cccrtend", 0}, {"tmpcrtbegin", 0}, {"1732900000crtendS", 0},
		{"go-build2024", 0}, {"gemm_128_7168_64_1732900000000_12345", 1},
		/* Inductor's content hashes and hex digests are the same in every run. */
		{"cab3kq2lcodzxyb7sj5kqv2wxyzt6ahfm4l2fobwyhcmv5h7q3d", 0},
		{"d41d8cd98f00b204e9800998ecf8427e", 0}, {"", 0}, {"a.b1C2d3", 0},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_eq(name_is_volatile(table[i].text, strlen(table[i].text)), table[i].is,
		             "%s", table[i].text);
}

Test(names, shapes_that_count_anywhere)
{
	static const struct {
		const char *text;
		int is;
	} table[] = {
		{"cmTC_2d6db", 1}, {"cmTC_2d6d", 0}, {".tmpAb12Cd", 1}, {"tmpab12cd34", 0},
		{"5b9c0ad4-1234-4321-aaaa-0123456789ab", 1}, {"V1StGXR8_Z5jdHi6B-myT", 1},
		{"MyLongProjectNameHere", 0}, {"connQx3Rt7", 0}, {"pip-build-env-abcdefgh", 0},
		{"4711-0a1b2c3d-11223344-deadbeef", 1}, {"1-0a1b2c3d-11223344-deadbeef", 1},
		{"4711-0a1b2c3d-11223344-deadbee", 0}, {"-0a1b2c3d-11223344-deadbeef", 0},
		{"12345678-0a1b2c3d-11223344-deadbeef", 0}, {"4711-0a1b2c3d-11223344", 0},
		{"4711-0a1b2c3d_11223344-deadbeef", 0}, {"a711-0a1b2c3d-11223344-deadbeef", 0},
		{"4711-0A1b2c3d-11223344-deadbeef", 0}, {"0-0a1b2c3d-11223344-deadbeef", 0},
		{"gemm_1732900000000", 0}, {".mesonpy-abcdefgh", 1}, {".mesonpy-abcdefg", 0},
		{".mesonpy-abcdefg-", 0}, {"tempfile_abcdef", 1}, {"tempfile_abcde", 0},
		{"tempfile_abcde_", 0},
		{"gemm_1732900000000_1", 1},
		{"gemm_128_7168_64_1732900000000_999999", 1}, {"gemm_1732900000000_", 0},
		{"_1732900000000_12", 0}, {"gemm_173290000000_12", 0},
		{"gemm_17329000000001_12", 0}, {"gemm_1732900000000_1234567890", 0},
		{"gemm_0732900000000_12", 0}, {"gemm-1732900000000_12", 0},
		{"V1StGXR8_5jdHcrtbegin", 0},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_eq(name_is_unique(table[i].text, strlen(table[i].text)), table[i].is,
		             "%s", table[i].text);
}

static const char *random_text(char *out, const char *alphabet, size_t n)
{
	static unsigned long long seed = 1;

	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		out[i] = alphabet[(seed >> 33) % strlen(alphabet)];
	}
	out[n] = '\0';
	return out;
}

/* Each random name of a tool that builds Python packages counts, whatever its characters are. */
Test(names, random_names)
{
	static const char python[] = "abcdefghijklmnopqrstuvwxyz0123456789_",
	                  rust[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	                  nano[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                           "_-";
	static const struct {
		const char *before, *alphabet;
		size_t n;
	} table[] = {
		{"tmp", python, 8}, {"pip-req-build-", python, 8}, {"pip-install-", python, 8},
		{"pip-build-env-", python, 8}, {"pip-ephem-wheel-cache-", python, 8},
		{"build-env-", python, 8}, {"build-via-sdist-", python, 8},
		{".tmp-propcache-pep517-", python, 8}, {".mesonpy-", python, 8},
		{"cibw-run-", python, 8}, {".tmp", rust, 6}, {"/uv/archive-v0/", nano, 21},
		{"/uv/sdists-v9/pypi/x/1.0/", nano, 21},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		for (int k = 0; k < 2000; k++) {
			size_t before = strlen(table[i].before);
			char name[64];

			strcpy(name, table[i].before);
			random_text(name + before, table[i].alphabet, table[i].n);
			cr_expect(table[i].n == 21 ? name_is_uv(name, before, table[i].n)
			                           : name_is_volatile(name, strlen(name)),
			          "%s", name);
		}
}

/* Without a digit it counts below a directory of uv's cache alone. */
Test(names, names_in_the_cache_of_uv)
{
	static const struct {
		const char *before, *name;
		int is;
	} table[] = {
		{"/c/uv/archive-v0/", "tCYLJLsNSYZfLOqsVmWIc", 1},
		{"archive-v0/", "tCYLJLsNSYZ-LOqs_mWIc", 1},
		{"/c/uv/sdists-v9/pypi/x/1.0/", "tCYLJLsNSYZfLOqsVmWIc", 1},
		{"/c/uv/archive-v12/", "V1StGXR8_Z5jdHi6B-myT", 1},
		{"/c/uv/archive-v0/", "tCYLJLsNSYZfLOqsVmWI", 0},
		{"/c/uv/archive-v0/", "backports-entry-point", 0},
		{"/c/uv/archive-v/", "tCYLJLsNSYZfLOqsVmWIc", 0},
		{"/c/uv/archive-v0b/", "tCYLJLsNSYZfLOqsVmWIc", 0},
		{"/c/uv/my-archive-v0/", "tCYLJLsNSYZfLOqsVmWIc", 0},
		{"/c/uv/", "tCYLJLsNSYZfLOqsVmWIc", 0}, {"", "tCYLJLsNSYZfLOqsVmWIc", 0},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		char path[128];

		snprintf(path, sizeof path, "%s%s/src", table[i].before, table[i].name);
		cr_expect_eq(name_is_uv(path, strlen(table[i].before), strlen(table[i].name)),
		             table[i].is, "%s", path);
	}
}

Test(names, tokens)
{
	static const struct {
		const char *text;
		size_t len;
	} table[] = {
		{"tmpab12cd34.ptx.o", 11}, {"tmpab12cd34", 11}, {".tmpab12cd34", 12},
		{".tmpAb12Cd.c", 10}, {".", 1},
		{"tmp.AbCdEfGhIj", 14}, {"tmp.AbCdEfGhIj.c", 3},
		{"tmpxft_0000abcd_00000000-6_x.ptx", 26},
		{"tmpxft_0000abcd_00000000-12_x.ptx", 27}, {"tmpxft_0000abcd_00000000-x.ptx", 24},
		{"", 0}, {"x", 1},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_eq(name_token(table[i].text, strlen(table[i].text)), table[i].len, "%s",
		             table[i].text);
}

Test(names, arguments)
{
	static const struct {
		const char *text, *spec;
	} table[] = {
		{"/tmp/tmpab12cd34.ptx", "/tmp/@T0.ptx"},
		{"/tmp/tmpab12cd34.ptx.o", "/tmp/@T0.ptx.o"},
		{"-arch=sm_80", "-arch=sm_80"},
		{"/tmp/sm_80", "/tmp/sm_80"},
		{"/tmp/sm_80/k.cu", "/tmp/sm_80/k.cu"},
		{"tmpab12cd34", "tmpab12cd34"},
		{"-DX=tmpab12cd34", "-DX=tmpab12cd34"},
		{"/src/tmpab12cd34/a.c", "/src/tmpab12cd34/a.c"},
		{"/tmp/torchinductor_root/ab/cabc.cpp", "/tmp/torchinductor_root/ab/cabc.cpp"},
		{"/tmp/torchinductor_root/tmpzz12cd34/ab/cabc.cpp",
		 "/tmp/torchinductor_root/@T1/ab/cabc.cpp"},
		{"/tmp/tmpxft_0000abcd_00000000-6_x.ptx", "/tmp/@T2_x.ptx"},
		{"/tmp/ccAbCdEf.o", "/tmp/@T3.o"},
		{"/tmp/tmp.AbCdEfGhIj/main.c", "/tmp/@T4/main.c"},
		{"-I/tmp/tmpabcdefgh", "-I/tmp/@T5"},
		{"-isystem/tmp/tmpabcdefgh/inc", "-isystem/tmp/@T5/inc"},
		{"-o/tmp/tmpabcdefgh/x", "-o/tmp/@T5/x"},
		{"--out=/tmp/tmpabcdefgh", "--out=/tmp/@T5"},
		{"-Wl,-rpath,/tmp/tmpabcdefgh/lib", "-Wl,-rpath,/tmp/@T5/lib"},
		{"-Wl,-rpath,/usr/lib:/tmp/tmpabcdefgh:/tmp/ccAbCdEf/",
		 "-Wl,-rpath,/usr/lib:/tmp/@T5:/tmp/@T3/"},
		{"-ffile-prefix-map=/tmp/tmpabcdefgh=/x", "-ffile-prefix-map=/tmp/@T5=/x"},
		{"@/tmp/ccAbCdEf", "@/tmp/@T3"},
		{"-DPATH=\"/tmp/tmpabcd1234\"", "-DPATH=\"/tmp/tmpabcd1234\""},
		{"-DPATH=\\\"/tmp/tmpabcd1234\\\"", "-DPATH=\\\"/tmp/tmpabcd1234\\\""},
		{"-DPATH=\"/a:/tmp/tmpabcd1234\"", "-DPATH=\"/a:/tmp/tmpabcd1234\""},
		{"/tmp/mybuild/a.c", "/tmp/mybuild/a.c"},
		{"/tmp/checkout", "/tmp/checkout"},
		{"/tmp/my-checkout/tmp", "/tmp/my-checkout/tmp"},
		{"/tmpx/tmpab12cd34", "/tmpx/tmpab12cd34"},
		{"/tmp//tmpab12cd34//x", "/tmp//@T0//x"},
		{"/tmp/xtmpab12cd34", "/tmp/@T6"},
		{"/var/tmp/tmpab12cd34/tmpzz12cd34/tmpab12cd34", "/var/tmp/@T0/@T1/@T0"},
		{"/dev/shm/tmpab12cd34", "/dev/shm/@T0"},
		{"/run/user/1000/tmpab12cd34", "/run/user/1000/@T0"},
		{"/run/user/100/tmpab12cd34", "/run/user/100/tmpab12cd34"},
		{"/tmp/tmpab12cd34.\x01" "T0", "/tmp/@T0.\\x01T0"},
		{"\x01", "\\x01"},
		{"-\x01=/tmp/tmpab12cd34", "-\\x01=/tmp/@T0"},
		{"", ""}, {"/", "/"}, {"-", "-"}, {"/tmp", "/tmp"}, {"-I", "-I"},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_assert_str_eq(arg(table[i].text, 1), table[i].spec, "%s: %s", table[i].text,
		                 arg(table[i].text, 0));
	cr_assert_eq(names.count, 7);
	cr_assert(!names.overflow);
}

Test(names, quoted_argument_teaches_nothing)
{
	arg("-DPATH=\"/tmp/tmpabcd1234\"", 1);
	cr_assert_eq(names.count, 0);
	cr_assert_str_eq(arg("-DX='/tmp/tmpabcd1234'", 1), "-DX='/tmp/tmpabcd1234'");
	cr_assert_eq(names.count, 0);
}

Test(names, paths_know_only_what_arguments_taught)
{
	cr_assert_str_eq(path("/tmp/tmpab12cd34/a.h"), "/tmp/tmpab12cd34/a.h");
	arg("/tmp/tmpab12cd34.c", 1);
	cr_assert_str_eq(path("/tmp/tmpab12cd34/a.h"), "/tmp/@T0/a.h");
	cr_assert_str_eq(path("/tmp/tmpab12cd34.c.o"), "/tmp/@T0.c.o");
	cr_assert_str_eq(path("/tmp/tmpab12cd35/a.h"), "/tmp/tmpab12cd35/a.h");
	/* A known name, but not below a temporary root, or not a complete token. */
	cr_assert_str_eq(path("/src/tmpab12cd34/a.h"), "/src/tmpab12cd34/a.h");
	cr_assert_str_eq(path("/tmp/tmpab12cd34x/a.h"), "/tmp/tmpab12cd34x/a.h");
	cr_assert_str_eq(path("tmp/tmpab12cd34/a.h"), "tmp/tmpab12cd34/a.h");
	cr_assert_str_eq(arg("/tmp/tmpzz12cd34", 0), "/tmp/tmpzz12cd34");
	cr_assert_eq(names.count, 1);
}

Test(names, resolves_under_other_names)
{
	struct names other;
	struct buf spec = BUF_INIT(&arena);
	char *env_a[] = {"TRITON_CACHE_DIR=/a/b", NULL}, *env_b[] = {"TRITON_CACHE_DIR=/c", NULL};

	names_init(&names, &arena, 0, NULL, NULL, NULL, env_a);
	names_init(&other, &arena, 0, NULL, NULL, NULL, env_b);
	struct buf skip = BUF_INIT(&arena);
	names_arg(&names, "/tmp/tmpab12cd34.ptx", 1, &skip);
	names_arg(&other, "/tmp/tmpzz12cd34.ptx", 1, &skip);
	names_path(&names, "/a/b/c", &spec);
	cr_assert_str_eq(names_resolve(&other, (char *)spec.data, spec.len, &arena), "/c/c");
	spec.len = 0;
	names_path(&names, "/tmp/tmpab12cd34.ptx.o", &spec);
	cr_assert_str_eq(names_resolve(&other, (char *)spec.data, spec.len, &arena),
	                 "/tmp/tmpzz12cd34.ptx.o");
}

static const char *env(const char *value, int quoted)
{
	struct buf out = BUF_INIT(&arena);

	names_env(&names, value, quoted, &out);
	cr_assert(!out.failed);
	return names_print((const char *)out.data, out.len, &arena);
}

Test(names, words_of_collect_gcc_options)
{
	arg("/tmp/tmpab12cd34/a.so", 1);
	cr_assert_str_eq(env("'-shared' '-o' '/tmp/tmpab12cd34/a.so' '-I/tmp/tmpab12cd34'", 1),
	                 "'-shared' '-o' '/tmp/@T0/a.so' '-I/tmp/@T0'");
	/* A name that no argument has stays, and so does text that an argument quotes. */
	cr_assert_str_eq(env("'/tmp/tmpzz12cd34' '-DP=\"/tmp/tmpab12cd34\"'", 1),
	                 "'/tmp/tmpzz12cd34' '-DP=\"/tmp/tmpab12cd34\"'");
	cr_assert_str_eq(env("'-DP='\\''/tmp/tmpab12cd34'\\'''", 1), "'-DP='\\''/tmp/@T0'\\'''");
	cr_assert_str_eq(env("'unended", 1), "'unended");
	cr_assert_str_eq(env("'/tmp/tmpab12cd34'", 0), "'/tmp/tmpab12cd34'");
	cr_assert_str_eq(env("/tmp/tmpab12cd34", 0), "/tmp/@T0");
}

Test(names, malformed_specs)
{
	static const struct {
		const char *spec;
		size_t len;
	} table[] = {
		{"", 0}, {"X/a", 3}, {"Aa", 2}, {"C/a", 3}, {"A", 1}, {"A/\x01", 3}, {"A/\x01T", 4},
		{"A/\x01T1", 5}, {"A/\x01T/", 5}, {"A/\x01T\xff", 5}, {"A/\x01X0", 5},
		{"A\x01" "B0", 4},
		{"A\x01" "B5", 4}, {"A/a\0b", 5}, {"A\x01T0", 4},
	};

	arg("/tmp/tmpab12cd34", 1);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_null(names_resolve(&names, table[i].spec, table[i].len, &arena), "%zu",
		               i);
	cr_expect_str_eq(names_resolve(&names, "C", 1, &arena), "");
	cr_expect_str_eq(names_resolve(&names, "A/\x01T0", 5, &arena), "/tmpab12cd34");
}

/* nvcc's files: each has its own name. The next step also spells it without its directory. */
Test(names, nvcc_files)
{
	static const char *const cases[][2] = {
		{"--a=/tmp/tmpxft_0000abcd_00000000-6_x.ptx,"
		 "file=/tmp/tmpxft_0000abcd_00000000-13_x.cubin",
		 "--a=/tmp/@T0_x.ptx,file=/tmp/@T1_x.cubin"},
		{"tmpxft_0000abcd_00000000-6_x.stub.c", "@T0_x.stub.c"},
		{"tmpxft_0000abcd_00000000-3_x.fatbin.c", "@T2_x.fatbin.c"},
		{"x/tmpxft_0000abcd_00000000-3_x.c", "x/tmpxft_0000abcd_00000000-3_x.c"},
		{"-Dtmpxft_0000abcd_00000000-3", "-Dtmpxft_0000abcd_00000000-3"},
		{"-DX=\"tmpxft_0000abcd_00000000-3\"", "-DX=\"tmpxft_0000abcd_00000000-3\""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect_str_eq(arg(cases[i][0], 1), cases[i][1], "%s: %s", cases[i][0],
		                 arg(cases[i][0], 1));
}

Test(names, nvcc_own_name)
{
	struct buf spec = BUF_INIT(&arena);

	names_own(&names, 0xabcd);
	names_path(&names, "/tmp/tmpxft_0000abcd_00000000-6_x.gch", &spec);
	cr_expect_str_eq(names_print((const char *)spec.data + 1, spec.len - 1, &arena),
	                 "/tmp/@X0-6_x.gch");
	/* Resolved by the process that runs, and by one that looks up. */
	names_own(&names, 0x12345);
	cr_expect_str_eq(names_resolve(&names, (const char *)spec.data, spec.len, &arena),
	                 "/tmp/tmpxft_00012345_00000000-6_x.gch");
	names.own.len = 0;
	cr_expect_null(names_resolve(&names, (const char *)spec.data, spec.len, &arena));
}

Test(names, too_many_names)
{
	char text[64];

	for (int i = 0; i < NAMES_VOLATILE_MAX + 1; i++) {
		snprintf(text, sizeof text, "/tmp/tmpa%03dcd34", i);
		arg(text, 1);
		cr_assert_eq(names.overflow, i >= NAMES_VOLATILE_MAX);
	}
	cr_assert_str_eq(arg("/tmp/tmpa063cd34", 0), "/tmp/@T63");
	cr_assert_str_eq(arg("/tmp/tmpa064cd34", 0), "/tmp/tmpa064cd34");
	round_trip(&names, "/tmp/tmpa063cd34/tmpa000cd34");
}

/* Every path comes back as it was, whatever it is made of. */
Test(names, round_trip_property)
{
	static const char *const pieces[] = {
		"/", "/tmp", "/tmp/", "tmpab12cd34", "tmpzz12cd34", "tmp.AbCdEfGhIj", ".", "..",
		"\x01",
		"\x01T0", "\x01" "B0", "/base", "/base/in", "x", "\xff", " ", "\n", "=", ",", ":",
		"@", "//",
		"tmpxft_0000abcd_00000000", "-6_x.ptx", ".ptx.o", "/var/tmp/", "ccAbCdEf", "\"",
		"\\",
	};
	char *env[] = {"TRITON_CACHE_DIR=/base", "TORCH_EXTENSIONS_DIR=/base/in", NULL};
	char text[512];

	srand(7);
	for (int round = 0; round < 20000; round++) {
		arena_free(&arena);
		names_init(&names, &arena, 0, NULL, NULL, "/tmp/x", env);
		if (round & 1)
			names_move_tmpdir(&names, "/var/tmp");
		struct buf skip = BUF_INIT(&arena);
		names_arg(&names, "/tmp/tmpab12cd34", 1, &skip);
		names_arg(&names, "/tmp/tmp.AbCdEfGhIj", 1, &skip);
		text[0] = 0;
		for (int n = rand() % 9; n; n--)
			strcat(text, pieces[(size_t)rand() % (sizeof pieces / sizeof pieces[0])]);
		round_trip(&names, text);
		names_arg(&names, text, 1, &skip);
		round_trip(&names, text);
	}
}

Test(names, files_of_the_command)
{
	struct buf spec = BUF_INIT(&arena);

	cr_assert_eq(names_file(&names, "x.o"), 0);
	cr_assert_eq(names_file(&names, "sub/deps"), 1);
	cr_assert(names_put_output(&names, "/w", "/w/sub/deps", &spec));
	cr_expect_eq(names_output_file((const char *)spec.data, spec.len), 1);
	cr_expect_not(names_put_output(&names, "/w", "/w/deps", &spec));
	cr_expect_eq(names_output_file("A/w/deps", 8), -1);
	cr_expect_eq(names_output_file("F", 1), -1);
}

/* Entries and specs hold a base that is a kind of its own as a base with the kind as its number. */
Test(names, kinds_in_entries)
{
	static const struct {
		unsigned char kind, index, bytes[2];
	} rows[] = {
		{NAME_KIND_TEMP, 63, {'T', 63}}, {NAME_KIND_BASE, 25, {'B', 25}},
		{NAME_KIND_MAPPED_MORE, 0, {'B', 26}}, {NAME_KIND_MAPPED_MORE + 1, 0, {'B', 27}},
		{NAME_KIND_TRIED, 0, {'B', 28}}, {NAME_KIND_DIRECTORY, 0, {'B', 29}},
		{NAME_KIND_MAPPED, 0, {'B', 30}}, {NAME_KIND_TMPDIR, 0, {'B', 31}},
		{NAME_KIND_BASE, 32, {'B', 32}}, {NAME_KIND_TEXT, 200, {'P', 200}}};
	static const unsigned char raw[] = {NAME_KIND_TRIED, 0};
	unsigned char kind, index;
	struct reader r;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char spec[2] = {(char)rows[i].bytes[0], (char)(rows[i].bytes[1] + '0')};
		struct buf out = BUF_INIT(&arena);

		names_put_kind(&out, rows[i].kind, rows[i].index);
		cr_expect_arr_eq(out.data, rows[i].bytes, 2, "row %zu", i);
		r = reader_of(rows[i].bytes, 2);
		names_read_kind(&r, &kind, &index);
		cr_expect(!r.failed && kind == rows[i].kind && index == rows[i].index, "row %zu",
		          i);
		names_spec_kind(spec, &kind, &index);
		cr_expect(kind == rows[i].kind && index == rows[i].index, "row %zu", i);
	}
	r = reader_of(raw, 2);
	names_read_kind(&r, &kind, &index);
	cr_expect(r.failed);
}
