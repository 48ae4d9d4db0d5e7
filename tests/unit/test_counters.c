/* Counters: many processes add to them, they are folded into the store and zeroed; odd files
 * instead. */
#include <sys/resource.h>

#include "store_fixture.h"

TestSuite(counters, .init = fixture_start, .fini = fixture_stop);

static int64_t reason_counted(enum reason r)
{
	int64_t v[COUNTERS_ALL];

	cr_assert_eq(counters_read(&store, v, &fault), 0);
	return v[COUNTER_COUNT + r];
}

static void stats_file(const char *host, const char *text)
{
	shell("mkdir -p '%s/stats'", cache);
	write_file(in_root("x"), text, strlen(text));
	char command[256];
	snprintf(command, sizeof command, "mv '%s' '%s/stats/%s'", in_root("x"), cache, host);
	cr_assert_eq(system(command), 0);
}

Test(counters, add_and_read)
{
	counters_add(&store, COUNTER_HITS_LOCAL, 2);
	counters_add(&store, COUNTER_SAVED_NS, -5);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 2);
	cr_expect_eq(counted(COUNTER_SAVED_NS), -5);
	cr_expect_eq(counted(COUNTER_MISSES), 0);
}

Test(counters, a_reason_counts_in_its_group)
{
	counters_reason(&store, REASON_MISS_INPUT);
	counters_reason(&store, REASON_MISS_INPUT);
	counters_reason(&store, REASON_BYPASS_STDIN);
	counters_reason(&store, REASON_NONE);
	counters_reason(&store, REASON_COUNT);
	cr_expect_eq(reason_counted(REASON_MISS_INPUT), 2);
	cr_expect_eq(reason_counted(REASON_BYPASS_STDIN), 1);
	cr_expect_eq(counted(COUNTER_MISSES), 2);
	cr_expect_eq(counted(COUNTER_BYPASSES), 1);
	cr_expect_eq(counted(COUNTER_UNSTORED) + counted(COUNTER_ERRORS), 0);
}

static int add_many(int number)
{
	struct store own;

	(void)number;
	open_store(&own, NULL);
	for (int i = 0; i < 1000; i++)
		counters_add(&own, COUNTER_MISSES, 1);
	return 0;
}

Test(counters, many_processes)
{
	crowd_start(6, add_many);
	/* Folding meanwhile loses nothing. */
	for (int i = 0; i < 20; i++)
		cr_expect_eq(counters_fold(&store, &fault), 0);
	crowd_end();
	cr_expect_eq(counted(COUNTER_MISSES), 6000);
	cr_expect_eq(counters_fold(&store, &fault), 0);
	cr_expect_eq(counted(COUNTER_MISSES), 6000);
}

Test(counters, folded_ones_survive_the_page)
{
	counters_add(&store, COUNTER_HITS_LOCAL, 7);
	counters_reason(&store, REASON_UNSTORED_TIME);
	set_size(12345);
	cr_assert_eq(counters_fold(&store, &fault), 0);
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 8);
	cr_assert_eq(counters_fold(&store, &fault), 0);
	/* As after a boot. */
	shell("rm -rf '%s'", runtime);
	open_store(&store, NULL);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 8);
	cr_expect_eq(reason_counted(REASON_UNSTORED_TIME), 1);
	cr_expect_eq(counters_size(&store), 12345);
	cr_expect_eq(counted(COUNTER_STORE_SIZE), 12345);
	cr_expect_eq(counters_fold(&store, &fault), 0);
	cr_expect_eq(counted(COUNTER_STORE_SIZE), 12345, "a size is no sum");
}

Test(counters, hosts_add_up)
{
	stats_file("node1", "hits_local 5\nreason_time 2\n");
	stats_file("node2", "hits_local 6\n");
	stats_file(".hidden", "hits_local 100\n");
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 12);
	cr_expect_eq(reason_counted(REASON_UNSTORED_TIME), 2);
}

Test(counters, files_of_hosts_long_gone_are_taken_over)
{
	char command[256];

	stats_file("pod-1", "hits_local 5\nstore_size 99\n");
	stats_file("pod-2", "hits_local 6\n");
	snprintf(command, sizeof command, "touch -d '8 days ago' '%s/stats/pod-1'", cache);
	cr_assert_eq(system(command), 0);
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	set_size(4);
	cr_assert_eq(counters_fold(&store, &fault), 0);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 12);
	cr_expect_eq(counted(COUNTER_STORE_SIZE), 4);
	cr_expect_not(exists(in_root("cache/stats/pod-1")));
	cr_expect(exists(in_root("cache/stats/pod-2")));
}

