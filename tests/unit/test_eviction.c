/* Eviction and clean-up: order, limits, what must stay. */
#include "store_fixture.h"

#include <time.h>
#include <utime.h>

#include "store/eviction.h"
#include "store/tracefile.h"

TestSuite(eviction, .init = fixture_start_in_memory, .fini = fixture_stop);

#define BLOCK 4096
static struct gc_report report;

static struct digest numbered(int n)
{
	char text[32];

	snprintf(text, sizeof text, "entry %d", n);
	return key_of(text);
}

static const char *path_of(enum store_class class, struct digest key, int slot)
{
	static char path[512];

	store_path(path, sizeof path, cache, class, &key, slot);
	return path;
}

/* An entry of that many blocks, last used so many hours ago. */
static void put(int n, int blocks, int hours)
{
	static char payload[64 * BLOCK];
	struct digest key = numbered(n);
	struct utimbuf t = {0, time(NULL) - hours * 3600};

	cr_assert_eq(store_put(&store, STORE_RESULT, &key, 0, payload, (size_t)blocks * BLOCK - 100,
	                       &fault),
	             0, "%s", fault.text);
	/* Eviction may have removed it already. */
	utime(path_of(STORE_RESULT, key, 0), &t);
}

static int there(int n)
{
	return exists(path_of(STORE_RESULT, numbered(n), 0));
}

static void age(const char *path, int hours)
{
	struct utimbuf t = {0, time(NULL) - hours * 3600};

	cr_assert_eq(utime(path, &t), 0, "%s", path);
}

Test(eviction, counts_and_keeps_all_below_the_limit)
{
	for (int i = 0; i < 20; i++)
		put(i, 2, i);
	set_size(1);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0, "%s", fault.text);
	cr_expect_eq(report.entries, 20);
	cr_expect_eq(report.bytes, 20 * 2 * BLOCK);
	cr_expect_eq(report.removed, 0);
	cr_expect_eq(counters_size(&store), 20 * 2 * BLOCK, "the counter is corrected");
}

Test(eviction, least_recently_used_first_to_nine_tenths)
{
	for (int i = 0; i < 40; i++)
		put(i, 1, i * 7 % 40); /* entry i was used i * 7 % 40 hours ago: all different */
	store.max_size = 20 * BLOCK;
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.removed, 22);
	cr_expect_eq(report.entries, 18);
	cr_expect_leq(report.bytes, 18 * BLOCK);
	for (int i = 0; i < 40; i++)
		cr_expect_eq(there(i), i * 7 % 40 < 18, "%d", i);
	cr_expect_eq(counters_size(&store), 18 * BLOCK);
	cr_expect_eq(counted(COUNTER_EVICTED), 22);
	/* A second run removes nothing. */
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.removed, 0);
}

/* What the agent brought and no tool accepted yet takes room as well (store/inbox.h). */
Test(eviction, the_inbox_is_part_of_the_store)
{
	struct store inbox = {.writable = 1};
	struct digest old = numbered(100);
	struct utimbuf t = {0, time(NULL) - 100 * 3600};
	static char payload[64 * BLOCK], dir[300], path[512];

	snprintf(dir, sizeof dir, "%s/inbox/0123456789abcdef", cache);
	inbox.dir = dir;
	cr_assert_eq(store_put(&inbox, STORE_RESULT, &old, 0, payload, 60 * BLOCK, &fault), 0, "%s",
	             fault.text);
	store_path(path, sizeof path, dir, STORE_RESULT, &old, 0);
	cr_assert_eq(utime(path, &t), 0);
	put(1, 10, 1);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0, "%s", fault.text);
	cr_expect_eq(report.entries, 2u);
	cr_expect_gt(counters_size(&store), 70 * BLOCK);
	store.max_size = 40 * BLOCK;
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0, "%s", fault.text);
	cr_expect_not(exists(path), "the oldest entry lies in the inbox");
	cr_expect(there(1));
}

