/* The prober's answers about directories: absent names, and listings. */
#include "keying/probe_dir.h"
#include "probe_fixture.h"

TestSuite(probe_dir, .init = probe_setup, .fini = probe_teardown);

/* --- absences -----------------------------------------------------------------------------------
 */

static const char *const names[] = {"x.h", "y.h", "z.h"};

static int absent(const char *dir, size_t *which)
{
	struct digest set;

	digest_of(&set, "x.h y.h z.h", 11);
	return probe_absent(&prober, dir, names, 3, &set, which);
}

Test(probe_dir, absent_names)
{
	size_t which;

	mkdir(scratch("d"), 0700);
	cr_assert_eq(absent(scratch("d"), &which), 1);
	scratch_write("d/y.h", "");
	anew();
	cr_assert_eq(absent(scratch("d"), &which), 0);
	cr_assert_eq(which, 1);
	anew();
	cr_assert_eq(absent(scratch("none"), &which), 1);
	cr_assert_eq(absent(scratch("d/y.h"), &which), 1, "below a file there is nothing");
}

Test(probe_dir, a_stamp_vouches_and_a_new_name_ends_it)
{
	struct digest set;
	struct statx st;
	size_t which;

	digest_of(&set, "x.h y.h z.h", 11);
	mkdir(scratch("d"), 0700);
	scratch_settle();
	cr_assert_eq(absent(scratch("d"), &which), 1);
	probe_stat(&prober, scratch("d"), &st);
	cr_assert(memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set, NULL), "not kept");
	anew();
	cr_assert_eq(absent(scratch("d"), &which), 1);
	scratch_write("d/z.h", "");
	anew();
	cr_assert_eq(absent(scratch("d"), &which), 0);
	cr_assert_eq(which, 2);
}

Test(probe_dir, the_memo_is_what_answers)
{
	struct digest set, other;
	struct statx st;
	size_t which;

	/* A wrong answer in the memo shows that the names were not asked for. It counts for this
	 * set alone. */
	digest_of(&set, "x.h y.h z.h", 11);
	digest_of(&other, "other", 5);
	mkdir(scratch("d"), 0700);
	scratch_write("d/x.h", "");
	scratch_settle();
	probe_stat(&prober, scratch("d"), &st);
	memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set, NULL);
	memo_put(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set, &set);
	cr_assert_eq(absent(scratch("d"), &which), 1);
	cr_assert_eq(probe_absent(&prober, scratch("d"), names, 3, &other, &which), 0);
	cr_assert_eq(probe_absent(&prober, scratch("d"), names, 3, NULL, &which), 0);
}

Test(probe_dir, a_dangling_link_is_never_vouched_for)
{
	struct digest set;
	struct statx st;
	size_t which;

	digest_of(&set, "x.h y.h z.h", 11);
	mkdir(scratch("d"), 0700);
	cr_assert_eq(symlink("../target", scratch("d/y.h")), 0);
	scratch_settle();
	cr_assert_eq(absent(scratch("d"), &which), 1);
	probe_stat(&prober, scratch("d"), &st);
	cr_assert(!memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set, NULL));
	/* The directory's stamp does not change when the target appears. */
	scratch_write("target", "");
	anew();
	cr_assert_eq(absent(scratch("d"), &which), 0);
	cr_assert_eq(which, 1);
}

Test(probe_dir, a_racy_directory_is_asked_again)
{
	size_t which;

	for (int i = 0; i < 100; i++) {
		char dir[16], file[32];

		snprintf(dir, sizeof dir, "d%d", i);
		snprintf(file, sizeof file, "d%d/x.h", i);
		mkdir(scratch(dir), 0700);
		anew();
		cr_assert_eq(absent(scratch(dir), &which), 1);
		scratch_write(file, "");
		anew();
		cr_assert_eq(absent(scratch(dir), &which), 0, "round %d", i);
	}
}

Test(probe_dir, names_that_are_no_entries_are_asked_each_time)
{
	static const char *const deep[] = {"sub/x.h"};
	struct digest set;
	size_t which;

	digest_of(&set, "deep", 4);
	mkdir(scratch("d"), 0700);
	mkdir(scratch("d/sub"), 0700);
	scratch_settle();
	cr_assert_eq(probe_absent(&prober, scratch("d"), deep, 1, &set, &which), 1);
	scratch_write("d/sub/x.h", "");
	anew();
	cr_assert_eq(probe_absent(&prober, scratch("d"), deep, 1, &set, &which), 0);
}

