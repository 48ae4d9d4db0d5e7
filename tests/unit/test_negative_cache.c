/* The memory of absences: short, shared, and never more than a hint. */
#include "store_fixture.h"

#include <time.h>

#include "store/negative_cache.h"

TestSuite(negative_cache, .init = fixture_start, .fini = fixture_stop);

static struct negative_cache table(const char *remote)
{
	struct digest d = key_of(remote);
	struct negative_cache t;

	negative_cache_init(&t, &store, &d, &arena);
	return t;
}

static int knows(void *key)
{
	struct negative_cache t = table("r");

	return negative_cache_known(&t, key);
}

Test(negative_cache, noted_known_forgotten)
{
	struct negative_cache t = table("r"), other = table("another remote");
	struct digest k = key_of("k"), l = key_of("l");

	cr_expect_not(negative_cache_known(&t, &k));
	negative_cache_note(&t, &k);
	cr_expect(negative_cache_known(&t, &k));
	cr_expect_eq(in_child(knows, &k), 1, "by other processes, too");
	cr_expect_not(negative_cache_known(&t, &l));
	cr_expect_not(negative_cache_known(&other, &k));
	negative_cache_forget(&t, &k);
	cr_expect_not(negative_cache_known(&t, &k));
	negative_cache_forget(&t, &l);
}

/* Sets the time in k's slot, as ns before now. */
static void age(const struct negative_cache *t, const struct digest *k, int64_t ns)
{
	unsigned char bytes[NEGATIVE_CACHE_SLOTS * 16] = {0};
	struct timespec ts;
	size_t n = read_whole(t->path, bytes, sizeof bytes);

	clock_gettime(CLOCK_BOOTTIME, &ts);
	int64_t at = ts.tv_sec * 1000000000ll + ts.tv_nsec - ns;
	for (size_t i = 0; i + 16 <= n; i += 16)
		if (memcmp(bytes + i, k->b, 8) == 0)
			memcpy(bytes + i + 8, &at, 8);
	write_file(t->path, bytes, n);
}

Test(negative_cache, for_some_seconds)
{
	struct negative_cache t = table("r");
	struct digest k = key_of("k");

	negative_cache_note(&t, &k);
	age(&t, &k, (NEGATIVE_CACHE_S - 1) * 1000000000ll);
	cr_expect(negative_cache_known(&t, &k));
	age(&t, &k, NEGATIVE_CACHE_S * 1000000000ll);
	cr_expect_not(negative_cache_known(&t, &k));
	age(&t, &k, -10000000000ll);
	cr_expect_not(negative_cache_known(&t, &k), "from before the last boot");
}

Test(negative_cache, many_keys_and_odd_files)
{
	struct negative_cache t = table("r");
	unsigned known = 0;
	char text[32];

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(text, sizeof text, "key %u", i);
		struct digest k = key_of(text);
		negative_cache_note(&t, &k);
	}
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(text, sizeof text, "key %u", i);
		struct digest k = key_of(text);
		int is = negative_cache_known(&t, &k);
		cr_expect(i < 1000 || !is, "%u was never noted", i);
		known += (unsigned)is;
	}
	cr_expect_gt(known, 700);
	struct digest k = key_of("key 1");
	write_file(t.path, "x", 1);
	cr_expect_not(negative_cache_known(&t, &k));
	unlink(t.path);
	cr_expect_eq(mkdir(t.path, 0700), 0);
	negative_cache_note(&t, &k);
	cr_expect_not(negative_cache_known(&t, &k));
}

Test(negative_cache, a_reader_of_the_table_is_not_waited_for)
{
	struct negative_cache t = table("r");
	struct digest k = key_of("k");

	cr_assert_eq(mkfifo(t.path, 0600), 0);
	negative_cache_note(&t, &k);
	cr_expect_not(negative_cache_known(&t, &k));
	negative_cache_forget(&t, &k);
}

Test(negative_cache, without_a_runtime_directory)
{
	struct store none = {0};
	struct digest k = key_of("k");
	struct negative_cache t;

	negative_cache_init(&t, &none, &k, &arena);
	negative_cache_note(&t, &k);
	cr_expect_not(negative_cache_known(&t, &k));
	negative_cache_forget(&t, &k);
}
