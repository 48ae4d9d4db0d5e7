/* action/remote_store.c - an action and the remote store. */
#include "action/remote_store.h"

#include <string.h>
#include <sys/random.h>

#include "action/action.h"
#include "judge/lookup.h"
#include "judge/output/confine.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/loader/object.h"
#include "shim/log.h"
#include "shim/settings/job.h"
#include "store/job/counters.h"

#include "shim/banned.h"

#define MS 1000000ll
/* The wait when nobody knows how long the compile takes. */
#define WAIT_UNKNOWN_NS (1000 * MS)
/* A shorter action is compiled twice rather than waited for. */
#define LEASE_WORTH_NS (200 * MS)
/* A known compile is waited for so many times as long as it took, and this time longer: both nodes
 * may be busier than that one was, and the other node has to publish. */
#define WAIT_TIMES 2
#define WAIT_MORE_NS (250 * MS)
/* The run time in a result comes from the remote store and cannot be trusted. */
#define KNOWN_LONGEST_NS (3600000 * MS)
/* The pause between two looks at the remote store. It grows, and is never in step with other
 * waiters. */
#define PAUSE_FIRST_NS (20 * MS)
#define PAUSE_LONGEST_NS (250 * MS)
/* A wait goes on past the end of a lease, for a clock that counts whole ms. */
#define LEASE_END_NS (4 * MS)
/* Each look-up keeps its entries in memory. A wait gives up before memory is full, among large
 * candidates or for a result with an evicted part. */
#define TAKEN_MOST (4ull * REMOTE_UNPACKED_MAX)
/* A lease is renewed after this fraction of its length. */
#define RENEW_PARTS 3

/* The first call opens the remote store. NULL: there is none. */
static struct remote *open_remote(struct action *a)
{
	struct fault fault = {0};
	const char *job;

	if (a->remote_off || a->remote)
		return a->remote;
	a->remote = arena_alloc(&a->start.arena, sizeof *a->remote);
	job = settings_job(&a->start.set, a->start.call.envp, &a->start.arena, NULL);
	if (a->remote && remote_open(a->remote, &a->start.set, a->start.call.envp, job,
	                             &a->start.store, &a->start.arena, &fault) < 0)
		log_once("remote", "the remote store is off: %s", fault.text);
	if (a->remote && a->remote->on) {
		_Static_assert(1 + TOOL_CLASSES <= REMOTE_BUDGET_UNITS, "those of units follow");
		a->remote->budget = 1 + tool_class(a->start.row);
		return a->remote;
	}
	a->remote = NULL;
	a->remote_off = 1;
	return NULL;
}

/* This node publishes its compiles, so other nodes may wait for them. Otherwise it takes no
 * lease. */
static int publishes(const struct remote *r)
{
	return remote_may_publish(r) && remote_allows(r, STORE_MANIFEST);
}

static void refuse(struct action *a, const char *what, const char *why)
{
	counters_add(&a->start.store, COUNTER_REFUSED_ENTRIES, 1);
	log_write(LOG_WARNING, "a remote %s was refused: %s", what, why);
	start_detail(&a->start, "%s: %s", what, why);
	start_missed(&a->start, REASON_MISS_REFUSED);
}

static void note(struct action *a, const char *text)
{
	log_write(LOG_INFO, "remote: %s", text);
	format_text(a->start.verdict.remote_note, sizeof a->start.verdict.remote_note,
	            "remote: %s", text);
}

static void fill_local(struct action *a, const struct entry *candidate, const struct entry *result)
{
	struct fault fault;

	if (!a->start.store.writable || setting_number(&a->start.set, SETTING_READONLY))
		return;
	if ((result && store_put_entry(&a->start.store, 0, result, &fault) < 0) ||
	    store_add_candidate(&a->start.store, STORE_MANIFEST, &a->start.k1, candidate->payload,
	                        candidate->len, &fault) < 0)
		log_once("store-write", "cannot store: %s", fault.text);
}

void remote_store_fill(struct action *a)
{
	if (a->fetched)
		fill_local(a, &a->fetched[0], &a->fetched[1]);
	a->fetched = NULL;
}

