/* Files of the frameworks, complete and incomplete. Bytes are CPython 3.11's. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "units/gather/gather.h"

/* pickle.dumps({'a': [1, 2.5, None, True, 'xxx', b'yz', -70000, 10**30], 'b': (1, 2, 3, {4},
 * frozenset([5]))}, 4) */
static const unsigned char pickled[] =
	"\x80\x04\x95\x51\x00\x00\x00\x00\x00\x00\x00\x7d\x94\x28\x8c\x01\x61\x94\x5d\x94\x28\x4b"
	"\x01\x47\x40\x04\x00\x00"
	"\x00\x00\x00\x00\x4e\x88\x8c\x03\x78\x78\x78\x94\x43\x02\x79\x7a\x94\x4a\x90\xee\xfe\xff"
	"\x8a\x0d\x00\x00\x00\x40"
	"\xea\xed\x74\x46\xd0\x9c\x2c\x9f\x0c\x65\x8c\x01\x62\x94\x28\x4b\x01\x4b\x02\x4b\x03\x8f"
	"\x94\x28\x4b\x04\x90\x28"
	"\x4b\x05\x91\x94\x74\x94\x75\x2e";
/* Parts of marshal.dumps(compile(..., '/src/model.py', 'exec')), and of '/src/m\xf6del.py', as of
 * Python 3.11. */
static const unsigned char marshalled[] =
	"\xf3\x00\x00\x00\x00\xfa\x0d/src/model.py\xda\x01\x66\x72\x07\x00\x00\x00\x00\x00\xf5\x0e"
	"\x00\x00\x00/src/m\xc3\xb6"
	"del.py\xda\x01r\xfa\x08<module>\xfa\x0d/src/model.py\x7a\x08model.py\x8c\x06/\x00.pyc\x7a"
	"\x06/a.pyc\x8c\x06/b/c.p";

Test(gather_check, names_that_are_digests)
{
	static const char name[] = "534t4hiujauaij37ziaxersagli2j7n4ym4feqcz7ipimfcuvvgq";
	char cut[52];

	memcpy(cut, name, 51);
	cut[51] = '\0';
	cr_expect(check_digest_name(name));
	cr_expect(check_digest_name(cut));
	cr_expect(check_digest(name, "graph", 5));
	cr_expect(check_digest(cut, "graph", 5));
	cr_expect_not(check_digest(cut, "graphs", 6));
	cut[50] ^= 1;
	cr_expect_not(check_digest(cut, "graph", 5));
	cr_expect_not(check_digest_name("entry"));
	cr_expect_not(check_digest_name("534T4hiujauaij37ziaxersagli2j7n4ym4feqcz7ipimfcuvvgq"));
	cr_expect_not(check_digest("entry", "graph", 5));
}

Test(gather_check, a_pickle_is_whole_or_it_is_not)
{
	unsigned char more[sizeof pickled + 1];
	size_t n = sizeof pickled - 1;

	cr_expect_eq(check_pickle(pickled, n), CHECK_WHOLE);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(check_pickle(pickled, i), CHECK_CUT, "%zu", i);
	memcpy(more, pickled, n);
	more[n] = '.';
	cr_expect_eq(check_pickle(more, n + 1), CHECK_NEVER, "something behind it");
	cr_expect_eq(check_pickle("{}.", 3), CHECK_NEVER);
	cr_expect_eq(check_pickle("\x80\x04\xff.", 4), CHECK_NEVER, "no opcode");
	cr_expect_eq(check_pickle("\x80\x04" "B\xff\xff\xff\xff.", 8), CHECK_CUT,
	             "a length that lies");
	cr_expect_eq(check_pickle("\x80\x04" "\x8e\xff\xff\xff\xff\xff\xff\xff\xff.", 12),
	             CHECK_CUT);
	cr_expect_eq(check_pickle("\x80\x04" "cos", 5), CHECK_CUT);
	cr_expect_eq(check_pickle("\x80\x02" "cos\nsystem\n.", 14), CHECK_WHOLE);
}

Test(gather_check, sources_of_code_objects)
{
	struct arena a = ARENA_INIT;
	const char *out[4];

	cr_assert_eq(pickle_sources(marshalled, sizeof marshalled - 1, out, 4, &a), 3);
	cr_expect_str_eq(out[0], "/src/model.py");
	cr_expect_str_eq(out[1], "/src/m\xc3\xb6" "del.py");
	cr_expect_str_eq(out[2], "model.py");
	cr_expect_eq(pickle_sources(marshalled, sizeof marshalled - 1, out, 2, &a), -1,
	             "not silently fewer");
	cr_expect_eq(pickle_sources("", 0, out, 4, &a), 0);
	arena_free(&a);
}

