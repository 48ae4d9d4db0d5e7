/* tests/unit/test_early.c - large files are digested while the run that reads them goes on. */
#include "judge/wait/early.h"

#include "memo_fixture.h"
#include "trace_fixture.h"

#include "keying/fstrust.h"
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
	start_prober(reader);
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
	run_reads("larger", 2 * PROBE_LARGE);
	scratch_settle();
	cr_assert_gt(early_tick(&h, reader, trace), 0); /* most runs end before the second call */
	cr_assert(!is_digested("large"));
	cr_assert_geq(work(&h), 8);
	cr_assert(is_digested("large") && is_digested("larger"));
	early_end(&h, reader, 0);
}

Test(early, small_files_are_digested_until_the_memo_knows_them)
{
	struct early h = {0};
	char name[32];

	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof name, "small%d.h", i);
		run_reads(name, 5 + i);
	}
	scratch_settle();
	early_tick(&h, reader, trace);
	cr_assert_geq(work(&h), 3); /* the streams are looked at between */
	cr_assert(is_digested("small0.h") && is_digested("small39.h"));
	early_end(&h, reader, 0);
	/* Another run, of which the memo knows the first 32. */
	h = (struct early){.at = 0};
	start_prober(reader);
	run_reads("new.h", 3);
	run_reads("large", PROBE_LARGE);
	scratch_settle();
	early_tick(&h, reader, trace);
	work(&h);
	cr_assert(!is_digested("new.h"), "it is read before the judge asks");
	cr_assert(is_digested("large"));
	early_end(&h, reader, 0);
}

/* Where nothing is left to digest, each wakeup takes time from the job. */
Test(early, pauses_double_until_a_file_is_digested)
{
	struct early h = {0};
	int64_t first, last = 0;

	run_reads("large", PROBE_LARGE);
	scratch_settle();
	first = early_tick(&h, reader, trace);
	work(&h);
	for (int i = 0; i < 8; i++) {
		int64_t pause = early_tick(&h, reader, trace);

		cr_assert(pause >= last && pause <= 40 * first);
		last = pause;
	}
	cr_assert_geq(last, 16 * first);
	run_reads("small.h", 5);
	scratch_settle();
	h.young = INT64_MAX; /* the run began before that file was made */
	cr_assert_eq(early_tick(&h, reader, trace), first);
	cr_assert(is_digested("small.h"));
	early_end(&h, reader, 0);
}

/* A text that asks for a file's time is in no memo. */
Test(early, a_text_that_goes_by_times_waits_for_the_judge)
{
	struct early h = {0};

	scratch_write("text.h", "#pragma GCC dependency \"other.h\"\n");
	trace_path(TRACE_READ, 0, AT_FDCWD, scratch("text.h"), 0);
	scratch_settle();
	early_tick(&h, reader, trace);
	work(&h);
	start_prober(reader);
	cr_assert(probe_goes_by_times(&reader->prober, scratch("text.h")));
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

/* A link reads its libraries at its end. */
Test(early, a_library_of_the_command_is_digested_before_it_is_read)
{
	struct cmdline_arg words[6] = {{.text = "gcc"}, {.text = "-lnone"}, {.text = "-lpart"},
	                               {.text = "-L/nowhere"}, {0}, {.text = "-l:whole"}};
	struct early h = {0};
	char dir[600];

	snprintf(dir, sizeof dir, "-L%s", scratch_dir);
	words[4].text = dir;
	reader->cmd = (struct cmdline){.v = words, .count = 6, .flags = CMD_LINK};
	scratch_write("libpart.so", "some");
	scratch_write("whole", "some");
	cr_assert_eq(truncate(scratch("whole"), PROBE_LARGE), 0);
	scratch_settle();
	early_tick(&h, reader, trace);
	work(&h);
	cr_assert(is_digested("libpart.so") && is_digested("whole"));
	early_end(&h, reader, 1);
}

/* A compile never looks into the directories that are for its link: they may hang. */
Test(early, a_command_that_does_not_link_has_no_library)
{
	struct cmdline_arg words[3] = {{.text = "gcc"}, {.text = "-lpart"}, {0}};
	struct early h = {0};
	char dir[600];

	snprintf(dir, sizeof dir, "-L%s", scratch_dir);
	words[2].text = dir;
	reader->cmd = (struct cmdline){.v = words, .count = 3};
	scratch_write("libpart.so", "some");
	scratch_settle();
	early_tick(&h, reader, trace);
	work(&h);
	cr_assert(!is_digested("libpart.so"));
	early_end(&h, reader, 1);
}

/* Thousands of names must not keep a tool's messages, or the end of its run, waiting. */
Test(early, many_libraries_are_looked_for_in_turns)
{
	struct cmdline_arg words[81] = {{.text = "gcc"}};
	struct early h = {0};

	for (int i = 1; i < 81; i++)
		words[i].text = i % 2 ? "-lnone" : "-L/nowhere";
	reader->cmd = (struct cmdline){.v = words, .count = 81, .flags = CMD_LINK};
	early_tick(&h, reader, trace);
	cr_assert_eq(work(&h), 40 * 40 / 16 + 1);
	early_end(&h, reader, 1);
}

/* A file system whose times are another host's: the memo keeps nothing of it. */
Test(early, a_file_that_no_memo_keeps_waits_for_the_judge)
{
	struct early h = {0};
	struct statx st;

	run_reads("text.h", 7);
	scratch_settle();
	st = stat_of(scratch("text.h"));
	reader->memo.fs_count = 1;
	reader->memo.fs[0] = (struct memo_fs){.major = st.stx_dev_major,
	                                      .minor = st.stx_dev_minor, .trusted = FSTRUST_NO};
	early_tick(&h, reader, trace);
	work(&h);
	cr_assert_eq(reader->prober.files_hashed, 0);
	early_end(&h, reader, 0);
}