static int fold_without_room(void *unused)
{
	struct rlimit none = {0, 0};

	(void)unused;
	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &none) || counters_fold(&store, &fault) == 0;
}

Test(counters, nothing_is_removed_before_it_is_saved)
{
	char command[256];

	stats_file("pod-1", "hits_local 5\n");
	snprintf(command, sizeof command, "touch -d '8 days ago' '%s/stats/pod-1'", cache);
	cr_assert_eq(system(command), 0);
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	cr_expect_eq(in_child(fold_without_room, NULL), 0);
	cr_expect(exists(in_root("cache/stats/pod-1")));
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 6);
}

Test(counters, what_cannot_be_read_is_not_written_over)
{
	struct utsname u;
	char command[256];

	uname(&u);
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	snprintf(command, sizeof command, "mkdir -p '%s/stats/%s'", cache, u.nodename);
	cr_assert_eq(system(command), 0);
	cr_expect_eq(counters_fold(&store, &fault), -1);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 1);
}

Test(counters, malformed_stats_are_passed_over)
{
	stats_file("node1", "\n \nhits_local\nhits_local x\nhits_local 1x\nmisses 3\nunknown 9\n"
	           "misses 99999999999999999999999999\nreason_ 4\nreason_nothing 4\nbypasses 5");
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 0);
	cr_expect_eq(counted(COUNTER_MISSES), 3);
	cr_expect_eq(counted(COUNTER_BYPASSES), 0, "a line without its end was cut");
}

Test(counters, zero_keeps_the_size)
{
	set_size(777);
	counters_add(&store, COUNTER_HITS_LOCAL, 3);
	cr_assert_eq(counters_fold(&store, &fault), 0);
	counters_add(&store, COUNTER_HITS_LOCAL, 3);
	stats_file("node1", "hits_local 5\nstore_size 5\n");
	cr_assert_eq(counters_zero(&store, &fault), 0);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 0);
	cr_expect_eq(counted(COUNTER_STORE_SIZE), 777);
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 1);
}

Test(counters, a_damaged_page_is_made_anew)
{
	char page[4096], path[256];

	stats_file("node1", "hits_local 5\nstore_size 5\n");
	memset(page, 'z', sizeof page);
	snprintf(path, sizeof path, "%s/counters", store.runtime_dir);
	cr_assert_null(store.page, "nothing counted yet");
	write_file(path, page, sizeof page);
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 6);
	struct store other;
	open_store(&other, NULL);
	counters_add(&other, COUNTER_HITS_LOCAL, 1);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 7, "by all of its processes");
	cr_expect_not_null(counters_word(&other, COUNTER_WORD_PUT),
	                   "the store's limit depends on it");
}

Test(counters, a_short_page_is_filled_up)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof path, "%s/counters", store.runtime_dir);
	write_file(path, "", 0);
	counters_add(&store, COUNTER_HITS_LOCAL, 1);
	cr_expect_eq(counted(COUNTER_HITS_LOCAL), 1);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_size, 4096 + COUNTERS_JOBS_BYTES);
	cr_expect_geq(st.st_blocks, 24, "memory behind the whole page");
}

Test(counters, nothing_to_count_in)
{
	struct store none = {0};
	int64_t v[COUNTERS_ALL];

	counters_add(&none, COUNTER_HITS_LOCAL, 1);
	counters_reason(&none, REASON_MISS_NEW);
	cr_expect_eq(counters_read(&none, v, &fault), -1);
	cr_expect_eq(counters_zero(&none, &fault), -1);
	cr_expect_eq(counters_fold(&none, &fault), 0);
}

Test(counters, names)
{
	cr_expect_str_eq(counter_key(COUNTER_HITS_LOCAL), "hits_local");
	cr_expect_str_eq(counter_key(COUNTER_STORE_SIZE), "store_size");
	for (int i = 0; i < COUNTER_COUNT; i++) {
		cr_expect_gt(strlen(counter_help(i)), 0);
		for (int k = 0; k < i; k++)
			cr_expect_str_neq(counter_key(i), counter_key(k));
	}
}
