/* The breaker: which failures open it, which process asks then, and its cost; processes that
 * die. Time is the test's own, except in tests that simulate complete
 * jobs with real processes. */
#include "store_fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "remote/remote_memory.h"

TestSuite(breaker, .init = fixture_start, .fini = fixture_stop);

#define MS 1000000ll
#define S 1000000000ll

static int64_t time_now = 1000 * S;
static int64_t slept;
static int64_t test_now(void)
{
	return time_now;
}
static void test_sleep(int64_t ns)
{
	time_now += ns;
	slept += ns;
}
static const struct breaker_clock test_clock = {test_now, test_sleep};

static struct breaker_shared *state(void)
{
	static struct remote_memory *memory;

	if (!memory)
		memory = remote_memory_make();
	cr_assert_not_null(memory);
	return &memory->of[0].breaker;
}

/* As in another process of the agent. */
static struct breaker fresh_process(const char *job)
{
	struct breaker b;

	breaker_init(&b, state(), &store, job);
	b.clock = &test_clock;
	return b;
}

/* One process with one look-up. */
static enum breaker_answer look_up(unsigned class, enum breaker_outcome o, int64_t takes)
{
	struct breaker b = fresh_process("job");
	enum breaker_answer answer = breaker_ask(&b, class);

	if (answer <= BREAKER_PROBE) {
		time_now += takes;
		breaker_done(&b, class, o, takes, 0);
	}
	return answer;
}

static int is_open(void)
{
	struct breaker b = fresh_process("job");
	struct breaker_state st;

	breaker_read(&b, &st);
	return st.is_open;
}

Test(breaker, failures_in_a_row_open_it_for_all)
{
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO);
	cr_expect_eq(look_up(0, BREAKER_TIMEOUT, 250 * MS), BREAKER_GO);
	cr_expect_eq(look_up(0, BREAKER_GARBAGE, MS), BREAKER_GO);
	cr_expect_not(is_open());
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO, "a success between starts anew");
	for (int i = 0; i < BREAKER_FAILURES; i++)
		cr_expect_eq(look_up(0, BREAKER_REFUSED, MS), BREAKER_GO);
	cr_expect(is_open());
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_OPEN);
	cr_expect_eq(counted(COUNTER_BREAKER_OPENINGS), 1);
	cr_expect_eq(counted(COUNTER_REMOTE_TIMEOUTS), 1);
	cr_expect_eq(counted(COUNTER_REMOTE_WAIT_NS), (1 + 250 + 1 + 1 + BREAKER_FAILURES) * MS);
}

Test(breaker, a_process_that_saw_a_failure_asks_no_more)
{
	struct breaker b = fresh_process("job");

	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO);
	cr_expect_eq(breaker_ask(&b, 0), BREAKER_GO);
	breaker_done(&b, 0, BREAKER_TIMEOUT, 250 * MS, 0);
	cr_expect_eq(breaker_ask(&b, 0), BREAKER_OPEN);
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO, "others do");
}

Test(breaker, the_first_timeout_opens_where_nothing_is_known)
{
	cr_expect_eq(look_up(0, BREAKER_TIMEOUT, 250 * MS), BREAKER_GO);
	cr_expect(is_open());
	time_now += 5 * S;
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_OPEN,
	             "for longer than after an outage");
	time_now += 6 * S;
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_PROBE);
	cr_expect_not(is_open());
	/* An old answer counts as none. */
	time_now += BREAKER_FRESH_NS + 1;
	cr_expect_eq(look_up(0, BREAKER_TIMEOUT, 250 * MS), BREAKER_GO);
	cr_expect(is_open());
}

