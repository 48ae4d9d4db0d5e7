/* PTX without its source names. Real texts are Triton 3.9's (tests/data/ptx): one kernel compiled
 * from two directories, the second kind with a library file and a helper in a subdirectory, the
 * third with a device_assert. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/buf.h"
#include "tools/text/ptx.h"
#include "tools/text/ptx_source.h"

static struct arena arena;
static void fini(void) { arena_free(&arena); }
TestSuite(ptx, .fini = fini);

struct text {
	char *p;
	size_t n;
};

static struct text load(const char *name)
{
	char path[256];
	struct text t = {NULL, 0};
	FILE *f;

	snprintf(path, sizeof path, "tests/data/ptx/%s", name);
	f = fopen(path, "rb");
	cr_assert_not_null(f, "%s (tests run in the repository root)", path);
	t.p = arena_alloc(&arena, 1 << 20);
	t.n = fread(t.p, 1, (1 << 20) - 1, f);
	cr_assert_gt(t.n, 0);
	fclose(f);
	return t;
}

static struct input_text canonical(const char *p, size_t n, int sloppy)
{
	struct input_text x;

	cr_assert_eq(ptx_canonical(&x, p, n, sloppy, &arena), 0, "%.*s", (int)(n < 200 ? n : 200),
	             p);
	return x;
}
static struct input_text of(const char *p) { return canonical(p, strlen(p), 0); }
static int same(const char *a, const char *b)
{
	struct input_text x = of(a), y = of(b);

	return digest_equal(&x.canonical, &y.canonical);
}
static int patchable(const struct input_text *from, const struct input_text *to)
{
	for (int i = 0; i < from->count && i < to->count; i++)
		if (from->names[i].len != to->names[i].len)
			return 0;
	return from->count == to->count;
}
static int plain(const char *p)
{
	struct input_text x;

	return ptx_canonical(&x, p, strlen(p), 0, &arena) < 0;
}

#define HEAD ".version 8.7\n.target sm_90a\n.address_size 64\n"
/* The directory and file name are d and f; d2 and f2 spell them in .debug_info. */
static const char *text(const char *body, const char *d, const char *f, const char *d2,
                        const char *f2)
{
	struct buf b = BUF_INIT(&arena);
	char line[64];

	buf_str(&b, HEAD);
	buf_str(&b, body);
	buf_str(&b, "\t.loc\t1 6 0                           // ");
	buf_str(&b, f);
	buf_str(&b, ":6:0\n\tret;\n\t.file\t1 \"");
	buf_str(&b, d);
	buf_str(&b, "/");
	buf_str(&b, f);
	buf_str(&b, "\"\n\t.section\t.debug_info\n\t{\n.b32 98\n");
	for (const char *s = f2; s;) {
		for (const char *c = s; c == s || c[-1]; c++) {
			int n = snprintf(line, sizeof line, ".b8 %d", (unsigned char)*c);

			snprintf(line + n, sizeof line - (size_t)n,
			         c == s ? "%*s// DW_AT_name\n" : "\n", 40 - n, "");
			buf_str(&b, line);
		}
		s = s == d2 ? NULL : d2;
	}
	buf_str(&b, "\t}\n");
	buf_u8(&b, 0);
	return (const char *)b.data;
}
#define A "/data/ann/cache", "kernel_a.py", "/data/ann/cache", "kernel_a.py"
#define B "/data/bob/store", "xernel_z.py", "/data/bob/store", "xernel_z.py"

Test(ptx, recognises)
{
	cr_expect(ptx_recognise(HEAD, strlen(HEAD)));
	cr_expect(ptx_recognise("//\n// x\n\n\t.version 8.0\n", 24));
	cr_expect_not(ptx_recognise("", 0));
	cr_expect_not(ptx_recognise(".version", 8));
	cr_expect_not(ptx_recognise(".versio", 7));
	cr_expect_not(ptx_recognise("// .version 8.0", 15));
	cr_expect_not(ptx_recognise(".target sm_80\n.version 8.0\n", 27));
	cr_expect_not(ptx_recognise("\x7f" "ELF.version 8.0", 16));
}

Test(ptx, bound_names_are_text)
{
	const char *a = text("", A), *b = text("", B);
	struct input_text x, y;

	cr_assert(same(a, b));
	cr_assert_eq(ptx_canonical(&x, a, strlen(a), INPUT_TEXT_BOUND, &arena), 0);
	cr_assert_eq(ptx_canonical(&y, b, strlen(b), INPUT_TEXT_BOUND, &arena), 0);
	cr_expect_not(digest_equal(&x.canonical, &y.canonical));
	cr_expect_eq(x.count, 0);
	cr_expect_eq(x.source_count, 1);
	/* A start whose names may differ has another key, too. */
	y = of(a);
	cr_expect_not(digest_equal(&x.canonical, &y.canonical));
}

