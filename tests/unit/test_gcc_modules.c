/* tests/unit/test_gcc_modules.c - modules of g++ that hold their time, and values that name
 * them. */
#include "tools/drivers/drivers.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

/* A module of three sections: none, the README, the names. */
static size_t module(unsigned char *out, const char *text, size_t n)
{
	static const char names[] = "\0.gnu.c++.README\0.strtab";
	Elf32_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, 1},
		.e_shnum = 3, .e_shstrndx = 2};
	Elf32_Shdr s[3] = {{0}, {.sh_name = 1, .sh_type = SHT_STRTAB}, {.sh_name = 17}};

	s[1].sh_offset = sizeof head;
	s[1].sh_size = (Elf32_Word)n;
	s[2].sh_offset = (Elf32_Off)(sizeof head + n);
	s[2].sh_size = sizeof names;
	head.e_shoff = (Elf32_Off)(sizeof head + n + sizeof names);
	memcpy(out, &head, sizeof head);
	memcpy(out + s[1].sh_offset, text, n);
	memcpy(out + s[2].sh_offset, names, sizeof names);
	memcpy(out + head.e_shoff, s, sizeof s);
	return head.e_shoff + sizeof s;
}

Test(gcc_modules, dated)
{
	static const char readme[] = "compiler: 12\0buildtime: x\0localtime: 2026/11/29",
	                  other[] = "compiler: localtime: \0buildtime: x";
	unsigned char bytes[512], copy[512];
	size_t n = module(bytes, readme, sizeof readme);

	cr_expect(gcc_module_is_dated(bytes, n));
	for (size_t cut = 0; cut < n; cut++) {
		memset(copy, 0xff, sizeof copy);
		memcpy(copy, bytes, cut);
		gcc_module_is_dated(copy, cut); /* ends */
		cr_expect_not(gcc_module_is_dated(bytes, cut), "%zu", cut);
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(copy, bytes, n);
		copy[i] ^= 0xff;
		gcc_module_is_dated(copy, n);
	}
	n = module(bytes, other, sizeof other);
	cr_expect_not(gcc_module_is_dated(bytes, n));
	cr_expect_not(gcc_module_is_dated(readme, sizeof readme));
}

Test(gcc_modules, mapper)
{
	static const char *const files[] = {"map", "/a/b.modmap", "a-b.o.modmap", "./x=y"},
	                        *const others[] = {"", "|prog", "=sock", "<1>2", "host:80",
	                                           "map?id", ">1", "a b", "@x"};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		cr_expect(gcc_module_mapper_is_file(files[i]), "%s", files[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		cr_expect_not(gcc_module_mapper_is_file(others[i]), "%s", others[i]);
}
