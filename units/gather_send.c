/* units/gather_send.c - asks the remote store, merges, and sends. */
#include "units/gather_send.h"

#include <string.h>

#include "shim/buf.h"
#include "store/counters.h"
#include "units/gather.h"
#include "units/parcel.h"
#include "units/refusal.h"

/* The time of two transfers: a node that died with the lease delays others no longer. */
#define LEASE_MS 10000

static int put_merged(struct remote *r, struct store *s, const struct entry *e, struct arena *a,
                      struct fault *fault)
{
	struct buf b = BUF_INIT(a);
	struct entry there;
	int rc = remote_get_single(r, STORE_UNIT, &e->key, &there, fault);

	if (rc < 0)
		return -1;
	if (rc == 0 || gather_merge(&b, there.payload, there.len, e->payload, e->len, fault) < 0)
		return remote_put_result(r, STORE_UNIT, &e->key, e->payload, e->len, fault);
	if (b.len == there.len && memcmp(b.data, there.payload, b.len) == 0)
		rc = SEND_THERE;
	else
		rc = remote_put_result(r, STORE_UNIT, &e->key, b.data, b.len, fault);
	if (rc == 0 || rc == SEND_THERE) {
		struct fault ignored;

		store_put(s, STORE_UNIT, &e->key, 0, b.data, b.len, &ignored);
	}
	return rc;
}

static int merge(struct remote *r, struct store *s, const struct entry *e, struct arena *a,
                struct fault *fault)
{
	unsigned char token[SPOOL_TOKEN];
	int mine = remote_lease_take(r, &e->key, token, LEASE_MS);

	if (mine == 0) {
		fault_set(fault, EAGAIN, "another node merges the same file");
		return -1;
	}
	/* Without leases the last of two concurrent merges wins; the other node's next change
	 * brings its choices again. */
	int rc = put_merged(r, s, e, a, fault);
	if (mine > 0)
		remote_lease_release(r, &e->key, token);
	return rc;
}

int gather_send(struct remote *r, struct store *s, const struct entry *e, struct arena *a,
                struct fault *fault)
{
	const char *not;
	struct parcel p;
	int there;

	if (parcel_decode(&p, e->payload, e->len, a) < 0) {
		fault_set(fault, EBADMSG, "it is not a parcel");
		return 1;
	}
	if (!(r->units >> p.class & 1)) {
		fault_set(fault, EPERM,
		          "units of class %s are not published (REPRISE_REMOTE_CLASSES)",
		          unit_name(p.class));
		return 1;
	}
	not = parcel_refusal(&p, p.files ? p.file[0].name : "", a);
	if (not) {
		fault_set(fault, EBADMSG, "%s", not);
		return 1;
	}
	if (unit_rows[p.class].form == UNIT_MERGED)
		return merge(r, s, e, a, fault);
	/* A member's key covers its content. */
	there = unit_rows[p.class].form != UNIT_SET && unit_rows[p.class].traits & TRAIT_NEWEST
	        ? 0 : remote_has(r, STORE_UNIT, &e->key, fault);
	if (there)
		return there < 0 ? -1 : SEND_THERE;
	return remote_put_result(r, STORE_UNIT, &e->key, e->payload, e->len, fault);
}