Test(ptx, one_kernel_from_two_directories)
{
	struct text a = load("add_a1.ptx"), b = load("add_b2.ptx");
	struct input_text x = canonical(a.p, a.n, 0), y = canonical(b.p, b.n, 0);

	cr_assert(a.n != b.n || memcmp(a.p, b.p, a.n) != 0);
	cr_assert(digest_equal(&x.canonical, &y.canonical));
	cr_assert_eq(x.count, 2);
	cr_assert_str_eq(x.names[0].text, "/tmp/kernels-a1");
	cr_assert_str_eq(x.names[1].text, "add_a1.py");
	cr_assert_str_eq(y.names[0].text, "/tmp/kernels-b2");
	cr_assert_eq(x.names[1].index, 1);
	cr_assert_eq(x.names[1].kind, 'P');
	cr_assert(patchable(&x, &y));
}

Test(ptx, cubin_patched_is_the_real_one)
{
	struct text a = load("reduce_a1.ptx"), b = load("reduce_b2.ptx");
	struct text from = load("reduce_a1.cubin"), to = load("reduce_b2.cubin");
	struct input_text x = canonical(a.p, a.n, 0), y = canonical(b.p, b.n, 0);
	struct patch_list l;

	cr_assert(digest_equal(&x.canonical, &y.canonical));
	cr_assert(patchable(&x, &y));
	cr_assert_eq(x.count, 6);
	patch_find(&l, from.p, from.n, x.names, (size_t)x.count, &arena);
	cr_assert_eq(l.count, 6);
	cr_assert_eq(from.n, to.n);
	cr_assert(memcmp(from.p, to.p, to.n) != 0);
	cr_assert_eq(patch_apply(from.p, from.n, l.v, l.count, x.names, (size_t)x.count, y.names,
	                         (size_t)y.count), 0);
	cr_assert_eq(memcmp(from.p, to.p, to.n), 0);
}

/* No byte of the text leaves the key by itself. */
/* The sanitizers' run takes some of the bytes. */
#ifdef __SANITIZE_ADDRESS__
enum { SOME = 11 };
#else
enum { SOME = 1 };
#endif

Test(ptx, every_byte_counts)
{
	struct text a = load("add_a1.ptx");
	struct input_text x = canonical(a.p, a.n, 0);

	for (size_t i = 0; i < a.n; i += SOME) {
		struct arena own = ARENA_INIT;
		struct input_text y;

		a.p[i] ^= 4; /* keeps digits digits and letters letters */
		if (ptx_canonical(&y, a.p, a.n, 0, &own) == 0)
			cr_assert_not(digest_equal(&x.canonical, &y.canonical), "byte %zu", i);
		a.p[i] ^= 4;
		arena_free(&own);
	}
}

Test(ptx, names_of_equal_length_leave_the_key)
{
	struct input_text x = of(text("", A)), y = of(text("", B));

	cr_assert(digest_equal(&x.canonical, &y.canonical));
	cr_assert_eq(x.count, 2);
	cr_assert_eq(y.count, 2);
	cr_assert_not(same(text("", A), text("mov.u32 %r1, 1;\n", A)));
	/* line 0 has no column */
	cr_assert(same(text("\t.loc\t1 0 0 // kernel_a.py:0\n", A),
	               text("\t.loc\t1 0 0 // xernel_z.py:0\n", B)));
}

Test(ptx, lengths_stay_in_the_key)
{
	const char *longer = text("", "/data/anne/cache", "kernel_a.py", "/data/anne/cache",
	                          "kernel_a.py");
	struct input_text x = of(text("", A)), y = of(longer);

	cr_assert_not(same(text("", A), longer));
	cr_assert_not(patchable(&x, &y));
	/* a slash moved from one name to the other */
	cr_assert_not(same(text("", "/data/ann/cache_dir", "kernel_a.py", "/data/ann/cache_dir",
	                        "kernel_a.py"),
	                   text("", "/data/ann/cache", "dir/kernel_a.py", "/data/ann/cache",
	                        "kernel_a.py")));
}

