/* tests/unit/test_fault.c - faults and the formatter below them. */
#include "shim/fault.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "shim/format.h"

Test(fault, words_a_system_error)
{
	struct fault f;

	errno = 77;
	fault_sys(&f, ENOENT, "open entry", "/x/y");
	cr_assert_eq(f.code, ENOENT);
	cr_assert_str_eq(f.text, "open entry /x/y: No such file or directory");
	fault_sys(&f, 9999, "open entry", "/x/y");
	cr_assert_str_eq(f.text, "open entry /x/y: error 9999");
	fault_sys(&f, ENOSPC, "write", NULL);
	cr_assert_str_eq(f.text, "write: No space left on device");
	fault_sys(&f, -3, "write", NULL);
	cr_assert_str_eq(f.text, "write: error -3");
	cr_assert_eq(errno, 77);
}

Test(fault, is_cut_and_never_empty)
{
	struct fault f;
	char path[1000];

	memset(path, 'p', sizeof path);
	path[sizeof path - 1] = 0;
	fault_sys(&f, ENOENT, "open", path);
	cr_assert_eq(strlen(f.text), sizeof f.text - 1);
	fault_set(&f, 5, "%s", "");
	cr_assert_str_eq(f.text, "error 5");
}

Test(format, agrees_with_libc)
{
	static const long values[] = {0, 1, -1, 9, 10, 4711, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN};
	char ours[256], theirs[256];

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		long v = values[i];

#define ARGS "%d|%u|%x|%ld|%lu|%lx|%lld|%llu|%llx|%zu|%c|%s|%%", \
	     (int)v, (unsigned)v, (unsigned)v, v, \
	     (unsigned long)v, (unsigned long)v, (long long)v, (unsigned long long)v, \
	     (unsigned long long)v, (size_t)v, 'c', "str"
		snprintf(theirs, sizeof theirs, ARGS);
		cr_assert_eq(format_text(ours, sizeof ours, ARGS), strlen(theirs));
		cr_assert_str_eq(ours, theirs);
	}
}

Test(format, cuts_at_the_capacity)
{
	char out[8] = "zzzzzzz";

	cr_assert_eq(format_text(out, 4, "%d", 123456), 3);
	cr_assert_str_eq(out, "123");
	cr_assert_eq(out[4], 'z');
	cr_assert_eq(format_text(out, 1, "abc"), 0);
	cr_assert_str_eq(out, "");
	cr_assert_eq(format_text(NULL, 0, "abc"), 0);
}

Test(format, stops_at_what_it_does_not_know)
{
	char out[64];
	const char *volatile fmt = "a %5d %s";
	const char *volatile null = NULL;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
	format_text(out, sizeof out, fmt, 1, "never read as a string");
	cr_assert_str_eq(out, "a %5d %s");
	fmt = "end %";
	format_text(out, sizeof out, fmt);
	cr_assert_str_eq(out, "end %");
#pragma GCC diagnostic pop
	format_text(out, sizeof out, "%s", null);
	cr_assert_str_eq(out, "(null)");
}
