/* remote/breaker.c - decides when the remote store is not asked.
 *
 * <runtime>/remote.<16 hex of the remote's digest>: 512 words of 8 bytes, native byte order (it
 * never leaves the node). Times are CLOCK_BOOTTIME ns; a time in the future was set before the last
 * boot and is ignored.
 *   0         magic "RPBREAK1"
 *   1         failures in a row
 *   2         level: doublings of the back-off
 *   3         retry_at, 0: closed
 *   4         probe_at: when the current probe began, 0: none
 *   5         success_at: the last answer
 *   6         asking_since: when the process that asks first began, 0: none
 *   7         latency: mean of answers
 *   8         last failure, enum breaker_outcome
 *   9         muted_until: nothing is published
 *  10, 11     waited and saved, ns in all
 *  12         impatient_until: no lease is waited for
 *  16 + c     wall: mean duration of actions of class c
 *  32 + 3 j   accounts of a job and class, 160: tag, balance (ns; balance and BREAKER_BUDGET_NS
 *               together may still be lost), time of the last refill */
#include "remote/breaker.h"

#include <string.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/counters.h"
#include "store/shared_page.h"

#include "shim/banned.h"

#define PAGE_BYTES 4096
#define PAGE_MAGIC 0x314b414552425052ll /* "RPBREAK1" */
enum { WORD_FAILURES = 1, WORD_LEVEL, WORD_RETRY, WORD_PROBE, WORD_SUCCESS, WORD_ASKING,
       WORD_LATENCY, WORD_LAST,
       WORD_MUTED, WORD_WAITED, WORD_SAVED, WORD_IMPATIENT, WORD_WALL = 16, WORD_ACCOUNTS = 32 };
enum { ACCOUNT_TAG, ACCOUNT_BALANCE, ACCOUNT_AT, ACCOUNT_WORDS };
#define ACCOUNTS 160
_Static_assert(WORD_WALL + BREAKER_CLASSES <= WORD_ACCOUNTS, "table above");
_Static_assert((WORD_ACCOUNTS + ACCOUNTS * ACCOUNT_WORDS) * 8 <= PAGE_BYTES, "table above");
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

static int64_t get(const struct breaker *b, int word)
{
	return __atomic_load_n(b->page + word, __ATOMIC_ACQUIRE);
}

static void set(struct breaker *b, int word, int64_t v)
{
	__atomic_store_n(b->page + word, v, __ATOMIC_RELEASE);
}

