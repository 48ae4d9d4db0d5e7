/* remote/breaker.c - decides when the remote store is not asked. */
#include "remote/breaker.h"

#include <string.h>

#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/counters.h"

#include "shim/banned.h"

/* An account is looked for in this many places; then it replaces the least recently used of
 * them. */
#define ACCOUNT_TRIES 8
/* A job that runs for hours may keep trying: it gets one part in a hundred of its time. */
#define REFILL_PART 100
/* The lowest balance of a class: it may ask again some hours later. */
#define BALANCE_LEAST (-100 * BREAKER_BUDGET_NS)
/* A mean covers about the last 8 values. */
#define MEAN_PART 8
#define POLL_NS 1000000ll
/* Below this level probes have a short deadline. */
#define SHORT_PROBES (BREAKER_UNKNOWN_LEVEL + 2)
#define LEVEL_MAX 16

static int64_t get(const int64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void set(int64_t *word, int64_t v)
{
	__atomic_store_n(word, v, __ATOMIC_RELEASE);
}

static int swap(int64_t *word, int64_t from, int64_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static int64_t clock_now(const struct breaker *b)
{
	return b->clock ? b->clock->now() : sys_now_ns(CLOCK_BOOTTIME);
}

static void clock_sleep(const struct breaker *b, int64_t ns)
{
	if (b->clock)
		b->clock->sleep(ns);
	else
		sys_sleep_ns(ns);
}

static unsigned class_of(unsigned class)
{
	return class < BREAKER_CLASSES ? class : BREAKER_CLASSES - 1;
}

static int64_t within(int64_t v, int64_t least, int64_t most)
{
	return v < least ? least : v > most ? most : v;
}

/* Returns the sum, which stays within bounds. */
static int64_t add_within(int64_t *word, int64_t n, int64_t least, int64_t most)
{
	int64_t was = get(word), now;

	do
		now = within(was + n, least, most);
	while (!__atomic_compare_exchange_n(word, &was, now, 0, __ATOMIC_ACQ_REL,
	                                    __ATOMIC_ACQUIRE));
	return now;
}

static int64_t book(struct breaker_account *a, int64_t n, int64_t most)
{
	return add_within(&a->balance, n, BALANCE_LEAST, most);
}

/* Two concurrent additions may lose one value of many. */
static void add_to_mean(int64_t *word, int64_t v)
{
	int64_t was = get(word);

	set(word, was <= 0 ? v : was + (v - was) / MEAN_PART);
}

/* The account of the job and class. */
static struct breaker_account *account_of(struct breaker *b, unsigned class, int64_t now)
{
	struct { uint64_t job, class; } name = {b->job, class};
	struct breaker_account *oldest = NULL;
	struct digest d;
	int64_t tag;

	digest_name(&d, &name, sizeof name);
	memcpy(&tag, d.b, sizeof tag);
	tag |= 1; /* 0 is a free account */
	for (unsigned i = 0; i < ACCOUNT_TRIES; i++) {
		struct breaker_account *a =
			&b->shared->account[((uint64_t)tag + i) % BREAKER_ACCOUNTS];

		if (get(&a->tag) == tag)
			return a;
		if (!oldest || get(&a->at) < get(&oldest->at))
			oldest = a;
	}
	/* Two processes of a new job may both begin the account: one lost charge does not
	 * matter. */
	if (swap(&oldest->tag, get(&oldest->tag), tag)) {
		set(&oldest->balance, 0);
		set(&oldest->at, now);
	}
	return oldest;
}

static void refill(struct breaker_account *a, int64_t now)
{
	int64_t at = get(&a->at), passed = now - at;

	if (passed < POLL_NS * REFILL_PART)
		return;
	if (swap(&a->at, at, now) && get(&a->balance) < 0)
		book(a, passed / REFILL_PART, 0);
}

/* Takes the expected cost of a look-up out of the account in advance, so that concurrent look-ups
 * count, too. */
static int reserve(struct breaker *b, unsigned class, int64_t now)
{
	struct breaker_account *account = account_of(b, class, now);
	int64_t latency = get(&b->shared->latency), wall = get(&b->shared->wall[class]), cost;

	/* A job can always afford its first look-up: otherwise no process would notice that the
	 * remote has become faster. */
	cost = within(latency, 0, BREAKER_BUDGET_NS);
	refill(account, now);
	if (wall > 0 && latency <= wall / 100 * BREAKER_SMALL_PERCENT) {
		book(account, -cost, BREAKER_BUDGET_NS);
		b->reserved = cost;
		return 1;
	}
	/* An account at its lowest balance lost nothing, so nothing would be paid back. */
	if (get(&account->balance) < cost - BREAKER_BUDGET_NS)
		return 0;
	if (book(account, -cost, BREAKER_BUDGET_NS) >= -BREAKER_BUDGET_NS) {
		b->reserved = cost;
		return 1;
	}
	book(account, cost, BREAKER_BUDGET_NS);
	return 0;
}

static void settle(struct breaker *b, unsigned class, int64_t now, int64_t cost)
{
	if (class == REMOTE_BUDGET_NONE)
		return;
	/* Savings count up to the budget: yesterday's hits do not pay for slow look-ups today. */
	class = class_of(class);
	book(account_of(b, class, now), b->reserved - cost, BREAKER_BUDGET_NS);
	b->reserved = 0;
}

static int is_fresh(const struct breaker *b, int64_t now)
{
	int64_t at = get(&b->shared->success_at);

	return at && now - at < BREAKER_FRESH_NS;
}

/* True if what began at that time may still run. */
static int under_way(int64_t since, int64_t now)
{
	return since && now - since < BREAKER_STALE_NS;
}

static int64_t patience(const struct breaker *b)
{
	int64_t least = b->is_slow ? BREAKER_PATIENCE_NS : BREAKER_PATIENCE_NS / 3;

	return 3 * within(get(&b->shared->latency), least, BREAKER_PATIENCE_NS);
}

/* Asks first, or waits for the process that asks, if no process had an answer lately. */
static enum breaker_answer ask_first(struct breaker *b, int64_t start)
{
	int64_t now = start, since;

	for (;;) {
		since = get(&b->shared->asking_since);
		if (!under_way(since, now)) {
			if (!swap(&b->shared->asking_since, since, now))
				continue;
			b->leading = now;
			return BREAKER_GO;
		}
		if (now - since >= patience(b))
			return BREAKER_OPEN;
		clock_sleep(b, POLL_NS);
		now = clock_now(b);
		counters_add(b->store, COUNTER_REMOTE_WAIT_NS, now - start);
		start = now;
		if (is_fresh(b, now))
			return BREAKER_GO;
		if (get(&b->shared->retry_at))
			return BREAKER_OPEN;
	}
}

static enum breaker_answer ask_open(struct breaker *b, int64_t retry, int64_t now)
{
	int64_t probe = get(&b->shared->probe_at);

	if (now < retry || under_way(probe, now) || !swap(&b->shared->probe_at, probe, now))
		return BREAKER_OPEN;
	b->probing = 1;
	return BREAKER_PROBE;
}

static int64_t back_off(const struct breaker *b, int64_t level, int64_t now)
{
	int64_t ns = BREAKER_FIRST_NS;
	struct { int64_t now; pid_t pid; } seed;
	struct digest d;
	uint32_t r;

	for (int64_t i = 0; i < level && ns < BREAKER_LONGEST_NS; i++)
		ns *= 2;
	if (ns > BREAKER_LONGEST_NS)
		ns = BREAKER_LONGEST_NS;
	memset(&seed, 0, sizeof seed);
	seed.now = now;
	seed.pid = b->clock ? 0 : sys_getpid();
	digest_name(&d, &seed, sizeof seed);
	memcpy(&r, d.b, sizeof r);
	return ns * 3 / 4 + (int64_t)((uint64_t)ns / 2 * (r % 1024) / 1024);
}

/* No pointers: nothing to relocate in every process. */
static const char outcome_words[][24] = {
	[BREAKER_SUCCESS] = "", [BREAKER_TIMEOUT] = "timeout", [BREAKER_REFUSED] = "refused",
	[BREAKER_GARBAGE] = "unreadable answer", [BREAKER_ABANDONED] = "",
};

static void success(struct breaker *b, int64_t now, int64_t waited)
{
	set(&b->shared->success_at, now);
	if (waited > 0)
		add_to_mean(&b->shared->latency, waited);
	if (get(&b->shared->failures))
		set(&b->shared->failures, 0);
	if (get(&b->shared->retry_at)) {
		set(&b->shared->level, 0);
		set(&b->shared->probe_at, 0);
		set(&b->shared->retry_at, 0);
	}
	if (get(&b->shared->asking_since))
		set(&b->shared->asking_since, 0);
}

static void probe_failed(struct breaker *b, int64_t now)
{
	int64_t level = get(&b->shared->level);

	level = level < LEVEL_MAX ? level + 1 : LEVEL_MAX;
	set(&b->shared->level, level);
	set(&b->shared->retry_at, now + back_off(b, level, now));
	set(&b->shared->probe_at, 0);
}

static void failure(struct breaker *b, enum breaker_outcome o, int64_t now)
{
	int unknown = o == BREAKER_TIMEOUT && !is_fresh(b, now);
	int64_t failures;

	set(&b->shared->last, o);
	if (b->probing) {
		probe_failed(b, now);
		return;
	}
	failures = add_within(&b->shared->failures, unknown ? BREAKER_FAILURES : 1, 0,
	                      BREAKER_FAILURES);
	if (failures < BREAKER_FAILURES || get(&b->shared->retry_at))
		return;
	int64_t level = unknown ? BREAKER_UNKNOWN_LEVEL : 0;
	if (!swap(&b->shared->retry_at, 0, now + back_off(b, level, now)))
		return;
	set(&b->shared->level, level);
	counters_add(b->store, COUNTER_BREAKER_OPENINGS, 1);
	log_once("remote", "the remote store is not used for a while: %s", outcome_words[o]);
}

uint64_t remote_job_number(const char *job)
{
	struct digest d;
	uint64_t n;

	digest_name(&d, job, strlen(job));
	memcpy(&n, d.b, sizeof n);
	return n;
}

void breaker_init(struct breaker *b, struct breaker_shared *shared, struct store *s,
                  const char *job)
{
	memset(b, 0, sizeof *b);
	b->shared = shared;
	b->store = s;
	b->job = remote_job_number(job);
}

enum breaker_answer breaker_ask(struct breaker *b, unsigned class)
{
	enum breaker_answer answer = BREAKER_GO;
	int64_t now, retry;

	if (b->failed)
		return BREAKER_OPEN;
	now = clock_now(b);
	retry = get(&b->shared->retry_at);
	if (retry)
		return ask_open(b, retry, now);
	if (class != REMOTE_BUDGET_NONE && !reserve(b, class_of(class), now))
		return BREAKER_CLASS;
	if (!is_fresh(b, now))
		answer = ask_first(b, now);
	if (answer != BREAKER_GO)
		settle(b, class, now, 0);
	return answer;
}

int64_t breaker_limit(const struct breaker *b, int64_t ns)
{
	return b->probing && get(&b->shared->level) < SHORT_PROBES ? ns / 2 : ns;
}

void breaker_done(struct breaker *b, unsigned class, enum breaker_outcome o, int64_t waited_ns,
                  int64_t saved_ns)
{
	if (o != BREAKER_SUCCESS && o != BREAKER_ABANDONED)
		b->failed = 1;
	counters_add(b->store, COUNTER_REMOTE_WAIT_NS, waited_ns);
	if (o == BREAKER_TIMEOUT)
		counters_add(b->store, COUNTER_REMOTE_TIMEOUTS, 1);
	int64_t now = clock_now(b);
	__atomic_add_fetch(&b->shared->waited, waited_ns, __ATOMIC_RELAXED);
	__atomic_add_fetch(&b->shared->saved, saved_ns, __ATOMIC_RELAXED);
	settle(b, class, now, waited_ns - saved_ns);
	if (o == BREAKER_SUCCESS)
		success(b, now, waited_ns);
	else if (o != BREAKER_ABANDONED)
		failure(b, o, now);
	else if (b->probing)
		set(&b->shared->probe_at, 0);
	if (b->leading)
		swap(&b->shared->asking_since, b->leading, 0);
	b->leading = 0;
	b->probing = 0;
}

void breaker_note_answer(struct breaker *b)
{
	success(b, clock_now(b), 0);
}

void breaker_note_duration(struct breaker *b, unsigned class, int64_t wall_ns)
{
	if (wall_ns > 0)
		add_to_mean(&b->shared->wall[class_of(class)], wall_ns);
}

void breaker_set_publishing_off(struct breaker *b)
{
	set(&b->shared->muted_until, clock_now(b) + BREAKER_PUBLISHING_OFF_NS);
}

static int is_ahead(const struct breaker *b, const int64_t *word)
{
	int64_t until = get(word);

	return until && until > clock_now(b);
}

int breaker_publishing_is_off(const struct breaker *b)
{
	return is_ahead(b, &b->shared->muted_until);
}

void breaker_lease_wait_failed(struct breaker *b)
{
	set(&b->shared->impatient_until, clock_now(b) + BREAKER_LEASE_WAIT_OFF_NS);
}

int breaker_lease_wait_is_off(const struct breaker *b)
{
	return is_ahead(b, &b->shared->impatient_until);
}

void breaker_read(const struct breaker *b, struct breaker_state *out)
{
	int64_t retry = get(&b->shared->retry_at), now = clock_now(b);

	out->is_open = retry != 0;
	out->publishing_off = breaker_publishing_is_off(b);
	out->retry_in_ns = retry > now ? retry - now : 0;
	out->waited_ns = get(&b->shared->waited);
	out->saved_ns = get(&b->shared->saved);
	out->last = outcome_words[get(&b->shared->last)];
}
