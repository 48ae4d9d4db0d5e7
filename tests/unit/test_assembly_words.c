/* Words by which a text chooses sections or holds assembler text. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/text/line_marks.h"

static int has(const char *text)
{
	return assembly_words(text, strlen(text));
}

Test(assembly_words, spellings)
{
	cr_expect(has("void f(void) { asm(\".nop\"); }"));
	cr_expect(has("__asm__ (\".nop\");"));
	cr_expect(has("int x __attribute__((section(\"a\")));"));
	cr_expect(has("int x __attribute__((section \n (\"a\")));"));
	cr_expect(has("int x __attribute__((section/**/(\"a\")));"));
	cr_expect(has("int x __attribute__((__section__(\"a\")));"));
	cr_expect(has("#define S section\nint x __attribute__((S(\"a\")));"));
	cr_expect(has("  #  define S section\n"));
	cr_expect(has("#define P(a, b) a ## b\nP(a, sm)(\"nop\");"));
}

/* As in the headers of Python 3.8 to 3.13. */
Test(assembly_words, assembler_text_without_a_dot)
{
	cr_expect_not(has("__asm__ (\"movq %%fs:0, %0\" : \"=r\" (tid));"));
	cr_expect_not(has("asm volatile /* x */ (\"a\\n\\t\" \"b\" ::: \"memory\");"));
	cr_expect_not(has("__asm__ __volatile__(\"xchg %0, %1\")"));
	cr_expect_not(has("__asm__ (\"fmove.l %%fpcr,%0\" : \"=g\" (old_fpcr));"));
	cr_expect(has("asm(\".LASF0\");"));
	cr_expect(has("asm(\"a\\n.LASF0\");"));
	cr_expect(has("asm(\"a %0.LASF0\");"));
	cr_expect_not(has("asm(\"a\" \"b.c\");"));
	cr_expect(has("asm(\"a\" \".c\");"));
	cr_expect(has("asm(\"a\" B \"c\");"));
	cr_expect(has("asm(\"a\\x2e\");"));
	cr_expect(has("asm(\"a\\56\");"));
	cr_expect(has("asm(A);"));
	cr_expect(has("asm();"));
	cr_expect(has("asm(\"a"));
	cr_expect(has("asm volatile"));
	cr_expect(has("asm more (\"a\");"));
	cr_expect(has("#define A asm\n"));
	cr_expect(has("#define A(x) asm(#x)\n"));
}

Test(assembly_words, comments_and_strings)
{
	cr_expect_not(has("/* the <asm/types.h> header, section (1) */ int x;"));
	cr_expect_not(has("/* don't use asm */ int x = '\"' + sizeof \"asm\";"));
	cr_expect_not(has("#define P(a, b) a ## b\n/* I'm */ const char *s = \"m\";"));
	cr_expect(has("const char *s = \"it's\"; asm(\".x\"); char c = '\\'';"));
	cr_expect(has("#error don't\nvoid f(void) { asm(\".x\"); } // isn't\n"));
	/* Other readings: two slashes before C99, a raw string, a trigraph, a number */
	cr_expect(has("int x = 4 //**/ 2; void f(void) { asm(\".x\"); }"));
	cr_expect_not(has("// asm, section\n// (1)\n"));
	cr_expect(has("// /*\nvoid f(void) { asm(\".x\"); } // */"));
	cr_expect(has("auto s = R\"(\")\"; void f() { asm(\".x\"); } // \""));
	cr_expect(has("char c = '?\?/'; void f() { asm(\".x\"); } // '"));
	cr_expect(has("int x = g(1'000, []{ asm(\".x\"); return 1'0; }());"));
}

Test(assembly_words, macros_that_paste)
{
	cr_expect(has("__CONCAT(a, sm)(\".x\");"));
	cr_expect(has("CAT2(a, sm)(\".x\");"));
	cr_expect(has("CONCATENATE(a, sm)(\".x\");"));
	cr_expect(has("PASTE(a, sm)(\".x\");"));
	cr_expect(has("#define P(a, b, c) a ## b ## c\nP(__a, s, m__)(\".x\");"));
	cr_expect(has("#define P(a, b) a ## b\nP(_, _asm)(\".x\");"));
	cr_expect(has("#define P(a) a ## m\n"));
	cr_expect(has("#define P(a) a ## sm__\n"));
	cr_expect_not(has("#define P(a, b) a ## b\nint f(int m, int n, int __);"));
	cr_expect(has("#define P(a, b) a ## b\nP(__asm, __)(\".x\");"));
	cr_expect_not(has("#define P(a, b) a ## b\nvoid f(void) { __asm__(\"nop\"); }"));
	cr_expect_not(has("Py_DEPRECATED(3.0) int f(const char *m); ALLOCATE LOCATION"));
}

Test(assembly_words, other_uses)
{
	cr_expect_not(has("struct section { int section; } section;"));
	cr_expect_not(has("return x.section (1);"));
	cr_expect_not(has("#define SECTION \"\\t.section\\t\"\n"));
	cr_expect_not(has("int assembly, sections, subsection;"));
}