Test(breaker, one_probe_at_a_time_and_back_off_doubles)
{
	struct breaker a, b;
	int64_t before = 0;

	look_up(0, BREAKER_SUCCESS, MS);
	for (int i = 0; i < BREAKER_FAILURES; i++)
		look_up(0, BREAKER_REFUSED, MS);
	for (int round = 0; round < 10; round++) {
		struct breaker_state st;

		a = fresh_process("job");
		b = fresh_process("job");
		breaker_read(&a, &st);
		int64_t want = BREAKER_FIRST_NS << round;
		want = want < BREAKER_LONGEST_NS ? want : BREAKER_LONGEST_NS;
		cr_expect_geq(st.retry_in_ns, want * 3 / 4 - MS);
		cr_expect_leq(st.retry_in_ns, want * 5 / 4);
		cr_expect_neq(st.retry_in_ns, before);
		before = st.retry_in_ns;
		time_now += st.retry_in_ns - MS;
		cr_expect_eq(breaker_ask(&a, 0), BREAKER_OPEN);
		time_now += MS;
		cr_expect_eq(breaker_ask(&a, 0), BREAKER_PROBE);
		cr_expect_eq(breaker_limit(&a, 200 * MS), round < 5 ? 100 * MS : 200 * MS);
		cr_expect_eq(breaker_ask(&b, 0), BREAKER_OPEN);
		breaker_done(&a, 0, BREAKER_TIMEOUT, 100 * MS, 0);
		cr_expect_eq(breaker_ask(&b, 0), BREAKER_OPEN);
	}
	time_now += 2 * BREAKER_LONGEST_NS;
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_PROBE);
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO);
	cr_expect_eq(counted(COUNTER_BREAKER_OPENINGS), 1);
}

Test(breaker, a_killed_prober_or_first_asker_delays_others_for_a_short_time)
{
	struct breaker dead = fresh_process("job");

	/* asks first, and then never answers */
	cr_expect_eq(breaker_ask(&dead, 0), BREAKER_GO);
	time_now += BREAKER_PATIENCE_NS;
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_OPEN);
	time_now += BREAKER_STALE_NS;
	cr_expect_eq(look_up(0, BREAKER_TIMEOUT, 250 * MS), BREAKER_GO);
	cr_expect(is_open());
	time_now += 2 * BREAKER_LONGEST_NS;
	dead = fresh_process("job");
	cr_expect_eq(breaker_ask(&dead, 0), BREAKER_PROBE);
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_OPEN);
	time_now += BREAKER_STALE_NS;
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_PROBE);
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO);
}

Test(breaker, an_abandoned_operation_says_nothing)
{
	struct breaker b = fresh_process("job");

	for (int i = 0; i < 2 * BREAKER_FAILURES; i++)
		cr_expect_eq(look_up(0, BREAKER_ABANDONED, 0), BREAKER_GO);
	cr_expect_eq(breaker_ask(&b, 0), BREAKER_GO);
	breaker_done(&b, 0, BREAKER_ABANDONED, 0, 0);
	cr_expect_eq(breaker_ask(&b, 0), BREAKER_GO, "nor does it keep this process from asking");
}

Test(breaker, others_wait_longer_where_the_first_answer_takes_a_handshake)
{
	struct breaker first = fresh_process("job"), second = fresh_process("job");

	first.is_slow = second.is_slow = 1;
	cr_expect_eq(breaker_ask(&first, 0), BREAKER_GO);
	int64_t start = time_now;
	cr_expect_eq(breaker_ask(&second, 0), BREAKER_OPEN);
	cr_expect_eq(time_now - start, 3 * BREAKER_PATIENCE_NS);
}

Test(breaker, others_wait_a_little_for_the_first_asker)
{
	struct breaker first = fresh_process("job"), second = fresh_process("job");

	cr_expect_eq(breaker_ask(&first, 0), BREAKER_GO);
	int64_t start = time_now;
	cr_expect_eq(breaker_ask(&second, 0), BREAKER_OPEN);
	cr_expect_eq(time_now - start, BREAKER_PATIENCE_NS);
	cr_expect_eq(counted(COUNTER_REMOTE_WAIT_NS), BREAKER_PATIENCE_NS);
	start = time_now;
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_OPEN);
	cr_expect_eq(time_now, start, "who comes later does not wait at all");
	breaker_done(&first, 0, BREAKER_SUCCESS, 40 * MS, 0);
	cr_expect_eq(breaker_ask(&second, 0), BREAKER_GO, "not asking was no failure");
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO);
}

