/* tests/unit/test_native_script.c - scripts that start one program, and others. */
#include "units/scope/scope.h"

#include <criterion/criterion.h>
#include <string.h>

#define SH "#!/bin/sh\n"
#define MORE "exec a -D1 -D2 -D3 -D4 -D5 -D6 -D7 -D8 -D9 -D10 -D11 -D12 -D13 -D14 -D15"

#define WITH_HEADERS "exec gcc -B/a/ -isystem /a/include -I/b \"$@\""

static size_t words(const char *script, size_t n, char *word[NATIVE_WORDS_MAX])
{
	static char text[512];

	cr_assert_lt(n, sizeof text);
	memcpy(text, script, n);
	text[n] = 0;
	return native_script(text, n, word);
}

Test(native_script, one_program)
{
	char *word[NATIVE_WORDS_MAX];
	static const char *const one[] = {
		SH "exec gcc \"$@\"", SH "exec gcc \"$@\"\n",
		SH "\n  # ours\nexec gcc \"$@\"  \n\n",
		"#!/usr/bin/env bash\n\texec 'gcc' \"$@\"\n", SH "exec \"gcc\"   \"$@\"\n# end"};

	for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
		cr_assert_eq(words(one[i], strlen(one[i]), word), 1, "%s", one[i]);
		cr_expect_str_eq(word[0], "gcc");
	}
	cr_assert_eq(words(SH "exec /a/gcc-real '-B/a/b/' -DA=1 \"-O2\" -march=native \"$@\"\n",
	                   sizeof SH "exec /a/gcc-real '-B/a/b/' -DA=1 \"-O2\" -march=native "
	                             "\"$@\"\n" - 1, word), 5);
	cr_expect_str_eq(word[0], "/a/gcc-real");
	cr_expect_str_eq(word[1], "-B/a/b/");
	cr_expect_str_eq(word[4], "-march=native");
	cr_expect_eq(words(SH WITH_HEADERS, sizeof SH WITH_HEADERS - 1, word), 5);
	cr_expect_str_eq(word[3], "/a/include");
	cr_expect_eq(words(SH MORE " \"$@\"", sizeof SH MORE " \"$@\"" - 1, word), 16);
}

Test(native_script, more_than_that)
{
	char *word[NATIVE_WORDS_MAX];
	static const char *const other[] = {
		"", "#!/bin/sh", SH, "exec gcc \"$@\"", "#!/usr/bin/python3\nexec gcc \"$@\"",
		"#!/bin/sh -e\nexec gcc \"$@\"", "#!/opt/bin/sh\nexec gcc \"$@\"",
		SH "gcc \"$@\"", SH "exec gcc $@", SH "exec gcc", SH "exec \"$@\"",
		SH "exec gcc \"$@\" -g", SH "exec gcc \"$@\"; x", SH "exec gcc \"$@\">x",
		SH "exec gcc \"$@\"x", SH "exec $CC \"$@\"", SH "exec gcc $F \"$@\"",
		SH "exec gcc \"$F\" \"$@\"", SH "exec gcc `f` \"$@\"", SH "exec gcc \\a \"$@\"",
		SH "exec ../gcc \"$@\"", SH "exec -a x gcc \"$@\"", SH "exec ~/gcc \"$@\"",
		SH "exec gcc -Ix \"$@\"", SH "exec gcc -isystem x \"$@\"",
		SH "exec gcc -isystem \"$@\"", SH "exec gcc /x \"$@\"",
		SH "exec gcc -O2 /x \"$@\"", SH "exec gcc -include x.h \"$@\"",
		SH "exec gcc -Bx \"$@\"", SH "exec gcc @x \"$@\"", SH "exec gcc -mllvm \"$@\"",
		SH "exec gcc -D \"$@\"", SH "exec gcc -D*x \"$@\"", SH "exec gcc x.c \"$@\"",
		SH "exec gcc 'a b' \"$@\"", SH "exec gcc 'a'b \"$@\"", SH "exec gcc a'b' \"$@\"",
		SH ". /etc/x\nexec gcc \"$@\"", SH "A=b\nexec gcc \"$@\"",
		SH "exec gcc \"$@\"\nexec gcc \"$@\"", SH "exec gcc \\\n\"$@\"",
		SH MORE " -D16 \"$@\""};

	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		cr_expect_eq(words(other[i], strlen(other[i]), word), 0, "%s", other[i]);
	cr_expect_eq(words(SH "exec gcc \"$@\"\n\0x", sizeof SH "exec gcc \"$@\"\n\0x" - 1, word),
	             0);
}