#define DOES_NOT_UNPACK "an output does not unpack to what it says"

void remote_store_refuse(struct action *a)
{
	refuse(a, "result", DOES_NOT_UNPACK);
	a->fetched = NULL;
}

/* Unpacks before the local store is filled: the local store does not check the writer of an entry.
 * The replay needs the bytes anyway. */
static int unpack_outputs(struct action *a, struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++) {
		struct result_output *o = &r->out[i];

		if (!o->packed || start_streams(a->start.row, o))
			continue;
		o->data = result_output_bytes(o, &a->start.arena);
		if (!o->data)
			return -1;
		o->packed = NULL;
	}
	return 0;
}

/* Gets a candidate's result from the remote store; confine_candidate() has accepted the candidate.
 * NULL: start_missed() knows why. *bad: it was refused. */
static struct result *ask_result(struct action *a, struct remote *r, const struct candidate *c,
                                 struct entry *e, int *bad)
{
	struct result *result;
	const char *why;

	if (!e ||
	    remote_result(r, STORE_RESULT, &c->result, e, &a->start.verdict.fault) != REMOTE_HIT) {
		start_detail(&a->start, "remote: %s",
		             *r->refused ? r->refused : a->start.verdict.fault.text);
		*bad = *r->refused != '\0';
		start_missed(&a->start, *bad ? REASON_MISS_REFUSED : REASON_MISS_RESULT);
		return NULL;
	}
	result = arena_alloc(&a->start.arena, sizeof *result);
	if (!result || result_decode(result, e->payload, e->len, &a->start.arena) < 0)
		why = "it is no result";
	else
		why = confine_result(&a->start, c, result);
	if (!why)
		return result;
	*bad = 1;
	refuse(a, "result", why);
	return NULL;
}

/* Gets the result of a candidate that holds, from the local or the remote store. *bad: it was
 * refused. */
static struct result *fetch_result(struct action *a, struct remote *r, const struct candidate *c,
                                   const struct entry *candidate, int *bad)
{
	struct result *result = judge_result(&a->start, &c->result);
	struct entry *fetched = arena_alloc(&a->start.arena, 2 * sizeof *fetched);
	const char *why;

	*bad = 0;
	/* Another key may have brought this result here, for a start that accepts other outputs. */
	if (result && (why = confine_result(&a->start, c, result)) != NULL) {
		*bad = 1;
		refuse(a, "result", why);
		return NULL;
	}
	if (result) {
		fill_local(a, candidate, NULL);
		return result;
	}
	result = ask_result(a, r, c, fetched ? &fetched[1] : NULL, bad);
	if (!result)
		return NULL;
	if (unpack_outputs(a, result) < 0) {
		*bad = 1;
		refuse(a, "result", DOES_NOT_UNPACK);
		return NULL;
	}
	fetched[0] = *candidate;
	a->fetched = fetched;
	a->start.verdict.from_remote = 1;
	for (size_t i = 0; i < result->out_count; i++)
		if (start_streams(a->start.row, &result->out[i]))
			return result;
	remote_store_fill(a);
	return result;
}

/* 1 with *out. 0: this candidate does not serve, and start_missed() knows why. -1: the caller
 * should not try other candidates, since a bad result's memory stays in use. */
static int try_candidate(struct action *a, struct remote *r, const struct entry *e,
                         struct result **out)
{
	struct candidate *c = arena_alloc(&a->start.arena, sizeof *c);
	enum reason why;
	const char *no;
	int bad;

	if (!c || candidate_decode(c, e->payload, e->len, &a->start.arena) < 0) {
		refuse(a, "candidate", "it is no candidate");
		return 0;
	}
	if (judge_seen(&a->start.verdict, &c->result))
		return 0;
	no = confine_candidate(&a->start, c, &c->result);
	if (no) {
		refuse(a, "candidate", no);
		return 0;
	}
	why = judge_candidate_holds(&a->start, c);
	if (why != REASON_NONE) {
		judge_saw(&a->start.verdict, c, -1);
		start_missed(&a->start, why);
		return 0;
	}
	*out = fetch_result(a, r, c, e, &bad);
	if (*out) {
		a->start.verdict.held = c;
		return 1;
	}
	return bad ? -1 : 0;
}

