/* Lists of a job's entries: names, records of many writers, invalid records, owner, limits and end.
 */
#include "store_fixture.h"

#include "store/job/job_list.h"

TestSuite(job_list, .init = fixture_start, .fini = fixture_stop);

static struct job_list list;

static const char *file_of(const char *job)
{
	static char path[256];
	struct utsname u;

	uname(&u);
	snprintf(path, sizeof path, "%s/jobs/%s/%s", cache, job, u.nodename);
	return path;
}

static void note(const char *job, const char *key, const char *result)
{
	struct digest k = key_of(key), r = key_of(result);

	job_list_add(&store, job, STORE_MANIFEST, &k, &r);
}

Test(job_list, names)
{
	char most[JOB_LIST_NAME_MAX + 2];

	memset(most, 'x', sizeof most);
	most[JOB_LIST_NAME_MAX] = '\0';
	cr_expect(job_list_name_ok(most));
	most[JOB_LIST_NAME_MAX] = 'x';
	most[JOB_LIST_NAME_MAX + 1] = '\0';
	cr_expect_not(job_list_name_ok(most));
	cr_expect(job_list_name_ok("run-20260101T000000Z-1"));
	cr_expect(job_list_name_ok("1234[5]") == 0);
	cr_expect(job_list_name_ok("4711.server:0_A@b+c=d,e-"));
	cr_expect_not(job_list_name_ok(""));
	cr_expect_not(job_list_name_ok("."));
	cr_expect_not(job_list_name_ok("../x"));
	cr_expect_not(job_list_name_ok("a/b"));
	cr_expect_not(job_list_name_ok("a\n"));
	cr_expect_not(job_list_name_ok("-\xc3\xbc"));
}

Test(job_list, only_where_it_is_asked_for)
{
	char *off[] = {"REPRISE_JOB=j", NULL},
		*on[] = {"REPRISE_JOB=j", "REPRISE_JOB_LIST=1", NULL},
	     *bad[] = {"REPRISE_JOB=a/b", "REPRISE_JOB_LIST=1", NULL};
	char **all[] = {off, on, bad};
	const char *want[] = {NULL, "j", NULL};

	for (int i = 0; i < 3; i++) {
		struct settings set;

		settings_defaults(&set);
		settings_merge_env(&set, all[i], &arena);
		const char *job = job_list_job(&set, all[i], &arena);
		cr_expect(want[i] ? job && strcmp(job, want[i]) == 0 : !job);
	}
	note(NULL, "k", "r");
	cr_expect_not(exists(in_root("cache/jobs")));
}

Test(job_list, each_once_sorted)
{
	struct digest k = key_of("unit");

	for (int i = 0; i < 3; i++) {
		note("j", "a", "b");
		note("j", "a", "c");
		job_list_add(&store, "j", STORE_UNIT, &k, NULL);
	}
	note("other", "d", "e");
	cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
	cr_expect_eq(list.count, 3);
	cr_expect_eq(list.damaged + list.refused + list.full, 0);
	cr_expect_eq(list.v[2].class, STORE_UNIT);
	cr_expect(digest_equal(&list.v[2].key, &k) && digest_equal(&list.v[2].result, &k));
	cr_expect_eq(job_list_read(&list, &store, "none", NULL, 0, &arena), -ENOENT);
	cr_expect_eq(job_list_read(&list, &store, "..", NULL, 0, &arena), -ENOENT);
}

Test(job_list, entries_of_other_jobs_only_in_a_list_that_exists)
{
	struct digest k = key_of("unit");

	job_list_add_for(&store, "j", STORE_UNIT, &k, NULL);
	job_list_add_for(&store, "a/b", STORE_UNIT, &k, NULL);
	cr_expect_not(exists(in_root("cache/jobs")));
	job_list_create(&store, "j");
	cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
	cr_expect_eq(list.count, 0);
	job_list_add_for(&store, "j", STORE_UNIT, &k, NULL);
	cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
	cr_expect_eq(list.count, 1);
}

