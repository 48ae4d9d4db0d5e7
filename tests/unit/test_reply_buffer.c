/* remote/reply_buffer: strings go to their places in pieces of any size; the rest goes to the
 * reader. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "remote/wire/reply.h"

#define LIMIT 65536

static char place[LIMIT + 1];

/* Runs one reply through the scanner in pieces of that size. fed gets what the reader would get.
 * Returns the reply's bytes, or -1 if it was refused. */
static ssize_t run(struct reply_buffer *m, const char *reply, size_t n, size_t piece, char *fed,
                   size_t *fed_len)
{
	struct resp s;
	size_t at = 0;
	int done = 0;

	resp_begin(&s, LIMIT, RESP_ELEMENTS);
	reply_buffer_begin(m, place);
	memset(place, '?', sizeof place);
	*fed_len = 0;
	while (at < n && !done) {
		size_t most = n - at < piece ? n - at : piece;
		ssize_t k = resp_scan(&s, reply + at, reply_buffer_step(m, most), &done);

		if (k < 0)
			return -1;
		if (!reply_buffer_take(m, &s, reply + at, (size_t)k)) {
			memcpy(fed + *fed_len, m->hold, m->held);
			memcpy(fed + *fed_len + m->held, reply + at, (size_t)k);
			*fed_len += m->held + (size_t)k;
			m->held = 0;
		}
		at += (size_t)k;
	}
	cr_assert(done);
	cr_expect_eq(place[LIMIT], '?');
	return (ssize_t)at;
}

Test(reply_buffer, a_string_goes_to_its_place)
{
	static char reply[LIMIT + 32], fed[LIMIT + 64];
	static const size_t lengths[] = {1, 2, 200, 4096, 40000, LIMIT},
		pieces[] = {1, 2, 3, 7, 512, 4096, LIMIT};
	struct reply_buffer m;
	size_t fed_len;

	for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (unsigned k = 0; k < sizeof pieces / sizeof *pieces; k++) {
			size_t n = (size_t)snprintf(reply, 16, "$%zu\r\n", lengths[i]), body = n;

			for (size_t j = 0; j < lengths[i]; j++)
				reply[n++] = (char)(j * 7 + i);
			memcpy(reply + n, "\r\n+NEXT", 7);
			cr_assert_eq(run(&m, reply, n + 7, pieces[k], fed, &fed_len),
			             (ssize_t)n + 2);
			cr_assert_eq(m.at, place);
			cr_expect_eq(m.len, lengths[i]);
			cr_expect_eq(m.got, lengths[i]);
			cr_expect_eq(reply_buffer_left(&m), 0);
			cr_expect_eq(fed_len, 0);
			cr_expect_eq(memcmp(place, reply + body, lengths[i]), 0);
		}
}

Test(reply_buffer, other_replies_reach_the_reader_as_they_came)
{
	static const char *replies[] = {
		"$-1\r\n", "$0\r\n\r\n", "-WRONGTYPE Operation against a key\r\n", "+OK\r\n",
		":17\r\n", "*-1\r\n", "*0\r\n",
		"*2\r\n$5\r\nfirst\r\n$6\r\nsecond\r\n", "$0000000000000000000\r\n\r\n",
	};
	char fed[256];
	struct reply_buffer m;
	size_t fed_len;

	for (unsigned i = 0; i < sizeof replies / sizeof *replies; i++)
		for (size_t piece = 1; piece < 9; piece++) {
			size_t n = strlen(replies[i]);

			cr_assert_eq(run(&m, replies[i], n, piece, fed, &fed_len), (ssize_t)n, "%s",
			             replies[i]);
			cr_expect_null(m.at);
			cr_expect_eq(fed_len, n, "%s", replies[i]);
			cr_expect_eq(memcmp(fed, replies[i], n), 0, "%s", replies[i]);
			cr_expect_eq(place[0], '?');
		}
}

Test(reply_buffer, what_is_too_long_is_refused_before_a_byte_is_written)
{
	char fed[256];
	struct reply_buffer m;
	size_t fed_len;

	cr_expect_eq(run(&m, "$16777217\r\nabc", 14, 14, fed, &fed_len), -1);
	cr_expect_eq(run(&m, "*1\r\n$65537\r\nabc", 15, 15, fed, &fed_len), -1);
	cr_expect_eq(run(&m, "$99999999999999999999\r\n", 23, 1, fed, &fed_len), -1);
	cr_expect_eq(place[0], '?');
}

/* What another program put under a key. The next reply is read. */
Test(reply_buffer, a_value_beyond_the_limit_is_dropped)
{
	static char reply[3 * LIMIT], fed[4 * LIMIT];
	struct reply_buffer m;
	size_t fed_len, pieces[] = {1, 3, 512, LIMIT, 3 * LIMIT};

	for (unsigned k = 0; k < sizeof pieces / sizeof *pieces; k++) {
		size_t n = (size_t)snprintf(reply, 16, "$%d\r\n", 2 * LIMIT);

		memset(reply + n, 'x', 2 * LIMIT);
		n += 2 * LIMIT;
		memcpy(reply + n, "\r\n+NEXT", 7);
		cr_expect_eq(run(&m, reply, n + 7, pieces[k], fed, &fed_len), (ssize_t)n + 2);
		cr_expect_eq(fed_len, 0);
		cr_expect_eq(place[0], '?');
	}
	struct resp s;
	int done;

	resp_begin(&s, 256, 0);
	cr_expect_eq(resp_scan(&s, "$300\r\n", 6, &done), -1, "a status is no value");
}