Test(eviction, without_force_the_counter_decides)
{
	for (int i = 0; i < 10; i++)
		put(i, 1, i);
	store.max_size = 5 * BLOCK;
	set_size(4 * BLOCK);
	cr_assert_eq(gc_run(&store, 0, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.removed, 0);
	set_size(10 * BLOCK);
	cr_assert_eq(gc_run(&store, 0, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.removed, 6);
}

Test(eviction, no_limit)
{
	for (int i = 0; i < 10; i++)
		put(i, 1, i);
	store.max_size = 0;
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.entries, 10);
}

Test(eviction, writers_keep_the_store_below_its_limit)
{
	store.max_size = 50 * BLOCK;
	for (int i = 0; i < 300; i++) {
		put(i, 1, 300 - i);
		cr_assert_leq(counters_size(&store), 50 * BLOCK);
	}
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_geq(report.entries, 44);
	cr_expect_leq(report.entries, 50);
	for (int i = 0; i < 300; i++)
		if (there(i))
			cr_expect_geq(i, 249, "%d is older than those that went", i);
	cr_expect(there(299));
}

Test(eviction, writers_measure_a_store_that_others_fill)
{
	struct store other;

	/* As another host with its own counters on the same directory. */
	open_store(&other, NULL);
	other.runtime_dir = NULL;
	for (int i = 0; i < 100; i++) {
		static char payload[3000];
		struct digest key = numbered(i + 1000);
		cr_assert_eq(store_put(&other, STORE_RESULT, &key, 0, payload, sizeof payload,
		                       &fault), 0);
	}
	store.max_size = 50 * BLOCK;
	cr_expect_eq(counters_size(&store), 0);
	for (int i = 0; i < 130; i++)
		put(i, 1, 0);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_leq(report.entries + report.removed, 51);
}

Test(eviction, a_large_store_is_cleaned_part_by_part)
{
	char payload[10] = "";

	/* More entries than one pass looks at. */
	for (int i = 0; i < 5000; i++) {
		struct digest key = numbered(i);
		cr_assert_eq(store_put(&store, STORE_RESULT, &key, 0, payload, sizeof payload,
		                       &fault), 0);
	}
	cr_expect_eq(counters_size(&store), 5000 * BLOCK);
	store.max_size = 4000 * BLOCK;
	for (int i = 5000; i < 5010; i++) {
		struct digest key = numbered(i);
		cr_assert_eq(store_put(&store, STORE_RESULT, &key, 0, payload, sizeof payload,
		                       &fault), 0);
	}
	/* About three passes have seen all of it. */
	cr_expect_leq(counters_size(&store), 4000 * BLOCK);
	int64_t said = counters_size(&store);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	uint64_t was = report.bytes + report.removed_bytes;
	cr_expect_geq(was, 3500 * BLOCK, "%lu", (unsigned long)was / BLOCK);
	cr_expect_leq(was, 4100 * BLOCK, "%lu", (unsigned long)was / BLOCK);
	cr_expect_eq(said, (int64_t)was, "counted as they went");
}

Test(eviction, slots_of_a_manifest_go_together)
{
	struct digest used = key_of("used"), old = key_of("old");
	char payload[64] = "";

	for (int i = 0; i < 4; i++) {
		payload[0] = (char)i;
		cr_assert_eq(store_add_candidate(&store, STORE_MANIFEST, &used, payload,
		                                 sizeof payload, &fault), 0);
		cr_assert_eq(store_add_candidate(&store, STORE_MANIFEST, &old, payload,
		                                 sizeof payload, &fault), 0);
		age(path_of(STORE_MANIFEST, used, i), i == 3 ? 1 : 100);
		age(path_of(STORE_MANIFEST, old, i), 50);
	}
	store.max_size = 7 * BLOCK; /* 6 stay */
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.removed, 2);
	for (int i = 0; i < 4; i++) {
		cr_expect(exists(path_of(STORE_MANIFEST, used, i)), "its newest slot is young: %d",
		          i);
		cr_expect_eq(exists(path_of(STORE_MANIFEST, old, i)), i < 2, "no gap is left: %d",
		             i);
	}
}

Test(eviction, litter)
{
	char gone[300], strange[300];
	struct tracefile mine;

	put(1, 1, 0);
	write_file(in_root("cache/tmp/1.2.3"), "x", 1);
	age(in_root("cache/tmp/1.2.3"), 2);
	write_file(in_root("cache/tmp/4.5.6"), "x", 1);
	cr_assert_eq(tracefile_make(&mine, store.runtime_dir, 022), 0);
	snprintf(gone, sizeof gone, "%s/trace.%d.99", store.runtime_dir, getpid());
	snprintf(strange, sizeof strange, "%s/trace.%d", store.runtime_dir, getpid());
	write_file(gone, "x", 1);
	write_file(strange, "x", 1);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.litter, 2);
	cr_expect_not(exists(in_root("cache/tmp/1.2.3")));
	cr_expect(exists(in_root("cache/tmp/4.5.6")), "its writer may be at work");
	cr_expect_not(exists(gone), "whatever its pid is");
	cr_expect(exists(strange));
	cr_expect(exists(mine.path));
	tracefile_remove(&mine);
}