Test(job_list, writers_at_once)
{
	enum { WRITERS = 8, EACH = 200 };

	for (int w = 0; w < WRITERS; w++)
		if (fork() == 0) {
			for (int i = 0; i < EACH; i++) {
				char key[32];

				snprintf(key, sizeof key, "%d.%d", w, i);
				note("j", key, "r");
			}
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
	cr_expect_eq(list.count, WRITERS * EACH);
	cr_expect_eq(list.damaged, 0);
}

Test(job_list, a_cut_record_spoils_no_other)
{
	unsigned char was[1024];
	size_t n;

	note("j", "a", "b");
	n = read_whole(file_of("j"), was, sizeof was);
	cr_assert_eq(n, 132);
	for (size_t cut = 0; cut < n; cut++) {
		write_file(file_of("j"), was, cut);
		note("j", "c", "d");
		cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
		cr_expect_eq(list.count, 1, "cut at %zu", cut);
		cr_expect_eq(list.damaged, cut > 1, "cut at %zu", cut);
	}
	/* A character that no record contains, at any place but the first. */
	for (size_t at = 1; at < n; at++) {
		unsigned char b[132];

		memcpy(b, was, n);
		b[at] = at % 2 ? 'G' : 0;
		write_file(file_of("j"), b, n);
		cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
		cr_expect(list.count == 0 && list.damaged == 1, "letter %zu", at);
	}
}

Test(job_list, all_hosts)
{
	char path[256];
	unsigned char was[256];

	note("j", "a", "b");
	size_t n = read_whole(file_of("j"), was, sizeof was);
	note("j", "c", "d");
	snprintf(path, sizeof path, "%s/jobs/j/another-host", cache);
	write_file(path, was, n);
	cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
	cr_expect_eq(list.count, 2);
}

Test(job_list, a_full_one_takes_no_more)
{
	note("j", "a", "b");
	cr_assert_eq(truncate(file_of("j"), JOB_LIST_BYTES_MAX - 131), 0);
	note("j", "c", "d");
	struct stat st;
	cr_assert_eq(stat(file_of("j"), &st), 0);
	cr_expect_eq(st.st_size, JOB_LIST_BYTES_MAX - 131);
	cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
	cr_expect_eq(list.full, 1);
	cr_assert_eq(truncate(file_of("j"), JOB_LIST_BYTES_MAX - 132), 0);
	note("j", "c", "d");
	cr_assert_eq(stat(file_of("j"), &st), 0);
	cr_expect_eq(st.st_size, JOB_LIST_BYTES_MAX);
	cr_assert_eq(truncate(file_of("j"), 3l * JOB_LIST_BYTES_MAX), 0);
	cr_assert_eq(job_list_read(&list, &store, "j", NULL, 0, &arena), 0);
	cr_expect_eq(list.refused, 1);
}

Test(job_list, old_ones_end)
{
	struct timespec old[2] = {{1000, 0}, {1000, 0}};

	note("old", "a", "b");
	note("new", "a", "b");
	job_list_create(&store, "empty");
	cr_assert_eq(utimensat(AT_FDCWD, file_of("old"), old, 0), 0);
	cr_expect_eq(job_list_drop_old(&store, 2000), 1);
	cr_expect_not(exists(file_of("old")));
	cr_expect(exists(file_of("new")));
	cr_expect(exists(in_root("cache/jobs/empty")));
	cr_assert_eq(utimensat(AT_FDCWD, in_root("cache/jobs/old"), old, 0), 0);
	job_list_drop_old(&store, 2000);
	cr_expect_not(exists(in_root("cache/jobs/old")));
	cr_expect_eq(job_list_drop_old(&store, INT64_MAX), 1);
	cr_expect_not(exists(in_root("cache/jobs/new")));
	cr_expect_not(exists(in_root("cache/jobs/empty")));
}

Test(job_list, not_in_a_store_that_may_not_be_written)
{
	struct store other;

	open_store(&other, "REPRISE_READONLY=1");
	struct digest k = key_of("k");
	job_list_add(&other, "j", STORE_MANIFEST, &k, &k);
	job_list_create(&other, "j");
	cr_expect_not(exists(in_root("cache/jobs")));
}
