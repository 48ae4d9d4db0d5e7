/* units/gather/offered.c - takes offers and gathers their units. */
#include "units/gather/gather.h"

#include "store/job/counters.h"
#include "units/find/miss_report.h"

/* --- gather send --- */

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

	if (mine == 0)
		return fault_set(fault, EAGAIN, "another node merges the same file");
	/* Without leases the last of two concurrent merges wins; the other node's next change
	 * brings its choices again. */
	int rc = put_merged(r, s, e, a, fault);
	if (mine > 0)
		remote_lease_release(r, &e->key, token);
	return rc;
}

/* Sends a parcel that was checked: a large one from its file. */
static int put_parcel(struct remote *r, const struct store *s, const struct entry *e,
                      struct fault *fault)
{
	uint64_t len;
	int fd = store_file(s, STORE_UNIT, &e->key, REMOTE_PUT_LARGE, &len), rc;

	if (fd < 0 || len != e->len) {
		rc = remote_put_result(r, STORE_UNIT, &e->key, e->payload, e->len, fault);
	} else {
		rc = remote_put_file(r, STORE_UNIT, &e->key, fd, len, fault);
	}
	if (fd >= 0)
		sys_close(fd);
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
	return put_parcel(r, s, e, fault);
}

/* Records with a lease wait for so many units at most. */
#define STEP 32
/* No node waits for a unit as for a compile: five looks a second are enough. */
#define POLL_NS 200000000ll
#define REST_NS 1000000000ll
/* A queue without a write for QUEUE_ADOPT_S is taken for one of a host that is gone. */
#define RENEW_NS 600000000000ll
_Static_assert(RENEW_NS < QUEUE_ADOPT_S * 1000000000ll, "store/queue/queue.h");

/* Of several offers of one file, the last one counts. An offer that was taken too early stands
 * behind later ones, so of a file that was closed twice each content is looked at. */
static int comes_again(const struct offer *v, int i, int n)
{
	for (int k = i + 1; k < n; k++)
		if (digest_equal(&v[k].key, &v[i].key) && strcmp(v[k].path, v[i].path) == 0 &&
		    strcmp(v[k].member, v[i].member) == 0 && v[k].closed == v[i].closed &&
		    (!v[i].closed || digest_equal(&v[k].content, &v[i].content)))
			return 1;
	return 0;
}

/* Counts units that are looked at again. */
static void deal_with(struct gather_queue *q, struct offer *v, int n)
{
	for (int i = 0; i < n; i++) {
		struct arena work = ARENA_INIT;
		struct fault why;

		if (comes_again(v, i, n)) {
			counters_add(q->s, COUNTER_UNITS_KNOWN, 1);
			continue;
		}
		enum gather_status status = gather_unit(q->s, &v[i], &q->terms, &work, &why);
		if (status == GATHER_LATER)
			q->resting += offer_again(q->s, &v[i]) == 0;
		if (status == GATHER_HELD)
			q->held += offer_again(q->s, &v[i]) == 0;
		arena_free(&work);
	}
}

/* A process may live for weeks. Until it ends, its offers are read and appended again from time to
 * time. */
static int only_held(struct gather_queue *q)
{
	size_t due;
	int64_t age;

	if (!q->held || sys_now_ns(CLOCK_MONOTONIC) >= q->renew ||
	    offers_pending(q->s, &due, &age) < 0 || due)
		return 0;
	q->held = offers_held(q->s) > 0;
	return q->held;
}

int gather_step(struct gather_queue *q, struct fault *fault)
{
	struct arena a = ARENA_INIT;
	char token[OFFER_TOKEN];
	struct offer *v;
	int n = 0;

	if (sys_now_ns(CLOCK_MONOTONIC) < q->next)
		return 0;
	if (only_held(q)) {
		q->next = sys_now_ns(CLOCK_MONOTONIC) + REST_NS;
		return 0;
	}
	if (!q->begun)
		offers_adopt(q->s);
	q->begun = 1;
	v = arena_alloc(&a, STEP * sizeof *v);
	n = v ? offers_take(q->s, v, STEP, token, &a, fault) : 0;
	q->resting = q->held = 0;
	if (n > 0) {
		q->renew = sys_now_ns(CLOCK_MONOTONIC) + RENEW_NS;
		deal_with(q, v, n);
		offers_done(q->s, token);
	}
	/* Offers that rest are behind all others. */
	if (n == q->resting + q->held)
		q->next = sys_now_ns(CLOCK_MONOTONIC) + (n ? REST_NS : POLL_NS);
	arena_free(&a);
	return n < 0 ? -1 : n > q->resting + q->held;
}
