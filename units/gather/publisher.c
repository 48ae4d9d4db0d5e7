/* units/gather/publisher.c - the publisher's loop. */
#include "units/gather/gather.h"

#include "shim/log.h"
#include "store/job/counters.h"

#include "shim/banned.h"

/* A new record is seen after so long; other nodes wait for some of them. */
#define POLL_NS 20000000ll
/* The same while it only waits for the end of a process, which may be weeks away. */
#define STAY_NS 200000000ll
/* How often a caller that waits for another publisher asks whether the server answers. */
#define ASK_NS 500000000ll
#define PAUSE_FIRST_NS 100000000ll
#define PAUSE_LONGEST_NS 5000000000ll
/* Renewals in a lease's time: one may fail. */
#define RENEWALS 3

enum { ACKNOWLEDGED = 1, THERE, GIVEN_UP };

/* One run of the publisher. */
struct run {
	struct publisher *p;
	struct spool_batch batch;
	struct arena work;      /* of one record */
	struct gather_queue units;
	int sending;            /* 1: records are sent; 0: offers are packed only */
	/* All records before `plain`, and all with a lease before `leased`, are done. */
	size_t plain, leased;
	int64_t success, renewed, pause;
	size_t waiting;  /* records and offers at the last look */
	int64_t changed; /* when their number grew */
	int64_t first;   /* when work began to wait; 0: none waits */
	char job[DIGEST_SIZE + 1]; /* of the records that are sent, */
	const char *own;           /* or, where they name none, of this process */
	struct fault *fault;
};

static int64_t now_ns(void)
{
	return sys_now_ns(CLOCK_MONOTONIC);
}

static int has_lease(const struct spool_record *rec)
{
	static const unsigned char none[SPOOL_TOKEN];

	return memcmp(rec->lease, none, SPOOL_TOKEN) != 0;
}

static int is_candidate(const struct spool_record *rec)
{
	return rec->class == STORE_MANIFEST || rec->class == STORE_SET;
}

/* The lease is the action's: only a candidate knows its key. */
static int holds_lease(const struct spool_record *rec)
{
	return rec->class == STORE_MANIFEST && has_lease(rec);
}

static void done(struct run *u, size_t i, unsigned char how)
{
	struct spool_record *rec = &u->batch.v[i];

	if (holds_lease(rec))
		remote_lease_release(u->p->remote, &rec->key, rec->lease);
	if (how == ACKNOWLEDGED)
		counters_add(u->p->store, COUNTER_PUBLISHED, 1);
	if (how == THERE)
		counters_add(u->p->store, COUNTER_UNITS_THERE, 1);
	spool_done(u->p->store, &u->batch, i, how);
	if (u->batch.count == 0)
		u->plain = u->leased = 0;
}

/* 1: the entry is too large to send; it is not read. */
static int too_large(const struct run *u, const struct spool_record *rec, int slot)
{
	char path[PATH_SIZE];
	struct statx st;

	return store_path(path, sizeof path, u->p->store->dir, rec->class, &rec->key,
	                  slot) < sizeof path &&
	       sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_SIZE, &st) == 0 &&
	       st.stx_size > u->p->remote->max_entry + ENTRY_HEAD + ENTRY_TAIL;
}

/* The local entry that a record names. 0, or -1: it is gone. */
static int find_entry(struct run *u, const struct spool_record *rec, struct entry *out)
{
	int slots = is_candidate(rec) ? STORE_SLOTS : 1;
	struct fault ignored;

	for (int slot = 0; slot < slots; slot++) {
		if (too_large(u, rec, slot))
			continue;
		enum entry_status st = store_get(u->p->store, rec->class, &rec->key, slot, out,
		                                 &u->work, &ignored);

		if (st == ENTRY_ABSENT)
			return -1;
		if (st == ENTRY_OK && (!is_candidate(rec) ||
		                       (out->len >= DIGEST_SIZE &&
		                        memcmp(out->payload, rec->result.b, DIGEST_SIZE) == 0)))
			return 0;
	}
	return -1;
}

/* As remote_put_result, or SEND_THERE. */
static int put_entry(struct run *u, const struct entry *e)
{
	if (e->class == STORE_UNIT)
		return gather_send(u->p->remote, u->p->store, e, &u->work, u->fault);
	return e->class == STORE_RESULT
	       ? remote_put_result(u->p->remote, STORE_RESULT, &e->key, e->payload, e->len,
	                           u->fault)
	       : remote_put_candidate(u->p->remote, e->class, &e->key, e->payload, e->len,
	                              u->fault);
}

