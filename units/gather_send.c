/* units/gather_send.c - asks, joins and puts. */
#include "units/gather_send.h"

#include <string.h>

#include "store/counters.h"
#include "units/refusal.h"
#include "units/gather.h"
#include "units/parcel.h"

/* Of two transfers: who died holding it is not waited for longer. */
#define LEASE_MS 10000

static int put_joined(struct remote *r, struct store *s, const struct entry *e, struct arena *a, struct fault *fault)
{
	struct buf b = BUF_INIT(a);
	struct entry there;
	int rc = remote_peek(r, STORE_UNIT, &e->key, &there, fault);

	if (rc < 0)
		return -1;
	if (rc == 0 || gather_join(&b, there.payload, there.len, e->payload, e->len, fault) < 0)
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

static int join(struct remote *r, struct store *s, const struct entry *e, struct arena *a, struct fault *fault)
{
	unsigned char token[SPOOL_TOKEN];
	int mine = remote_lease_take(r, &e->key, token, LEASE_MS);

	if (mine == 0) {
		fault_set(fault, EAGAIN, "another node joins the same file");
		return -1;
	}
	/* Without leases here the last one wins what two sent at once; the other's next change brings its own again. */
	int rc = put_joined(r, s, e, a, fault);
	if (mine > 0)
		remote_lease_release(r, &e->key, token);
	return rc;
}

int gather_send(struct remote *r, struct store *s, const struct entry *e, struct arena *a, struct fault *fault)
{
	const char *not;
	struct parcel p;
	int there;

	if (parcel_decode(&p, e->payload, e->len, a) < 0) {
		fault_set(fault, EBADMSG, "it is no parcel");
		return 1;
	}
	if (!(r->config.units >> p.class & 1)) {
		fault_set(fault, EPERM, "units of %s stay local", unit_name(p.class));
		return 1;
	}
	not = parcel_refusal(&p, p.files ? p.file[0].name : "", a);
	if (not) {
		fault_set(fault, EBADMSG, "%s", not);
		return 1;
	}
	if (unit_rows[p.class].form == UNIT_MERGED)
		return join(r, s, e, a, fault);
	/* A member's key covers its content. */
	there = unit_rows[p.class].form == UNIT_FILE && unit_rows[p.class].traits & TRAIT_NEWEST ? 0 : remote_has(r, STORE_UNIT, &e->key, fault);
	if (there)
		return there < 0 ? -1 : SEND_THERE;
	return remote_put_result(r, STORE_UNIT, &e->key, e->payload, e->len, fault);
}