/* The end of a code object, by CPython 3.11 and by 3.10: file name, name, qualified name, first
 * line, table. */
Test(gather_check, sources_of_code_objects_that_are_no_py_files)
{
	static const char of_311[] = "\xda\x05tmp_8s\x02\x00\x00\x00  \xfa\x07<stdin>\xda\x04"
		"body\xfa\x08Net.body\x10\x00\x00\x00s\x02"
	                             "\x00\x00\x00\xf0\x00\xf3\x00\x00\x00\x00";
	static const char of_310[] = "\xda\x05tmp_8r\x04\x00\x00\x00r\x04\x00\x00\x00\xfa\x0e"
		"/usr/bin/serve\xda\x04""body\x10\x00\x00\x00"
	                             "\xf3\x02\x00\x00\x00\xf0\x00";
	/* A function around another, whose file marshal refers to. */
	static const char outer[] = "\xf3\x00\x00\x00\x00r\x06\x00\x00\x00\xda\x04"
		"bodyr\x07\x00\x00\x00\x10\x00\x00\x00s\x02\x00\x00\x00\xf0\x00"
	                            "r\x06\x00\x00\x00\xda\x08<lambda>\xfa\x11"
	                            "body.<locals>.<l>\x10\x00\x00\x00s\x02\x00\x00\x00\xf0\x00";
	struct arena a = ARENA_INIT;
	const char *out[4];

	cr_expect_eq(pickle_sources(outer, sizeof outer - 1, out, 4, &a), 0);
	cr_assert_eq(pickle_sources(of_311, sizeof of_311 - 1, out, 4, &a), 1);
	cr_expect_str_eq(out[0], "<stdin>");
	cr_assert_eq(pickle_sources(of_310, sizeof of_310 - 1, out, 4, &a), 1);
	cr_expect_str_eq(out[0], "/usr/bin/serve");
	for (size_t i = 0; i < sizeof of_311; i++)
		cr_expect_geq(pickle_sources(of_311, i, out, 4, &a), 0);
	arena_free(&a);
}

Test(gather_check, sources_of_a_graphs_comments)
{
	static const char text[] =
		"\x80\x04X....        # File: /src/layers.py:12 in forward, code: y = x.py:3\n  a\n"
	                           "# File: /src/layers.py:14 in forward\n# File: <string>:1 in f\n"
	                           "# File: .py:1\n# File: :1 in f\n"
	                           "# tag: 3 File: /usr/bin/serve:1:7 in g";
	struct arena a = ARENA_INIT;
	const char *out[4];

	cr_assert_eq(pickle_sources(text, sizeof text - 1, out, 4, &a), 3);
	cr_expect_str_eq(out[0], "/src/layers.py");
	cr_expect_str_eq(out[1], "<string>");
	cr_expect_str_eq(out[2], "/usr/bin/serve:1");
	cr_expect_eq(pickle_sources(text, sizeof text - 1, out, 1, &a), -1);
	for (size_t i = 0; i < sizeof text; i++)
		cr_expect_geq(pickle_sources(text, i, out, 4, &a), 0);
	arena_free(&a);
}

