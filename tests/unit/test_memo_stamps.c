/* tests/unit/test_memo_stamps.c - the memo: how old a file's times must be before they count. */
#include "memo_fixture.h"

#include "keying/fstrust.h"

TestSuite(memo_stamps, .init = memo_setup, .fini = memo_teardown);

Test(memo_stamps, racy_files_are_not_kept)
{
	scratch_write("a", "one");
	remember(scratch("a"), "one");
	cr_assert(!known(scratch("a"), "one"));
}

/* The time of the question counts: even if the read is slow, a fresh stamp stays fresh. */
Test(memo_stamps, a_slow_digest_does_not_settle_a_stamp)
{
	struct statx st;
	struct digest d;

	scratch_write("a", "one");
	st = stat_of(scratch("a"));
	cr_assert(!memo_get(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	scratch_settle();
	digest_of(&d, "one", 3);
	memo_put(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
	cr_assert(!known(scratch("a"), "one"));
}

Test(memo_stamps, future_times_are_not_kept)
{
	struct timespec ahead[2] = {{0, UTIME_OMIT}, {time(NULL) + 1000, 5}};

	scratch_write("a", "one");
	cr_assert_eq(utimensat(AT_FDCWD, scratch("a"), ahead, 0), 0);
	scratch_settle();
	remember(scratch("a"), "one");
	cr_assert(!known(scratch("a"), "one"));
}

Test(memo_stamps, whole_seconds_need_a_longer_wait)
{
	struct statx st;

	scratch_write("a", "one");
	scratch_settle();
	st = stat_of(scratch("a"));
	cr_assert(keeps(scratch("a"), &st));
	if (memo.fs[0].trusted != FSTRUST_YES && memo.fs[0].trusted != FSTRUST_MAPPED)
		cr_skip_test("needs ext4, xfs or tmpfs");
	st.stx_ctime.tv_nsec = 0;
	st.stx_ctime.tv_sec = time(NULL) - 1;
	cr_assert(!keeps(scratch("a"), &st));
	st.stx_ctime.tv_sec -= 9;
	st.stx_mtime = st.stx_ctime;
	cr_assert(keeps(scratch("a"), &st));
}

/* A mapping may still be written without a change of the times. */
Test(memo_stamps, content_on_a_tmpfs_waits_two_seconds)
{
	char path[] = "/dev/shm/reprise-memo-XXXXXX";
	int fd = mkstemp(path);
	struct digest d = {{1}};
	struct statfs fs;
	struct statx st;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != TMPFS_MAGIC)
		cr_skip_test("no tmpfs at /dev/shm");
	usleep(60000);
	st = stat_of(path);
	cr_expect(!keeps(path, &st), "60 ms old");
	cr_expect(!memo_get(&memo, MEMO_LISTING, -1, path, &st, NULL, &d));
	memo_put(&memo, MEMO_LISTING, -1, path, &st, NULL, &d);
	cr_expect(memo_get(&memo, MEMO_LISTING, -1, path, &st, NULL, &d));
	st.stx_ctime.tv_sec -= 3;
	st.stx_mtime = st.stx_ctime;
	cr_expect(keeps(path, &st), "3 s old");
	close(fd);
	unlink(path);
}
