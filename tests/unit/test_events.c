/* Events of jobs: as bytes, in the runtime directory, moved to the store, limits, sums. */
#include "store_fixture.h"

#include "store/job/events_read.h"

TestSuite(events, .init = fixture_start, .fini = fixture_stop);

static struct events all;

static struct event event_at(int64_t start)
{
	return (struct event){.kind = EVENT_ACTION, .verdict = EVENT_HIT, .source = EVENT_LOCAL,
	                      .start = start, .duration = 5, .spent = 5, .worth = 100, .bytes = 7,
	                      .pid = 42, .rank = 3, .key = key_of("k"), .tool = "gcc",
	                      .command = "gcc -c a.c"};
}

static void add(const char *job, int64_t start)
{
	struct event e = event_at(start);

	events_add(&store, job, &e, 0);
}

static const char *here(const char *job)
{
	static char path[PATH_SIZE];

	cr_assert_eq(events_runtime_path(path, &store, job), 0);
	return path;
}

Test(events, survive_their_bytes)
{
	struct event e = {.kind = EVENT_UNIT, .verdict = EVENT_ERROR, .source = EVENT_WAITED,
	                  .start = INT64_MAX, .duration = 1, .spent = -2, .waited = 3, .worth = 4,
	                  .step = 1, .recorded_at = INT64_MAX - 1,
	                  .bytes = UINT64_MAX, .pid = INT32_MAX, .rank = EVENT_NO_RANK,
	                  .key = key_of("k"), .tool = "123456789012345678901234567890",
	                  .reason = "new", .detail = "d"}, back;
	unsigned char bytes[EVENT_BYTES];
	struct event_texts t;

	event_encode(bytes, &e);
	cr_assert_eq(event_decode(&back, &t, bytes), 0);
	cr_expect_eq(back.kind, EVENT_UNIT);
	cr_expect_eq(back.verdict, EVENT_ERROR);
	cr_expect_eq(back.source, EVENT_WAITED);
	cr_expect_eq(back.start, INT64_MAX);
	cr_expect_eq(back.spent, -2);
	cr_expect_eq(back.waited, 3);
	cr_expect_eq(back.worth, 4);
	cr_expect_eq(back.step, 1);
	cr_expect_eq(back.recorded_at, INT64_MAX - 1);
	cr_expect_eq(back.bytes, UINT64_MAX);
	cr_expect_eq(back.pid, INT32_MAX);
	cr_expect_eq(back.rank, EVENT_NO_RANK);
	cr_expect(digest_equal(&back.key, &e.key));
	cr_expect_str_eq(back.tool, "123456789012345678901234");
	cr_expect_str_eq(back.reason, "new");
	cr_expect_str_eq(back.detail, "d");
	for (int i = 0; i < 7; i++) {
		unsigned char was = bytes[i];

		bytes[i] = 0x7f;
		cr_expect_eq(event_decode(&back, &t, bytes), -1, "byte %d", i);
		bytes[i] = was;
	}
	/* A clock that was set back leaves no negative duration. */
	e.duration = -5;
	event_encode(bytes, &e);
	cr_assert_eq(event_decode(&back, &t, bytes), 0);
	cr_expect_eq(back.duration, 0);
}

/* The bits of proofs stand where earlier builds wrote the end of a long detail. */
Test(events, a_hit_says_which_proofs_it_rests_on)
{
	static const struct {
		enum event_kind kind;
		enum event_verdict verdict;
		int kept;
	} rows[] = {{EVENT_ACTION, EVENT_HIT, 1}, {EVENT_INSIDE, EVENT_HIT, 1},
	            {EVENT_ACTION, EVENT_MISS, 0}, {EVENT_UNIT, EVENT_HIT, 0},
	            {EVENT_JOB, EVENT_HIT, 0}};
	unsigned char bytes[EVENT_BYTES];
	struct event_texts t;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct event e = {.kind = rows[i].kind, .verdict = rows[i].verdict,
		                  .proofs = 0x80000003}, back;

		event_encode(bytes, &e);
		cr_assert_eq(event_decode(&back, &t, bytes), 0);
		cr_expect_eq(back.proofs, rows[i].kept ? 0x80000003 : 0, "%zu", i);
		cr_expect_str_eq(back.detail, "");
		/* A record of an earlier build. */
		memset(bytes + 384, 'x', 120);
		cr_assert_eq(event_decode(&back, &t, bytes), 0);
		cr_expect_eq(strlen(back.detail), 116);
		if (!rows[i].kept)
			cr_expect_eq(back.proofs, 0, "%zu", i);
	}
}

