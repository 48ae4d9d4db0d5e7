/* Words by which a text chooses sections or holds assembler text. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/text_kind.h"

static int has(const char *text)
{
	return assembly_words(text, strlen(text));
}

Test(assembly_words, spellings)
{
	cr_expect(has("void f(void) { asm(\"nop\"); }"));
	cr_expect(has("__asm__ (\"nop\");"));
	cr_expect(has("int x __attribute__((section(\"a\")));"));
	cr_expect(has("int x __attribute__((section \n (\"a\")));"));
	cr_expect(has("int x __attribute__((section/**/(\"a\")));"));
	cr_expect(has("int x __attribute__((__section__(\"a\")));"));
	cr_expect(has("#define S section\nint x __attribute__((S(\"a\")));"));
	cr_expect(has("  #  define S section\n"));
	cr_expect(has("#define P(a, b) a ## b\nP(a, sm)(\"nop\");"));
}

Test(assembly_words, other_uses)
{
	cr_expect_not(has("struct section { int section; } section;"));
	cr_expect_not(has("return x.section (1);"));
	cr_expect_not(has("#define SECTION \"\\t.section\\t\"\n"));
	cr_expect_not(has("int assembly, sections, subsection;"));
}