Test(eviction, only_entries_are_touched)
{
	char path[600];

	put(1, 1, 5000);
	snprintf(path, sizeof path, "%s.orig", path_of(STORE_RESULT, numbered(1), 0));
	write_file(path, "x", 1);
	write_file(in_root("cache/README"), "x", 1);
	write_file(in_root("cache/result/README"), "x", 1);
	store.max_size = 1;
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_not(there(1));
	cr_assert_eq(gc_clear(&store, &report, NULL, &fault), 0);
	cr_expect(exists(path));
	cr_expect(exists(in_root("cache/README")));
	cr_expect(exists(in_root("cache/result/README")));
	cr_expect(exists(in_root("cache/VERSION")));
}

/* REPRISE_CACHE_DIR names a directory that holds files of its user. */
Test(eviction, directories_of_the_same_names_keep_their_files)
{
	static const char *const theirs[] = {"tmp/thesis.tex", "tmp/1.2", "tmp/12.ab.3.txt",
	                                     "jobs/run1/out.log", "stats/r.csv", "spool/a/letter",
	                                     "spool/a/b/work.txt", "spool/a/b/queue.old"};
	char path[128];

	shell("mkdir -p '%s/cache/tmp' ", root);
	shell("mkdir -p '%s/cache/jobs/run1' ", root);
	shell("mkdir -p '%s/cache/stats' ", root);
	shell("mkdir -p '%s/cache/spool/a/b' ", root);
	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
		snprintf(path, sizeof path, "cache/%s", theirs[i]);
		write_file(in_root(path), "a,b 1\n", 6);
		age(in_root(path), 1000);
	}
	write_file(in_root("cache/tmp/12.ab.3"), "", 0);
	age(in_root("cache/tmp/12.ab.3"), 1000);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.litter, 1);
	cr_assert_eq(gc_clear(&store, &report, NULL, &fault), 0);
	cr_assert_eq(counters_fold(&store, &fault), 0);
	cr_assert_eq(counters_zero(&store, &fault), 0);
	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
		snprintf(path, sizeof path, "cache/%s", theirs[i]);
		cr_expect(exists(in_root(path)), "%s", path);
	}
}

/* Replaced entries are counted again. A pass that finds room in its sample says so; otherwise each
 * put would look. */
Test(eviction, a_count_that_is_too_high_is_set_right)
{
	struct digest key;

	for (int i = 0; i < 4000; i++) {
		key = numbered(i);
		cr_assert_eq(store_put(&store, STORE_RESULT, &key, 0, "x", 1, &fault), 0, "%s",
		             fault.text);
	}
	set_size(5500ll * BLOCK);
	store.max_size = 5000ull * BLOCK;
	key = numbered(5000);
	cr_assert_eq(store_put(&store, STORE_RESULT, &key, 0, "x", 1, &fault), 0);
	cr_expect_leq(counters_size(&store), 4500ll * BLOCK);
	cr_expect_geq(counters_size(&store), 3500ll * BLOCK);
	cr_expect(there(0) && there(3999));
}

Test(eviction, clear)
{
	struct digest key = key_of("manifest");

	for (int i = 0; i < 10; i++)
		put(i, 1, i);
	cr_assert_eq(store_add_candidate(&store, STORE_MANIFEST, &key,
	                                 "0123456789012345678901234567890123456789", 40, &fault),
	             0);
	cr_assert_eq(gc_clear(&store, &report, NULL, &fault), 0, "%s", fault.text);
	cr_expect_eq(report.removed, 11);
	cr_expect_eq(report.removed_bytes, 11 * BLOCK);
	cr_expect(exists(cache));
	cr_expect_eq(counters_size(&store), 0);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_eq(report.entries, 0);
	put(1, 1, 0); /* its directories come back */
	cr_expect(there(1));
}

