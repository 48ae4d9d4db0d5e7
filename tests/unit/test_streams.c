/* Questions about the standard streams. */
#include "judge/output/streams.h"

#include <criterion/criterion.h>
#include <string.h>

Test(streams, a_terminal)
{
	struct streams s = {.kind = {STREAM_TERMINAL, STREAM_OTHER, STREAM_CLOSED}};

	cr_expect_not(streams_any_terminal(&s));
	s.kind[2] = STREAM_TERMINAL;
	cr_expect(streams_any_terminal(&s));
}

Test(streams, the_file_behind_one)
{
	struct streams s = {.file = {[2] = {.ino = 7, .major = 8, .minor = 1}}};
	struct statx st = {.stx_ino = 7, .stx_dev_major = 8, .stx_dev_minor = 1};
	struct streams none;
	struct statx unknown;

	memset(&none, 0, sizeof none);
	memset(&unknown, 0, sizeof unknown);
	cr_expect(streams_any_file(&s));
	cr_expect_eq(streams_of_file(&s, &st), 2);
	st.stx_dev_minor = 2;
	cr_expect_eq(streams_of_file(&s, &st), 0);
	cr_expect_not(streams_any_file(&none));
	cr_expect_eq(streams_of_file(&none, &unknown), 0, "a stream without a file has no number");
}
