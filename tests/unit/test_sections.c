/* Sections of an object of gcc's, and bytes that are none. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/self_fixture.h"
#include "tools/object/sections.h"

Test(sections, by_name_and_by_place)
{
	struct section named, at;
	size_t n;
	unsigned char *bytes = self(&n);

	cr_assert_eq(section_named(&named, bytes, n, ".rodata"), 0);
	cr_expect(memmem(named.data, named.len, "by_name_and_by_place", 20));
	cr_assert_eq(section_at(&at, bytes, n,
	                        (uint64_t)((const unsigned char *)named.data - bytes)), 0);
	cr_expect_str_eq(at.name, ".rodata");
	cr_expect_eq(section_at(&at, bytes, n, 0), -1, "the head is in no section");
	cr_expect_eq(section_at(&at, bytes, n, n), -1);
	cr_expect_eq(section_named(&named, bytes, n, ".none"), -1);
	free(bytes);
}

Test(sections, that_hide_names)
{
	static const char trees[] = "\t.section\t.gnu.offload_lto_main.0,\"e\"\n";
	size_t n;
	unsigned char *bytes = self(&n);
	Elf64_Ehdr head;
	Elf64_Shdr s;

	cr_expect(sections_hide_names(trees, sizeof trees));
	cr_expect_not(sections_hide_names("a.o: a.c", 8));
	/* This program spells the name of such a section, and has none. */
	cr_expect(memmem(bytes, n, ".gnu.offload_lto_", 17));
	cr_expect_not(sections_hide_names(bytes, n));
	memcpy(&head, bytes, sizeof head);
	memcpy(&s, bytes + head.e_shoff + 2 * sizeof s, sizeof s);
	s.sh_flags |= SHF_COMPRESSED;
	memcpy(bytes + head.e_shoff + 2 * sizeof s, &s, sizeof s);
	cr_expect(sections_hide_names(bytes, n));
	free(bytes);
}

Test(sections, bytes_that_lie)
{
	struct section s;
	size_t n;
	unsigned char *bytes = self(&n);

	cr_expect_eq(section_at(&s, "", 0, 0), -1);
	cr_expect_eq(section_at(&s, "\177ELF", 4, 0), -1);
	cr_expect_eq(section_named(&s, "no object at all, and of some length, as long as a head of "
	                           "one would be....", 76, ".x"), -1);
	for (size_t cut = 0; cut < 64; cut++) {
		unsigned char *copy = malloc(cut ? cut : 1);

		memcpy(copy, bytes, cut);
		cr_expect_eq(section_at(&s, copy, cut, 1), -1);
		free(copy);
	}
	/* Any byte of the head and of the table is changed. */
	for (size_t i = 4; i < 64; i++) {
		unsigned char was = bytes[i];

		bytes[i] ^= 0xff;
		section_at(&s, bytes, n, n / 2);
		section_named(&s, bytes, n, ".rodata");
		bytes[i] = was;
	}
	free(bytes);
}

Test(sections, of_assembly)
{
	static const char text[] = "\t.section\t.rodata.str1.1,\"aMS\"\n.LC0:\n\t.string\t\"A\"\n"
		"\t.text\n\t.string\t\"B\"\n\t.section\t.rodata\n"
		                   "\t.string\t\"C\"\n\t.section\t.debug_str\n\t.string\t\"D\"\n"
		                   "\t.previous\n\t.string\t\"E\"\n";

	cr_expect(assembly_section_is(text, (size_t)(strstr(text, "\"A\"") - text), ".rodata"));
	cr_expect_not(assembly_section_is(text, (size_t)(strstr(text, "\"B\"") - text), ".rodata"));
	cr_expect(assembly_section_is(text, (size_t)(strstr(text, "\"C\"") - text), ".rodata"));
	cr_expect_not(assembly_section_is(text, (size_t)(strstr(text, "\"D\"") - text), ".rodata"));
	cr_expect_not(assembly_section_is(text, (size_t)(strstr(text, "\"E\"") - text), ".rodata"));
	cr_expect_not(assembly_section_is(text, 0, ".rodata"));
	cr_expect_not(assembly_section_is("no section\nat all", 12, ".rodata"));
}
