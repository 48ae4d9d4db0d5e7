/* Macros of a command line, and texts that can name them. */
#include "cmdline_fixture.h"

#include "tools/asks/definitions.h"
#include "tools/asks/words.h"

/* The macros that matter only if a text names them, each with its value and a blank behind it;
 * "no": defines_of() returned -1. */
static const char *found(const char *line)
{
	struct cmdline c = classify(line);
	struct define v[DEFINES_MAX];
	struct buf text = BUF_INIT(&arena);
	int n = defines_of(&c, v);

	for (int i = 0; i < n; i++) {
		cr_expect(strstr(c.v[v[i].last].text, v[i].name) != NULL, "%s", line);
		buf_add(&text, v[i].name, v[i].len);
		buf_add(&text, v[i].value ? "=" : "", v[i].value ? 1 : 0);
		if (v[i].value)
			buf_add(&text, v[i].value, strlen(v[i].value));
		buf_u8(&text, ' ');
	}
	buf_u8(&text, 0);
	return n < 0 ? "no" : (const char *)text.data;
}

Test(definitions, of_a_command)
{
	static const char *const lines[][2] = {
		{"gcc -c a.c", ""}, {"gcc -DA_1 -c a.c", "A_1=1 "},
		{"gcc -DA_1=1 -c a.c", "A_1=1 "},
		{"gcc -D A_1 -c a.c -D B_1=x", "A_1=1 B_1=x "}, {"gcc -UA_1 -c a.c", "A_1 "},
		{"gcc -DA_1=\"a~b,~1\" -c a.c", "A_1=\"a b, 1\" "}, {"gcc -DA_1= -c a.c", "A_1= "},
		{"gcc -DAbc=-1.5e+3 -c a.c", "Abc=-1.5e+3 "},
		/* Values that may be an error or a path, and macros of the compiler's own. */
		{"gcc -DA_1=/tmp/x -c a.c", ""}, {"gcc -DA_1=\"/tmp\" -c a.c", ""},
		{"gcc -DA_1=' -c a.c", ""}, {"gcc -DA_1=\" -c a.c", ""},
		{"gcc -DA_1=\"a\"b\" -c a.c", ""}, {"gcc -DA_1=a## -c a.c", ""},
		{"gcc -DA_1(x)=x -c a.c", ""}, {"gcc -DA_1( -c a.c", ""},
		{"gcc -D_A -D__OPTIMIZE__ -c a.c", ""},
		{"gcc -Dunix -Dlinux=2 -Dchar=x -c a.c", ""},
		{"gcc -Dand_eq -Dnot_eq -c a.c", ""}, {"gcc -D1A -D -c a.c", ""},
		{"gcc -UA_1=2 -c a.c", ""},
		/* Named twice. */
		{"gcc -DA_1=1 -DA_1=2 -DB_1 -c a.c", "B_1=1 "}, {"gcc -DA_1 -UA_1 -c a.c", ""},
		{"gcc -DA_1 -DA_1(x)=x -c a.c", ""}, {"gcc -DA_1 -D A_1=/x -c a.c", ""},
		/* Options that show macros. */
		{"gcc -DA_1 -g3 -c a.c", "no"}, {"gcc -DA_1 -g -g2 -c a.c", "A_1=1 "},
		{"gcc -DA_1 -ggdb3 -c a.c", "no"}, {"gcc -DA_1 -dD -c a.c", "no"},
		{"gcc -DA_1 -fverbose-asm -S a.c", "no"}, {"gcc -DA_1 -Wp,-DB -c a.c", "no"},
		{"gcc -DA_1 --define-macro=B -c a.c", "no"}, {"gcc -undef -c a.c", "no"},
		/* A value that looks like an option. */
		{"gcc -DA_1 -D -g3 -c a.c", "A_1=1 "},
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		cr_expect_str_eq(found(lines[i][0]), lines[i][1], "%s", lines[i][0]);
}

Test(definitions, too_many)
{
	struct buf line = BUF_INIT(&arena);
	char one[16];

	buf_add(&line, "gcc -c a.c", 10);
	for (int i = 0; i <= DEFINES_MAX; i++)
		buf_add(&line, one, (size_t)snprintf(one, sizeof one, " -DA_%d", i));
	buf_u8(&line, 0);
	cr_expect_str_eq(found((const char *)line.data), "no");
}

static int unused(const char *text)
{
	struct asks x;

	asks_init(&x, &arena, ASKS_CXX | ASKS_PRETTY);
	asks_add(&x, text, strlen(text), 1);
	asks_add(&x, "#define VIA USED_ONE\n", 21, 0);
	return defines_unused(&x, "USED_ONE\0USEDL\0ON5\0");
}

#define CAT "#define CAT(a, b) a##b\n"

Test(definitions, that_no_text_can_name)
{
	static const char *const no[] = {
		"", "int USED_ON, USED_ONES;", CAT "CAT(A, B)", "__FILE__ __PRETTY_FUNCTION__",
		"#line 7 \"x\"\n", "__INT64_C(7)", "assert(__FILE__)", CAT "#undef CAT\n",
		"std::source_location::current() # 7 \"x\"",
		"#define assert(e) ((e) ? 0 : __assert_fail(#e, __FILE__))\nassert(1)",
	};
	static const char *const yes[] = {
		"USED_ONE", "\"USED_ONE\"", "// USED_ONE", "USED\\\n_ONE",
		"#ifdef USED_ONE\n#endif",
		"VIA", "#define A USED_ONE\n", CAT "CAT(USED, _ONE)", CAT "CAT(V, IA)",
		CAT "#define GO(f) f(USED, _ONE)\nGO(CAT)", "__INT64_C(USED)", "a ?\?= b",
		CAT "#define A B\n#define B CAT(USED, _ONE)\nA", "%:define A\n",
		"#if 0\n#define A USED_ONE\n#endif\nA",
		CAT "#define X(a, b) CAT(a, b)\n\n\n\nX(ON, __LINE__)",
	};

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		cr_expect(unused(no[i]), "%s", no[i]);
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		cr_expect_not(unused(yes[i]), "%s", yes[i]);
}
