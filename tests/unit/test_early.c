/* tests/unit/test_early.c - large files are digested while the run that reads them goes on. */
#include "judge/wait/early.h"

#include "memo_fixture.h"
#include "trace_fixture.h"

#include "keying/probe_table.h"

static struct start *reader; /* the start whose run is traced */
static int trace;

static void setup(void)
{
	memo_setup();
	make("trace", TRACE_STEP, TRACE_CAPACITY);
	cr_assert_eq(trace_attach(file), 0);
	trace = open(file, O_RDONLY);
	reader = calloc(1, sizeof *reader);
	cr_assert(reader && trace >= 0);
	reader->memo = memo;
}

static void teardown(void)
{
	trace_detach();
	arena_free(&reader->arena);
	memo_teardown();
}

TestSuite(early, .init = setup, .fini = teardown);

/* A file of that size, which the run reads. */
static void run_reads(const char *name, off_t size)
{
	scratch_write(name, "some");
	cr_assert_eq(truncate(scratch(name), size), 0);
	trace_path(TRACE_READ, 0, AT_FDCWD, scratch(name), 0);
}

/* 1: the memo has the right digest of the file. */
static int is_digested(const char *name)
{
	struct statx st = stat_of(scratch(name));
	struct digest d, right;
	char *bytes;

	if (!memo_get(&memo, MEMO_CONTENT, -1, scratch(name), &st, NULL, &d))
		return 0;
	bytes = calloc(1, st.stx_size);
	cr_assert(bytes);
	memcpy(bytes, "some", 4);
	digest_of(&right, bytes, st.stx_size);
	free(bytes);
	cr_assert(digest_equal(&d, &right));
	return 1;
}

/* Calls it until it has nothing at hand. Returns the number of calls. */
static int work(struct early *h)
{
	int calls = 0;

	do
		calls++;
	while (early_tick(h, reader, trace) == 0 && calls < 1000);
	return calls;
}

Test(early, a_large_file_is_digested_in_pieces)
{
	struct early h = {0};

	run_reads("large", PROBE_LARGE + 5);
	run_reads("small", PROBE_LARGE - 1);
	run_reads("larger", 2 * PROBE_LARGE);
	scratch_settle();
	cr_assert_gt(early_tick(&h, reader, trace), 0); /* most runs end before the second call */
	cr_assert(!is_digested("large"));
	cr_assert_geq(work(&h), 8);
	cr_assert(is_digested("large") && is_digested("larger"));
	cr_assert(!is_digested("small"));
	run_reads("late", PROBE_LARGE);
	scratch_settle();
	work(&h);
	cr_assert(is_digested("late"));
	early_end(&h, reader, 0);
}

Test(early, an_end_finishes_the_file_or_leaves_it)
{
	for (int finish = 0; finish <= 1; finish++) {
		struct early h = {0};

		run_reads("large", PROBE_LARGE);
		scratch_settle();
		early_tick(&h, reader, trace);
		cr_assert_eq(early_tick(&h, reader, trace), 0);
		early_end(&h, reader, finish);
		cr_assert_eq(h.fd, -1);
		cr_assert_eq(is_digested("large"), finish);
	}
}

Test(early, a_file_that_another_process_digests_is_left_to_it)
{
	struct early h = {0};
	struct statx st;
	int lock;

	run_reads("large", PROBE_LARGE);
	scratch_settle();
	st = stat_of(scratch("large"));
	lock = memo_lock(&memo, MEMO_CONTENT, -1, scratch("large"), &st, NULL, 0);
	cr_assert_geq(lock, 0);
	early_tick(&h, reader, trace);
	cr_assert_gt(early_tick(&h, reader, trace), 0);
	cr_assert_eq(h.fd, -1);
	memo_unlock(lock);
	early_end(&h, reader, 1);
	cr_assert(!is_digested("large"));
}

/* A file that has just been written may change again within the tick of its times. */
Test(early, a_young_file_waits_for_the_judge)
{
	struct early h = {0};

	early_tick(&h, reader, trace);
	run_reads("large", PROBE_LARGE);
	cr_assert_gt(early_tick(&h, reader, trace), 0);
	cr_assert_eq(h.fd, -1);
	early_end(&h, reader, 1);
}