/* The key holds which name stands at which place. */
Test(ptx, roles_stay_in_the_key)
{
	static const char *const more = "\t.file\t2 \"/data/ann/cache/kernel_b.py\"\n";

	cr_assert(same(text(more, A), text(more, A)));
	cr_assert_not(same(text(more, A), text(more, "/data/ann/cache", "kernel_a.py",
	                                       "/data/ann/cache", "kernel_b.py")));
	cr_assert(same(text(more, A), text("\t.file\t2 \"/data/cat/cache/kernel_y.py\"\n",
	                                   "/data/cat/cache", "kernel_x.py", "/data/cat/cache",
	                                   "kernel_x.py")));
	/* one directory there, two here */
	cr_assert_not(same(text(more, A), text("\t.file\t2 \"/data/bob/cache/kernel_b.py\"\n", A)));
}

Test(ptx, short_or_odd_names_stay)
{
	static const char *const dirs[][2] = {
		{"/x/a", "/x/b"},                        /* below NAME_VOLATILE_MIN */
		{"/data/ann/c d", "/data/bob/c d"},      /* not seen to pass */
		{"/data//ann/cd", "/data//bob/cd"},
		{"/data/ann/c\xe9", "/data/bob/c\xe9"},
	};

	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		const char *a = dirs[i][0], *b = dirs[i][1];
		struct input_text x = of(text("", a, "kernel_a.py", a, "kernel_a.py"));

		cr_expect_eq(x.count, 1, "%s", a);
		cr_expect_str_eq(x.names[0].text, "kernel_a.py");
		cr_expect_eq(x.names[0].index, 1);
		cr_expect_not(same(text("", a, "kernel_a.py", a, "kernel_a.py"),
		                   text("", b, "kernel_a.py", b, "kernel_a.py")), "%s", a);
		cr_expect(same(text("", a, "kernel_a.py", a, "kernel_a.py"),
		               text("", a, "kernel_b.py", a, "kernel_b.py")), "%s", a);
	}
	cr_expect_not(same(text("", "/data/ann/cache", "k.py", "/data/ann/cache", "k.py"),
	                   text("", "/data/ann/cache", "j.py", "/data/ann/cache", "j.py")));
	cr_expect(same(text("", "/data/ann/cache", "k.py", "/data/ann/cache", "k.py"),
	               text("", "/data/bob/cache", "k.py", "/data/bob/cache", "k.py")));
}

/* A name stays in the key if it could reach the result, or be taken for a name there. */
Test(ptx, names_that_stand_elsewhere_stay)
{
	static const char *const bodies[] = {
		"// kernel_a.py:6:0\n",
		"add.u32 %r1, %r2, %r3; // kernel_a.py:6:0\n",
		"$L0: .loc 1 6 0 // kernel_a.py:6:0\n",
		"\t.loc 1 6 0 mov.u32 %r1, 1; // kernel_a.py:6:0\n",
		"\t.loc 1 6 0 // kernel_a.py\n",
		"\t.loc 1 6 0 // kernel_a.py:6:0:0\n",
		"\t.loc 1 6 0 // xkernel_a.py:6:0\n",
		"\t.file 2 \"/data/cat/cache/kernel_a.py\" \"x\"\n",
		"\t.file 2 \"/usr/kernel_a.py/x_kernel.py\" x\n",
		".global .align 1 .b8 f[12] = {107, 101, 114, 110, 101, 108, 95, 97, 46, 112, 121, "
		"0};\n",
		".global .b8 f[12] = {\n 0x6b, 0x65, 0x72,\n"
		" 110, 101, 108, 95, 97, 46, 112, 121};\n",
		".global .align 4 .u32 f[3] = {1852990827, 1633643621, 7958574};\n",
		".const .b64 f[2]={7016445927367009643, 7958574};\n",
		"\t.section\t.debug_str\n{\n$L:\n.b8 107\n.b8 101\n.b8 114\n.b8 110\n.b8 101\n"
		".b8 108\n"
		".b8 95\n.b8 97\n.b8 46\n.b8 112\n.b8 121\n.b8 0\n}\n",
		"\t.section\t.debug_info\n{\n.b8 107,101,114,110,101,108,95,97,46,112,121,0\n}\n",
		"\t.section\t.debug_info\n{\n.b8 107\n.b8 101\n.b8 114\n.b8 110\n.b8 101\n.b8 108\n"
		".b8 95\n.b8 97\n.b8 46\n.b8 112\n.b8 121\n.b8 1\n}\n",
	};

	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		struct input_text x = of(text(bodies[i], A));

		cr_expect_eq(x.count, 1, "%s", bodies[i]);
		cr_expect_str_eq(x.names[0].text, "/data/ann/cache", "%s", bodies[i]);
		cr_expect_not(same(text(bodies[i], A),
		                   text(bodies[i], "/data/ann/cache", "kernel_b.py",
		                        "/data/ann/cache", "kernel_b.py")), "%s", bodies[i]);
	}
}