Test(probe_dir, an_empty_directory_name_is_the_working_directory)
{
	static const char *const run[] = {"run"};
	size_t which;

	cr_assert_eq(chdir(scratch_dir), 0);
	cr_assert_eq(probe_absent(&prober, "", run, 1, NULL, &which), 0);
	cr_assert_eq(probe_absent(&prober, ".", run, 1, NULL, &which), 0);
}

/* --- listings -----------------------------------------------------------------------------------
 */

static int is_y(void *ctx, const char *name)
{
	++*(int *)ctx;
	return !strcmp(name, "y");
}

Test(probe_dir, listing_is_the_sorted_names)
{
	struct digest one, two, three;
	int asked = 0;

	mkdir(scratch("d"), 0700);
	mkdir(scratch("e"), 0700);
	cr_assert_eq(probe_listing(&prober, scratch("d"), NULL, NULL, &one), 0);
	digest_of(&two, "", 0);
	cr_assert(digest_equal(&one, &two));
	scratch_write("d/x", "1");
	scratch_write("d/y", "1");
	scratch_write("d/.z", "1");
	scratch_write("e/.z", "2");
	scratch_write("e/y", "2");
	scratch_write("e/x", "2");
	anew();
	cr_assert_eq(probe_listing(&prober, scratch("d"), NULL, NULL, &one), 0);
	cr_assert_eq(probe_listing(&prober, scratch("e"), NULL, NULL, &two), 0);
	digest_of(&three, ".z\0x\0y", 7);
	cr_assert(digest_equal(&one, &two));
	cr_assert(digest_equal(&one, &three));
	cr_assert_eq(probe_listing(&prober, scratch("d"), is_y, &asked, &two), 0);
	digest_of(&three, ".z\0x", 5);
	cr_assert(digest_equal(&two, &three));
	cr_assert_eq(asked, 3);
	cr_assert_eq(probe_listing(&prober, scratch("none"), NULL, NULL, &one), -ENOENT);
	cr_assert_eq(probe_listing(&prober, scratch("d/x"), NULL, NULL, &one), -ENOTDIR);
}

Test(probe_dir, listing_of_thousands)
{
	struct digest_state s;
	struct digest d, want;
	char name[32];

	mkdir(scratch("d"), 0700);
	for (int i = 2999; i >= 0; i--) {
		char first[256];

		snprintf(first, sizeof first, "%s", scratch("d/name-2999"));
		snprintf(name, sizeof name, "d/name-%04d", i);
		if (i == 2999)
			scratch_write(name, "");
		else
			cr_assert_eq(link(first, scratch(name)), 0);
	}
	digest_init(&s);
	for (int i = 0; i < 3000; i++)
		digest_add(&s, name, (size_t)snprintf(name, sizeof name, "name-%04d", i) + 1);
	digest_final(&s, &want);
	cr_assert_eq(probe_listing(&prober, scratch("d"), NULL, NULL, &d), 0);
	cr_assert(digest_equal(&d, &want));
}

Test(probe_dir, listing_by_memo_and_after_a_change)
{
	struct digest one, two;
	struct statx st;

	mkdir(scratch("d"), 0755);
	scratch_write("d/x", "");
	scratch_settle();
	cr_assert_eq(probe_listing(&prober, scratch("d"), NULL, NULL, &one), 0);
	probe_stat(&prober, scratch("d"), &st);
	cr_assert(memo_get(&memo, MEMO_LISTING, -1, scratch("d"), &st, NULL, &two));
	cr_assert(digest_equal(&one, &two));
	anew();
	cr_assert_eq(probe_listing(&prober, scratch("d"), NULL, NULL, &two), 0);
	cr_assert(digest_equal(&one, &two));
	scratch_write("d/y", "");
	anew();
	cr_assert_eq(probe_listing(&prober, scratch("d"), NULL, NULL, &two), 0);
	cr_assert(!digest_equal(&one, &two));
}

static int ask_closed(void)
{
	size_t which;
	struct digest d;
	unsigned type;

	prober_init(&prober, &arena, &memo, NULL);
	if (probe_present(&prober, scratch("closed/d"), &type) != -EACCES)
		return 1;
	if (probe_listing(&prober, scratch("closed"), NULL, NULL, &d) != -EACCES)
		return 2;
	/* If the answer is unknown, the name does not count as absent. */
	if (absent(scratch("closed"), &which) || absent(scratch("closed/d"), &which))
		return 3;
	return 0;
}

Test(probe_dir, a_closed_directory_proves_nothing)
{
	mkdir(scratch("closed"), 0700);
	mkdir(scratch("closed/d"), 0700);
	cr_assert_eq(scratch_as_nobody(ask_closed), 0);
}
