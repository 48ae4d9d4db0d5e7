/* tests/unit/test_dependency.c - texts whose meaning depends on the times of files, and other
 * texts. */
#include "tools/text/dependency.h"

#include <criterion/criterion.h>
#include <string.h>

static int flags_of(const char *text)
{
	struct arena arena = ARENA_INIT;
	int flags = dependency_in(text, strlen(text), &arena);

	arena_free(&arena);
	return flags;
}

static int found(const char *text)
{
	return dependency_asks(flags_of(text));
}

Test(dependency, found)
{
	static const char *const texts[] = {
		"#pragma GCC dependency \"x\"", "int v;\n #\tpragma\tGCC  dependency <x> and more",
		"%:pragma GCC dependency X", "#pragma GCC dependency",
		"#pragma clang dependency \"x\"", "_Pragma(\"GCC dependency \\\"x\\\"\")",
		"_Pragma(R\"(GCC dependency \"x\")\")", "_Pragma(L\" GCC dependency <x>\")",
		"#if 0\n#pragma GCC dependency \"x\"\n#endif", "s = \"GCC dependency of\";",
		"DO(GCC dependency \"x\")", "dependency #pragma GCC dependency",
		"#define D dependency\n#define G(x) DO(GCC x)\nG(dependency \"x\")",
		/* Comments and joined lines between the words and in them */
		"#pragma GCC /* of */ dependency /* a */ \"x\"",
		"/* a */ # pragma GCC dependency <x>",
		"#pragma GCC \\\n dependency \"x\"", "#pragma GCC depen\\\ndency \"x\"",
		"#pragma GCC depen\\  \ndency \"x\"",
		/* Text that ends, and comments in names */
		"/* a */ x = '\"'; /* b */\n#pragma GCC dependency \"x\"",
		"// it's\n#pragma GCC dependency \"x\"",
		"#error it's /* so\n#pragma GCC dependency \"x\"",
		"#include <a//b> /* c */ \n#pragma GCC dependency \"x\"",
		"#include <a/*b>\n#pragma GCC dependency \"x\" /* */",
		"// /*\n#pragma GCC dependency \"x\" /* */",
		"// why?\?/\n#pragma GCC dependency \"x\"",
		"R\"(\")\"\n#pragma GCC dependency \"x\"",
		"int i = 1'000'000;\n#pragma GCC dependency \"x\"",
		/* Macros that bring words together, a word in pieces, escapes */
		"#define D dependency\nP(GCC D \"x\")",
		"#define D \\\n dependency\n#define G(x) P(GCC x)", "G(GCC, dependency)",
		"P(GCC I(dependency) \"x\")", "P(GCC CAT(depend,ency) \"x\")",
		"P(GCC CAT(ency, end, dep) \"x\")", "G(GCC /* a */ X)", "GCC\nX",
		"#define GCC_ clang warning x\nP(GCC a)", "G\\\nCC X", "GCC dependenc",
		"#pragma GCC dependenc", "#pragma GCC d\\u0065pendency \"x\"",
		"#pragma GCC dependenc\\U00000079 \"x\"", "#pragma GCC \\u{64}ependency \"x\"",
		/* Comments that only some compilers see */
		"// a\r#pragma GCC dependency \"x\"",
		"S(1'0 /*')\n#pragma GCC dependency \"x\"\n/* */",
		"R\"x(\" )x\" /* \"\n#pragma GCC dependency \"x\"\n/* */",
		"R\"(\n' )\" /*'\n#pragma GCC dependency \"x\"\n/* */",
		"R\"(x)\\\n\"/*)\";\n#pragma GCC dependency \"x\"\n/* */",
		"#if __has_include(<a \\\n/*b>)\n#endif\n#pragma GCC dependency \"x\"\n/* */",
		"#include \"a\\\" \"/*\"\n#pragma GCC dependency \"x\"\n/* */",
		/* What does not end */
		"/* #pragma GCC dependency \"x\"", "R\"x(#pragma GCC dependency \"x\")\""};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		cr_expect(found(texts[i]), "%s", texts[i]);
		cr_expect(dependency_near(texts[i], strlen(texts[i])), "near: %s", texts[i]);
	}
}