/* 0: the record is done, sent or given up; -1 with *fault. */
static int send_one(struct run *u, size_t i)
{
	const struct spool_record *rec = &u->batch.v[i];
	struct entry e;
	uint64_t len;
	int rc = 1, fd, found = 1;

	/* A candidate follows its result. */
	if (!is_candidate(rec) && u->own)
		u->p->remote->job = *spool_job(rec, u->job) ? u->job : u->own;
	fd = rec->class == STORE_RESULT && !too_large(u, rec, 0)
	     ? store_file(u->p->store, STORE_RESULT, &rec->key, REMOTE_PUT_LARGE, &len) : -1;
	if (fd >= 0) {
		rc = gather_send_result(u->p->remote, u->p->store, &rec->key, fd, len, &u->work,
		                        u->fault);
		sys_close(fd);
	} else if (find_entry(u, rec, &e) == 0) {
		rc = put_entry(u, &e);
	} else {
		found = 0;
	}
	if (found && rc > 0 && rc != SEND_THERE)
		log_write(LOG_INFO, "not published: %s", u->fault->text);
	arena_free(&u->work);
	if (rc < 0)
		return -1;
	done(u, i, rc == 0 ? ACKNOWLEDGED : rc == SEND_THERE ? THERE : GIVEN_UP);
	return 0;
}

/* Index of the record of a candidate's result or a member's parcel, mostly the record before it.
 * batch.count: there is none, since it was sent before. */
static size_t find_result(const struct run *u, size_t i)
{
	const struct spool_batch *b = &u->batch;
	enum store_class class = b->v[i].class == STORE_SET ? STORE_UNIT : STORE_RESULT;

	for (size_t step = 1; step <= b->count; step++) {
		size_t k = (i + b->count - step) % b->count;

		if (b->v[k].class == class && digest_equal(&b->v[k].key, &b->v[i].result))
			return k;
	}
	return b->count;
}

static int send_record(struct run *u, size_t i)
{
	if (is_candidate(&u->batch.v[i])) {
		size_t k = find_result(u, i);

		if (k < u->batch.count && !u->batch.done[k] && send_one(u, k) < 0)
			return -1;
		if (k < u->batch.count && u->batch.done[k] == GIVEN_UP) {
			done(u, i, GIVEN_UP); /* it would name an entry that is missing */
			return 0;
		}
	}
	return send_one(u, i);
}

/* The next record, those with a lease first; batch.count when all are done. */
static size_t next(struct run *u)
{
	const struct spool_batch *b = &u->batch;

	while (u->leased < b->count && (b->done[u->leased] || !has_lease(&b->v[u->leased])))
		u->leased++;
	if (u->leased < b->count)
		return u->leased;
	while (u->plain < b->count && b->done[u->plain])
		u->plain++;
	return u->plain;
}

static void renew_leases(struct run *u)
{
	struct spool_batch *b = &u->batch;
	int64_t now = now_ns(), each = (int64_t)u->p->lease_ms * 1000000 / RENEWALS;

	if (!u->p->lease_ms || now - u->renewed < each)
		return;
	u->renewed = now;
	/* In the order of sending, and no longer than until the next renewal: sending a record ends
	 * its lease, too. */
	for (size_t i = u->leased; i < b->count && now_ns() < u->renewed + each; i++) {
		if (b->done[i] || !holds_lease(&b->v[i]))
			continue;
		int rc = remote_lease_renew(u->p->remote, &b->v[i].key, b->v[i].lease,
		                            u->p->lease_ms);
		if (rc < 0)
			return; /* the server is away, and the record waits, too */
		/* The lease has ended, or another node has it. */
		if (rc == 0)
			memset(b->v[i].lease, 0, SPOOL_TOKEN);
	}
}

static void nap(const struct run *u, int64_t ns)
{
	int64_t left = u->p->deadline ? u->p->deadline - now_ns() : ns;

	if (left > 0)
		sys_sleep_ns(left < ns ? left : ns);
}

