/* The memory of questions in vain: short, shared, and never more than a hint. */
#include "store_fixture.h"

#include <time.h>

#include "shim/path.h"
#include "store/shared_page.h"

TestSuite(negative_cache, .init = fixture_start, .fini = fixture_stop);

static int knows(void *key)
{
	return negative_cache_known(&store, key);
}

Test(negative_cache, noted_known_forgotten)
{
	struct digest k = key_of("k"), l = key_of("l");

	cr_expect_not(negative_cache_known(&store, &k));
	cr_expect_eq(negative_cache_note(&store, &k), 0);
	cr_expect(negative_cache_known(&store, &k));
	cr_expect_eq(in_child(knows, &k), 1, "by other processes, too");
	cr_expect_not(negative_cache_known(&store, &l));
	negative_cache_forget(&store, &k);
	cr_expect_not(negative_cache_known(&store, &k));
	negative_cache_forget(&store, &l);
}

/* Sets the time in k's slot, as ns before now. */
static void age(const struct digest *k, int64_t ns)
{
	int fd = slots_open(store.runtime_dir, "asked");
	struct { unsigned char key[8]; int64_t at; } a;
	uint32_t slot = slots_of(k, NEGATIVE_CACHE_SLOTS);
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	cr_assert(slots_get(fd, slot, &a, sizeof a));
	a.at = ts.tv_sec * 1000000000ll + ts.tv_nsec - ns;
	cr_assert_eq(slots_put(fd, slot, &a, sizeof a), 0);
	close(fd);
}

Test(negative_cache, for_some_seconds)
{
	struct digest k = key_of("k");

	negative_cache_note(&store, &k);
	age(&k, (NEGATIVE_CACHE_S - 1) * 1000000000ll);
	cr_expect(negative_cache_known(&store, &k));
	age(&k, NEGATIVE_CACHE_S * 1000000000ll);
	cr_expect_not(negative_cache_known(&store, &k));
	age(&k, -10000000000ll);
	cr_expect_not(negative_cache_known(&store, &k), "from before the last boot");
}

Test(negative_cache, many_keys_and_odd_files)
{
	char text[32], path[PATH_SIZE];
	unsigned known = 0;

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(text, sizeof text, "key %u", i);
		struct digest k = key_of(text);
		negative_cache_note(&store, &k);
	}
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(text, sizeof text, "key %u", i);
		struct digest k = key_of(text);
		int is = negative_cache_known(&store, &k);
		cr_expect(i < 1000 || !is, "%u was never noted", i);
		known += (unsigned)is;
	}
	cr_expect_gt(known, 700);
	struct digest k = key_of("key 1");
	path_join(path, sizeof path, store.runtime_dir, "asked");
	write_file(path, "x", 1);
	cr_expect_not(negative_cache_known(&store, &k));
	unlink(path);
	cr_expect_eq(mkdir(path, 0700), 0);
	cr_expect_eq(negative_cache_note(&store, &k), -1);
	cr_expect_not(negative_cache_known(&store, &k));
	rmdir(path);
	/* A reader of the table is not waited for. */
	cr_assert_eq(mkfifo(path, 0600), 0);
	negative_cache_note(&store, &k);
	cr_expect_not(negative_cache_known(&store, &k));
}

Test(negative_cache, without_a_runtime_directory)
{
	struct store none = {0};
	struct digest k = key_of("k");

	cr_expect_eq(negative_cache_note(&none, &k), -1);
	cr_expect_not(negative_cache_known(&none, &k));
	negative_cache_forget(&none, &k);
}