/* A name inside a name that stays, stays. */
Test(ptx, a_directory_that_the_text_still_mentions_is_found)
{
	struct input_text x = of(text("", A)), y = of(text("// see /data/ann/other\n", A));

	cr_expect_not(input_text_mentions(&x, "/data/ann", 9));
	cr_expect_not(input_text_mentions(&x, "/data/ann/cache", 15));
	cr_expect(input_text_mentions(&y, "/data/ann", 9));
	cr_expect_not(input_text_mentions(&y, "/data/ann/cache", 15));
	cr_expect(input_text_mentions(&x, ".target", 7));
}

Test(ptx, nested_names)
{
	struct input_text x = of(text("\t.file 2 \"/data/ann/cache/sub/helper_a.py\"\n", A));
	struct input_text y = of(text("// /data/ann/cache/sub\n"
	                              "\t.file 2 \"/data/ann/cache/sub/helper_a.py\"\n", A));

	cr_assert_eq(x.count, 4);
	cr_assert_str_eq(x.names[0].text, "/data/ann/cache/sub");
	cr_assert_str_eq(x.names[2].text, "/data/ann/cache");
	cr_assert_eq(y.count, 2);
	cr_assert_str_eq(y.names[0].text, "helper_a.py");
}

Test(ptx, device_assert_keeps_its_path)
{
	struct text t = load("assert_a1.ptx");
	struct input_text x = canonical(t.p, t.n, 0);

	for (int i = 0; i < x.count; i++) {
		cr_expect_str_neq(x.names[i].text, "/tmp/kernels-a1");
		cr_expect_str_neq(x.names[i].text, "assert_a1.py");
	}
	cr_expect_eq(x.count, 4);
}

Test(ptx, left_alone)
{
	static char many[INPUT_TEXT_SOURCES_MAX * 64 + 1000];
	char *p = many + sprintf(many, HEAD);

	cr_expect(plain(""));
	cr_expect(plain("int main;"));
	cr_expect(plain(HEAD "/* block */\n"));
	cr_expect(plain(HEAD "\x01\n"));
	cr_expect(plain(".version 8.7\n.target sm_90a, debug\n"));
	struct input_text x;
	cr_expect_eq(ptx_canonical(&x, HEAD "\0", sizeof HEAD, 0, &arena), -1);
	for (int i = 0; i < INPUT_TEXT_SOURCES_MAX; i++)
		p += sprintf(p, ".file %d \"file_number_%d.py\"\n", i, i);
	x = of(many);
	cr_expect_eq(x.count, INPUT_TEXT_SOURCES_MAX);
	cr_expect_eq(x.names[INPUT_TEXT_SOURCES_MAX - 1].index, INPUT_TEXT_SOURCES_MAX - 1);
	sprintf(p, ".file 99 \"one_more_file.py\"\n");
	cr_expect(plain(many));
}

Test(ptx, nothing_named)
{
	struct input_text x = of(HEAD ".visible .entry k()\n{\nret;\n}\n");

	cr_expect_eq(x.count, 0);
	cr_expect(patchable(&x, &x));
	cr_expect_not(same(HEAD "ret;\n", HEAD "ret; \n"));
}

Test(ptx, sloppy_lineinfo)
{
	const char *a = text("", A);
	const char *b = text("", "/x", "some_longer_name.py", "/x", "some_longer_name.py");
	const char *c = text("mov;\n", A);
	struct input_text x = canonical(a, strlen(a), 1), y = canonical(b, strlen(b), 1);
	struct input_text z = canonical(c, strlen(c), 1), strict = of(a);

	cr_expect(digest_equal(&x.canonical, &y.canonical));
	cr_expect_not(digest_equal(&x.canonical, &z.canonical));
	cr_expect_not(digest_equal(&x.canonical, &strict.canonical));
	cr_expect_not(patchable(&x, &y));
	cr_expect(patchable(&x, &strict));
	/* a data section that is no debug section stays */
	cr_expect_not(same(text(".global .b8 x[1] = {1};\n", A),
	                   text(".global .b8 x[1] = {2};\n", A)));
}

