/* Is a file whole, by its own format? Each whole file is cut at each length, and gets zeros in
 * place of its end. */
#include <criterion/criterion.h>

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "units/format/whole.h"

static enum whole text(const char *name, const char *bytes)
{
	return whole_file(name, bytes, strlen(bytes));
}

/* least: a cut to fewer bytes than that must be seen. */
static void each_cut_is_seen(const char *name, const void *bytes, size_t n, size_t least)
{
	unsigned char *zeros = malloc(n);

	cr_assert_eq(whole_file(name, bytes, n), WHOLE_YES, "%s", name);
	for (size_t i = 0; i < least; i++) {
		cr_expect_eq(whole_file(name, bytes, i), WHOLE_NO, "%s of %zu bytes", name, i);
		memcpy(zeros, bytes, i);
		memset(zeros + i, 0, n - i);
		if (memcmp(zeros, bytes, n) != 0)
			cr_expect_eq(whole_file(name, zeros, n), WHOLE_NO, "%s: zeros from %zu",
			             name, i);
	}
	free(zeros);
}

Test(whole, json)
{
	static const char *const good[] = {
		"{}", "[]", " {\"a\": [1, -2.5e3, {\"b\": null}], \"c\": {}}\n",
		"{\"a\\\"}\": NaN, \"b\": [Infinity, [], [true]]}"};
	static const char *const bad[] = {
		"", " ", "1", "null", "\"a\"", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\": 1,}",
		"[1,]", "[1 2]", "{}{}", "[}", "{\"a\": 1]", "{\"a\": 1} x", "[\"a]"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_expect_eq(text("k.json", good[i]), WHOLE_YES, "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_eq(text("k.json", bad[i]), WHOLE_NO, "%s", bad[i]);
	each_cut_is_seen("k.json", good[3], strlen(good[3]), strlen(good[3]));
	cr_expect_eq(whole_file("k.json", "{\"a\": \"\0\"}", 10), WHOLE_NO);
}

Test(whole, texts_of_compilers)
{
	static const char ptx[] = "//\n.version 8.0\n.target sm_90\n.entry k() {\n\tret;\n}\n";
	static const char ir[] =
		"module {\n  \"a{\" = loc(\"x\\\"{\")\n}\n#loc = loc(\"k.py\":1:2)\n";

	each_cut_is_seen("k.ptx", ptx, sizeof ptx - 1, sizeof ptx - 2);
	cr_expect_eq(text("k.ttir", ir), WHOLE_YES);
	cr_expect_eq(text("k.ttgir", "module {\n"), WHOLE_NO);
	cr_expect_eq(text("k.llir", "define void @k() {\n  ret vo"), WHOLE_NO);
	cr_expect_eq(whole_file("k.source", "module {}\n\0\0\0", 13), WHOLE_NO);
	cr_expect_eq(text("k.amdgcn", "\ts_endpgm\n.L"), WHOLE_NO);
	cr_expect_eq(text("k.amdgcn", "\ts_endpgm\n"), WHOLE_NO);
	cr_expect_eq(text("k.amdgcn", "\ts_endpgm\n\t.end_amdgpu_metadata\n.L:\n"), WHOLE_YES);
}

Test(whole, images)
{
	struct {
		Elf64_Ehdr head;
		unsigned char code[64];
		Elf64_Shdr section[2];
		Elf64_Phdr segment;
	} elf = {.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}, .e_shnum = 2, .e_phnum = 1,
	                  .e_shentsize = sizeof(Elf64_Shdr), .e_phentsize = sizeof(Elf64_Phdr)},
	         .section[1] = {.sh_type = SHT_PROGBITS, .sh_size = 64, .sh_addralign = 1},
	         .segment = {.p_type = PT_LOAD, .p_filesz = 64, .p_align = ~0ull}};

	memset(elf.code, 0xcc, sizeof elf.code);
	elf.head.e_shoff = (size_t)((char *)elf.section - (char *)&elf);
	elf.head.e_phoff = (size_t)((char *)&elf.segment - (char *)&elf);
	elf.section[1].sh_offset = elf.segment.p_offset = sizeof elf.head;
	each_cut_is_seen("k.cubin", &elf, sizeof elf, elf.head.e_phoff);
	cr_expect_eq(whole_file("k.hsaco", &elf, sizeof elf - 1), WHOLE_NO);
	cr_expect_eq(whole_file("other", &elf, sizeof elf), WHOLE_YES);
	cr_expect_eq(whole_file("other", &elf, sizeof elf - 1), WHOLE_NO);
	elf.section[1].sh_size = 1 << 20;
	cr_expect_eq(whole_file("k.cubin", &elf, sizeof elf), WHOLE_NO, "a section outside");
	cr_expect_eq(whole_file("k.cubin", "cubin", 5), WHOLE_NO);
}

Test(whole, other_formats)
{
	static const char zeros[4096] = "x";

	cr_expect_eq(text("a.py", ""), WHOLE_UNKNOWN);
	cr_expect_eq(text("k.bin", "abc"), WHOLE_UNKNOWN);
	cr_expect(whole_ends_in_zeros("", 0));
	cr_expect(whole_ends_in_zeros(zeros, sizeof zeros));
	cr_expect(whole_ends_in_zeros(zeros + 1, 8));
	cr_expect_not(whole_ends_in_zeros("abc\0\0\0", 6), "an image may end so");
}
