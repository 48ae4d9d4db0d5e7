/* Parts of texts that no compile reaches. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/unit/asks_fixture.h"

Test(asks_dead, parts_that_no_compile_reaches)
{
	static const struct {
		const char *own, *header;
		int asks;
	} v[] = {
		{"A", "#ifdef X\n#define A __FILE__\n#endif", 0},
		{"A", "#if defined(X)\n#define A __FILE__\n#endif", 0},
		{"A", "#ifndef X\n#define A 1\n#else\n#define A __FILE__\n#endif", 0},
		{"A", "#ifdef X\n#if 1\n#else\n#define A __FILE__\n#endif\n#endif", 0},
		{"A", "#ifdef X\n#else\n#define A __FILE__\n#endif", 1},
		{"A", "#ifdef X\n#elif 1\n#define A __FILE__\n#endif", 1},
		{"A", "#ifndef X\n#define A __FILE__\n#endif", 1},
		{"A", "#ifndef X\n#elif 1\n#else\n#define A __FILE__\n#endif", 0},
		{"A", "#ifdef Y\n#elif 1\n#else\n#define A __FILE__\n#endif", 0},
		{"A", "#if 0\n#define A __FILE__\n#endif", 0},
		{"A", "#if !defined(X)\n#else\n#define A __FILE__\n#endif", 0},
		{"A", "#if !defined(X)\n#define A __FILE__\n#endif", 1},
		{"A", "#if ! defined X\n#define A __FILE__\n#endif", 1},
		{"A", "#if !!defined(X)\n#define A __FILE__\n#endif", 0},
		{"A", "#if ~defined(X)\n#define A __FILE__\n#endif", 1},
		{"A", "#if -defined(X)\n#define A __FILE__\n#endif", 1},
		{"A", "#if defined(X) + 1\n#define A __FILE__\n#endif", 1},
		{"A", "#if 01\n#else\n#define A __FILE__\n#endif", 0},
		{"A", "#ifdef Y\n#elifndef X\n#define A __FILE__\n#endif", 1},
		/* an #else behind a comment belongs to another #if */
		{"A", "#ifndef X\n/**/ #if Y\n#else\n#define A __FILE__\n/**/ #endif\n#endif", 1},
		{"A", "#ifndef X\n/*\n*/ #if Y\n#else\n#define A __FILE__\n/**/ #endif\n#endif", 1},
		{"A", "#ifdef _X\n#define A __FILE__\n#endif", 1},
		{"A", "#ifdef linux\n#define A __FILE__\n#endif", 1},
		{"A", "#if defined(X) || 1\n#define A __FILE__\n#endif", 1},
		{"A", "#if X\n#define A __FILE__\n#endif", 0},
		{"A\n#define X 1", "#if X\n#define A __FILE__\n#endif", 1},
		/* Where #elifdef is not known, the part before goes on. */
		{"A", "#ifdef X\n#elifdef X\n#define A __FILE__\n#endif", 1},
		{"A", "#if 0\n#(endif\n#else\n#if 1\n#else\n#endif\n#define A __FILE__\n#endif",
		 1},
		{"A\n#define X", "#ifdef X\n#define A __FILE__\n#endif", 1},
		{"A", "#ifdef X\n#endif\n#define A __FILE__\n", 1},
		{"A", "/*\n#ifdef X\n*/\n#define A __FILE__\n/*\n#endif\n*/", 1},
		{"A", "// \\\n#ifdef X\n#define A __FILE__\n// \\\n#endif", 1},
		{"A", "char *s = \"/*\";\n#ifdef X\n#endif /*\n#ifdef X */\n#define A __FILE__\n",
		 1},
		{"A", "char *s = R\"(\n#ifdef X\n)\";\n#define A __FILE__\nchar *t = R\"(\n#endif\n"
		 ")\";", 1},
		{"A", "#ifdef X\n#define A __FILE__\n", 1},
	};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		cr_expect_eq(answer(v[i].own, v[i].header, ASKS_CXX) != ASKS_NOT, v[i].asks,
		             "%s | %s", v[i].own, v[i].header);
	/* NVRTC defines macros of any name. */
	cr_expect(asks("A", "#ifdef NULL\n#define A __FILE__\n#endif"));
	cr_expect(asks("A", "#if CUDART_VERSION\n#define A __FILE__\n#endif"));
	cr_expect_not(asks("A", "#if 0\n#define A __FILE__\n#endif"));
}