Test(breaker, a_slow_remote_costs_a_budget_and_no_more)
{
	int asked = 0;
	int64_t spent = 0;

	for (int i = 0; i < 500; i++) {
		int64_t before = time_now;

		asked += look_up(0, BREAKER_SUCCESS, 200 * MS) == BREAKER_GO;
		spent += time_now - before;
		time_now += 20 * MS;
	}
	cr_expect_leq(spent, BREAKER_BUDGET_NS + 2 * 200 * MS, "asked %d times", asked);
	cr_expect_geq(asked, BREAKER_BUDGET_NS / (200 * MS));
	/* Another class of actions has its own account, and so has another job. */
	cr_expect_eq(look_up(1, BREAKER_SUCCESS, 200 * MS), BREAKER_GO);
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, 200 * MS), BREAKER_CLASS);
	struct breaker other = fresh_process("another job");
	cr_expect_eq(breaker_ask(&other, 0), BREAKER_GO);
	breaker_done(&other, 0, BREAKER_SUCCESS, 200 * MS, 0);
	/* One per cent of the time that passes. */
	time_now += 60 * S;
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, 200 * MS), BREAKER_GO);
}

Test(breaker, look_ups_for_which_nobody_waits_cost_nothing)
{
	for (int i = 0; i < 100; i++)
		cr_expect_eq(look_up(REMOTE_BUDGET_NONE, BREAKER_SUCCESS, 200 * MS), BREAKER_GO);
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, 200 * MS), BREAKER_GO, "nor the job's others");
	look_up(REMOTE_BUDGET_NONE, BREAKER_SUCCESS, MS);
	for (int i = 0; i < BREAKER_FAILURES; i++)
		look_up(REMOTE_BUDGET_NONE, BREAKER_REFUSED, MS);
	cr_expect_eq(look_up(REMOTE_BUDGET_NONE, BREAKER_SUCCESS, MS), BREAKER_OPEN);
}

Test(breaker, answers_slower_than_a_budget_do_not_close_it_for_good)
{
	struct breaker a = fresh_process("one"), b = fresh_process("another");

	cr_expect_eq(breaker_ask(&a, 1), BREAKER_GO);
	time_now += 4 * S;
	breaker_done(&a, 1, BREAKER_SUCCESS, 4 * S, 0);
	cr_expect_eq(breaker_ask(&a, 1), BREAKER_CLASS, "this job's budget is spent");
	cr_expect_eq(breaker_ask(&b, 1), BREAKER_GO, "the next one sees for itself");
	breaker_done(&b, 1, BREAKER_SUCCESS, MS, 0);
	time_now += 400 * S;
	cr_expect_eq(breaker_ask(&a, 1), BREAKER_GO);
}

Test(breaker, those_that_ask_at_once_are_charged_beforehand)
{
	struct breaker b[16];
	int asking = 0;

	look_up(0, BREAKER_SUCCESS, 200 * MS);
	for (int i = 0; i < 16; i++) {
		b[i] = fresh_process("job");
		asking += breaker_ask(&b[i], 0) == BREAKER_GO;
	}
	cr_expect_eq(asking, BREAKER_BUDGET_NS / (200 * MS) - 1, "%d", asking);
}

Test(breaker, costly_actions_ask_a_slow_remote_and_hits_pay)
{
	struct breaker b = fresh_process("job");

	breaker_note_duration(&b, 3, 30 * S);
	for (int i = 0; i < 100; i++)
		cr_expect_eq(look_up(3, BREAKER_SUCCESS, 200 * MS), BREAKER_GO);
	/* A class whose hits save more time than its look-ups cost. */
	for (int i = 0; i < 100; i++) {
		b = fresh_process("job");
		cr_assert_eq(breaker_ask(&b, 4), BREAKER_GO, "hit %d", i);
		breaker_done(&b, 4, BREAKER_SUCCESS, 200 * MS, 500 * MS);
	}
	/* Saved time does not pay for many later misses. */
	int asked = 0;
	for (int i = 0; i < 100; i++)
		asked += look_up(4, BREAKER_SUCCESS, 200 * MS) == BREAKER_GO;
	cr_expect_leq(asked, 11);
}

Test(breaker, more_jobs_than_accounts)
{
	char job[32];

	for (int i = 0; i < 2000; i++) {
		snprintf(job, sizeof job, "job %d", i);
		struct breaker b = fresh_process(job);
		cr_assert_eq(breaker_ask(&b, (unsigned)i % 40), BREAKER_GO);
		breaker_done(&b, (unsigned)i % 40, BREAKER_SUCCESS, 100 * MS, 0);
		time_now += MS;
	}
}

