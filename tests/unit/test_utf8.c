/* Texts of events, made clean for reports. */
#include <criterion/criterion.h>

#include "cli/cli.h"

TestSuite(utf8);

#define EURO "\xe2\x82\xac"
#define FACE "\xf0\x9f\x98\x80"
#define BAD "\xef\xbf\xbd"

Test(utf8, clean)
{
	static const char *const rows[][2] = {
		{"a\xc3\xa4z", "a\xc3\xa4z"}, {EURO FACE, EURO FACE}, {"\xff", BAD},
		{"\xc3", BAD}, {"\xc0\xaf", BAD BAD}, {"\xed\xa0\x80", BAD BAD BAD},
		{"a\nb", "a" BAD "b"}};
	char out[64], small[4];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_str_eq(utf8_clean(out, sizeof out, rows[i][0]), rows[i][1], "%zu", i);
	/* A character that does not fit is left out completely. */
	cr_expect_str_eq(utf8_clean(small, sizeof small, "ab" EURO), "ab");
}
