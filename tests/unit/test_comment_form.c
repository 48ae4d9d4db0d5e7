/* The comment-free form: what two texts may differ in, and which texts have none. */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/comment/comment.h"

#define TEXT_MOST 512

/* The form, or "none". */
static const char *form_of(const char *text, int documented)
{
	static char out[TEXT_MOST];
	size_t n = strlen(text), len;

	cr_assert_lt(n, sizeof out);
	if (!comment_free_form(text, n, documented, out, &len))
		return "none";
	cr_assert_leq(len, n);
	out[len] = '\0';
	return out;
}

Test(comment_form, words_vanish)
{
	static const struct {
		const char *text, *form;
	} rows[] = {
		{"int x; // a b\n", "int x; //\n"},
		{"int x; // a\t \n", "int x; //\t \n"},
		{"int x; /* a */\n", "int x; /**/\n"},
		{"int x; /* a */ \n", "int x; /**/ \n"},
		{"int x; // a", "int x; //"},
		/* columns of tokens, and of other comments */
		{"int /* a */ x;\n", "int /*...*/ x;\n"},
		{"int /*\ta */ x;\n", "int /*\t..*/ x;\n"},
		{"/* a */ // b\n", "/*...*/ //\n"},
		/* indentation inside a comment; gcc does not see the last byte of a line */
		{"  /* a\n\t* b\n *\n\n   c */\n", "  /*\n\t..\n .\n\n   */\n"},
		{"a /* b \n  c */ d\n", "a /* \n  ..*/ d\n"},
		{"//// a\n/***/\n/*/ a */ b\n", "//\n/**/\n/*....*/ b\n"},
		{"", ""}, {"a", "a"}, {"a\n\nb", "a\n\nb"},
		/* quotes */
		{"'\"' /* a */\n", "'\"' /**/\n"},
		{"\"/* a */\" // \"a\n", "\"/* a */\" //\n"},
		{"'\\'' /* ' */\n", "'\\'' /**/\n"}, {"\"\\\\\" // a\n", "\"\\\\\" //\n"},
		{"\"\xc3\xa9\" // a\n", "\"\xc3\xa9\" //\n"},
		/* directives */
		{"#define A(x) x \\\n /* a */ \\\n + 1 // b\n",
		 "#define A(x) x \\\n /*...*/ \\\n + 1 //\n"},
		{"#define A 1 /* a\n b */\n", "#define A 1 /*\n */\n"},
		{"#define A(b) a<b // >\n", "#define A(b) a<b //\n"},
		{"#if A < 1 // a\n#endif /* A */\n", "#if A < 1 // a\n#endif /**/\n"},
		{"#if A && \\\n B // a\nint b; // c\n", "#if A && \\\n B // a\nint b; //\n"},
		{"/* a */ #pragma once\n", "/*...*/ #pragma once\n"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_expect_str_eq(form_of(rows[i].text, 0), rows[i].form, "%s: %s", rows[i].text,
		                 form_of(rows[i].text, 0));
		/* The form is a text of the same form. */
		cr_expect_str_eq(form_of(rows[i].form, 0), rows[i].form, "%s", rows[i].form);
	}
}

Test(comment_form, words_that_stay)
{
	char long_line[COMMENT_LONG + 8];
	const char *const texts[] = {
		"/* a /* b */\n", "/* \xc3\xa9 */\n", "// \xe2\x80\xae\n", "/* FALLTHRU */\n",
		"// Falls through\n", "/* a\n #if */\n", "#error a // b\n", "#pragma a /* b */\n",
		"#include <a//b.h> // <c>\n", "# include \"a.h\" /* b */\n",
		"#if A(<it's>) // '>\n", "#if __has_include(<a//b>)\n", "#include \"a\\\"\n",
		"#error it's\n",
		"#elif A /* a */ && B /* b */\n", long_line,
	};

	memset(long_line, 'a', sizeof long_line);
	memcpy(long_line, "/* a\n", 5);
	memcpy(long_line + sizeof long_line - 4, "*/\n", 4);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_str_eq(form_of(texts[i], 0), texts[i]);
	/* Doxygen's comments stay for clang. */
	cr_expect_str_eq(form_of("/** a */\n/*! a */\n/// a\n//! a\n//< a\n/*< a */\n// a\n", 1),
	                 "/** a */\n/*! a */\n/// a\n//! a\n//< a\n/*< a */\n//\n");
	cr_expect_str_eq(form_of("/** a */\n/// a\n", 0), "/**/\n//\n");
}

Test(comment_form, texts_without_a_form)
{
	static const char *const texts[] = {
		"/* a\n", "\"a\n\"\n", "don't\n", "\"a", "'", "/*/",
		/* raw strings, separators of digits */
		"R\"(a)\"\n", "u8R\"(a)\"\n", "1'000\n", "L'a'\n", "0x1'f'\n",
		/* joined lines and trigraphs */
		"int a\\\nb;\n", "/\\\n/ a\n", "// a \\\nb\n", "// a \\ \nb\n", "/* a *\\\n/\n",
		"/* a \\\n b */\n", "\"a \\\nb\"\n", "a \\", "a \\\n", "a \\ \nb\n", "// a \\",
		"#\\\ndefine A\n", "// a ?\?/\nb\n", "?\?=define A\n", "%:define A\n",
		"R\\\n\"(a)\"\n",
		/* odd bytes */
		"a\r\n", "a\f\n", "// a\1\n", "/* a\r*/\n", "int \xc3\xa9;\n", "\xef\xbb\xbf" "a\n",
		/* lines that stay as they are */
		"#include <a/*b>\n", "#if A /* a\n */\n", "#if A /* a */ /* b\n c */\n",
		"#if A /*/\n */\n", "#if A /\\\n* a\n */\n", "#if A /* a\\\n */\n", "#if A \\",
		"#if A\\ \nb\n", "#if A \\ \nb\n", "#pragma a R\"(\n)\"\n", "#if A \\\n",
		/* directives */
		"#line 1\n", "# 1 \"a.c\"\n", "#embed \"a\"\n", "#import <a>\n", "#!/bin/a\n",
		"#assert a\n", "#warning a /* b\n c */\n", "#/* a */define A\n",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect_str_eq(form_of(texts[i], 0), "none", "%s: %s", texts[i],
		                 form_of(texts[i], 0));
}

/* Measured with gcc 12: a line takes 4,096 numbers for 128 places. */
Test(comment_form, places)
{
	char text[4096];

	memset(text, '\n', 1000);
	cr_expect_eq(comment_free_places(text, 1000), 1004 * 128);
	memset(text, 'a', sizeof text);
	memcpy(text + 200, "\n\n", 2);
	cr_expect_eq(comment_free_places(text, 203), 7 * 512);
	memcpy(text + 2000, "\\\n", 2);
	cr_expect_eq(comment_free_places(text, sizeof text), 8 << 12);
}
