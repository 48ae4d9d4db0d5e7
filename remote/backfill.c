/* remote/backfill.c - puts what slower stores had into the faster ones. */
#include "remote/backfill.h"

#include <string.h>

#include "remote/put.h"

#include "shim/banned.h"

void backfill_note(struct remote *r, unsigned i, unsigned without, enum store_class class,
                   const struct digest *key, const struct entry *e, struct backend_bytes blob)
{
	struct remote_shared *c = r->shared;
	struct backfill *f = &c->fill[c->fills];

	without &= (1u << i) - 1;
	if (!without || c->fills == BACKFILL_MAX)
		return;
	memset(f, 0, sizeof *f);
	f->class = class;
	f->key = *key;
	f->blob = blob;
	f->servers = without;
	f->is_listed = class == STORE_MANIFEST || class == STORE_SET;
	if (f->is_listed && e->len < DIGEST_SIZE)
		return;
	if (f->is_listed)
		memcpy(f->result, e->payload, DIGEST_SIZE);
	c->fills++;
}

void remote_backfill(struct remote *r)
{
	struct fault ignored = {0, ""};

	if (!r->on)
		return;
	for (unsigned k = 0; k < r->shared->fills; k++) {
		const struct backfill *f = &r->shared->fill[k];
		struct put p = {f->class, &f->key, {f->blob.data, BLOB_HEAD},
		                {f->blob.data + BLOB_HEAD, f->blob.len - BLOB_HEAD},
		                f->is_listed ? f->result : NULL};

		for (unsigned i = 0; i < r->servers; i++)
			if (f->servers >> i & 1 && put_is_open(r, i) &&
			    !breaker_publishing_is_off(&r->server[i].breaker))
				put_into(r, i, &p, &ignored);
	}
	r->shared->fills = 0;
}
