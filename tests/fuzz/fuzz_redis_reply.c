/* Replies of a server that lies. The frame scanner passes nothing on that the caller did not
 * expect. hiredis's reader gets what the scanner passes on, and has a complete reply exactly when
 * the scanner says so. Bytes come in pieces whose sizes the input chooses. */
#include <hiredis/hiredis.h>
#include <stdint.h>
#include <stdlib.h>

#include "remote/wire/reply.h"
#include "remote/wire/wire.h"

#define LIMIT 4096
#define ELEMENTS (RESP_ELEMENTS + LIMIT / 4)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes in strings, and elements, of a reply. */
static void measure(const redisReply *r, size_t *bytes, size_t *elements)
{
	if (r->type == REDIS_REPLY_STRING)
		*bytes += r->len;
	if (r->type == REDIS_REPLY_ARRAY) {
		*elements += r->elements;
		for (size_t i = 0; i < r->elements; i++)
			measure(r->element[i], bytes, elements);
	}
}

static int check(redisReader *reader)
{
	size_t bytes = 0, elements = 0;
	void *reply = NULL;

	/* An integer beyond 64 bits is refused here. */
	if (redisReaderGetReply(reader, &reply) != REDIS_OK)
		return -1;
	if (!reply)
		abort();
	measure(reply, &bytes, &elements);
	if (bytes > LIMIT || elements > ELEMENTS)
		abort();
	wire_error(reply);
	freeReplyObject(reply);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	redisReader *reader = redisReaderCreate();
	struct resp scan;
	size_t step = size ? data[0] % 32 + 1 : 1, at = 1;

	resp_begin(&scan, LIMIT, ELEMENTS);
	while (at < size) {
		size_t piece = size - at < step ? size - at : step;
		int done;
		ssize_t n = resp_scan(&scan, (const char *)data + at, piece, &done);

		if (n < 0)
			break;
		if ((size_t)n > piece || (!done && (size_t)n != piece))
			abort();
		at += (size_t)n;
		if (scan.drops) {
			if (!done)
				continue;
			/* What the reader has of its beginning goes, too. */
			redisReaderFree(reader);
			reader = redisReaderCreate();
			resp_begin(&scan, LIMIT, ELEMENTS);
			continue;
		}
		if (redisReaderFeed(reader, (const char *)data + at - n, (size_t)n) != REDIS_OK)
			abort();
		if (!done) {
			void *early = NULL;
			/* An early refusal is fine. A complete reply would be one that the scanner
			 * missed. */
			if (redisReaderGetReply(reader, &early) != REDIS_OK)
				break;
			if (early)
				abort();
			continue;
		}
		if (check(reader) < 0)
			break;
		resp_begin(&scan, LIMIT, ELEMENTS);
	}
	redisReaderFree(reader);
	return 0;
}
