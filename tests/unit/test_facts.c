/* What a program asks for by the facts of its header, without the header's text. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/asks_fixture.h"
#include "tools/asks/definitions.h"

static int by_facts(const char *own, const char *header)
{
	struct arena arena = ARENA_INIT;
	struct buf facts = BUF_INIT(&arena);
	struct asks x;
	int answer;

	asks_init(&x, &arena, ASKS_CXX);
	asks_add(&x, own, strlen(own), 1);
	asks_add(&x, header, strlen(header), 0);
	cr_assert_eq(asks_facts(&x, &facts), 0);
	answer = asks_by_facts(&x, facts.data, facts.len);
	for (size_t n = 0; n < facts.len; n++)
		cr_expect_eq(asks_by_facts(&x, facts.data, n), ASKS_UNKNOWN);
	if (answer != ASKS_UNKNOWN)
		cr_expect_eq(answer, (int)asks_answer(&x), "%s | %s", own, header);
	arena_free(&arena);
	return answer;
}

/* Facts of a header, made with the names that `first` defines, asked for `own`. */
static int by_declared(const char *first, const char *own, const char *header)
{
	struct arena arena = ARENA_INIT;
	struct buf facts = BUF_INIT(&arena);
	struct asks x;
	int answer;

	asks_fill(&x, &arena, first, header, NULL, ASKS_CXX);
	cr_assert_eq(asks_declare(&x), 0);
	cr_assert_eq(asks_facts(&x, &facts), 0);
	asks_fill(&x, &arena, own, header, NULL, ASKS_CXX);
	answer = asks_by_facts(&x, facts.data, facts.len);
	arena_free(&arena);
	return answer;
}

Test(facts, a_name_that_a_unit_defines_may_be_one_that_a_header_looks_for)
{
	static const char header[] = "#ifdef CLEAN\n#define LATE __FILE__\n#define SIZE 1\n#endif\n"
	                             "#ifdef OTHER\n#define MORE __FILE__\n#endif\n";

	cr_expect_eq(by_declared("#define CLEAN\n", "#define CLEAN\nint a = SIZE;", header),
	             ASKS_NOT);
	cr_expect_eq(by_declared("#define CLEAN\n", "#define CLEAN\nLATE;", header), ASKS_FREELY);
	cr_expect_eq(by_declared("#define CLEAN\n", "#define OTHER\nMORE;", header), ASKS_UNKNOWN);
	cr_expect_eq(by_declared("", "#define CLEAN\nint a = SIZE;", header), ASKS_UNKNOWN);
}

Test(facts, what_facts_settle_and_what_they_leave)
{
	static const char header[] =
		"#define assert(e) __assert_fail(#e, __FILE__, 1)\n#define WHO __FILE__\n"
		"#define YOU WHO\n"
		"#define CAT(a, b) a##b\n"
		"#ifdef EARLY\n#define LATE __FILE__\n#endif\n#define PLAIN 1\n"
		"int f(const char *s = __builtin_FILE());\nint CAT(one, two);\n";
	static const char *const left[] = {
		"#define EARLY", "#undef EARLY", "CAT(a, b)", "#line 7", "#define A a##b",
		"__assert_fail()", "#define one x", "#define A 1.5f", "#define A(x) = x", "a %:b",
		"#ifdef NO\n#define A b\n#endif", "#define A WHO", "#ifdef NO\nWHO\n#endif",
	};
	static const char *const freely[] = {"WHO", "int a = YOU;", "f()", "__FILE__"};

	cr_expect_eq(by_facts("int a = PLAIN;\n#include <b.h>\n#define A\n#define B(x) #x\n"
	                      "#define C (2 + 0x7ul)\nint EARLY;", header),
	             ASKS_NOT);
	cr_expect_eq(by_facts("assert(a);", header), ASKS_TELLS);
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		cr_expect_eq(by_facts(left[i], header), ASKS_UNKNOWN, "%s", left[i]);
	for (size_t i = 0; i < sizeof freely / sizeof *freely; i++)
		cr_expect_eq(by_facts(freely[i], header), ASKS_FREELY, "%s", freely[i]);
	cr_expect_eq(by_facts("assert(a);", "#define assert(e) __assert_fail(#e, __FILE__, 1)\n"
	                                    "void __assert_fail(int a) {}"),
	             ASKS_UNKNOWN);
	/* Whatever text the unit has. */
	cr_expect_eq(by_facts("int a;", "#define __builtin_FILE x %: y"), ASKS_FREELY);
	settled = 0;
	answer("assert(a);", header, ASKS_CXX);
	cr_expect_eq(settled, 1);
}

