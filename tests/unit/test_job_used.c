/* Lists of what jobs used: their bytes, hostile ones, keys, and what a job appended since a
 * mark. */
#include "store_fixture.h"

#include "store/job/job_used.h"

TestSuite(job_used, .init = fixture_start, .fini = fixture_stop);

static void note(enum store_class class, const char *key, const char *result)
{
	struct digest k = key_of(key), r = key_of(result);

	job_list_add(&store, "j", class, &k, &r);
}

static int is(const struct job_list_record *r, enum store_class class, const char *key)
{
	struct digest k = key_of(key);

	return r->class == class && digest_equal(&r->key, &k);
}

Test(job_used, what_a_job_used_since_a_mark_in_the_order_of_first_use)
{
	struct job_list used, again;
	unsigned char *bytes;
	uint64_t mark;
	size_t len;

	cr_assert_eq(job_used_mark(&store, "j"), 0);
	cr_assert_eq(job_used_since(&used, &store, "j", 0, &arena), -1);
	note(STORE_MANIFEST, "before", "r");
	mark = job_used_mark(&store, "j");
	cr_assert_eq(job_used_since(&used, &store, "j", mark, &arena), -1);
	note(STORE_UNIT, "z", "z");
	note(STORE_MANIFEST, "m", "r");
	note(STORE_SET, "a", "r");
	note(STORE_UNIT, "z", "z");
	note(STORE_MANIFEST, "m", "other");
	cr_assert_eq(job_used_since(&used, &store, "j", mark, &arena), 0);
	cr_assert_eq(used.count, 4);
	bytes = job_used_encode(&len, &used, &arena);
	cr_assert_eq(job_used_decode(&again, bytes, len, &arena), 0);
	cr_assert_eq(again.count, 4);
	cr_expect(is(&again.v[0], STORE_UNIT, "z"));
	cr_expect(is(&again.v[1], STORE_MANIFEST, "m"));
	cr_expect(is(&again.v[2], STORE_SET, "a"));
	cr_expect(is(&again.v[3], STORE_MANIFEST, "m"));
	job_used_drop(&store, "j");
	cr_expect_eq(job_used_mark(&store, "j"), 0);
}

Test(job_used, hostile_bytes_are_refused)
{
	struct job_list l = {.count = 1}, out;
	struct job_list_record one = {.class = STORE_UNIT};
	unsigned char *good, bad[JOB_USED_HEAD + JOB_USED_RECORD];
	size_t len;

	l.v = &one;
	good = job_used_encode(&len, &l, &arena);
	cr_assert_eq(len, sizeof bad);
	cr_assert_eq(job_used_decode(&out, good, len, &arena), 0);
	for (size_t cut = 0; cut < len; cut++)
		cr_expect_eq(job_used_decode(&out, good, cut, &arena), -1);
	/* magic, version, count, class of a result */
	static const struct { size_t at; unsigned char to; } v[] = {
		{0, 'X'}, {3, 2}, {4, 0}, {4, 2}, {7, 255}, {JOB_USED_HEAD, STORE_RESULT},
		{JOB_USED_HEAD, 0}};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		memcpy(bad, good, len);
		bad[v[i].at] = v[i].to;
		cr_expect_eq(job_used_decode(&out, bad, len, &arena), -1, "row %zu", i);
	}
}

Test(job_used, keys)
{
	char *one[] = {"make", "-j8", NULL}, *other[] = {"make", "-j", "8", NULL};
	struct digest key[7];

	job_used_key(&key[0], NULL, one, "/a/proj", -1);
	job_used_key(&key[1], NULL, other, "/a/proj", -1);
	job_used_key(&key[2], NULL, one, "/a/other", -1);
	job_used_key(&key[3], NULL, one, "/a/proj", 0);
	job_used_key(&key[4], "make", one, "/a/proj", -1);
	job_used_key(&key[5], "make", NULL, NULL, 1);
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < i; k++)
			cr_expect_not(digest_equal(&key[i], &key[k]), "%d and %d", i, k);
	job_used_key(&key[6], NULL, one, "/b/proj", -1);
	cr_expect(digest_equal(&key[0], &key[6]));
	job_used_key(&key[6], "make", other, "/b", -1);
	cr_expect(digest_equal(&key[4], &key[6]));
}