/* Tries all candidates, with the return values of try_candidate(). */
static int look_up(struct action *a, struct result **out)
{
	struct remote *r = open_remote(a);
	struct entry e[REMOTE_FIRST];
	unsigned count;
	int more = 1;

	for (unsigned from = 0;
	     r && more && from < REMOTE_CANDIDATES && r->taken < TAKEN_MOST;
	     from += REMOTE_FIRST) {
		enum remote_status s =
			remote_candidates(r, STORE_MANIFEST, &a->start.k1, from, e, REMOTE_FIRST,
			                  &count, &more, &a->start.verdict.fault);

		if (*r->refused) {
			start_detail(&a->start, "entry of the remote store: %s", r->refused);
			start_missed(&a->start, REASON_MISS_REFUSED);
		}
		if (s == REMOTE_SKIPPED)
			note(a, a->start.verdict.fault.text);
		if (s != REMOTE_HIT)
			return 0;
		for (unsigned i = 0; i < count && r->taken < TAKEN_MOST; i++) {
			int served = try_candidate(a, r, &e[i], out);

			if (served)
				return served;
		}
	}
	return 0;
}

int remote_store_lookup(struct action *a, struct result **out)
{
	return look_up(a, out) > 0;
}

/* The longest run time of this action with other inputs. 0: unknown. */
static int64_t known_to_take(struct action *a)
{
	struct arena kept = a->start.arena;
	uint64_t longest = 0;

	for (int i = 0; i < a->start.verdict.seen_count; i++) {
		/* Each result may be large, and the tool needs the remaining memory. */
		a->start.arena = (struct arena)ARENA_INIT;
		const struct result *r = judge_result(&a->start, &a->start.verdict.seen[i]->result);

		if (r && r->wall_ns > longest)
			longest = r->wall_ns;
		arena_free(&a->start.arena);
	}
	a->start.arena = kept;
	return longest < KNOWN_LONGEST_NS ? (int64_t)longest : KNOWN_LONGEST_NS;
}

static unsigned lease_ms(const struct action *a)
{
	uint64_t ms = setting_number(&a->start.set, SETTING_REMOTE_LEASE);

	return ms > 3600000 ? 3600000 : (unsigned)ms;
}

/* 1: this node holds the lease now. */
static int take_lease(struct action *a, struct remote *r, int *answer)
{
	*answer = remote_lease_take(r, &a->start.flight, a->lease, lease_ms(a));
	if (*answer != 1)
		return 0;
	a->leased = 1;
	a->renew_at = sys_now_ns(CLOCK_MONOTONIC) + lease_ms(a) * MS / RENEW_PARTS;
	return 1;
}

static int64_t jittered(int64_t ns)
{
	uint32_t random = 0;

	SYS3(SYS_getrandom, &random, sizeof random, GRND_NONBLOCK);
	return ns / 2 + (int64_t)(random % 1024) * ns / 1024;
}

/* The time until the next look. A holder that died does not renew its lease, so a look follows the
 * lease's end. */
static int64_t pause_for(const struct remote *r, int64_t pause)
{
	int64_t end = r->lease_left_ms >= 0 ? r->lease_left_ms * MS + jittered(LEASE_END_NS)
	                                    : INT64_MAX;

	pause = jittered(pause);
	return pause < end ? pause : end;
}

/* This node holds the lease. Another node may have published since our look-up, or a remembered
 * absence hid its entry. */
static int look_once_more(struct action *a, struct remote *r, struct result **out)
{
	r->ask_again = 1;
	if (look_up(a, out) > 0) {
		remote_store_done(a, NULL, 0, 0);
		return 1;
	}
	return 0;
}

