/* Directives whose file a macro names. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/unit/asks_fixture.h"
#include "tools/asks/asks.h"
#include "tools/asks/words.h"

static int computes(const char *own, const char *header)
{
	struct arena a = ARENA_INIT;
	struct asks x;
	int rc;

	asks_init(&x, &a, 0);
	asks_add(&x, own, strlen(own), 1);
	if (header)
		asks_add(&x, header, strlen(header), 0);
	rc = asks_computes(&x);
	arena_free(&a);
	return rc;
}

Test(computed, one_text)
{
	static const char *const yes[] = {
		"#include X", "# include X\n", "/* a */ #include X", "#include_next X(1)",
		"\f#\tinclude /* \"a\" */ X", "#include \\\n X", "a\n  #import X", "#embed X",
		"/*\n*/#include X", "#incl\\\nude X", "%:include X", "?\?=include X",
		"#line 7", "# 7 \"x\"", "#include/**/X",
		"#if __has_include(X)", "#if __has_include(/* \"a\" */ X)", 
		"#if __has_embed (X)",
		"#elif defined __has_include && __has_include \\\n ( X )",
		"#define HAS __has_include\n#if HAS(X)", "__has_include",
		"#if __has_include_next(X)",
		"#define HAS(x) __has_include(x)\n#if HAS(X)",
		"#define HAS(x) __has_include(x)\n#if OTHER(HAS)",
		"#define HAS(x) (__has_include(x))\n#if HAS(<a>)",
		"#define HAS(x, y) __has_include(x)\n#if HAS(<a>, 1)",
		/* Behind comments, and in literals that only look like comments. */
		"/* a */ __has_include X", "/* a\n*/ __has_include X", "/*/ */__has_include X",
		"int a; /* a\n__has_include X", "// a\n__has_include X", "a // a __has_include X",
		"/* a\n // b */ __has_include X", "\"\\\n/* \" __has_include X",
		"\"?\?/\n/* \" __has_include X", "R\"(\n/* )\" __has_include X",
		"R\"(\n// )\" __has_include X", "'\\\n// ' __has_include X",
		"\"\\ \n // \" __has_include X", "\" \\\t \n/* \" __has_include X",
		"\" \\\r\n// \" __has_include X",
	};
	static const char *const no[] = {
		"", "#", "#include <a.h>", "#include \"a.h\"", "# include_next\t<a>",
		"#include\\\nX", "#include /* X */ <a>", "#include \\\n <a>",
		"see \\#include this file",
		" #include's protect", "we may #include_next through", "#includes X",
		"#define S(x) #x", "#define T(include) a #include", "#linear", "a #line 7",
		"#ifdef __has_include", "#if defined(__has_include) && 1",
		"#endif // __has_include", "/* __has_include X", "a\n  /* a\n b __has_include X */",
		"/* a */\n/* \"b\"\n   __has_include argument (GCC).  */", "// a __has_include X",
		"a\n\t// __has_include X\n", "a // __has_include X",
		"#if __has_include(<a>)", "#if __has_include (\"a\")", "#if my__has_include(X)",
		"#if __has_includes(X)",
		"#define HAS(x) __has_include(x)\n#if HAS(<a>) && HAS( \"b\" )",
		"#ifdef HAS\n#undef HAS\n#endif\n#define HAS(x) __has_include(x)\n#ifdef HAS",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(computes(yes[i], NULL), 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(computes(no[i], NULL), 0, "%s", no[i]);
}

Test(computed, any_text)
{
	cr_expect_eq(computes("int a;", "#include X"), 1);
	cr_expect_eq(computes("#if HAS(X)", "#define HAS(x) __has_include(x)"), 1);
	cr_expect_eq(computes("#if HAS(<x>)", "#define HAS(x) __has_include(x)"), 0);
}

/* A text whose trigraphs count in no other way. */
Test(computed, trigraphs)
{
	static const char *const looks[] = {
		"\"?\?/ \n/* \" __has_include X", "R?\?/\n\"(\n/* )\" __has_include X",
	};

	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
		cr_expect(asks_looks(looks[i], strlen(looks[i])), "%s", looks[i]);
}