Test(events, are_appended_and_read_by_start)
{
	struct utsname node;
	struct stat st;

	add("a", 2);
	add("a", 1);
	add("b", 9);
	cr_assert_eq(stat(here("a"), &st), 0);
	cr_expect_eq(st.st_size, 2 * EVENT_BYTES);
	cr_expect_eq(st.st_mode & 0777, 0600);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_assert_eq(all.count, 2);
	cr_expect_eq(all.v[0].start, 1);
	cr_expect_str_eq(all.v[1].tool, "gcc");
	cr_assert_eq(uname(&node), 0);
	cr_expect_str_eq(all.v[1].host, node.nodename);
	cr_expect_eq(all.sums.count[EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT], 2);
	cr_expect_eq(all.sums.worth, 200);
	cr_assert_eq(events_read(&all, &store, NULL, &arena), 0);
	cr_expect_eq(all.count, 3);
	cr_expect_eq(events_read(&all, &store, "c", &arena), -1);
	cr_expect_str_eq(events_last(&store, &arena, NULL), "b");
}

Test(events, of_no_job_are_not_kept)
{
	add(NULL, 1);
	cr_expect_eq(access(here(NULL), F_OK), -1);
	cr_expect_null(events_last(&store, &arena, NULL));
}

Test(events, move_to_the_store_and_are_read_from_both)
{
	char path[PATH_SIZE];
	struct utsname node;

	add("a/b c", 1);
	events_move(&store, "a/b c");
	cr_expect_eq(access(here("a/b c"), F_OK), -1);
	cr_assert_eq(events_store_path(path, &store, "a/b c"), 0);
	cr_expect_eq(access(path, F_OK), 0);
	add("a/b c", 2);
	cr_assert_eq(events_read(&all, &store, "a/b c", &arena), 0);
	cr_expect_eq(all.count, 2);
	/* The name that events_last() returns counts as a job's, too. */
	cr_assert_eq(events_read(&all, &store, events_last(&store, &arena, NULL), &arena), 0);
	cr_expect_eq(all.count, 2);
	events_move(&store, NULL);
	cr_expect_eq(access(here("a/b c"), F_OK), -1);
	cr_assert_eq(events_read(&all, &store, "a/b c", &arena), 0);
	cr_expect_eq(all.count, 2);
	cr_assert_eq(uname(&node), 0);
	cr_expect_str_eq(all.v[0].host, node.nodename);
	cr_expect_eq(events_drop_old(&store, 1), 0);
	cr_expect_eq(events_drop_old(&store, INT64_MAX), 2);
	cr_expect_eq(access(path, F_OK), -1);
}

Test(events, a_full_file_moves)
{
	struct stat st;

	for (int i = 0; i <= EVENTS_JOB_BYTES_MAX / EVENT_BYTES; i++)
		add("a", i);
	cr_assert_eq(stat(here("a"), &st), 0);
	cr_expect_eq(st.st_size, EVENT_BYTES);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.count, EVENTS_JOB_BYTES_MAX / EVENT_BYTES + 1);
	cr_expect_eq(all.sums.dropped, 0);
	cr_expect_eq(all.sums.here, EVENT_BYTES);
}

Test(events, what_is_dropped_is_counted)
{
	enum { MORE = EVENTS_JOB_BYTES_MAX / EVENT_BYTES + 1 };

	store.writable = 0;
	for (int i = 0; i < MORE; i++)
		add("a", i);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.sums.count[EVENT_ACTION * EVENT_VERDICTS + EVENT_HIT], MORE);
	cr_expect_eq((size_t)all.sums.dropped + all.count, MORE);
}

Test(events, a_job_gets_the_slot_of_the_one_used_longest_ago)
{
	char job[32];

	for (int i = 0; i < JOB_COUNTS_SLOTS + 1; i++) {
		snprintf(job, sizeof job, "job-%d", i);
		add(job, i);
		job_counts_of(&store, job, 1)->used = i + 1;
	}
	cr_expect_null(job_counts_of(&store, "job-0", 0));
	cr_assert_not_null(job_counts_of(&store, "job-1", 0));
	cr_expect_eq(job_counts_of(&store, job, 0)->count[EVENT_HIT], 1);
	/* The job's events are still there. */
	cr_assert_eq(events_read(&all, &store, "job-0", &arena), 0);
	cr_expect_eq(all.count, 1);
}

Test(events, damaged_files_are_skipped)
{
	add("a", 1);
	int fd = open(here("a"), O_WRONLY | O_APPEND);
	cr_assert_eq(write(fd, "half a record", 13), 13);
	close(fd);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.count, 1);
	/* A file without an end. */
	cr_assert_eq(truncate(here("a"), 1ll << 42), 0);
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.count, 1);
	cr_assert_eq(unlink(here("a")), 0);
	cr_assert_eq(mkfifo(here("a"), 0600), 0);
	add("a", 2); /* does not wait */
	cr_assert_eq(events_read(&all, &store, "a", &arena), 0);
	cr_expect_eq(all.count, 0);
	cr_expect_eq(all.sums.dropped, 1);
}