/* CUDA's headers declare by such macros, and every unit uses them. */
Test(facts, what_facts_say_of_macros_that_paste)
{
	static const char header[] =
		"#define NOTE(a) __declspec(__##a##__)\n#define DEVICE NOTE(device)\n"
		"#define BOUNDS(...) NOTE(bounds(__VA_ARGS__))\n"
		"#define BOTH NOTE(x)\n#define BOTH(a) NOTE(a)\n"
		"#define CAT(a, b) a##b\n#define TAKE(a) CAT(a, ILE__)\n"
		"#define WHO CAT(__F, ILE__)\n"
		"#define OPEN CAT(a, \n#define LEND BOUNDS\n";
	static const char *const nothing[] = {
		"DEVICE int a;", "DEVICE", "BOUNDS(256) DEVICE int a;", "BOUNDS ( 0x10u, (4) ) a",
		"#define N 256\nDEVICE int a[N];", "#define NONE\nDEVICE NONE a",
		"#define DEVICE\nDEVICE", "BOUNDS()",
	};
	static const char *const left[] = {
		"DEVICE (a)", "DEVICE /**/\n(a)", "BOUNDS(N)", "#define N 256\nBOUNDS(N)", "BOUNDS",
		"BOUNDS(1)(2)", "BOUNDS(1", "BOUNDS(1.5f)", "BOUNDS(1 + 2)", "BOTH", "BOTH(1)",
		"TAKE(__F)", "WHO", "OPEN b)", "LEND", "LEND(1)", "#define A(x)\nDEVICE",
	};
	/* FILE_2 takes the name, but only if N is a number. */
	static const char numbers[] = "#define CAT(a, b) a##b\n#define FILE_2 __FILE__\n"
		"int f(const char *s = CAT(FILE_, N));\n";

	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
		cr_expect_eq(by_facts(nothing[i], header), ASKS_NOT, "%s", nothing[i]);
	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		cr_expect_eq(by_facts(left[i], header), ASKS_UNKNOWN, "%s", left[i]);
	cr_expect_eq(by_facts("int a;", numbers), ASKS_NOT);
	cr_expect_eq(by_facts("#define A 2", numbers), ASKS_UNKNOWN);
	cr_expect_eq(answer("#define N 2", numbers, ASKS_CXX), ASKS_FREELY);
}

static const char dates[] = "__TIME__\0__DATE__\0";

/* One text of some of these lines, each on its own line. */
static size_t draw(char *text, size_t size, const char *const *lines, size_t count, unsigned *seed)
{
	size_t n = 0;

	for (unsigned left = 1 + rand_r(seed) % 5; left; left--)
		n += (size_t)snprintf(text + n, size - n, "%s\n",
		                      lines[(unsigned)rand_r(seed) % count]);
	return n;
}

static void fill_dates(struct asks *x, struct arena *arena, const char *own, const char *header,
                       int whole)
{
	asks_init(x, arena, ASKS_CXX | ASKS_NVRTC);
	asks_add(x, own, strlen(own), 1);
	asks_add(x, header, strlen(header), !whole);
	x->whole = whole;
}

/* What facts show of dates, the words of all texts show, too. Facts serve other own texts than
 * those that they were made with. */
Test(facts, words_that_count_in_headers_as_well)
{
	static const char *const lines[] = {
		"#define CAT(a, b) a##b", "#define TWO(a, b) CAT(a, b)", "#define EMPTY",
		"#define TI __TI", "#define ME ME__", "#define N 4", "#define N __TI",
		"#define LATE CAT(__TI, ME__)", "#define PART(x) CAT(__TI, x)", "int a = LATE;",
		"int a = PART(ME__);", "int b = TWO(__DA, TE__);", "int c = PART(N);",
		"int T, D, A;", "struct TE__ { int __DA; };", "CAT(a, b) PART(1)", "PART",
		"#ifdef X\n#define L CAT(__TI, ME__)\n#endif", "#define X", "#define X ME__",
		"int e = L;", "(ME__)", "TWO(__TI, ME)", "#define OPEN CAT(__TI,", "OPEN ME__)",
		"int f = N;", "// CAT(__TI, ME__)", "\"__TI\" ME__", "#undef CAT",
		"#define CAT(a, b) x", "#define __TI x", "CAT(X, N)", "PART(X)",
	};
	unsigned seed = 7, shown = 0, left = 0;
	char own[600], header[600], other[600];

	for (int i = 0; i < 20000; i++) {
		struct arena arena = ARENA_INIT;
		struct buf facts = BUF_INIT(&arena);
		struct asks x, y, all;
		int answer;

		draw(own, sizeof own, lines, sizeof lines / sizeof *lines, &seed);
		draw(header, sizeof header, lines, sizeof lines / sizeof *lines, &seed);
		draw(other, sizeof other, lines, sizeof lines / sizeof *lines, &seed);
		fill_dates(&x, &arena, other, header, 1);
		defines_seek(&x, dates);
		cr_assert_eq(asks_declare(&x), 0);
		cr_assert_eq(asks_facts(&x, &facts), 0);
		fill_dates(&y, &arena, own, header, 1);
		defines_seek(&y, dates);
		answer = asks_by_facts(&y, facts.data, facts.len);
		fill_dates(&all, &arena, own, header, 0);
		if (answer == ASKS_NOT)
			cr_expect(defines_unused(&all, dates), "%s|\n%s|\n%s", own, header, other);
		shown += answer == ASKS_NOT;
		left += answer == ASKS_UNKNOWN;
		arena_free(&arena);
	}
	cr_expect_gt(shown, 1000u);
	cr_expect_gt(left, 1000u);
}