Test(asks_dead, parts_that_the_command_line_leaves_out)
{
	static const struct {
		const char *own, *header, *given;
		int asks;
	} v[] = {
		{"A", "#ifdef N\n#define A 1\n#else\n#define A __FILE__\n#endif", "#define N\n", 0},
		{"A", "#ifndef N\n#define A __FILE__\n#endif", "#define N 1\n", 0},
		{"A", "#if !defined(N)\n#define A __FILE__\n#endif", "#define N 1\n", 0},
		{"A", "#if defined(N)\n#elif X\n#define A __FILE__\n#endif", "#define N\n", 0},
		{"A", "#ifdef A\n#elif defined(N)\n#define A 1\n#else\n#define A __FILE__\n#endif",
		 "#define N 1\n", 0},
		{"A", "#ifdef N\n#define A __FILE__\n#endif", "#define N 1\n", 1},
		{"A", "#ifdef N\n#else\n#define A __FILE__\n#endif", "#define M 1\n", 1},
		{"A", "#if N\n#else\n#define A __FILE__\n#endif", "#define N 1\n", 0},
		{"A", "#ifndef N\\u00e9\n#define A __FILE__\n#endif", "#define N 1\n", 1},
		{"A", "#ifndef N\303\251\n#define A __FILE__\n#endif", "#define N 1\n", 1},
		{"A", "#ifndef N\n#define A __FILE__\n#endif", "#define N\303\251 1\n", 1},
		{"A", "#ifdef X\n#elifdef N\n#else\n#define A __FILE__\n#endif", "#define N 1\n",
		 1},
		{"A", "#ifdef X\n#elifndef N\n#define A __FILE__\n#endif", "#define N 1\n", 1},
		{"A", "#undef N\n#ifndef N\n#define A __FILE__\n#endif", "#define N 1\n", 1},
		{"#undef N\nA", "#ifndef N\n#define A __FILE__\n#endif", "#define N 1\n", 1},
		{"A", "#ifndef N\n#define A __FILE__\n#endif\n# undef /**/ N\n", "#define N\n", 1},
		{"A", "#ifndef N\n#define A __FILE__\n#endif\n#undef \\\n N\n", "#define N\n", 1},
		{"A", "#ifndef _N\n#define A __FILE__\n#endif", "#define _N 1\n", 1},
		/* defined by a text, which may come later */
		{"A", "#ifndef N\n#define A __FILE__\n#endif\n#define N\n", "", 1},
	};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		enum asks_answer answer = answer_given(v[i].own, v[i].header, v[i].given, ASKS_CXX);

		cr_expect_eq(answer != ASKS_NOT, v[i].asks, "%s | %s | %s", v[i].own, v[i].header,
		             v[i].given);
	}
}

