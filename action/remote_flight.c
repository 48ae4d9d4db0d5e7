/* action/remote_flight.c - one node compiles for all nodes. */
#include "action/action.h"

#include <string.h>
#include <sys/random.h>

#include "action/remote_store.h"
#include "judge/lookup.h"
#include "remote/remote.h"
#include "shim/kernel/sys.h"
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
/* A lease is renewed after this fraction of its length. */
#define RENEW_PARTS 3

/* Looks of one start at one list: those of a wait, too. */
#define LOOKS_MOST 512

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

/* 1: this node holds the lease now; *answer: SKIPPED without an answer. */
static int take_lease(struct action *a, struct agent_reply *reply, enum agent_answer *answer)
{
	struct agent_question q = remote_store_question(a, AGENT_LEASE_TAKE, STORE_MANIFEST,
	                                                &a->start.flight);

	q.ms = lease_ms(a);
	*answer = remote_store_ask(a, &q, reply);
	if (*answer != AGENT_FILLED)
		return 0;
	memcpy(a->lease, reply->token, sizeof a->lease);
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
static int64_t pause_for(const struct agent_reply *lease, int64_t pause)
{
	int64_t end = lease->left_ms >= 0 ? lease->left_ms * MS + jittered(LEASE_END_NS)
	                                  : INT64_MAX;

	pause = jittered(pause);
	return pause < end ? pause : end;
}

/* Tells the agent what this start leaves: a lease to release, a record to send. */
static void tell(struct action *a, unsigned flags, int64_t took_ns)
{
	struct agent_question q = remote_store_question(a, AGENT_DONE, STORE_MANIFEST,
	                                                &a->start.flight);
	struct agent_reply none;
	struct fault ignored;

	q.flags = flags;
	q.took_ns = took_ns;
	if (a->leased)
		memcpy(q.token, a->lease, sizeof q.token);
	a->leased = 0;
	agent_ask(a->agent, &q, agent_patience(a->agent, 0), &none, &ignored);
}

/* This node holds the lease. Another node may have published since our look-up, or a remembered
 * absence hid its entry. */
static int look_once_more(struct action *a, struct result **out)
{
	if (remote_store_look_up(a, 1, out) <= 0)
		return 0;
	tell(a, 0, 0);
	return 1;
}

int remote_flight_wait(struct action *a, struct result **out)
{
	int64_t known, start, until, pause = PAUSE_FIRST_NS, listed = a->listed;
	enum agent_answer answer;
	struct agent_reply lease;
	int served = 0, found, ours, looks = 0;

	if (!remote_store_agent(a) || a->skipped || !a->publishes || lease_ms(a) == 0)
		return 0;
	known = known_to_take(a);
	if (known && known < LEASE_WORTH_NS)
		return 0;
	ours = take_lease(a, &lease, &answer);
	if (answer == AGENT_SKIPPED || (ours ? lease.listed <= listed : lease.waits_off))
		return 0;
	if (ours)
		return look_once_more(a, out);
	start = sys_now_ns(CLOCK_MONOTONIC);
	until = start + (known ? WAIT_TIMES * known + WAIT_MORE_NS : WAIT_UNKNOWN_NS);
	while (!served && sys_now_ns(CLOCK_MONOTONIC) < until && looks++ < LOOKS_MOST) {
		sys_sleep_ns(pause_for(&lease, pause));
		pause = 2 * pause < PAUSE_LONGEST_NS ? 2 * pause : PAUSE_LONGEST_NS;
		/* Ask for the lease first: a node publishes before it gives its lease back. */
		ours = take_lease(a, &lease, &answer);
		served = remote_store_look_up(a, 1, out);
		if (ours || answer == AGENT_SKIPPED)
			break;
	}
	found = served > 0;
	counters_add(&a->start.store, COUNTER_LEASE_WAITS, 1);
	start = sys_now_ns(CLOCK_MONOTONIC) - start;
	a->start.times.waited_ns += start;
	counters_add(&a->start.store, COUNTER_LEASE_WAITED_NS, start);
	if (found && a->leased)
		tell(a, 0, 0);
	if (!found && answer == AGENT_ABSENT)
		tell(a, AGENT_WAITED_IN_VAIN, 0);
	return found;
}

int64_t remote_flight_tick(struct action *a)
{
	struct agent_question q;
	struct agent_reply reply;
	int64_t now;

	if (!a->leased)
		return -1;
	now = sys_now_ns(CLOCK_MONOTONIC);
	if (now < a->renew_at)
		return a->renew_at - now;
	if (!a->skipped && remote_store_agent(a)) {
		q = remote_store_question(a, AGENT_LEASE_RENEW, STORE_MANIFEST, &a->start.flight);
		memcpy(q.token, a->lease, sizeof q.token);
		q.ms = lease_ms(a);
		remote_store_ask(a, &q, &reply);
	}
	action_close_remote(a);
	now = sys_now_ns(CLOCK_MONOTONIC);
	a->renew_at = now + lease_ms(a) * MS / RENEW_PARTS;
	return a->renew_at - now;
}

/* Queues the result and its candidate, which carries the lease. */
static void spool(struct action *a, const struct digest *k2, int64_t wall_ns)
{
	struct start *s = &a->start;
	struct spool_record record = {STORE_RESULT, *k2, {{0}}, s->times.started_at / 1000000000,
	                              {0}, (uint64_t)wall_ns};

	spool_set_job(&record, settings_job(&s->set, s->call.envp, &s->arena, NULL));
	int rc = spool_add(&s->store, &record);
	record.class = STORE_MANIFEST;
	record.key = s->k1;
	record.result = *k2;
	if (a->leased)
		memcpy(record.lease, a->lease, sizeof record.lease);
	if (rc == 0 && spool_add(&s->store, &record) == 0) {
		a->spooled = 1;
		a->leased = 0; /* the record carries it */
	}
}

void remote_flight_done(struct action *a, const struct digest *k2, int stored, int64_t wall_ns)
{
	if (!remote_store_agent(a))
		return;
	if (stored && a->publishes)
		spool(a, k2, wall_ns);
	if (a->spooled || a->leased || (stored && !a->skipped))
		tell(a, a->spooled ? AGENT_SENDS : 0, stored ? wall_ns : 0);
}