Test(dependency, not_found)
{
	static const char *const texts[] = {
		"", "dependency", "#pragma dependency",
		"/* the clang dependency scanner */", "int dependency; dependency = 1 < 2;",
		"f(dependency);", "#define F(x) P(GCC diagnostic x)", "P(GCC warning \"x\")",
		"#if defined(GCC) && defined(clang)\n#endif\nint i;", "namespace clang { }",
		"clang::X x;", "using namespace clang;", "if (cc == GCC) f(c, lang);",
		"[[clang::x]]",
		"// GCC is free\nint i;", "!  GCC is free\n",
		"/* GCC is\n#define GCC\n */ int i;", "s = \"GCC is\";",
		"#pragma GCC diagnostic push\nint i;", "#pragma clang loop unroll(full)",
		"#define N(x) 1 // GCC has it\n",
		"#pragma GCCdependency", "#pragmaGCC dependency", "#pragma GCC poison dependency",
		"clang", "\"a GCC dependency\"",
		"#define X \"a\\\"b\"\nstruct dependency *f(dependency);", "it depends",
		"f(depend, on);", "\"\\\\u007f\"; // dependency", "a = \"\\u6564\";",
		"/* #pragma GCC dependency \"x\" */", "// #pragma GCC dependency \"x\"\nint a;",
		"// \\\n#pragma GCC dependency \"x\"\nint a;",
		"\"#pragma GCC dependency \\\"x\\\"\"",
		"s = \"_Pragma(\\\"GCC dependency \\\\\\\"x\\\\\\\"\\\")\";",
		"s = \"GCC dependency\";",
		"/*\n#pragma GCC dependency \"x\"\n*/", "\"\\\n#pragma GCC dependency \\\"x\\\"\"",
		"\"the GCC dependency \\\"x\\\"\"",
		"R\"(#pragma GCC)\" \"dependency\"", "GCC; dependency"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_not(found(texts[i]), "%s", texts[i]);
	cr_expect_not(dependency_near("depend\\\nx", 9));
	cr_expect_not(dependency_near("x\\\nency", 7));
}

Test(dependency, texts_of_one_unit)
{
	static const char *const open[] = {
		"#define G(x) P(GCC x \"f\")", "#define G(...) P(GCC __VA_ARGS__)",
		"#define OWN GCC", "#define OWN \\\n clang\n", "G(GCC,\n x, \"x\")",
		"G(x, /* a */ GCC)", "#define G(warning) P(GCC warning \"x\")",
		"#define OWN CAT(GC,C)", "#define OWN cl ## ang"};
	static const char *const word[] = {
		"G(dependency)", "#define D dependency", "CAT(dep, end, ency)", "d ## ependency",
		"G(\n dependency\n, \"x\")", "CAT(d,e,p,e,n,d,e,n,c,y)"};

	for (size_t i = 0; i < sizeof open / sizeof *open; i++)
		cr_expect(flags_of(open[i]) & DEPENDENCY_OPEN &&
		          dependency_near(open[i], strlen(open[i])), "%s", open[i]);
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		cr_expect(flags_of(word[i]) == DEPENDENCY_WORD &&
		          dependency_near(word[i], strlen(word[i])), "%s", word[i]);
	cr_expect_not(dependency_asks(DEPENDENCY_OPEN));
	cr_expect_not(dependency_asks(DEPENDENCY_WORD));
	cr_expect(dependency_asks(DEPENDENCY_OPEN | DEPENDENCY_WORD));
	cr_expect_eq(flags_of("/* G(dependency), \"dependency\" */"), 0);
	cr_expect_eq(flags_of("#define F(x) P(GCC diagnostic x)"), 0);
}
