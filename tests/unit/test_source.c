/* Bytes that are put: pieces of memory and of a file. */
#include "remote/source.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

TestSuite(source);

static const char text[] = "head and what follows it";

Test(source, pieces_of_memory_are_not_copied)
{
	struct source s = source_memory(text, sizeof text);
	char room[5];
	int error;

	cr_expect_eq(source_piece(&s, 5, 3, room, &error), (const void *)(text + 5));
}

Test(source, pieces_of_a_file)
{
	FILE *f = tmpfile();
	struct source s = {.len = sizeof text - 5, .at = 5};
	char room[sizeof text];
	int error = 0;

	cr_assert(f && fwrite(text, 1, sizeof text, f) == sizeof text && fflush(f) == 0);
	s.fd = fileno(f);
	cr_assert_eq(source_piece(&s, 4, 4, room, &error), (const void *)room);
	cr_expect_eq(memcmp(room, text + 9, 4), 0);
	/* Where it is read does not move. */
	cr_assert_not_null(source_piece(&s, 0, sizeof text - 5, room, &error));
	cr_expect_str_eq(room, text + 5);
	cr_expect_null(source_piece(&s, 4, sizeof text, room, &error), "it was cut");
	cr_expect_eq(error, EIO);
	fclose(f);
	cr_expect_null(source_piece(&s, 0, 1, room, &error));
	cr_expect_eq(error, EBADF);
}