int remote_store_wait(struct action *a, struct result **out)
{
	struct remote *r = open_remote(a);
	int64_t known, start, until, pause = PAUSE_FIRST_NS;
	int answer, served = 0, found, ours;
	int64_t listed;

	if (!r || !publishes(r) || lease_ms(a) == 0)
		return 0;
	known = known_to_take(a);
	if (known && known < LEASE_WORTH_NS)
		return 0;
	listed = r->listed;
	ours = take_lease(a, r, &answer);
	if (answer < 0 || (ours ? r->listed <= listed : remote_lease_wait_is_off(r)))
		return 0;
	if (ours)
		return look_once_more(a, r, out);
	start = sys_now_ns(CLOCK_MONOTONIC);
	until = start + (known ? WAIT_TIMES * known + WAIT_MORE_NS : WAIT_UNKNOWN_NS);
	r->ask_again = 1;
	while (!served && sys_now_ns(CLOCK_MONOTONIC) < until && r->taken < TAKEN_MOST) {
		sys_sleep_ns(pause_for(r, pause));
		pause = 2 * pause < PAUSE_LONGEST_NS ? 2 * pause : PAUSE_LONGEST_NS;
		/* Ask for the lease first: a node publishes before it gives its lease back. */
		ours = take_lease(a, r, &answer);
		served = look_up(a, out);
		if (ours || answer < 0)
			break;
	}
	found = served > 0;
	counters_add(&a->start.store, COUNTER_LEASE_WAITS, 1);
	start = sys_now_ns(CLOCK_MONOTONIC) - start;
	a->start.times.waited_ns += start;
	counters_add(&a->start.store, COUNTER_LEASE_WAITED_NS, start);
	if (found && a->leased)
		remote_store_done(a, NULL, 0, 0);
	if (!found && answer == 0)
		remote_lease_wait_failed(r);
	return found;
}

int64_t remote_store_tick(struct action *a)
{
	struct remote *r;
	int64_t now;

	if (!a->leased)
		return -1;
	now = sys_now_ns(CLOCK_MONOTONIC);
	if (now < a->renew_at)
		return a->renew_at - now;
	r = open_remote(a);
	if (r)
		remote_lease_renew(r, &a->start.flight, a->lease, lease_ms(a));
	action_close_remote(a);
	now = sys_now_ns(CLOCK_MONOTONIC);
	a->renew_at = now + lease_ms(a) * MS / RENEW_PARTS;
	return a->renew_at - now;
}

void remote_store_done(struct action *a, const struct digest *k2, int stored, int64_t wall_ns)
{
	struct remote *r = open_remote(a);
	struct spool_record record = {
		STORE_RESULT, {{0}}, {{0}}, a->start.times.started_at / 1000000000, {0},
		(uint64_t)wall_ns,
	};

	if (!r)
		return;
	if (stored)
		remote_note_duration(r, wall_ns);
	if (stored && publishes(r)) {
		record.key = *k2;
		spool_set_job(&record, settings_job(&a->start.set, a->start.call.envp,
		                                    &a->start.arena, NULL));
		remote_tag(&a->start.store, &a->start.set, a->start.call.envp, &a->start.arena);
		int rc = spool_add(&a->start.store, &record);
		record.class = STORE_MANIFEST;
		record.key = a->start.k1;
		record.result = *k2;
		if (a->leased)
			memcpy(record.lease, a->lease, sizeof record.lease);
		if (rc == 0 && spool_add(&a->start.store, &record) == 0) {
			a->spooled = 1;
			a->leased = 0; /* the record carries it */
		}
	}
	if (a->leased)
		remote_lease_release(r, &a->start.flight, a->lease);
	a->leased = 0;
}

void remote_store_publish(struct action *a)
{
	struct fault fault = {0};
	int rc = 0;

	if (a->remote && a->spooled)
		rc = publisher_start(a->remote, object_path(), a->start.call.envp, &fault);
	else if (a->remote) {
		remote_tag(&a->start.store, &a->start.set, a->start.call.envp, &a->start.arena);
		rc = publisher_resume(a->remote, object_path(), a->start.call.envp, &fault);
	}
	if (rc < 0)
		log_once("publish", "nothing is published: %s", fault.text);
	action_close_remote(a);
}
