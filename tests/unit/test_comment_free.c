/* The comment-free form: what two texts may differ in, and what they may not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tools/comment_free.h"

#define TEXT_MOST 2048

/* The form in the plainest reading, with "@" for a mark and "~" for a joined line; "bytes" or
 * "void" where there is none. */
static const char *form(const char *text)
{
	static char out[TEXT_MOST];
	char room[TEXT_MOST];
	struct digest d;
	uint64_t places;
	unsigned doubts;
	size_t n = strlen(text), len;

	cr_assert_lt(n, sizeof room);
	switch (comment_free_digest(text, n, room, &d, &places)) {
	case COMMENT_BYTES: return "bytes";
	case COMMENT_VOID: return "void";
	case COMMENT_FREE: break;
	}
	comment_form(text, n, 0, room, &len, &doubts);
	cr_assert_leq(len, n);
	for (size_t i = 0; i < len; i++)
		out[i] = room[i] == COMMENT_MARK ? '@' : room[i] == COMMENT_JOIN ? '~' : room[i];
	out[len] = '\0';
	return out;
}

static int same(const char *x, const char *y)
{
	struct digest a, b;
	char room[TEXT_MOST];
	uint64_t places;

	return comment_free_digest(x, strlen(x), room, &a, &places) == COMMENT_FREE &&
	       comment_free_digest(y, strlen(y), room, &b, &places) == COMMENT_FREE &&
	       digest_equal(&a, &b);
}

static void expect(const char *text, const char *want)
{
	cr_expect_str_eq(form(text), want, "%s: %s", text, form(text));
}

static void expect_same(const char *x, const char *y)
{
	cr_expect(same(x, y), "%s\n--\n%s", x, y);
}

static void expect_other(const char *x, const char *y)
{
	cr_expect(!same(x, y), "%s\n--\n%s", x, y);
}

Test(comment_free, tokens_keep_their_places)
{
	expect("int /* a */ x;\n", "int @@@@@@@ x;\n");
	expect("int/**/x;\n", "int@@@@x;\n");
	expect("int /*\ta */ x;\n", "int @@\t@@@@ x;\n");
	expect("aa /* b\n   c */ d\n", "aa~   @@@@ d\n");
	expect("/* b\n   c */ d\n", "@@\n   @@@@ d\n");
	expect("a\n", "a\n");
	expect("", "");
	expect("a", "a");
}

Test(comment_free, the_end_of_a_line_has_no_place)
{
	expect("int x; // a\n", "int x;\n");
	expect("int x; /* a */ \t\n", "int x;\n");
	expect("int x; /* a\n * b */\nint y;\n", "int x;\n @@\nint y;\n");
	expect("int x; // a", "int x;");
	/* a directive ends on another line */
	expect("#include <a> /* b\n c */\nint x;\n", "#include <a>~ @@\nint x;\n");
	expect_same("int x; // a\n", "int x;\n");
	expect_same("int x; // a\n// b\n", "int x; /* c\nd */\n");
	expect_same("int x; \n", "int x;\n");
	expect_other("int x;\n", "int x;");
	expect_other("int x;\n", "int x;\n ");
	expect_other("int x;\n", "int x;\n// a");
}

/* gcc warns by the indentation of lines between two statements, but not by the last byte of a
 * line. */
Test(comment_free, lines_keep_their_indentation)
{
	expect("  // a\n\t/* b */\n *\n", "  @@\n\t@@\n *\n");
	expect("/*\n *\n * a\n */\n*\n", "@@\n @\n @@\n @@\n*\n");
	expect_same("  // a\n*\n", "  /* other */\n*\n");
	expect_other("  // a\n*\n", "   // a\n*\n");
	expect_other("  // a\n*\n", "\n*\n");
	expect("}\n", "}\n");
	expect("} // a\n", "}@\n");
	expect("  } \n", "  }@\n");
	expect("}; // a\n", "};\n");
}

Test(comment_free, lines_at_the_end_of_the_text)
{
	char many[TEXT_MOST] = "x\n";

	expect("x\n\n// a\n/* b\n */\n\n", "x\n");
	expect("// a\n\n", "");
	expect_same("x\n", "x\n// a\n");
	expect_same("int x; // b\n", "int x;\n\n");
	/* messages about the last line's end, or about a comment, stay */
	expect_other("x\n", "x\n// a");
	expect_other("x\n", "x\n ");
	expect_other("x\n", "x\n// fall\n");
	expect_other("x \\\n\n", "x \\\n");
	expect_other("x \\\r\n\n", "x \\\r\n");
	expect_other("x\n", "x\n\f\n");
	for (int i = 0; i < COMMENT_END_LINES; i++)
		strcat(many, "// a\n");
	expect_same("x\n", many);
	strcat(many, "// a\n");
	expect_other("x\n", many);
	/* gcc gives more numbers to the places of a long line */
	snprintf(many, sizeof many, "x\n%*s\n", COMMENT_LONG, "");
	expect_other("x\n", many);
}