Test(gather_check, json_objects_only)
{
	static const char *good[] = {"{}", " {\"a\": 1}\n",
	                             "{\"a\": NaN, \"b\": Infinity, \"c\": -Infinity}",
	                             "{\"a\": {\"b\": [1, 2.5e-3, null, true]}}",
	                             "{\"\\u00e9\": \"\\ud83d\\ude00\"}"};
	static const char *bad[] = {"[]", "1", "x", "{\"a\": 1}{", "{\"a\": 1} x", "{a: 1}",
	                            "{\"a\": 1,}", "{\"a\\u0000b\": 1}", "\x5f\xec\xeb\x66{"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		size_t whole = (size_t)(strrchr(good[i], '}') + 1 - good[i]);

		for (size_t n = 0; n <= strlen(good[i]); n++)
			cr_expect_eq(check_json(good[i], n), n < whole ? CHECK_CUT : CHECK_WHOLE,
			             "%.*s", (int)n, good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_eq(check_json(bad[i], strlen(bad[i])), CHECK_NEVER, "%s", bad[i]);
	cr_expect_eq(check_json("{}\0", 3), CHECK_NEVER);
}

static void joins(const char *older, const char *newer, const char *both)
{
	size_t len = 0;
	char *out = json_merge(older, strlen(older), newer, strlen(newer), &len);

	if (both)
		cr_expect_str_eq(out, both);
	else
		cr_expect_null(out);
	cr_expect_eq(len, out ? strlen(out) : 0);
	free(out);
}

Test(gather_check, a_join_loses_nothing_and_the_newer_wins)
{
	joins("{}", "{\"a\":1}", "{\"a\":1}");
	joins("{\"a\":1,\"b\":2}", "{\"b\":3,\"c\":4}", "{\"a\":1,\"b\":3,\"c\":4}");
	joins("{\"mm\":{\"s1\":{\"high\":{\"k1\":0.25}}}}",
	      "{\"mm\":{\"s1\":{\"high\":{\"k2\":0.5}},\"s2\":{}}}",
	      "{\"mm\":{\"s1\":{\"high\":{\"k1\":0.25,\"k2\":0.5}},\"s2\":{}}}");
	joins("{\"a\":{\"x\":1}}", "{\"a\":2}", "{\"a\":2}");
	joins("{\"a\":2}", "{\"a\":{\"x\":1}}", "{\"a\":{\"x\":1}}");
	/* Numbers are as they were written. */
	joins("{\"a\":0.1000000000000000055}",
	      "{\"b\":12345678901234567,\"c\":Infinity,\"d\":1e-7}",
	      "{\"a\":0.1000000000000000055,\"b\":12345678901234567,\"c\":Infinity,\"d\":1e-7}");
	joins("{\"a\":1", "{\"b\":1}", NULL);
	joins("{\"a\":1}", "[]", NULL);
}

Test(gather_check, kernels_of_jiterator)
{
	static const char ptx[] = "//\n.version 8.2\n.target sm_90\n.address_size 64\n"
		".visible .entry k() {\nret;\n}\n";
	static const char name[] =
		"k_arch9.0_nvrtc12.6_ptx_812_0123456789012345678901234567890123456789",
	                  sass[] =
	                  "k_arch9.0_nvrtc12.6_sass_812_0123456789012345678901234567890123456789";
	unsigned char elf[256] = {0};
	Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}, .e_shoff = 128,
	                .e_shentsize = 64, .e_shnum = 2};

	const Elf64_Shdr section = {.sh_type = SHT_PROGBITS, .sh_offset = 64,
	                            .sh_size = 64, .sh_addralign = 1};

	memcpy(elf, &h, sizeof h);
	cr_expect_not(check_kernel(sass, elf, sizeof elf), "zeros in place of sections");
	memcpy(elf + 192, &section, sizeof section);
	cr_expect(check_kernel(name, ptx, sizeof ptx), "NVRTC counts the NUL");
	cr_expect(check_kernel(name, ptx, sizeof ptx - 1));
	cr_expect_not(check_kernel(name, ptx, sizeof ptx - 4), "cut");
	cr_expect_not(check_kernel(name, "", 0));
	cr_expect_not(check_kernel(name, elf, sizeof elf));
	cr_expect(check_kernel(sass, elf, sizeof elf));
	cr_expect_not(check_kernel(sass, elf, sizeof elf - 1), "cut");
	cr_expect_not(check_kernel(sass, elf, 10));
	cr_expect_not(check_kernel(sass, ptx, sizeof ptx));
}

Test(gather_check, damaged_files_of_directories)
{
	static const char two[] = "\x80\x04N.\x80\x05N.";

	cr_expect_not(check_damaged("f.nbi", two, 8), "numba writes two pickles");
	cr_expect_not(check_damaged("f.nbc", two, 4));
	for (size_t n = 0; n < 8; n++)
		cr_expect(n == 4 || check_damaged("f.nbi", two, n), "%zu bytes", n);
	cr_expect(check_damaged("f.nbc", "\x80\x04N\0\0\0\0", 7), "zeros");
	cr_expect(check_damaged("f.json", "{\"a\": [1, 2", 11));
	cr_expect_not(check_damaged("__init__.py", "", 0), "its format is not known");
	cr_expect_not(check_damaged("a.pkl", "x\x9c", 2), "compressed");
	cr_expect(check_damaged("a.pkl", "", 0));
	cr_expect(check_damaged("a.pkl", "\0\0", 2));
}

