/* A reply that goes into the caller's room equals a reply without one, in pieces of any size, and
 * no byte passes the limit. The first byte is the pieces' size, the next two the limit. The sign of
 * the first chooses whether bytes are received straight into the room, as in
 * remote/wire/pipeline.c. */
#include <hiredis/hiredis.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "remote/wire/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How it went: -1 refused, 0 not whole, 1 whole, 2 dropped. */
static int plain(redisReader *reader, const char *p, size_t n, size_t limit, size_t *used)
{
	struct resp scan;
	int done;

	resp_begin(&scan, limit, RESP_ELEMENTS);
	ssize_t k = resp_scan(&scan, p, n, &done);
	if (k < 0)
		return -1;
	*used = (size_t)k;
	if (done && !scan.drops)
		redisReaderFeed(reader, p, (size_t)k);
	return done ? 1 + scan.drops : 0;
}

static int roomy(struct reply_buffer *m, redisReader *reader, const char *p, size_t n, size_t limit,
                 size_t step, int direct, size_t *used)
{
	struct resp scan;
	int done = 0;

	resp_begin(&scan, limit, RESP_ELEMENTS);
	for (size_t at = 0; at < n && !done;) {
		size_t piece = n - at < step ? n - at : step, left = reply_buffer_left(m);
		const char *from = p + at;

		if (direct && left) {
			piece = piece < left ? piece : left;
			from = memcpy(m->at + m->got, from, piece);
		}
		ssize_t k = resp_scan(&scan, from, reply_buffer_step(m, piece), &done);
		if (k < 0)
			return -1;
		if (!reply_buffer_take(m, &scan, from, (size_t)k)) {
			redisReaderFeed(reader, m->hold, m->held);
			redisReaderFeed(reader, from, (size_t)k);
			m->held = 0;
		}
		at += (size_t)k;
		*used = at;
	}
	return done ? 1 + scan.drops : 0;
}

static void compare(const struct reply_buffer *m, const redisReply *want, redisReader *reader)
{
	void *got = NULL;

	if (m->at) {
		if (want->type != REDIS_REPLY_STRING || m->len != want->len || m->got != m->len ||
		    memcmp(m->at, want->str, m->len) != 0)
			abort();
		return;
	}
	if (redisReaderGetReply(reader, &got) != REDIS_OK || !got)
		abort();
	const redisReply *r = got;
	/* Strings have the room, but for empty ones. */
	if (r->type != want->type || (r->type == REDIS_REPLY_STRING && r->len) ||
	    r->len != want->len ||
	    r->integer != want->integer || r->elements != want->elements ||
	    (r->str && memcmp(r->str, want->str, r->len) != 0))
		abort();
	freeReplyObject(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	size_t limit = data[1] | (size_t)data[2] << 8, step = data[0] % 128 % 61 + 1, used = 0,
		used_too = 0;
	redisReader *reader = redisReaderCreate(), *reader_too = redisReaderCreate();
	char *at = malloc(limit ? limit : 1); /* to the byte */
	void *want = NULL;
	struct reply_buffer m;

	reply_buffer_begin(&m, at);
	int whole = plain(reader, (const char *)data + 3, size - 3, limit, &used);
	int same = roomy(&m, reader_too, (const char *)data + 3, size - 3, limit, step,
	                 data[0] >> 7, &used_too);
	if (whole != same || (whole > 0 && used != used_too))
		abort();
	/* An integer beyond 64 bits is refused by the reader. */
	if (whole == 1 && redisReaderGetReply(reader, &want) == REDIS_OK)
		compare(&m, want, reader_too);
	if (want)
		freeReplyObject(want);
	redisReaderFree(reader);
	redisReaderFree(reader_too);
	free(at);
	return 0;
}