Test(comment_free, comments_that_matter_stay)
{
	static const char *const texts[] = {
		"/* a /* b */\n", "/* \xc3\xa9 */\n", "// \xe2\x80\xae\n", "/* FALLTHRU */\n",
		"// Falls through\n", "/* a \\\n b */\n", "/*\n#if */\n", "/* \x1b */\n",
		"/* a \f */\n", "int x; // fall\n", "/* fall */ int x;\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect(texts[i], texts[i]);
	/* a banner holds no second beginning of a comment */
	expect("//**** a\n/**/\n/***/ x\n/*/ y\n*/\nz\n", "@@\n@@\n@@@@@ x\n@@\n@@\nz\n");
}

Test(comment_free, long_lines_stay)
{
	char x[512], y[512];

	snprintf(x, sizeof x, "int x; // %0120d\n", 1);
	snprintf(y, sizeof y, "int x; // %0120d\n", 2);
	expect(x, x);
	expect_other(x, y);
	snprintf(x, sizeof x, "/*\n%0130d */ int x;\n", 1);
	expect(x, x);
	snprintf(x, sizeof x, "/* a */ %0130d\n", 1);
	expect(x, x);
	snprintf(x, sizeof x, "x %130s\n", "");
	expect(x, x);
	snprintf(x, sizeof x, "x %130s\r\n", "");
	expect(x, x);
}

Test(comment_free, literals_hold_no_comments)
{
	expect("\"/* a */\" /* b */;\n", "\"/* a */\" @@@@@@@;\n");
	expect("'\"' // a\n", "'\"'\n");
	expect("'\\'' // a'\n", "'\\''\n");
	expect("\"\\\"// a\" // b\n", "\"\\\"// a\"\n");
	expect("\"a\\\n// b\" // c\n", "\"a\\\n// b\"\n");
	expect("u8\"// a\" L'/' // b\n", "u8\"// a\" L'/'\n");
	/* not ended: to the end of the line */
	expect("#error don't\nint x; // a\n", "#error don't\nint x;\n");
	expect("#if 0\nit's\n#endif // a\n", "#if 0\nit's\n#endif\n");
	expect("don't // a\n", "don't // a\n");
	expect("don't /* a\n*/ // b\n", "don't /* a\n*/\n");
	expect("\"a\\ \nb\"\n", "bytes");
	/* the escape goes on in the next line */
	expect("\"a\\\\\n\"b\"\n", "bytes");
	expect("'\\\\\n'' // a\n", "bytes");
}

Test(comment_free, raw_strings_are_read_both_ways)
{
	expect_same("x = R\"(a)\"; // b\n", "x = R\"(a)\"; // other\n");
	expect_other("x = R\"(\n// a\n)\";\n", "x = R\"(\n// b\n)\";\n");
	expect_other("x = LR\"d(\n/* a */\n)d\";\n", "x = LR\"d(\n/* b */\n)d\";\n");
	expect_other("x = u8R\"(\n/* a */\n)\";\n", "x = u8R\"(\n/* b */\n)\";\n");
	/* no raw string: the comment is one */
	expect_same("xR\"(a)\" // b\n", "xR\"(a)\" // other\n");
	expect("1.R\"(a)\"\n", "bytes");
	expect("\"a\"R\"(a)\"\n", "bytes");
	expect("1e+R\"(a)\"\n", "bytes");
	expect("$R\"(a)\"\n", "bytes");
	expect("R\\\n\"(a)\"\n", "bytes");
	expect("R\"(a\n", "bytes");
	expect("#define A R\"(\n)\"\n", "bytes");
}

Test(comment_free, digit_separators_are_read_both_ways)
{
	expect_same("x = 1'000;\n// a\n", "x = 1'000;\n// b\n");
	expect_same("x = 0x1'ab'cd; // a\n", "x = 0x1'ab'cd; // b\n");
	/* without separators this is a constant, up to the end of the line */
	expect_other("x = 1'000; // a\n", "x = 1'000; // b\n");
	expect_other("x = 1'000; // a'\n", "x = 1'000; // b'\n");
	expect_same("x = L'a'; // b\n", "x = L'a'; // c\n");
	expect("1\\\n'0'\n", "bytes");
}

Test(comment_free, directives)
{
	expect("#include <a/b.h> // a\n", "#include <a/b.h>\n");
	expect("#include \"a//b\" // a\n", "#include \"a//b\"\n");
	expect("#include \"a/*b\" // a\n", "#include \"a/*b\"\n");
	expect("# /* a */ include /* b */ <c.h> // d\n", "# @@@@@@@ include @@@@@@@ <c.h>\n");
	expect("%:include <a> // b\n", "%:include <a>\n");
	expect("#include <a//b>\n", "bytes");
	expect("#include <a/*b>\n", "bytes");
	expect("#include <a'b>\n", "bytes");
	expect("#include \"a\\b\"\n", "bytes");
	expect("#if __has_include(<a//b>)\n#endif\n", "bytes");
	expect("#if 1 && \\\n__has_include(<a//b>)\n#endif\n", "bytes");
	/* a macro may stand for __has_include */
	expect("#if HI(<a//b>)\n#endif\n", "bytes");
	expect("#elif A && HI(<a/*b>)\n#endif\n", "bytes");
	expect("#if HI(<a\\\n//b>)\n#endif\n", "bytes");
	expect("#if HI(<a/\\\n/b>)\n#endif\n", "bytes");
	expect("#if HI \\\n(<a//\\\r\nb>)\n#endif\n", "bytes");
	expect("#if A \\\n && HI(<a/b\\ \n//c>)\n#endif\n", "bytes");
	expect("#if A < 2 && B // c\n#endif\n", "#if A < 2 && B\n#endif\n");
	expect("#if __has_include(<a/b>) // c\n#endif\n", "#if __has_include(<a/b>)\n#endif\n");
	expect("#define A(x) #x // a\nA(b /* c */ d)\n", "#define A(x) #x\nA(b @@@@@@@ d)\n");
	expect("#define A/* b */c\n", "#define A@@@@@@@c\n");
	expect("#define A \\\n  b /* c */ \\\n  dd // e\n", "#define A \\\n  b @@@@@@@ \\\n  dd\n");
	/* clang takes the line as it is */
	expect("#pragma mark a /* b */\n", "#pragma mark a\n");
	expect("#pragma mark a /* b\n*/\n", "bytes");
	expect("#def\\\nine A\n", "bytes");
	expect("# \\\ndefine A\n", "void");
	expect("#\n// a\n*\n", "#\n@@\n*\n");
}

Test(comment_free, what_voids_a_unit)
{
	static const char *const texts[] = {
		"#line 3\n", "# 3 \"a.c\"\n", "/* a */ #line 3\n", "#embed \"a\"\n",
		"asm(\".incbin \\\"a\\\"\");\n",
		"asm(\".include \\\"a\\\"\");\n", "#if __has_embed(\"a\")\n#endif\n",
		"#pragma clang diagnostic warning \"-Wdocumentation\"\n",
		"_Pragma(\"GCC diagnostic error \\\"-Weverything\\\"\")\n",
		"#pragma GCC diagnostic warning \"-Wimplicit-fallthrough=1\"\n",
		/* in pieces */
		"#pragma clang diagnostic warning \"-Wdocu\" \"mentation\"\n",
		"#pragma clang diagnostic warning \"-W\" \"everything\"\n",
		"#pragma clang diagnostic warning \"-W\" \"documentation\"\n",
		"#pragma clang diagnostic warning \"-\" \"W\" \"documentation\"\n",
		"#pragma clang diagnostic warning \"-\" \"Wdocu\" \"mentation\"\n",
		"#pragma clang diagnostic warning R\"(-)\" \"W\" \"documentation\"\n",
		"#pragma clang diagnostic warning \"-\\127documentation\"\n",
		"#pragma clang diagnostic warning \"-\\x57\" \"documentation\"\n",
		"_Pragma(\"GCC diagnostic warning \\\"-\\\\127everything\\\"\")\n",
		"_Pragma(\"GCC diagnostic warning \\\"-\\\" \\\"W\\\" \\\"all\\\"\")\n",
		"#pragma clang diagnostic warning \"-Wdocum\\x65ntation\"\n",
		"#pragma clang diagnostic warning R\"(-Wdocu)\" \"mentation\"\n",
		"#pragma clang diagnostic warning \"-\" \"Wdocumentation\"\n",
		"#pragma clang diagnostic warning \"-\" \\\n \"Wdocumentation\"\n",
		"#pragma clang diagnostic warning \"-\" /*\n*/ \"Wdocumentation\"\n",
		"#pragma clang diagnostic warning \"\\x2dWdocumentation\"\n",
		/* "=" that does not stay before the string, and a string of a directive */
		"E(=) \"-Weverything\"\n", "F(=, \"-Weverything\")\n",
		"x = L\"-Weverything\"\n", "#define M = \"-Weverything\"\n",
		"x = y, \"-Weverything\"\n", "#define M =\n\"-Weverything\"\n",
		/* the rest of these has no form */
		"\\\n@ \\ x\n# embed <a>\n", "?\?= x\n#line 3\n", "\\ x\n\"-Wdocumentation\"\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect(texts[i], "void");
	expect("a.includes(b.include_path); // c\n", "a.includes(b.include_path);\n");
	expect("return \"We -Wall, -Wimplicit-int, Wd\"; // a\n",
	       "return \"We -Wall, -Wimplicit-int, Wd\";\n");
	expect("f(\"-\", \"\\033[1m\\x41\\u00e9\\0\"); // a\n",
	       "f(\"-\", \"\\033[1m\\x41\\u00e9\\0\");\n");
	expect("return \"-0\" \"1\"; // a\n", "return \"-0\" \"1\";\n");
	expect("#define MARK \"-\"\n// a\n/* b */\n*\n", "#define MARK \"-\"\n@@\n@@\n*\n");
	expect("#define MARK \"-\" /* a */ // b\n\"c\"\n", "#define MARK \"-\"\n\"c\"\n");
	expect("#pragma GCC diagnostic ignored \"-Wc++17-extensions\" // a\n",
	       "#pragma GCC diagnostic ignored \"-Wc++17-extensions\"\n");
	/* Help texts of programs */
	expect("return \"  -W        warn\\n\"; // a\n", "return \"  -W        warn\\n\";\n");
	expect("return \"-W,-v\"; // a\n", "return \"-W,-v\";\n");
	/* The operand of no pragma */
	expect("char s[] = /* a */\n\"\\127\" \"-W\" \"everything\"; // a\n",
	       "char s[] =\n\"\\127\" \"-W\" \"everything\";\n");
	expect("int embed; #line\n", "int embed; #line\n");
	expect("\\ x embedded\n", "bytes");
}

/* Macros name a warning by tokens that hold no part of its name, or parts of it. */
Test(comment_free, pragmas_of_tokens_void_a_unit)
{
	static const char *const texts[] = {
		"#define P(x) _Pragma(#x)\n#define WARN(w) P(GCC diagnostic warning #w)\n",
		"T(GCC diagnostic warning STR(-W##documentation))\n",
		"T(GCC diagnostic warning M \"W\" \"documentation\")\n",
		"T(clang diagnostic LEVEL NAME)\n", "T(GCC diagnostic/**/error M)\n",
		"#define D diagnostic\n", "#define D(x) diagnostic x\n",
		"T(GCC, diagnostic, error, M)\n", "T(GCC diag\\\nnostic error M)\n",
		"#define D T(GCC, diagnostic)\n", "#define D(a) T(a, diagnostic)\n",
		"T(GCC diagnostic\n error M)\n", "T(GCC diagnostic \\\n error M)\n",
		"T(GCC diagnostic push) T(GCC diagnostic error M)\n", "#define D diagnostic",
		"T(GCC diagnostic ignored_ M)\n", "#if 1\n%:define D diagnostic %:%: x\n#endif\n",
		/* the rest of these has no form */
		"\\ x\n#pragma GCC diagnostic error \"-\" \"W\" \"documentation\"\n",
		"\\ x\nT(clang\tdiagnostic LEVEL M)\n",
	};
	static const char *const forms[] = {
		"int diagnostic;\n", "f(diagnostic->text, a.diagnostic = 1);\n",
		"#define _Static_assert(e, diagnostic) 1\n", "# define A(diagnostic, e) 1\n",
		"T(GCC diagnostic push)\nT(GCC diagnostic ignored w)\nT(clang diagnostic pop)\n",
		"#pragma GCC diagnostic warning \"-Wall\"\n", "int diagnostics(void);\n",
		"int no_diagnostic, x;\n",
		"#define D d\\\n f\n", "return \"diagnostic warning\";\n",
		"#error diagnostic x\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect(texts[i], "void");
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		expect(forms[i], forms[i]);
	expect("int x; // GCC diagnostic error\n", "int x;\n");
	expect("\\ x\n// a diagnostic error\n", "bytes");
	expect("\\ x\n#pragma GCC diagnostic ignored \"-Wall\"\n", "bytes");
}

Test(comment_free, what_is_in_doubt_has_no_form)
{
	static const char *const texts[] = {
		"a ?\?/\nb\n", "?\?=define A\n", "'?\?''\n", "a\rb\n", "/* a\n", "// a \\\nb\n",
		"// a \\ \nb\n",
		"/\\\n* a */\n", "/\\\n/ a\n", "/* a *\\\n/ b\n", "/* a *\\\n\\\n/ b\n", "a \\ b\n",
		"a \\", "a \\\n",
		"\001\n", "/* \002 */\n", "#!/bin/sh\n", "\xef\xbb\xbfint x;\n", "\f // a\n",
		"\\u00e9'a'\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect(texts[i], "bytes");
	expect("\f\nint x;\f\n", "\f\nint x;\f\n");
}

Test(comment_free, lines_of_both_kinds)
{
	expect("int x; // a\r\n/* b\r\n c */\r\nint y;\r\n", "int x;\r\n@@\r\n @@\r\nint y;\r\n");
	expect("aa /* b\r\nc */ d\r\n", "aa\r~@@@@ d\r\n");
	expect_other("int x; // a\r\n", "int x; // a\n");
	expect("\"a\\\r\nb\" // c\r\n", "\"a\\\r\nb\"\r\n");
}

/* Texts that differ for a compiler have different forms. */
Test(comment_free, other_texts_have_other_forms)
{
	static const char *const pairs[][2] = {
		{"a/**/b\n", "a b\n"}, {"a/**/b\n", "ab\n"},
		{"#define A/**/(x)\n", "#define A    (x)\n"},
		{"#define A /*\n*/ 1\n", "#define A\n 1\n"},
		{"a /*\n*/ #define B\n", "a\n #define B\n"},
		{"a / /* b */ c\n", "a /        c\n"}, {"int x; //\n", "int x; /\n"},
		{"\"a\" // b\n", "\"a // b\"\n"}, {"'a' // b\n", "'b' // b\n"},
		{"a /* b */ c\n", "a /* b */  c\n"},
		{"// a\nb\n", "b\n// a\n"}, {"a /*\tb*/ c\n", "a /* b*/ c\n"},
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		expect_other(pairs[i][0], pairs[i][1]);
	/* two slashes begin a comment */
	expect_same("aa //* b */ c\n", "aa\n");
}

static uint64_t places(const char *text)
{
	char room[TEXT_MOST];
	struct digest d;
	uint64_t n;

	comment_free_digest(text, strlen(text), room, &d, &n);
	return n;
}

Test(comment_free, places_grow_with_lines_and_columns)
{
	char text[TEXT_MOST];

	cr_expect_eq(places(""), 36u << 7);
	cr_expect_eq(places("a\nb\n"), 38u << 7);
	snprintf(text, sizeof text, "%0200d\nb\n", 1);
	cr_expect_eq(places(text), 38u << 9);
	/* the numbers of a longer line, which serve that line alone */
	snprintf(text, sizeof text, "%0500d\nb\n", 1);
	cr_expect_eq(places(text), (38u << 7) + (2u << 10));
	snprintf(text, sizeof text, "%0500d\n%081d\nb\n", 1, 1);
	cr_expect_eq(places(text), (39u << 7) + (4u << 10));
	/* lines count as one inside a comment */
	snprintf(text, sizeof text, "#define A \\\n%0100d\\\n%0100d\n", 1, 1);
	cr_expect_eq(places(text), 39u << 7);
	snprintf(text, sizeof text, "/* \\\n%0100d\\\n%0100d\n*/", 1, 1);
	cr_expect_eq(places(text), 40u << 9);
}

Test(comment_free, counted_forms_hold_the_lengths_of_lines)
{
	static const char *const texts[] = {"int a; /* b */\n// c\n", "int a; /* B */\n// C\n",
	                                    "int a; /* bb */\n// c\n", "int a; /* b */\n// cc\n",
	                                    "int a; /* b */\n// c\n//\n", "int a; /* b */\n// c"};
	char room[TEXT_MOST];
	struct digest form[6], lengths, counted[6];
	uint64_t n;

	for (int i = 0; i < 6; i++) {
		cr_assert_eq(comment_free_digest(texts[i], strlen(texts[i]), room, &form[i], &n),
		             COMMENT_FREE);
		comment_line_lengths(texts[i], strlen(texts[i]), &lengths);
		comment_counted(&form[i], &lengths, &counted[i]);
		cr_expect(!digest_equal(&form[i], &counted[i]));
	}
	cr_expect(digest_equal(&counted[0], &counted[1]));
	for (int i = 2; i < 6; i++) {
		cr_expect(i == 5 || digest_equal(&form[0], &form[i]));
		cr_expect(!digest_equal(&counted[0], &counted[i]));
	}
}
