/* What leads to a program's own name, and what cannot. */
#include <criterion/criterion.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>

#include "jit/itself.h"

/* A program and one header. */
static int asks(const char *own, const char *header)
{
	struct arena arena = ARENA_INIT;
	struct itself x;
	int answer;

	itself_init(&x, &arena);
	itself_add(&x, own, strlen(own), 1);
	if (header)
		itself_add(&x, header, strlen(header), 0);
	answer = itself_asks(&x);
	arena_free(&arena);
	return answer;
}

Test(itself, a_program_alone)
{
	static const char *const yes[] = {
		"__FILE__", "int n = sizeof __BASE_FILE__;", "__FILE_NAME__", "__builtin_FILE()", "std::source_location", "-DA=__FILE__",
		"#define CAT(a, b) a##b", "#define CAT(a, b) a %:%: b", "a ?\?=?\?= b", "a ?\?/\nb", "#line 7 \"x\"", "# line 7", "#\t7 \"x\" 2",
		"#/**/line 7 \"x\"", "#\\\ndefine A", "#define/**/A", "#define \\\nA", "#define /**/ A", "x\n#  12", "assert(x)", "NV_IF_TARGET(a, (b))",
		"_NV_TARGET_x",
	};
	static const char *const no[] = {
		"", "#", "# ", "#include <a.h>", "#define A(x) #x", "#define line 7", "# define LINE", "#lin", "__LINE__", "file", "%", "??", "_F",
		"#pragma unroll", "static_assert(1)", "asserts", "ENV_X", "#define A\nA", "#define", "#define */ __LINE__", "the #define. And", "#define A B\n#define B A\nA B", "int a; /* b",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(asks(yes[i], NULL), 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(asks(no[i], NULL), 0, "%s", no[i]);
}

Test(itself, nothing_beyond_the_end)
{
	static const char text[] = "#define A x /* */ #line 7 __FILE__";

	for (size_t n = 0; n < sizeof text - 12; n++) {
		struct arena arena = ARENA_INIT;
		struct itself x;
		char *copy = malloc(n ? n : 1);

		memcpy(copy, text, n);
		itself_init(&x, &arena);
		itself_add(&x, copy, n, 1);
		cr_expect_eq(itself_asks(&x), n >= strlen("#define A x /* */ #line"), "%zu", n);
		free(copy);
		arena_free(&arena);
	}
}

Test(itself, macros_of_headers)
{
	static const struct {
		const char *own, *header;
	} yes[] = {
		{"SAY", "#define SAY __FILE__"},
		{"SAY(1)", "#define SAY(x) x __FILE__"},
		{"A", "#define C __FILE__\n#define B(x) C\n#define A B(1)"},
		{"A", "#define A B\n#define B C\n  #  define C assert(1)"},
		{"A", "#define A \\\n  1 + \\  \n  __FILE__"},
		{"A", "#define A /* two\nlines */ __FILE__"},
		{"A", "#define A /* one */ 1 /* two\nlines\n*/ \\\n __FILE__"},
		{"A", "#define A 1\n#undef A\n#define A __FILE__"},
		{"A", "#if 0\n#define A __FILE__\n#endif"},
		{"A", "/* #define A __FILE__ */"},
		{"A", "int b; /* */ #define A __FILE__"},
		{"CAT(a, b)", "#define CAT(a, b) a ## b"},
		{"A", "#define CAT(a, b) a##b\n#define A CAT(__FI, LE__)"},
		{"-DWHO=SAY", "#define SAY __FILE__"},
		{"A", "#define A NV_IF_TARGET(x, y)"},
		/* By a default argument, or what could be one. */
		{"f()", "const char *f(const char *s = __builtin_FILE()) { return s; }"},
		{"f()", "f(std::source_location = { __builtin_source_location() });"},
		{"f()", "#define HERE __builtin_FILE()\nf(const char *s = HERE);"},
		{"f()", "#define HERE __builtin_FILE()\n#define THERE(x) HERE\nf(const char *s = THERE(1));"},
		{"f()", "#define CAT(a, b) a##b\nf(const char *s = CAT(__builtin_, FILE)());"},
		{"f()", "#define CAT(a, b) a##b\n#define HERE __builtin_FILE()\nf(const char *s = CAT(HE, RE));"},
		{"f()", "#define CAT(a, b) a##b\nf(const char *s = CAT(CAT(CAT(__, builtin), _FI), LE)());"},
		{"f()", "/* a\n#define b */ f(const char *s = __builtin_FILE());"},
		{"f()", "x(\"a\\\n#define b\", __builtin_FILE());"},
		{"f()", "x(R\"(\n#define b )\", __builtin_FILE());"},
		{"f()", "x(R\"(\n/* )\", __builtin_FILE()); /* */"},
		{"f()", "/* a\n// b */ f(const char *s = __builtin_FILE());"},
		{"f()", "/* a */ f(const char *s = __builtin_FILE());"},
	}, no[] = {
		/* A header's own name is the same for all. */
		{"f()", "const char *f() { return __FILE__; }"},
		{"f()", "#define SAY __FILE__\nconst char *f() { return SAY; }"},
		{"f()", "void f() { assert(1); }"},
		{"SAY", "#define SAYS __FILE__"},
		{"a", "#line 7\n# 7 \"x\""},
		{"a", "// see #12\n"},
		{"a", "#define CAT(a, b) a##b\nint CAT(x, y);"},
		{"a", "#if HAS(__builtin_FILE)\n#define HERE __builtin_FILE()\n#else // HAS(__builtin_FILE)\n#endif"},
		{"a", "#define CAT(a, b) a##b\n#define HERE __builtin_FILE()\n"},
		{"a", "#define CAT(a, b) a##b\n/* the source location\n * __builtin_ FILE */\n  // __builtin_ source_location\n"},
		{"a", "#define CAT(a, b) a##b\nFILE *f; __builtin(x);"},
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(asks(yes[i].own, yes[i].header), 1, "%s | %s", yes[i].own, yes[i].header);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(asks(no[i].own, no[i].header), 0, "%s | %s", no[i].own, no[i].header);
}

Test(itself, too_many_to_follow)
{
	static char header[1 << 16];
	size_t n = 0;

	for (int i = 0; i < 64; i++)
		n += (size_t)snprintf(header + n, sizeof header - n, "#define H%d __builtin_FILE()\n", i);
	cr_expect_eq(asks("a", header), 1);
	memset(header + n, 'x', 80);
	snprintf(header, sizeof header, "#define ");
	memset(header + 8, 'x', 80);
	snprintf(header + 88, sizeof header - 88, " __builtin_FILE()\n");
	cr_expect_eq(asks("a", header), 1);
}