/* zlib.compress of Python: levels 0 and 9, and Z_FIXED. */
Test(gather_check, a_compressed_file_is_whole_or_it_is_not)
{
#define STREAM(text) {text, sizeof(text) - 1}
	static const struct {
		const char *bytes;
		size_t n;
	} v[] = {
		STREAM(
		"\x78\xda\xd5\x90\xc9\x71\x04\x30\x08\x04\xff\x44\xd1\xa9\x71\x13\x82\xed\xe8\x3d"
		"\xda\x2c\xb6\xd0"
		"\x45\x21\xf5\x0c\x2a\xc8\xe1\x20\xf0\x6b\xaa\x4c\xe7\x5b\xb2\x48\xd6\x9c\x48\xbc"
		"\xbd\x0f\x5b\xdb"
		"\x35\x2e\x27\x3c\xaf\x9a\xa5\x57\xcb\xa0\xa5\x46\xb7\xc0\xd2\x94\x12\x46\x41\x77"
		"\xc4\x71\x31\xb1"
		"\xe9\xbd\x1b\x0e\x2e\xc2\x20\x1d\x31\x23\x94\xd7\x36\x9d\xe6\x33\x93\xbb\x27\xd4"
		"\x7b\xcf\x43\x9b"
		"\x55\xbf\x2a\xe3\xfb\x99\xb2\x2a\xc4\xdc\x08\x61\x6d\xe7\x28\xa6\x91\x6f\x26\x15"
		"\x22\xf7\x47\xc6"
		"\x52\x12\x74\x8d\x7a\xc0\x24\xa4\x52\x5d\xc6\x3c\x63\xd7\xa5\x3b\x72\x9c\x3d\x92"
		"\xd2\xfe\x54\x44"
		"\xdd\xd7\x8f\x6f\x96\xdf\xeb\xc9\xca\xf5\x19\xf6\x0c\x54\xd0\x51\x3f\xbf\x7f\x5f"
		"\x37\xfe\x01\x69"
		"\xeb\xab\xca"),
		STREAM("\x78\x01\x01\x06\x00\xf9\xff\x73\x74\x6f\x72\x65\x64\x09\x3c\x02\x92"),
		STREAM("\x78\x01\x4b\xcb\xac\x48\x4d\x51\x48\x43\x90\x00\x3a\x19\x06\x71"),
	};
	unsigned char copy[256];

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		cr_expect(check_compressed(v[i].bytes, v[i].n), "%zu", i);
		for (size_t n = 0; n < v[i].n; n++)
			cr_expect_not(check_compressed(v[i].bytes, n), "%zu cut at %zu", i, n);
		memcpy(copy, v[i].bytes, v[i].n);
		copy[v[i].n] = 0;
		cr_expect_not(check_compressed(copy, v[i].n + 1), "something behind it");
		copy[v[i].n - 1] ^= 1;
		cr_expect_not(check_compressed(copy, v[i].n), "another checksum");
		/* One bit of a literal or of a length. */
		memcpy(copy, v[i].bytes, v[i].n);
		copy[v[i].n - 6] ^= 2;
		cr_expect_not(check_compressed(copy, v[i].n), "%zu", i);
	}
	cr_expect_not(check_compressed("", 0));
	cr_expect_not(check_compressed("{\"a\": 1, \"b\": 2}", 16));
	cr_expect_not(check_compressed("\x78\xda\x07\x00\x00\x00\x00\x00\x00", 9),
	              "no block of that kind");
}

Test(gather_check, a_zstd_frame_is_whole_or_it_is_not)
{
	unsigned char out[256];
	size_t n = ZSTD_compress(out, sizeof out, pickled, sizeof pickled, 3);

	cr_assert_not(ZSTD_isError(n));
	cr_expect(check_compressed(out, n));
	for (size_t i = 0; i < n; i++)
		cr_expect_not(check_compressed(out, i), "%zu", i);
	out[n] = 0;
	cr_expect_not(check_compressed(out, n + 1), "something behind it");
}

/* As CuTe DSL 4.8 writes it: bytecode, and its CRC-32 in the machine's order. */
Test(gather_check, bytecode_with_its_checksum)
{
	unsigned char file[] = {
		0x4d, 0x4c, 0xef, 0x52, 0x0d, 0x4d, 0x4c, 0x49, 0x52, 0x00,
		0x62, 0x6f, 0x64, 0x79, 0xfb, 0xdb, 0x34, 0xd4};

	cr_expect(check_bytecode(file, sizeof file));
	for (size_t n = 0; n < sizeof file; n++)
		cr_expect_not(check_bytecode(file, n), "cut at %zu", n);
	for (size_t i = 0; i < sizeof file; i++) {
		file[i] ^= 4;
		cr_expect_not(check_bytecode(file, sizeof file), "another byte at %zu", i);
		file[i] ^= 4;
	}
	memset(file + 8, 0, sizeof file - 8);
	cr_expect_not(check_bytecode(file, sizeof file));
}

Test(gather_check, helions_configurations_are_not_inductors)
{
	static const char helion[] =
		"{\"config\": \"{}\", \"key\": {\"fields\": {\"kernel_source_hash\": \"a\"}}}";
	static const char inductor[] = "{\"XBLOCK\": 8, \"num_warps\": 1, \"configs_hash\": \"a\"}";

	cr_expect(check_configuration(helion, sizeof helion - 1));
	cr_expect_not(check_configuration(inductor, sizeof inductor - 1));
	cr_expect_not(check_configuration(helion, 20));
}