/* #if lines that are surely false: the part behind them does not ask. N is given, as 3. */
Test(asks_dead, expressions)
{
	static const struct {
		const char *more, *expression;
		int asks;
	} v[] = {
		{"", "0", 0}, {"", "00L", 0}, {"", "0x0", 0}, {"", "1", 1}, {"", "0b0", 1},
		{"", "0x", 1}, {"", "09 < 1", 1}, {"", "9999999999 < 1", 1}, {"", "0'0", 1},
		{"", "0.5", 1}, {"", "\"\"", 1}, {"", "", 1}, {"", "(", 1}, {"", "()", 1},
		{"", "0)", 1}, {"", "(0", 1}, {"", "0 0", 1}, {"", "0 /* x */ // y", 0},
		{"", "0 /* x", 1}, {"", "0 // /* x", 0}, {"", "0 && \\\n0", 0}, {"", "0 \\ 0", 1},
		{"", "!defined N", 0}, {"", "!defined(N)", 0}, {"", "! ( defined ( N ) )", 0},
		{"", "defined", 1}, {"", "defined(", 1}, {"", "defined(N", 1},
		{"", "!defined(N M)", 1},
		{"", "defined(X) && defined(_Y)", 0}, {"", "defined(_Y) && defined(X)", 0},
		{"", "defined(X) || defined(_Y)", 1}, {"", "!defined(N) || defined(X)", 0},
		{"", "defined(_Y) || defined(X) && 0", 1}, {"", "(defined(_Y) || 1) && 0", 0},
		{"", "!(defined(_Y) || 1)", 0}, {"", "!(defined(_Y) || 0)", 1},
		{"", "X", 0}, {"", "X && __GNUC__ > 3", 0}, {"", "__GNUC__ && X", 0},
		{"", "X || __GNUC__ > 3", 1}, {"", "X + 1", 1}, {"", "X * 2 || 0", 1},
		{"", "0 && __GNUC__ * 100 + __GNUC_MINOR__ >= 403", 0},
		/* another order of operations */
		{"", "0 && 0, 1", 1}, {"", "0 && 0 ? 1 : 1", 1}, {"", "0 && 0 | 1", 1},
		{"", "0 && 0 ^ 1", 1}, {"", "0 & 1", 1}, {"", "0 << 1", 1}, {"", "0 <=> 1", 1},
		{"", "0 / 1", 1}, {"", "-0", 1}, {"", "~0", 1},
		{"#define Y 0 || 1\n", "0 && Y", 1}, {"#define Y ) || (1\n", "(0 && Y)", 1},
		{"#define Y\n", "0 && Y 0", 1}, {"#define Y(a) 0 || a\n", "0 && Y(1)", 1},
		{"#define Y || 1\n", "0 Y", 1}, {"#define Y defined(\n", "0 && !Y Z)", 1},
		{"#define Y 1\n", "0 && Y", 0}, {"#define Y 1 // c\n", "0 && Y", 0},
		{"#define Y 1 \\\n || 1\n", "0 && Y", 1},
		{"#define Y 1 /* \n */ || 1\n", "0 && Y", 1},
		{"#define Y 1\n#define Y 0 || 1\n", "0 && Y", 1},
		{"#define Y 0 || 1\n#define Y 1\n", "0 && Y", 1},
		{"", "0 and 1", 1}, {"", "0 or 1", 1}, {"", "false", 1}, {"", "not N", 1},
		{"", "0 && __has_include(<a) || 1>)", 1}, {"", "0 && _Y", 1}, {"", "linux", 1},
		/* It is not known which definition holds, nor whether it stands before the #if. */
		{"#define Y 0\n", "Y", 1}, {"#define Y 0\n", "defined(Y)", 1},
		{"#if 0\n#define Y 0\n#endif\n", "Y", 1},
		{"", "N", 1}, {"", "!N", 0}, {"", "N < 3", 0}, {"", "N <= 2", 0}, {"", "N > 3", 0},
		{"", "N >= 4", 0}, {"", "N == 2", 0}, {"", "N != 3", 0}, {"", "N <= 3", 1},
		{"", "N >= 3", 1}, {"", "N == 3", 1}, {"", "N != 2", 1}, {"", "N > 2", 1},
		{"", "N < 4", 1}, {"", "3 > N", 0}, {"", "N == 3 == 0", 0}, {"", "N < 4 < 1", 0},
		{"", "N(1)", 1}, {"", "N < _Y", 1}, {"", "N < __GNUC__", 1},
		{"#define N 4\n", "N < 3", 1}, {"#undef N\n", "!N", 1},
		{"#undef N\n#define N 3\n", "N < 3", 1}, {"#define N 3\n", "N < 3", 1},
		/* -DM -DM=0, -DF(a)=0, -DE= */
		{"", "M", 1}, {"", "F", 1}, {"", "E", 1}, {"", "!defined(M)", 0},
		{"", "!defined(F)", 0}, {"", "!defined(E)", 0},
	};
	static const char given[] = "#define N 3\n#define M 1\n#define M 0\n#define F(a) 0\n"
		"#define E \n";

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		char header[256];

		snprintf(header, sizeof header, "%s#if %s\n#define A __FILE__\n#endif\n", v[i].more,
		         v[i].expression);
		cr_expect_eq(answer_given("A", header, given, ASKS_CXX) != ASKS_NOT, v[i].asks,
		             "%s", header);
	}
}
