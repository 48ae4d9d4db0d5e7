/* Texts that lead to a program's own name, and texts that cannot. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "shim/buf.h"
#include "tests/unit/asks_fixture.h"
#include "tools/asks/asks.h"
#include "tools/asks/words.h"

Test(asks, a_program_alone)
{
	static const char *const yes[] = {
		"__FILE__", "int n = sizeof __BASE_FILE__;", "__FILE_NAME__", "__builtin_FILE()",
		"std::source_location", "-DA=__FILE__",
		"#define CAT(a, b) a##b\nCAT(__FI, LE__)", "#define CAT(a, b) a %:%: b",
		"a ?\?=?\?= b", "a ?\?/\nb", "#line 7 \"x\"", "# line 7", "#\t7 \"x\" 2",
		"#/**/line 7 \"x\"", "#define/**/A", "#define \\\nA", "#define /**/ A", "x\n#  12",
		"assert(x)",
		"__FI\\\nLE__", "__F\\\n\\\nILE__", "__F\\ \t\nILE__", "__F\\\r\nILE__",
		"#def\\\nine A __FI\\\nLE__\nA", "%\\\n:", "#li\\\nne 7",
		"a\rb", "NV_IF_TARGET(a, (b))",
		"_NV_TARGET_x",
	};
	static const char *const no[] = {
		"", "#", "# ", "#include <a.h>", "#define A(x) #x", "#define line 7",
		"# define LINE", "#lin", "__LINE__", "file", "%", "??", "_F",
		"#pragma unroll", "static_assert(1)", "asserts", "ENV_X", "#define A\nA", "#define",
		"#define */ __LINE__", "the #define. And", "#define A B\n#define B A\nA B",
		"int a; /* b",
		"__FI\\\n LE__", "__FI \\\nLE__", "__FI\\x\nLE__", "a\r\nb", "a\\", "\\\na",
		"a\\\n", "a\\\nb\\", "#\\\ndefine A",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(asks(yes[i], NULL), 1, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(asks(no[i], NULL), 0, "%s", no[i]);
}

#define CAT "#define CAT(a, b) a##b\n"

/* What gcc and clang read: a macro's name may be an argument of what another macro opened before it
 * in the same text. */
Test(asks, a_parenthesis_that_a_macro_opens)
{
	static const char header[] = CAT "#define H(a, c, b) c(a, b)\n#define OPEN H(__FI,\n";
	static const char *const yes[] = {
		"OPEN CAT, LE__)", "int CAT;\nOPEN CAT, LE__)", "CAT(OP, EN) CAT, LE__)",
		"#define A CAT(OP, EN)\nA CAT, LE__)", "#define A OPEN\nA CAT, LE__)",
		"OPEN\n#if 1\nCAT, LE__)\n#endif",
	};
	static const char *const no[] = {
		"int CAT; int __FI, LE__;", "int CAT; int __FI, LE__; CAT(a, b)",
		"int CAT; int __FI, LE__; OPEN 1, 2)",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_neq(answer(yes[i], header, ASKS_CXX), ASKS_NOT, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(answer(no[i], header, ASKS_CXX), ASKS_NOT, "%s", no[i]);
}

/* A compiler's own macros become numbers and the names of types. */
Test(asks, words_of_own_macros)
{
	static const char header[] = CAT "#define X(a, b) CAT(a, b)\n"
		"#define AB5 __FILE__\n#define AB12 __FILE__\n#define AB201710L __FILE__\n"
		"#define A_int __FILE__\n#define A1B __FILE__\n";
	static const char *const yes[] = {
		"\n\n\n\nX(AB, __LINE__)", "X(AB, __GNUC__)", "X(AB, __STDC_VERSION__)",
		"X(A_, __WCHAR_TYPE__)", "X(X(A, linux), B)", "X(X(A, __COUNTER__), B)",
	};
	static const char *const no[] = {"X(B, __LINE__)", "X(A, B)", "X(_, __LINE__)", "X(AB, _)"};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_neq(answer(yes[i], header, ASKS_CXX), ASKS_NOT, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(answer(no[i], header, ASKS_CXX), ASKS_NOT, "%s", no[i]);
}

/* A name may hold letters beyond ASCII, and parameters may have comments between them. */
Test(asks, names_and_parameters_that_are_spelled_otherwise)
{
	static const struct { const char *own, *header; int asks; } cases[] = {
		{"\xc3\xa9", "#define \xc3\xa9 __FILE__\n", 1},
		{"\xc3\xa9X", "#define \xc3\xa9X __FILE__\n", 1},
		{"X\xc3\xa9", "#define X\xc3\xa9 __FILE__\n", 1},
		{"F(1)", "#define LOG __FILE__\n#define F(\xc3\xa9LOG) LOG\n", 1},
		{"F(1)", "#define LOG __FILE__\n#define F(x /* LOG */) LOG\n", 1},
		{"F(1)", "#define F(x /* ), __FILE__ */, y) __FILE__\n", 1},
		{"F(1)", "#define LOG __FILE__\n#define F(LOG /* x */) LOG\n", 0},
		{"F(1)", "#define LOG __FILE__\n#define F(x) x /* \xc3\xa9 LOG */\n", 0},
		{"F __FI, LE__)", CAT "#define F CAT( /* ) */\n", 1},
		{"F __FI, LE__)", "#define C(s, a, b) a##b\n#define F C(\")\",\n", 1},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect_eq(answer(cases[i].own, cases[i].header, ASKS_CXX) != ASKS_NOT,
		             cases[i].asks, "%s", cases[i].header);
}

/* No text defines these names, and some target or option of a compiler does. */
Test(asks, names_that_some_compiler_defines)
{
	static const char *const yes[] = {
		"WIN32", "MIPSEL", "PPC", "TARGET_OS_MAC", "CUDA_API_PER_THREAD_DEFAULT_STREAM",
		"CUDA_DOUBLE_MATH_FUNCTIONS", "IBOutlet",
	};
	char header[128];

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
		snprintf(header, sizeof header, "#ifdef %s\n#define A __FILE__\n#endif\n", yes[i]);
		cr_expect_neq(answer("A", header, ASKS_CXX), ASKS_NOT, "%s", yes[i]);
	}
	cr_expect_eq(answer("A", "#ifdef WIN33\n#define A __FILE__\n#endif\n", ASKS_CXX), ASKS_NOT);
}

/* The words that ## joins need not stand behind the name of the macro that joins them. */
Test(asks, arguments_from_elsewhere)
{
	static const char *const yes[] = {
		CAT "#define APPLY(f, x, y) f(x, y)\nAPPLY(CAT, __FI, LE__)",
		CAT "#define GO(f) f(__FI, LE__)\nGO(CAT)",
		CAT "#define XX(a, b) a##b\nCAT(X, X)(__FI, LE__)",
		CAT "#define ID(x) x\nID(CAT)(__FI, LE__)",
		CAT "#define F CAT\n#define ID(x) x\nID(F)(__FI, LE__)",
		CAT "#define F() CAT\nF()(__FI, LE__)",
		CAT "#define F() CAT\n#define ID(x) x\nID(F())(__FI, LE__)",
		CAT "#define LP (\n#define E(...) __VA_ARGS__\nE(CAT LP __FI, LE__))",
		CAT "#define HOLD(x) CAT(x,\nHOLD(__FI) LE__)",
		CAT "#define AB CAT(__FI, LE__)\nCAT(A, B)",
		CAT "#define ONE(f) f(__FI, LE__)\n#define O(x) CAT(O, NE)(x)\nO(CAT)",
		CAT "CAT /* ( */ (__FI, LE__)",
		"#define CAT(s, a, b) s a##b\nCAT(\")\", __FI, LE__)",
		CAT "CAT(/* ) */ __FI, LE__)", CAT "CAT // (\n(__FI, LE__)",
		/* The parentheses around a bare name may be those of a macro. */
		CAT "#define E(f) f(__FI, LE__)\nE (\n#if 1\n)\n#endif\nE(CAT)",
		CAT "#define E(f) f(__FI, LE__)\n')' E('(', \")\" CAT)",
		CAT "#define E(f) f(__FI, LE__)\nchar *s = R\"x( ) )x\"; E(CAT)",
	};
	static const char *const no[] = {
		CAT "#define LIST(f) f(a, b) f(c, d)\nLIST(CAT)", CAT "#undef CAT",
		CAT "#define XX(a, b) a##b\nCAT(X, X)(a, b)", CAT "CAT(\")\", b)",
		CAT "#define N CAT(1, L)\nint n = N;",
		CAT "#define E(f) f(__FI, LE__)\nusing std::CAT; // (CAT\nE(x) CAT;",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_neq(answer(yes[i], NULL, ASKS_CXX), ASKS_NOT, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(answer(no[i], NULL, ASKS_CXX), ASKS_NOT, "%s", no[i]);
}

/* If a name is used more than eight times, all words of the text are asked first. Each spelling is
 * asked once. */
Test(asks, a_use_behind_many)
{
	static const struct { const char *use; int asks; } last[] = {
		{"CAT(__FI, LE__)", 1}, {"CAT(a, b)", 0}, {"X(__FI, LE__)", 1}, {"X(c, d)", 0},
		{"H CAT(__FI, LE__) E", 1}, {"__FI LE__", 0},
	};
	char text[4096];

	for (size_t i = 0; i < sizeof last / sizeof *last; i++)
		for (int count = 6; count < 12; count++)
			for (int each = 0; each < 2; each++) {
				size_t n = (size_t)snprintf(text, sizeof text,
				                            CAT "#define X(a, b) CAT(a, b)\n");

				for (int k = 0; k < count; k++)
					n += (size_t)snprintf(text + n, sizeof text - n,
					                      "CAT(v, %d)\n", each ? k : 1);
				snprintf(text + n, sizeof text - n, "%s\n%s", last[i].use,
				         last[i].use);
				cr_expect_eq(answer(text, NULL, ASKS_CXX) != ASKS_NOT, last[i].asks,
				             "%s", text);
			}
}
#undef CAT

Test(asks, nothing_beyond_the_end)
{
	static const char text[] = "#define A x /* */ #line 7 __FILE__";

	for (size_t n = 0; n < sizeof text - 12; n++) {
		struct arena arena = ARENA_INIT;
		struct asks x;
		char *copy = malloc(n ? n : 1);

		memcpy(copy, text, n);
		asks_init(&x, &arena, ASKS_CXX | ASKS_NVRTC);
		asks_add(&x, copy, n, 1);
		cr_expect_eq(asks_answer(&x), n >= strlen("#define A x /* */ #line"), "%zu", n);
		free(copy);
		arena_free(&arena);
	}
}

/* Texts, and headers whose macros ask for the name of a file. */
static const struct {
	const char *own, *header;
} asking[] = {
	{"SAY", "#define SAY __FILE__"},
	{"SAY(1)", "#define SAY(x) x __FILE__"},
	{"A", "#define C __FILE__\n#define B(x) C\n#define A B(1)"},
	{"A", "#define A B\n#define B C\n  #  define C assert(1)"},
	{"A", "#define A \\\n  1 + \\  \n  __FILE__"},
	{"A", "#define A /* two\nlines */ __FILE__"},
	{"A", "#define A /* one */ 1 /* two\nlines\n*/ \\\n __FILE__"},
	{"A", "#define A 1\n#undef A\n#define A __FILE__"},
	{"A", "#if _UNKNOWN\n#define A __FILE__\n#endif"},
	{"A", "/* #define A __FILE__ */"},
	{"A", "int b; /* */ #define A __FILE__"},
	{"CAT(__FILE, __)", "#define CAT(a, b) a ## b"},
	{"CAT(A, B)", "#define CAT(a, b) a ## b\n#define AB __FILE__"},
	{"CAT(FILE)", "#define CAT(a) __ ## a ## __"},
	{"A", "#define CAT(a, b) a##b\n#define A CAT(__FI, LE__)"},
	{"-DWHO=SAY", "#define SAY __FILE__"},
	{"A", "#define A NV_IF_TARGET(x, y)"},
	{"LE__)", "#define CAT(a, b) a##b\nint a = CAT(__FI,"},
	{"HOLD(\n#include \"a\"\n)", "#define CAT(a, b) a##b\n#define HOLD(x) x"},
	{"#if 0\n)\n#endif\nHOLD(\n#if 1\n(\n#else\n#endif\n)", "#define HOLD(x) x"},
	{"HOLD(\n#if 0\n)\n#endif\n", "#define HOLD(x) x"},
	{"OPEN CAT, LE__)", "#define CAT(a, b) a##b\n#define H(a, c, b) c(a, b)\n"
			    "#define OPEN H(__FI,"},
	/* By a default argument, or a text that could be one. */
	{"f()", "const char *f(const char *s = __builtin_FILE()) { return s; }"},
	{"f()", "f(std::source_location = { __builtin_source_location() });"},
	{"f()", "#define HERE __builtin_FILE()\nf(const char *s = HERE);"},
	{"f()", "#define HERE __builtin_FILE()\n#define THERE(x) HERE\n"
	 "f(const char *s = THERE(1));"},
	{"f()", "#define CAT(a, b) a##b\nf(const char *s = CAT(__builtin_, FILE)());"},
	{"f()", "#define CAT(a, b) a##b\n#define HERE __builtin_FILE()\n"
	 "f(const char *s = CAT(HE, RE));"},
	{"f()", "#define CAT(a, b) a##b\n"
	 "f(const char *s = CAT(CAT(CAT(__, builtin), _FI), LE)());"},
	{"f()", "/* a\n#define b */ f(const char *s = __builtin_FILE());"},
	{"x()", "x(char *a = \"a\\\n#define b\", char *b = __builtin_FILE());"},
	{"x()", "x(char *a = R\"(\n#define b )\", char *b = __builtin_FILE());"},
	{"x()", "x(char *a = R\"(\n/* )\", char *b = __builtin_FILE()); /* */"},
	{"f()", "/* a\n// b */ f(const char *s = __builtin_FILE());"},
	{"f()", "/* a */ f(const char *s = __builtin_FILE());"},
}, silent[] = {
	{"CAT(a, b)", "#define CAT(a, b) a ## b"},
	{"CAT(A, B)", "#define CAT(a, b) a ## b\n#define ABC __FILE__"},
	/* A header's own name is the same for all. */
	{"f()", "const char *f() { return __FILE__; }"},
	{"f()", "#define SAY __FILE__\nconst char *f() { return SAY; }"},
	{"f()", "void f() { assert(1); }"},
	{"SAY", "#define SAYS __FILE__"},
	{"a", "#line 7\n# 7 \"x\""},
	{"a", "// see #12\n"},
	{"a", "#define CAT(a, b) a##b\nint CAT(x, y);"},
	{"a", "#if HAS(__builtin_FILE)\n#define HERE __builtin_FILE()\n"
	 "#else // HAS(__builtin_FILE)\n#endif"},
	{"a", "#define CAT(a, b) a##b\n#define HERE __builtin_FILE()\n"},
	{"a", "#define CAT(a, b) a##b\n/* the source location\n * __builtin_ FILE */\n"
	 "  // __builtin_ source_location\n"},
	{"a", "#define CAT(a, b) a##b\nFILE *f; __builtin(x);"},
};

Test(asks, macros_of_headers)
{
	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
		cr_expect_eq(asks(asking[i].own, asking[i].header), 1, "%s | %s", asking[i].own,
		             asking[i].header);
	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
		cr_expect_eq(asks(silent[i].own, silent[i].header), 0, "%s | %s", silent[i].own,
		             silent[i].header);
}

Test(asks, functions_that_hand_their_place_on)
{
	static const struct {
		const char *own, *header;
	} yes[] = {
		{"g()", "f(char *s = __builtin_FILE());\ng(char *t = f());"},
		{"h()", "void h(int, place p = place::now(1));\n"
		 "place now(int, char *s = __builtin_FILE());"},
		{"A a(1);", "struct A { A(int, char *s = __builtin_FILE()); };"},
		/* Calls without a name: a conversion, an initialiser, a call by the language. */
		{"log(\"x\");",
		 "struct at { at(const char *, char *s = __builtin_FILE()); };\nvoid log(at);"},
		{"T t{};", "struct T { char *s = __builtin_FILE(); };"},
		{"T t{};", "struct T { std::string s{f()}; };\nf(char *s = __builtin_FILE());"},
		{"for (x : y) ;", "struct Y { int *begin(char *s = __builtin_FILE()); };"},
		{"a + b", "T operator+(T, T, char *s = __builtin_FILE());"},
		{"E()", "f(char *s = __builtin_FILE());\nusing E = f;"},
		{"g<1>()", "template <class T, char *s = __builtin_FILE()> void g();"},
		{"log(1)",
		 "#define LOGGER(n) void n(int, char *s = __builtin_FILE());\nLOGGER(log)"},
		{"g()", "f(char *s = __builtin_FILE());\nvoid g(char *s = { f() });"},
		{"g()", "f(char *s = __builtin_FILE());\n) void g(char *s = f());"},
	}, no[] = {
		{"g()", "f(char *s = __builtin_FILE());\n"
		 "inline void g() { char *t = f(); use(t = f()); }"},
		{"g()", "f(char *s = __builtin_FILE());\nstruct B { void g() { f(); } int f; };"},
		{"g()", "f(char *s = __builtin_FILE());\nnamespace n { char *t = f(); void g(); }"},
		{"g()", "f(char *s = __builtin_FILE()); // f(\n"
		 "/* { */ char *t = \"(\" R\"x({)x\", c = '(', n = 1'0;"},
		{"g()", "#define F f()\nf(char *s = __builtin_FILE());\ninline void g() { F; }"},
		{"g(1)",
		 "f(char *s = __builtin_FILE());\n#define CAT(a, b) a##b\nint CAT(g, _1)(int);"},
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(asks(yes[i].own, yes[i].header), 1, "%s | %s", yes[i].own,
		             yes[i].header);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(asks(no[i].own, no[i].header), 0, "%s | %s", no[i].own, no[i].header);
}

Test(asks, functions_that_are_only_declared)
{
	static const char assert_h[] =
		"void __assert_fail(const char *a, const char *f, unsigned l, const char *n);\n"
		"#define assert(e) ((e) ? 0 : __assert_fail (#e, __FILE__, __LINE__, \\\n"
		" __extension__ __func__))\n";
	static const char check_h[] =
		"[[noreturn]] void torchCheckFail(\n  const char *n,\n"
		"  const char *f, unsigned l, const std::string &m);\n"
		"#ifdef STRIP\n#define CHECK(c, ...) throw(__FILE__, ##__VA_ARGS__)\n#else\n"
		"#define CHECK(c, ...) if (!(c)) { ::c10::torchCheckFail( \\\n  __func__, \\\n"
		"  __FILE__, \\\n"
		"  static_cast<uint32_t>(__LINE__), MSG(c, \"\", ##__VA_ARGS__)); }\n#endif\n";
	static const char *const freely[] = {
		"#define assert(e) __assert_fail(#e, __FILE__ + 1, 1)",
		"#define assert(e) __assert_fail(#e, __FILE__[1], 1)",
		"#define assert(e) __assert_fail(#e, f(__FILE__), 1)",
		"#define assert(e) __assert_fail(#e, __FILE__ \"x\", 1)",
		"#define assert(e) other(#e, __FILE__, 1)",
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\n"
		"#define __assert_fail(a, b, c) b[3]",
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\n"
		"inline void __assert_fail(char *a, char *b, int c) { x = b[3]; }",
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\n"
		"inline auto __assert_fail = [](char *a) {};",
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\n// before\n"
		"void __assert_fail(char *a, char *b) { x = b[3]; }",
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\n"
		"void __assert_fail(char *a, char *b) /* ; */ { x = b[3]; }",
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\n"
		"void __assert_fail(char *a, char *b) // ;\n{ x = b[3]; }",
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\nvoid __assert\\\n"
		"_fail(char *a, char *b) { x = b[3]; }",
	};

	/* glibc 2.41 */
	static const char place[] =
		"#if defined __has_builtin\n# if __has_builtin (__builtin_FILE)\n"
		"#  define __ASSERT_FILE __builtin_FILE ()\n# endif\n#endif\n"
		"#if !defined __ASSERT_FILE\n# define __ASSERT_FILE __FILE__\n#endif\n"
		"# define assert(e) ((e) ? (void) (0) : __assert_fail (#e, __ASSERT_FILE, "
		"__ASSERT_LINE, \\\n  __ASSERT_FUNCTION))\n";

	cr_expect_eq(answer("assert(1)", place, ASKS_CXX), ASKS_TELLS);
	cr_expect_eq(answer("int a;", place, ASKS_CXX), ASKS_NOT);
	cr_expect_eq(answer("const char *a = __ASSERT_FILE;", place, ASKS_CXX), ASKS_FREELY);
	cr_expect_eq(answer("assert(1)", "#define __ASSERT_FILE __builtin_FILE () + 1\n"
	                    "#define assert(e) __assert_fail(#e, __ASSERT_FILE)", 0), ASKS_FREELY);
	cr_expect_eq(answer("assert(1)", "#define __ASSERT_FILE name\n"
	                    "#define assert(e) __assert_fail(#e, __ASSERT_FILE)", 0), ASKS_FREELY);
	cr_expect_eq(answer("assert(1)", assert_h, 0), ASKS_TELLS);
	cr_expect_eq(answer("CHECK(1, 2)", check_h, ASKS_CXX), ASKS_TELLS);
	cr_expect_eq(answer("int a;", check_h, ASKS_CXX), ASKS_NOT);
	cr_expect_eq(answer("assert(1) __FILE__", assert_h, 0), ASKS_FREELY);
	cr_expect_eq(answer("#define STRIP\nCHECK(1, 2)", check_h, ASKS_CXX), ASKS_FREELY);
	cr_expect_eq(answer("FILE *f;", assert_h, 0), ASKS_NOT);
	cr_expect_eq(answer("void __assert_fail(char *a) { }\nassert(1);", assert_h, 0),
	             ASKS_FREELY);
	for (size_t i = 0; i < sizeof freely / sizeof *freely; i++)
		cr_expect_eq(answer("assert(1);", freely[i], 0), ASKS_FREELY, "%s", freely[i]);
}

/* A word that seems to be quoted, or stands beside a quoted text. */
Test(asks, what_only_seems_quoted)
{
	static const char *const yes[] = {
		"#define X R\"(\")\" __FILE__ R\"(\")\"", "#define X R\"(a\"\n)\" __FILE__ R\"(\"\n"
		")\"", "#define X u8R\"x(\")x\" __FILE__ \"\"",
		"#define X 1'000 + sizeof(__FILE__) + 2'000", "#define X /* *\\\n/ __FILE__ /* */",
		"#define X 0x1'f[__FILE__] + L'\"' + '\"'",
		"#define X L'\"' + sizeof(__FILE__) + L'\"'",
		"#define X 'a' + sizeof(__FILE__) + 'b'", "#define X \"'\" __FILE__ \"'\"",
	};
	static const char *const no[] = {
		"#define X 1'000 + 2'000", "#define X \"R\" \"\"", "#define X \"__FILE__\"",
		"#define X '\"' + 1 + '\"'", "#define ER \"\"\n#define X ER\"a\"",
		"#define X // __FILE__", "#define X /* __FILE__ */ 1",
		"const char *r = R\"(\"\n__FILE__)\";\n#define X 1",
	};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_eq(answer("X", yes[i], ASKS_CXX), ASKS_FREELY, "%s", yes[i]);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect_eq(answer("X", no[i], ASKS_CXX), ASKS_NOT, "%s", no[i]);
	/* Two words of C, where quotes begin with the second. */
	cr_expect_eq(answer("X", "#define X 1'a' __FILE__ 'b'", 0), ASKS_FREELY);
	cr_expect_eq(answer("CAT(1'0, __FI, LE__, 2'0)", "#define CAT(a, b, c, d) b##c", ASKS_CXX),
	             ASKS_FREELY);
}

Test(asks, names_of_files_that_are_computed)
{
	cr_expect_eq(answer("#include \"a.h\"", "#include <b.h>", 0), ASKS_NOT);
	cr_expect_eq(answer("", "#define H <c.h>\n#include H", 0), ASKS_NOT);
	cr_expect_eq(answer("", "#define CAT(a, b) a##b\n#define H CAT(<c, .h>)\n# include_next H",
	                    0), ASKS_FREELY);
	cr_expect_eq(answer("", "#include __FILE__", 0), ASKS_FREELY);
}

/* The source's name in every text. */
Test(asks, base_file_in_a_header)
{
	static const char *const yes[] = {
		"const char *f() { return __BASE_FILE__; }",
		"#define B __BASE_FILE__\ninline void f() { g(B); }",
		"#define CAT(a, b) a##b\ninline char f() { return CAT(__BASE, _FILE__)[3]; }",
		"#define B __BASE_FILE__\n#define CAT(a) B##a\n#define BX B\n"
		"char *f() { return CAT(X); }",
	};
	static const char *const no[] = {"#define B __BASE_FILE__\n", "// __BASE_FILE__\n",
	           "char *s = \"__BASE_FILE__\";",
	           "#define CAT(a, b) a##b\ninline char f() { return CAT(__BASE, _LINE__); }"};

	for (unsigned words = 0; words <= ASKS_CXX; words++) {
		for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
			cr_expect_eq(answer("int a;", yes[i], words), ASKS_FREELY, "%s", yes[i]);
		for (size_t i = 0; i < sizeof no / sizeof *no; i++)
			cr_expect_eq(answer("int a;", no[i], words), ASKS_NOT, "%s", no[i]);
	}
}

Test(asks, clang)
{
	cr_expect_eq(answer("f([] {})", "template <class T> f(T) { puts(__PRETTY_FUNCTION__); }",
	                    ASKS_CXX), ASKS_NOT);
	cr_expect_eq(answer("f([] {})", "template <class T> f(T) { puts(__PRETTY_FUNCTION__); }",
	                    ASKS_CXX | ASKS_PRETTY),
		ASKS_FREELY);
	cr_expect_eq(answer("a", "#define F __PRETTY_FUNCTION__", ASKS_PRETTY), ASKS_NOT);
	cr_expect_eq(answer("F", "#define F __PRETTY_FUNCTION__", ASKS_PRETTY), ASKS_FREELY);
}

/* The answer for a program and these headers; NULL: none. */
static enum asks_answer of_headers(const char *own, const char *x, const char *y, const char *z)
{
	const char *const headers[] = {x, y, z};
	struct arena arena = ARENA_INIT;
	struct asks all;
	enum asks_answer answer;

	asks_init(&all, &arena, ASKS_CXX);
	asks_add(&all, own, strlen(own), 1);
	for (size_t i = 0; i < 3; i++)
		if (headers[i])
			asks_add(&all, headers[i], strlen(headers[i]), 0);
	answer = asks_answer(&all);
	arena_free(&arena);
	return answer;
}

/* A header that holds no word that matters may hold one when all others are known. */
Test(asks, headers_matter_in_any_order)
{
	static const char g[] = "void g(const char *t = f());",
		h[] = "void h(const char *t = g());",
		f[] = "const char *f(const char *s = __builtin_FILE());",
		open[] = "void g(const char *t = f()); }}}";

	cr_expect_eq(of_headers("g();", f, g, NULL), ASKS_FREELY);
	cr_expect_eq(of_headers("g();", g, f, NULL), ASKS_FREELY);
	cr_expect_eq(of_headers("h();", h, g, f), ASKS_FREELY);
	cr_expect_eq(of_headers("h();", f, g, h), ASKS_FREELY);
	cr_expect_eq(of_headers("int a;", g, f, h), ASKS_NOT);
	/* A text that is not understood asks only if it holds such a word. */
	cr_expect_eq(of_headers("int a;", open, f, NULL), ASKS_FREELY);
	cr_expect_eq(of_headers("int a;", open, h, NULL), ASKS_NOT);
}

Test(asks, a_function_that_is_told_and_has_a_body_asks)
{
	static const char *const tellers[] = {
		"__assert_fail", "__assert_perror_fail", "torchCheckFail", "assert_fail"};
	char tells[100], defines[100];

	for (size_t i = 0; i < sizeof tellers / sizeof *tellers; i++) {
		snprintf(tells, sizeof tells, "#define CHECK(e) %s(#e, __FILE__)", tellers[i]);
		snprintf(defines, sizeof defines, "void x::%s(int a) {}", tellers[i]);
		cr_expect_eq(of_headers("CHECK(1);", tells, NULL, NULL), ASKS_TELLS);
		cr_expect_eq(of_headers("CHECK(1);", defines, tells, NULL), ASKS_FREELY);
	}
}