static int seen_count, stop_at;
static int each(void *ctx, enum store_class class, const char *path)
{
	cr_expect_str_eq(ctx, "ctx");
	cr_expect_eq(class, STORE_RESULT);
	cr_expect(exists(path));
	return ++seen_count == stop_at ? 42 : 0;
}

Test(eviction, each_entry_until_told_to_stop)
{
	for (int i = 0; i < 10; i++)
		put(i, 1, 0);
	cr_expect_eq(gc_each(&store, each, "ctx"), 0);
	cr_expect_eq(seen_count, 10);
	seen_count = 0;
	stop_at = 3;
	cr_expect_eq(gc_each(&store, each, "ctx"), 42);
	cr_expect_eq(seen_count, 3);
	store.dir = NULL;
	cr_expect_eq(gc_each(&store, each, "ctx"), -1);
}

static unsigned last_done;
static void progress(void *ctx, unsigned done, unsigned all)
{
	cr_expect_null(ctx);
	cr_expect_eq(done, last_done + 1);
	cr_expect_eq(all, 256);
	last_done = done;
}

Test(eviction, says_how_far_it_is)
{
	cr_assert_eq(gc_run(&store, 1, &report, progress, NULL, &fault), 0);
	cr_expect_eq(last_done, 256);
}

Test(eviction, refused)
{
	put(1, 1, 0);
	store.max_size = 1;
	store.writable = 0;
	cr_expect_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), -1);
	cr_expect_eq(gc_clear(&store, &report, NULL, &fault), -1);
	store.writable = 1;
	/* A newer layout may keep entries in files that this version takes for litter. */
	write_file(in_root("cache/VERSION"), "reprise 2\n", 10);
	cr_expect_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), -1);
	cr_expect_eq(gc_clear(&store, &report, NULL, &fault), -1);
	write_file(in_root("cache/VERSION"), "something else\n", 15);
	cr_expect_eq(gc_clear(&store, &report, NULL, &fault), -1);
	cr_expect(there(1));
	write_file(in_root("cache/VERSION"), "", 0);
	cr_expect_eq(gc_clear(&store, &report, NULL, &fault), 0, "%s", fault.text);
}

static int put_many(int number)
{
	struct store own;
	static char payload[3000];

	open_store(&own, NULL);
	own.max_size = 30 * BLOCK;
	for (int i = 0; i < 100; i++) {
		struct digest key = numbered(number * 1000 + i);
		if (store_put(&own, STORE_RESULT, &key, 0, payload, sizeof payload, &fault) < 0)
			return 1;
	}
	return 0;
}

Test(eviction, many_writers_at_once)
{
	crowd_start(4, put_many);
	crowd_end();
	store.max_size = 30 * BLOCK;
	put(1, 1, 0);
	cr_assert_eq(gc_run(&store, 1, &report, NULL, NULL, &fault), 0);
	cr_expect_leq(report.entries + report.removed, 60, "some puts behind at most");
	cr_expect_geq(report.entries, 20);
}

/* A directory of queues, its newest file so many hours old. */
static const char *queues(const char *dir, int hours)
{
	const char *path = in_root(dir);
	char file[300];

	shell("mkdir -p '%s'", path);
	snprintf(file, sizeof file, "%s/queue", path);
	write_file(file, "x", 1);
	age(file, hours);
	snprintf(file, sizeof file, "%s/work.1.1", path);
	write_file(file, "x", 1);
	age(file, 1000);
	age(path, 1000);
	return path;
}

Test(eviction, queues_that_are_not_used_are_removed)
{
	const char *recent = queues("cache/spool/one/0123456789abcdef", 13 * 24);
	const char *old = queues("cache/spool/one/fedcba9876543210", 15 * 24);
	const char *vanished = queues("cache/spool/two/local", 15 * 24);

	cr_assert_eq(gc_run(&store, 0, &report, NULL, NULL, &fault), 0, "%s", fault.text);
	cr_expect_eq(report.litter, 4);
	cr_expect(exists(recent));
	cr_expect(exists(in_root("cache/spool/one/0123456789abcdef/work.1.1")),
	          "it waits with the rest");
	cr_expect_not(exists(old));
	cr_expect_not(exists(vanished));
	cr_expect_not(exists(in_root("cache/spool/two")));
}
