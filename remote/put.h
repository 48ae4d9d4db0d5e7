/* remote/put.h - puts a blob into one store, with its event. */
#pragma once

#include "remote/server.h"

struct put {
	enum store_class class;
	const struct digest *key;
	struct backend_bytes head;
	struct source stored;
	/* DIGEST_SIZE bytes: the result that a candidate leads to. It goes to a list, and its
	 * stored bytes lie in memory, behind its head. NULL: the blob is an object. */
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
/* The same of an object that lies in a file: the whole blob, of len bytes. The descriptor is taken
 * over. */
void backfill_note_file(struct remote *r, unsigned i, unsigned without, enum store_class class,
                        const struct digest *key, int fd, uint64_t len);
/* 1: a value of server i, which the servers of the bits `without` lack, would be noted. THREAD. */
static inline int backfill_wants(unsigned i, unsigned without)
{
	return (without & ((1u << i) - 1)) != 0;
}