Test(breaker, publishing_is_off_for_an_hour)
{
	struct breaker b = fresh_process("job");

	cr_expect_not(breaker_publishing_is_off(&b));
	breaker_set_publishing_off(&b);
	cr_expect(breaker_publishing_is_off(&b));
	time_now += BREAKER_PUBLISHING_OFF_NS;
	cr_expect_not(breaker_publishing_is_off(&b));
}

Test(breaker, a_wait_in_vain_is_remembered_for_ten_minutes)
{
	struct breaker b = fresh_process("job"), other = fresh_process("other job");

	cr_expect_not(breaker_lease_wait_is_off(&b));
	breaker_lease_wait_failed(&b);
	cr_expect(breaker_lease_wait_is_off(&other));
	cr_expect_eq(breaker_ask(&b, 0), BREAKER_GO, "look-ups go on");
	time_now += BREAKER_LEASE_WAIT_OFF_NS;
	cr_expect_not(breaker_lease_wait_is_off(&b));
}

Test(breaker, the_publishers_success_closes_it)
{
	struct breaker b = fresh_process("job");

	look_up(0, BREAKER_TIMEOUT, 250 * MS);
	breaker_note_answer(&b);
	cr_expect_eq(look_up(0, BREAKER_SUCCESS, MS), BREAKER_GO);
}

/* A job of 500 starts of a 20 ms tool, 8 at once. The remote answers after `takes`; it hangs if
 * that is more than the deadline. Processes and time are real, five times as fast. */
#define LIMIT (250 * MS)
#define SCALE 5
static int64_t takes;
static int64_t real_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return SCALE * (ts.tv_sec * S + ts.tv_nsec);
}
static void real_sleep(int64_t ns)
{
	struct timespec ts = {ns / SCALE / S, ns / SCALE % S};

	nanosleep(&ts, NULL);
}
static const struct breaker_clock real_clock = {real_now, real_sleep};

static int64_t *waited; /* sum and longest, shared */

static int lane(int number)
{
	(void)number;
	for (int i = 0; i < 63; i++) {
		int64_t start = real_now(), one;
		struct breaker b;

		breaker_init(&b, state(), &store, "job");
		b.clock = &real_clock;
		if (breaker_ask(&b, 0) <= BREAKER_PROBE) {
			int64_t limit = breaker_limit(&b, LIMIT),
				ns = takes < limit ? takes : limit;

			real_sleep(ns);
			breaker_done(&b, 0, ns < takes ? BREAKER_TIMEOUT : BREAKER_SUCCESS, ns, 0);
		}
		one = real_now() - start;
		__atomic_add_fetch(waited, one, __ATOMIC_RELAXED);
		for (int64_t was = waited[1]; one > was;)
			if (__atomic_compare_exchange_n(waited + 1, &was, one, 0, __ATOMIC_RELAXED,
			                                __ATOMIC_RELAXED))
				break;
		real_sleep(20 * MS);
	}
	return 0;
}

static void run_job(int64_t answer_takes)
{
	waited = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(waited, MAP_FAILED);
	takes = answer_takes;
	state();
	crowd_start(8, lane);
	crowd_end();
}

/* Sums hold what a busy machine adds to each sleep, five times over. */
Test(breaker, a_job_against_a_remote_that_hangs)
{
	run_job(1000 * S);
	cr_expect_lt(waited[0], 1200 * MS, "%lld ms", (long long)(waited[0] / MS));
	cr_expect_lt(waited[1], 400 * MS, "%lld ms", (long long)(waited[1] / MS));
}

Test(breaker, a_job_against_a_remote_that_is_slow)
{
	run_job(200 * MS);
	cr_expect_lt(waited[0], 2400 * MS, "%lld ms", (long long)(waited[0] / MS));
}

Test(breaker, a_job_against_a_healthy_remote_asks_nearly_always)
{
	run_job(MS / 2);
	struct breaker b = fresh_process("job");
	struct breaker_state st;

	breaker_read(&b, &st);
	/* 504 look-ups of half a millisecond each; on a busy machine some rightly find it slow. */
	cr_expect_gt(st.waited_ns, 420 * MS / 2, "%lld", (long long)st.waited_ns);
}