/* 1: no server is there, and the answer came at once. */
static int is_refusal(int code)
{
	return code == ECONNREFUSED || code == EHOSTUNREACH || code == ENETUNREACH ||
	       code == ENOENT || code == ENOTDIR;
}

static size_t offered(struct store *s)
{
	size_t n = 0;
	int64_t age;

	offers_pending(s, &n, &age);
	return n;
}

/* Held while a user waits for an empty queue: the publisher then does not wait for a pause. */
static void hurry_key(struct digest *key)
{
	static const char name[] = "publish: a user waits";

	digest_name(key, name, sizeof name - 1);
}

/* 1: the job has paused, or it has worked for so long that its work must not wait more. */
static int is_quiet(struct run *u, int64_t now)
{
	size_t waiting = u->batch.left + offered(u->p->store);
	struct digest key;

	if (!u->p->quiet_ns)
		return 1;
	if (waiting > u->waiting)
		u->changed = now;
	u->waiting = waiting;
	if (!waiting) {
		u->first = 0;
		return 1;
	}
	if (!u->first)
		u->first = now;
	hurry_key(&key);
	return now - u->changed >= u->p->quiet_ns ||
	       now - u->first >= PUBLISH_QUIET_MOST * u->p->quiet_ns ||
	       lock_busy(u->p->store->runtime_dir, &key);
}

static enum publish_end work(struct run *u)
{
	int64_t idle_since = now_ns();

	u->success = u->renewed = idle_since;
	for (;;) {
		int64_t now = now_ns();
		int packed = 0;

		if (u->sending && !u->pause && spool_take(u->p->store, &u->batch, u->fault) < 0)
			return PUBLISH_FAULT;
		if (u->p->progress)
			u->p->progress(u->batch.left);
		size_t i = next(u);
		if ((i == u->batch.count || !has_lease(&u->batch.v[i])) && !is_quiet(u, now)) {
			idle_since = u->success = now;
			nap(u, POLL_NS);
			renew_leases(u);
			continue;
		}
		/* Offers go first, except before records that other nodes wait for. */
		if (i == u->batch.count || !has_lease(&u->batch.v[i]))
			packed = gather_step(&u->units, u->fault);
		if (packed < 0)
			return PUBLISH_FAULT;
		if (packed > 0 || u->units.resting)
			idle_since = now;
		if (packed > 0 && (!u->p->deadline || now < u->p->deadline))
			continue;
		if (i == u->batch.count) {
			int idle = now - idle_since >= u->p->idle_ns && !u->units.resting;

			if (idle && !(u->p->stays && u->units.held))
				return PUBLISH_IDLE;
			if (u->p->deadline && now >= u->p->deadline)
				return PUBLISH_TIME;
			nap(u, idle ? STAY_NS : POLL_NS);
			u->success = now_ns();
			continue;
		}
		if (u->p->deadline && now >= u->p->deadline)
			return PUBLISH_TIME;
		if (remote_reload_keys(u->p->remote, u->fault) < 0) {
			log_once("publisher", "nothing is published: %s", u->fault->text);
			return PUBLISH_REFUSED;
		}
		if (send_record(u, i) == 0) {
			renew_leases(u);
			idle_since = u->success = now_ns();
			u->pause = 0;
			continue;
		}
		if (u->fault->code == EACCES)
			return PUBLISH_REFUSED;
		log_once("publish-away", "publishing waits: %s", u->fault->text);
		if (u->p->hurried && is_refusal(u->fault->code))
			return PUBLISH_AWAY;
		/* Offers that are held are packed without a server, too, and by no other publisher
		 * when their process ends. */
		if (now_ns() - u->success >= u->p->away_ns && !(u->p->stays && u->units.held))
			return PUBLISH_AWAY;
		u->pause = u->pause ? u->pause * 2 : PAUSE_FIRST_NS;
		if (u->pause > PAUSE_LONGEST_NS)
			u->pause = PAUSE_LONGEST_NS;
		nap(u, u->pause);
	}
}

static size_t spooled(struct store *s)
{
	size_t n = 0;
	int64_t age;

	spool_pending(s, &n, &age);
	return n;
}

static enum publish_end run(struct publisher *p, struct fault *fault)
{
	struct run u = {.p = p, .batch = SPOOL_BATCH_INIT, .work = ARENA_INIT, .fault = fault,
	                .sending = remote_may_publish(p->remote)};