static int swap(struct breaker *b, int word, int64_t from, int64_t to)
{
	return __atomic_compare_exchange_n(b->page + word, &from, to, 0, __ATOMIC_ACQ_REL,
	                                   __ATOMIC_ACQUIRE);
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

/* Adds within bounds, even if a damaged page holds a value outside. */
static int64_t add_within(struct breaker *b, int word, int64_t n, int64_t least, int64_t most)
{
	int64_t was = get(b, word), now;

	do {
		if (__builtin_add_overflow(within(was, least, most), n, &now))
			now = n < 0 ? least : most;
		now = within(now, least, most);
	} while (!__atomic_compare_exchange_n(b->page + word, &was, now, 0, __ATOMIC_ACQ_REL,
	                                      __ATOMIC_ACQUIRE));
	return now;
}

/* Adds to the balance of an account. */
static int64_t book(struct breaker *b, int account, int64_t n, int64_t most)
{
	return add_within(b, account + ACCOUNT_BALANCE, n, BALANCE_LEAST, most);
}

/* Two concurrent additions may lose one value of many. */
static void add_to_mean(struct breaker *b, int word, int64_t v)
{
	int64_t was = get(b, word);

	set(b, word, was <= 0 ? v : was + (v - was) / MEAN_PART);
}

/* The word where the account of the job and class begins. */
static int account_of(struct breaker *b, unsigned class, int64_t now)
{
	struct { uint64_t job, class; } name = {b->job, class};
	struct digest d;
	int64_t tag;
	int oldest = 0;

	digest_name(&d, &name, sizeof name);
	memcpy(&tag, d.b, sizeof tag);
	tag |= 1; /* 0 is a free account */
	for (unsigned i = 0; i < ACCOUNT_TRIES; i++) {
		int at = WORD_ACCOUNTS + (int)(((uint64_t)tag + i) % ACCOUNTS) * ACCOUNT_WORDS;

		if (get(b, at) == tag)
			return at;
		if (!oldest || get(b, at + ACCOUNT_AT) < get(b, oldest + ACCOUNT_AT))
			oldest = at;
	}
	/* Two processes of a new job may both begin the account: one lost charge does not
	 * matter. */
	if (swap(b, oldest, get(b, oldest), tag)) {
		set(b, oldest + ACCOUNT_BALANCE, 0);
		set(b, oldest + ACCOUNT_AT, now);
	}
	return oldest;
}

static void refill(struct breaker *b, int account, int64_t now)
{
	int64_t at = get(b, account + ACCOUNT_AT), passed;

	if (__builtin_sub_overflow(now, at, &passed))
		passed = -1;
	if (passed >= 0 && passed < POLL_NS * REFILL_PART)
		return;
	if (swap(b, account + ACCOUNT_AT, at, now) && passed > 0 &&
	    get(b, account + ACCOUNT_BALANCE) < 0)
		book(b, account, passed / REFILL_PART, 0);
}

/* Takes the expected cost of a look-up out of the account in advance, so that concurrent look-ups
 * count, too. */
static int reserve(struct breaker *b, unsigned class, int64_t now)
{
	int account = account_of(b, class, now);
	int64_t latency = get(b, WORD_LATENCY), wall = get(b, WORD_WALL + (int)class), cost;

	if (latency < 0 || latency > BREAKER_STALE_NS)
		latency = 0;
	/* A job can always afford its first look-up: otherwise no process would notice that the
	 * remote has become faster. */
	cost = within(latency, 0, BREAKER_BUDGET_NS);
	refill(b, account, now);
	if (wall > 0 && latency <= wall / 100 * BREAKER_SMALL_PERCENT) {
		book(b, account, -cost, BREAKER_BUDGET_NS);
		b->reserved = cost;
		return 1;
	}
	/* An account at its lowest balance lost nothing, so nothing would be paid back. */
	if (get(b, account + ACCOUNT_BALANCE) < cost - BREAKER_BUDGET_NS)
		return 0;
	if (book(b, account, -cost, BREAKER_BUDGET_NS) >= -BREAKER_BUDGET_NS) {
		b->reserved = cost;
		return 1;
	}
	book(b, account, cost, BREAKER_BUDGET_NS);
	return 0;
}

static void settle(struct breaker *b, unsigned class, int64_t now, int64_t cost)
{
	/* Savings count up to the budget: yesterday's hits do not pay for slow look-ups today. */
	book(b, account_of(b, class, now), b->reserved - cost, BREAKER_BUDGET_NS);
	b->reserved = 0;
}

static int is_fresh(const struct breaker *b, int64_t now)
{
	int64_t at = get(b, WORD_SUCCESS);

	return at > 0 && at <= now && now - at < BREAKER_FRESH_NS;
}

/* True if what began at that time may still run. */
static int under_way(int64_t since, int64_t now)
{
	return since > 0 && since <= now && now - since < BREAKER_STALE_NS;
}

static int64_t patience(const struct breaker *b)
{
	int64_t least = b->is_slow ? BREAKER_PATIENCE_NS : BREAKER_PATIENCE_NS / 3;

	return 3 * within(get(b, WORD_LATENCY), least, BREAKER_PATIENCE_NS);
}

/* Asks first, or waits for the process that asks, if no process had an answer lately. */
static enum breaker_answer ask_first(struct breaker *b, int64_t start)
{
	int64_t now = start, since;

	for (;;) {
		since = get(b, WORD_ASKING);
		if (!under_way(since, now)) {
			if (!swap(b, WORD_ASKING, since, now))
				continue;
			b->leading = now;
			return BREAKER_GO;
		}
		if (now - since >= patience(b))
			return BREAKER_OPEN;
		clock_sleep(b, POLL_NS);
		now = clock_now(b);
		b->held_ns += now - start;
		counters_add(b->store, COUNTER_REMOTE_WAIT_NS, now - start);
		start = now;
		if (is_fresh(b, now))
			return BREAKER_GO;
		if (get(b, WORD_RETRY))
			return BREAKER_OPEN;
	}
}

static enum breaker_answer ask_open(struct breaker *b, int64_t retry, int64_t now)
{
	int64_t probe = get(b, WORD_PROBE);

	/* A longer wait than any back-off was written before a boot, or is damaged. */
	if (now < retry && retry - now <= 2 * BREAKER_LONGEST_NS)
		return BREAKER_OPEN;
	if (under_way(probe, now) || !swap(b, WORD_PROBE, probe, now))
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
	set(b, WORD_SUCCESS, now);
	if (waited > 0)
		add_to_mean(b, WORD_LATENCY, waited);
	if (get(b, WORD_FAILURES))
		set(b, WORD_FAILURES, 0);
	if (get(b, WORD_RETRY)) {
		set(b, WORD_LEVEL, 0);
		set(b, WORD_PROBE, 0);
		set(b, WORD_RETRY, 0);
	}
	if (get(b, WORD_ASKING))
		set(b, WORD_ASKING, 0);
}

static void probe_failed(struct breaker *b, int64_t now)
{
	int64_t level = get(b, WORD_LEVEL);

	level = level < 0 || level >= LEVEL_MAX ? LEVEL_MAX : level + 1;
	set(b, WORD_LEVEL, level);
	set(b, WORD_RETRY, now + back_off(b, level, now));
	set(b, WORD_PROBE, 0);
}

static void failure(struct breaker *b, enum breaker_outcome o, int64_t now)
{
	int unknown = o == BREAKER_TIMEOUT && !is_fresh(b, now);
	int64_t failures;

	set(b, WORD_LAST, o);
	if (b->probing) {
		probe_failed(b, now);
		return;
	}
	failures = add_within(b, WORD_FAILURES, unknown ? BREAKER_FAILURES : 1, 0,
	                      BREAKER_FAILURES);
	if (failures < BREAKER_FAILURES || get(b, WORD_RETRY))
		return;
	int64_t level = unknown ? BREAKER_UNKNOWN_LEVEL : 0;
	if (!swap(b, WORD_RETRY, 0, now + back_off(b, level, now)))
		return;
	set(b, WORD_LEVEL, level);
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

void breaker_init(struct breaker *b, struct store *s, const struct digest *remote, const char *job)
{
	char name[64], hex[DIGEST_HEX + 1];
	int made;

	memset(b, 0, sizeof *b);
	b->store = s;
	b->job = remote_job_number(job);
	digest_hex(remote, hex);
	hex[16] = '\0';
	format_text(name, sizeof name, "remote.%s", hex);
	b->page = shared_page_open(s->runtime_dir, name, PAGE_BYTES, PAGE_MAGIC, &made);
}

enum breaker_answer breaker_ask(struct breaker *b, unsigned class)
{
	enum breaker_answer answer = BREAKER_GO;
	int64_t now, retry;

	if (b->failed || !b->page)
		return b->failed ? BREAKER_OPEN : BREAKER_GO;
	class = class_of(class);
	now = clock_now(b);
	retry = get(b, WORD_RETRY);
	if (retry)
		return ask_open(b, retry, now);
	if (!reserve(b, class, now))
		return BREAKER_CLASS;
	if (!is_fresh(b, now))
		answer = ask_first(b, now);
	if (answer != BREAKER_GO)
		settle(b, class, now, 0);
	return answer;
}

int64_t breaker_limit(const struct breaker *b, int64_t ns)
{
	return b->page && b->probing && get(b, WORD_LEVEL) < SHORT_PROBES ? ns / 2 : ns;
}

void breaker_done(struct breaker *b, unsigned class, enum breaker_outcome o, int64_t waited_ns,
                  int64_t saved_ns)
{
	if (o != BREAKER_SUCCESS && o != BREAKER_ABANDONED)
		b->failed = 1;
	counters_add(b->store, COUNTER_REMOTE_WAIT_NS, waited_ns);
	if (o == BREAKER_TIMEOUT)
		counters_add(b->store, COUNTER_REMOTE_TIMEOUTS, 1);
	if (!b->page)
		return;
	int64_t now = clock_now(b);
	__atomic_add_fetch(b->page + WORD_WAITED, waited_ns, __ATOMIC_RELAXED);
	__atomic_add_fetch(b->page + WORD_SAVED, saved_ns, __ATOMIC_RELAXED);
	settle(b, class_of(class), now, waited_ns - saved_ns);
	if (o == BREAKER_SUCCESS)
		success(b, now, waited_ns);
	else if (o != BREAKER_ABANDONED)
		failure(b, o, now);
	else if (b->probing)
		set(b, WORD_PROBE, 0);
	if (b->leading)
		swap(b, WORD_ASKING, b->leading, 0);
	b->leading = 0;
	b->probing = 0;
}

void breaker_note_answer(struct breaker *b)
{
	if (b->page)
		success(b, clock_now(b), 0);
}

void breaker_note_duration(struct breaker *b, unsigned class, int64_t wall_ns)
{
	if (b->page && wall_ns > 0)
		add_to_mean(b, WORD_WALL + (int)class_of(class), wall_ns);
}

void breaker_set_publishing_off(struct breaker *b, int off)
{
	if (b->page)
		set(b, WORD_MUTED, off ? clock_now(b) + BREAKER_PUBLISHING_OFF_NS : 0);
}

/* True if the word holds a time in the future, at most `most` ahead. */
static int is_on(const struct breaker *b, int word, int64_t most)
{
	int64_t until = b->page ? get(b, word) : 0, now = until ? clock_now(b) : 0;

	return until > now && until - now <= most;
}

int breaker_publishing_is_off(const struct breaker *b)
{
	return is_on(b, WORD_MUTED, BREAKER_PUBLISHING_OFF_NS);
}

void breaker_lease_wait_failed(struct breaker *b)
{
	if (b->page)
		set(b, WORD_IMPATIENT, clock_now(b) + BREAKER_LEASE_WAIT_OFF_NS);
}

int breaker_lease_wait_is_off(const struct breaker *b)
{
	return is_on(b, WORD_IMPATIENT, BREAKER_LEASE_WAIT_OFF_NS);
}

int breaker_read(const struct breaker *b, struct breaker_state *out)
{
	memset(out, 0, sizeof *out);
	out->last = "";
	if (!b->page)
		return -1;
	int64_t retry = get(b, WORD_RETRY), now = clock_now(b), last = get(b, WORD_LAST);
	out->is_open = retry != 0;
	out->retry_in_ns = retry > now && retry - now <= 2 * BREAKER_LONGEST_NS ? retry - now : 0;
	out->waited_ns = get(b, WORD_WAITED);
	out->saved_ns = get(b, WORD_SAVED);
	if (last > BREAKER_SUCCESS && last < BREAKER_ABANDONED)
		out->last = outcome_words[last];
	return 0;
}

void breaker_close(struct breaker *b)
{
	shared_page_close(b->page, PAGE_BYTES);
	b->page = NULL;
}