struct answer {
	const char *path;
	long long mtime;
	unsigned long long size;
};
static const struct answer *answers; /* up to one without a path */
static int answer(const char *path, long long *mtime, unsigned long long *size)
{
	for (const struct answer *v = answers; v->path; v++)
		if (strcmp(v->path, path) == 0) {
			*mtime = v->mtime;
			*size = v->size;
			return 0;
		}
	return -1;
}

/* Entries of DWARF 2's line table: directories by number of the file, 0 for none and the root. */
Test(ptx, line_table_entries)
{
	static const struct answer files[] = {
		{"/data/ann/cache/b.py", 0x12345678, 300}, {"a.py", 1, 127},
		{"/root_name.py", 127, 128},
		{"/data/ann/cache/sub/c.py", -1, 0}, {NULL, 0, 0},
	};
	static const struct {
		const char *text;
		size_t len;
	} want[] = {
		{"b.py\0\1\xf8\xac\xd1\x91\1\xac\2", 5 + 1 + 5 + 2},
		{"missing.py\0\2\0\0", 11 + 3},
		/* a time of more than 32 bits */
		{"c.py\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\0"
		 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 5 + 1 + 10 + 1 + 16},
		{"a.py\0\0\1\x7f", 5 + 3},
		{"root_name.py\0\0\x7f\x80\1", 13 + 1 + 1 + 2},
	};
	const char *p = HEAD ".file 9 \"a.py\"\n.file 3 \"/data/ann/cache/b.py\"\n"
		".file 5 \"/timed/x.py\", 12, 13\n.file 4 \"/x/missing.py\"\n"
		".file 10 \"/root_name.py\"\n"
		".file 6 \"/data/ann/cache/c.py\"\n";
	struct answer v[5];
	struct input_text x = of(p);
	int blanked = x.count;

	memcpy(v, files, sizeof v);
	v[3].path = "/data/ann/cache/c.py";
	answers = v;
	cr_assert_eq(x.source_count, 5);
	cr_assert_eq(ptx_add_sources(&x, answer, &arena), 0);
	cr_assert_eq(x.count, blanked + 5);
	for (int i = 0; i < 5; i++) {
		const struct patch_name *name = &x.names[blanked + i];

		cr_expect_eq(name->kind, 'P');
		cr_expect_eq(name->index, INPUT_TEXT_SOURCES_MAX + i);
		cr_assert_eq(name->len, want[i].len, "%d: %zu", i, name->len);
		cr_expect_eq(memcmp(name->text, want[i].text, name->len), 0, "%d", i);
	}
	cr_expect_eq(input_text_source_of(&x, "/data/ann/cache/b.py"), 0);
	cr_expect_eq(input_text_source_of(&x, "a.py"), 3);
	cr_expect_eq(input_text_source_of(&x, "/timed/x.py"), -1);
	/* b.py (0) as expected, a.py (3) with another time, c.py (2) not at all */
	static const char table[] = "...b.py\0\1\xf8\xac\xd1\x91\1\xac\2" "a.py\0\0\2\x7f";
	cr_expect(input_text_entries_hold(&x, table, sizeof table));
	x.asked = 1 << 0 | 1 << 2;
	cr_expect(input_text_entries_hold(&x, table, sizeof table));
	x.asked |= 1 << 3;
	cr_expect_not(input_text_entries_hold(&x, table, sizeof table));
	cr_expect(input_text_entries_hold(&x, NULL, 0));
	static const char unasked[] = "...b.py\0\1\xf8\xac\xd1\x91\1\xac\2" "a.py\0\0\0";
	cr_expect(input_text_entries_hold(&x, unasked, sizeof unasked));
}

/* Times of equal width can be patched, sizes of another width cannot. */
Test(ptx, entries_decide_too)
{
	struct answer v[] = {{"/data/ann/cache/kernel_a.py", 1700000000, 300}, {NULL, 0, 0}};
	struct input_text x = of(text("", A)), y = of(text("", A)), z = of(text("", A)),
		none = of(text("", A));

	answers = v;
	cr_assert_eq(ptx_add_sources(&x, answer, &arena), 0);
	v[0].mtime++;
	cr_assert_eq(ptx_add_sources(&y, answer, &arena), 0);
	v[0].size = 100;
	cr_assert_eq(ptx_add_sources(&z, answer, &arena), 0);
	v[0].path = "";
	cr_assert_eq(ptx_add_sources(&none, answer, &arena), 0);
	cr_expect(patchable(&x, &y));
	cr_expect_not(patchable(&x, &z));
	cr_expect_not(patchable(&x, &none));
	cr_expect_neq(memcmp(x.names[2].text, y.names[2].text, x.names[2].len), 0);
}
