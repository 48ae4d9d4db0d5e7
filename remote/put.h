/* remote/put.h - puts a blob into one store, with its event. */
#pragma once

#include "remote/server.h"

struct put {
	enum store_class class;
	const struct digest *key;
	struct backend_bytes head, stored;
	/* DIGEST_SIZE bytes: the result that a candidate leads to. It goes to a list, and its
	 * stored bytes follow its head in memory. NULL: the blob is an object. */
	const unsigned char *result;
};
/* Into server i: 0 acknowledged, 1 refused for good, -1 with *fault: try again later. */
int put_into(struct remote *r, unsigned i, const struct put *p, struct fault *fault);
/* 1: server i takes puts now. */
int put_is_open(const struct remote *r, unsigned i);
/* Notes a value that server i had, and that the servers of the bits `without` do not have, for
 * remote_backfill. e: its entry, which was checked. The blob is sent as it is, with its signature:
 * this node need not be able to sign. Nothing is noted where no faster store takes it. THREAD. */
void backfill_note(struct remote *r, unsigned i, unsigned without, enum store_class class,
                   const struct digest *key, const struct entry *e, struct backend_bytes blob);