	u.units = (struct gather_queue){.s = p->store,
	                                .terms = {.remote_classes = u.sending
	                                          ? p->remote->units : 0,
	                                                         .compress = p->compress}};
	struct arena *before = p->remote->arena;

	fault->code = 0;
	fault->text[0] = '\0';
	u.own = p->remote->job;
	p->remote->arena = &u.work;
	p->remote->until = p->deadline;
	p->remote->rank = EVENT_NO_RANK;
	enum publish_end end = work(&u);
	p->remote->arena = before;
	p->remote->job = u.own;
	spool_batch_free(&u.batch);
	arena_free(&u.work);
	if (end == PUBLISH_TIME && !*fault->text)
		fault_set(fault, ETIMEDOUT, "time is up");
	if (end == PUBLISH_IDLE && !u.sending && spooled(p->store)) {
		fault_set(fault, EPERM, "nothing is published from here");
		end = PUBLISH_REFUSED;
	}
	return end;
}

/* A spool that cannot be read or removed is there each time. */
#define ROUNDS_MOST 100

enum publish_end publish_serve(struct publisher *p, struct fault *fault)
{
	enum publish_end end;
	int rounds = 0;

	if (!remote_may_publish(p->remote) && !offered(p->store) &&
	    !(p->stays && offers_held(p->store))) {
		fault_set(fault, EPERM, "nothing is published from here");
		return spooled(p->store) ? PUBLISH_REFUSED : PUBLISH_IDLE;
	}
	do {
		struct lock l = LOCK_INIT;

		switch (spool_publisher_take(p->store, &l)) {
		case LOCK_HELD:
			break;
		case LOCK_TIMEOUT:
			fault_set(fault, EAGAIN, "another publisher is at work");
			return PUBLISH_BUSY;
		default:
			fault_set(fault, ENOENT, "no runtime directory to lock in");
			return PUBLISH_FAULT;
		}
		end = run(p, fault);
		lock_release(&l);
		/* A supervisor that saw the lock held a moment ago has started no publisher. */
	} while (++rounds < ROUNDS_MOST && !(p->deadline && now_ns() >= p->deadline) &&
	         ((end == PUBLISH_IDLE && spooled(p->store)) ||
	          ((end == PUBLISH_IDLE || end == PUBLISH_REFUSED) && offered(p->store))));
	return end;
}

/* 1: the server answers, while another publisher works with it. *asked: the time of the last
 * question; there is one in each ASK_NS. */
static int is_there(struct publisher *p, int64_t *asked, struct fault *fault)
{
	int64_t now = now_ns();

	if (*asked && now - *asked < ASK_NS)
		return 1;
	*asked = now;
	return remote_ping(p->remote, fault) == 0;
}

static int drain(struct publisher *p, struct fault *fault)
{
	int64_t asked = 0;
	int rounds = 0;

	fault->text[0] = '\0';
	while (spooled(p->store) || offered(p->store)) {
		enum publish_end end = publish_serve(p, fault);

		if (end == PUBLISH_REFUSED || end == PUBLISH_FAULT || end == PUBLISH_TIME)
			return -1;
		if (p->hurried && end == PUBLISH_AWAY)
			return -1;
		if (p->hurried && end == PUBLISH_BUSY && remote_may_publish(p->remote) &&
		    !is_there(p, &asked, fault))
			return -1;
		if (p->hurried && end == PUBLISH_BUSY && spool_publisher_stopped(p->store))
			return fault_set(fault, EAGAIN, "the process that publishes is stopped");
		if (p->deadline && now_ns() >= p->deadline)
			return fault_set(fault, ETIMEDOUT, "time is up");
		if (end == PUBLISH_BUSY && p->progress)
			p->progress(spooled(p->store) + offered(p->store));
		if (end == PUBLISH_BUSY || ++rounds % ROUNDS_MOST == 0)
			sys_sleep_ns(POLL_NS);
	}
	return 0;
}

int publish_drain(struct publisher *p, struct fault *fault)
{
	struct lock hurry = LOCK_INIT;
	struct digest key;
	int rc;

	hurry_key(&key);
	if (p->store->runtime_dir) /* another drain may hold it */
		lock_take(&hurry, p->store->runtime_dir, &key, 0, NULL);
	rc = drain(p, fault);
	lock_release(&hurry);
	return rc;
}
