/* tests/unit/test_memo.c - the memo: what it keeps, of which files, and which processes may trust
 * it. */
#include "keying/memo_file.h"
#include "memo_fixture.h"

#include <sys/wait.h>

TestSuite(memo, .init = memo_setup, .fini = memo_teardown);

/* There are two digests. A process of one kind does not get what the other kind stored. */
Test(memo, each_digest_has_its_own)
{
	scratch_write("a", "one");
	scratch_settle();
	cr_assert(!remember(scratch("a"), "one"));
	digest_use(DIGEST_BLAKE2B);
	cr_expect(!known(scratch("a"), "one"));
	cr_expect(!remember(scratch("a"), "one"));
	cr_expect(known(scratch("a"), "one"));
	digest_use(DIGEST_XXH3);
	cr_expect(known(scratch("a"), "one"));
}

Test(memo, remembers_and_another_process_knows)
{
	pid_t child;
	int status;

	scratch_write("a", "one");
	scratch_settle();
	cr_assert(!remember(scratch("a"), "one"));
	cr_assert(known(scratch("a"), "one"));
	child = fork();
	if (!child) {
		struct memo again;
		struct statx st = stat_of(scratch("a"));
		struct digest d;

		memo_open_mapped(&again, scratch("run"));
		_exit(memo_get(&again, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	cr_assert_eq(status, 0);
}

Test(memo, kinds_and_sets_are_apart)
{
	struct digest set1, set2, d;
	struct statx st;

	scratch_settle();
	digest_of(&set1, "1", 1);
	digest_of(&set2, "2", 1);
	mkdir(scratch("d"), 0700);
	scratch_settle();
	st = stat_of(scratch("d"));
	cr_assert(!memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set1, NULL));
	memo_put(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set1, &set1);
	cr_assert(memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set1, NULL));
	cr_assert(!memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set2, NULL));
	cr_assert(!memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, NULL, NULL));
	cr_assert(!memo_get(&memo, MEMO_LISTING, -1, scratch("d"), &st, &set1, &d));
}

Test(memo, what_was_not_asked_is_not_kept)
{
	struct statx st;
	struct digest d;

	scratch_write("a", "one");
	scratch_settle();
	st = stat_of(scratch("a"));
	digest_of(&d, "one", 3);
	memo_put(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
	cr_assert(!known(scratch("a"), "one"));
}

/* A question that is asked again is the newest: other questions between do not remove it. */
Test(memo, a_repeated_question_stays)
{
	struct statx st;
	struct digest set[MEMO_ASKED], d;

	scratch_write("a", "one");
	scratch_settle();
	st = stat_of(scratch("a"));
	for (int round = 0; round < MEMO_ASKED; round++) {
		memo_get(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
		for (int i = 0; i < MEMO_ASKED - 1; i++) {
			int n = round * MEMO_ASKED + i;

			digest_of(&set[i], &n, sizeof n);
			memo_get(&memo, MEMO_ABSENT, -1, scratch("a"), &st, &set[i], NULL);
		}
	}
	digest_of(&d, "one", 3);
	memo_put(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
	cr_assert(known(scratch("a"), "one"));
}

Test(memo, same_size_and_restored_mtime_is_another_file)
{
	struct stat old;
	struct timespec times[2];

	scratch_write("a", "one");
	scratch_settle();
	remember(scratch("a"), "one");
	cr_assert(known(scratch("a"), "one"));
	stat(scratch("a"), &old);
	scratch_write("a", "two");
	times[0] = old.st_atim;
	times[1] = old.st_mtim;
	cr_assert_eq(utimensat(AT_FDCWD, scratch("a"), times, 0), 0);
	cr_assert(!known(scratch("a"), "two"));
	scratch_settle();
	cr_assert(!remember(scratch("a"), "two"));
	cr_assert(known(scratch("a"), "two"));
}

Test(memo, a_reused_inode_is_another_file)
{
	struct stat before, after = {0};
	struct timespec times[2];

	scratch_write("a", "one");
	stat(scratch("a"), &before);
	scratch_settle();
	remember(scratch("a"), "one");
	for (int i = 0; i < 50 && after.st_ino != before.st_ino; i++) {
		unlink(scratch("a"));
		scratch_write("a", "two");
		stat(scratch("a"), &after);
	}
	times[0] = before.st_atim;
	times[1] = before.st_mtim;
	utimensat(AT_FDCWD, scratch("a"), times, 0);
	cr_assert(!known(scratch("a"), "two"));
}

Test(memo, swapped_links_show_their_targets)
{
	scratch_write("a", "one");
	scratch_write("b", "two");
	cr_assert_eq(symlink("a", scratch("l")), 0);
	cr_assert_eq(link(scratch("a"), scratch("h")), 0);
	scratch_settle();
	remember(scratch("l"), "one");
	remember(scratch("b"), "two");
	cr_assert(known(scratch("l"), "one"));
	cr_assert(known(scratch("h"), "one"));
	unlink(scratch("l"));
	cr_assert_eq(symlink("b", scratch("l")), 0);
	cr_assert(known(scratch("l"), "two"));
	unlink(scratch("h"));
	cr_assert_eq(link(scratch("b"), scratch("h")), 0);
	scratch_settle();
	/* The link changed the file's change time: its digest is unknown, and never that of
	 * "one". */
	cr_assert(!known(scratch("h"), "two"));
}

Test(memo, damaged_slots_are_misses)
{
	scratch_write("a", "one");
	scratch_settle();
	remember(scratch("a"), "one");
	cr_assert(known(scratch("a"), "one"));
	for (size_t i = 0; i < memo.size; i += 64)
		memo.map[i + 20] ^= 1;
	cr_assert(!known(scratch("a"), "one"));
	/* The damaged slot is taken over. */
	remember(scratch("a"), "one");
	cr_assert(known(scratch("a"), "one"));
}

Test(memo, a_full_bucket_gives_way)
{
	struct digest set, value;
	struct statx st;
	unsigned found = 0;

	mkdir(scratch("d"), 0700);
	scratch_settle();
	st = stat_of(scratch("d"));
	for (unsigned i = 0; i < 200000; i++) {
		digest_of(&set, &i, sizeof i);
		memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set, NULL);
		memo_put(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set, &set);
	}
	for (unsigned i = 0; i < 200000; i++) {
		digest_of(&set, &i, sizeof i);
		if (memo_get(&memo, MEMO_ABSENT, -1, scratch("d"), &st, &set, &value)) {
			found++;
			cr_assert(digest_equal(&set, &value));
		}
	}
	cr_assert_gt(found, 50000);
	cr_assert_leq(found, 65536);
}

/* Several processes write the same slots: every answer is complete. */
Test(memo, torn_slots_are_never_believed)
{
	struct statx st;
	pid_t children[3];
	int status;

	mkdir(scratch("d"), 0700);
	scratch_settle();
	st = stat_of(scratch("d"));
	for (int c = 0; c < 3; c++) {
		children[c] = fork();
		if (children[c])
			continue;
		for (unsigned round = 0; round < 30; round++) {
			for (unsigned i = 0; i < 1000; i++) {
				struct digest set, value;

				digest_of(&set, &i, sizeof i);
				if (memo_get(&memo, MEMO_ABSENT, -1, scratch_dir, &st, &set,
				             &value) &&
				    !digest_equal(&set, &value))
					_exit(1);
				memo_put(&memo, MEMO_ABSENT, -1, scratch_dir, &st, &set, &set);
			}
			if (round % 10 == 9)
				memset(memo.map, (int)round, memo.size / 4);
		}
		_exit(0);
	}
	for (int c = 0; c < 3; c++) {
		waitpid(children[c], &status, 0);
		cr_assert_eq(status, 0);
	}
}

Test(memo, a_file_of_another_size_is_replaced_not_truncated)
{
	struct memo again;

	cr_assert_eq(unlink(scratch("run/memo")), 0);
	scratch_write("run/memo", "short");
	chmod(scratch("run/memo"), 0600);
	memo_open_mapped(&again, scratch("run"));
	cr_assert(again.map);
	again.map[again.size - 1] = 1;
	memo_close(&again);
	cr_assert_eq(access(scratch("run/memo"), R_OK), 0);
}

Test(memo, is_private_and_leaves_nothing_beside_it)
{
	struct stat st;
	char command[300];

	cr_assert_eq(stat(scratch("run/memo"), &st), 0);
	cr_assert_eq(st.st_mode & 07777, 0600);
	cr_assert_geq(st.st_blocks * 512, st.st_size, "a hole would be a SIGBUS on a full disk");
	snprintf(command, sizeof command, "test \"$(ls -A '%s/run')\" = memo", scratch_dir);
	cr_assert_eq(system(command), 0);
}

static int descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

Test(memo, answers_the_same_before_and_after_it_is_mapped)
{
	struct memo lazy;
	struct statx st;
	struct digest d, want, other;
	uint64_t number;
	int before = descriptors();

	scratch_write("a", "one");
	sys_sleep_ns(3 * MEMO_RACY_NS);
	cr_assert_eq(remember(scratch("a"), "one"), 0);
	digest_of(&want, "one", 3);
	st = stat_of(scratch("a"));
	memo_open(&lazy, memo.dir);
	cr_assert_null(lazy.map);
	for (int i = 0; i < 2 * MEMO_READS; i++) {
		memset(&d, 0, sizeof d);
		cr_assert(memo_get(&lazy, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d),
		          "question %d", i);
		cr_assert(digest_equal(&d, &want));
		cr_assert_null(lazy.map, "all questions are in one page");
	}
	/* A round reads two pages, or none where both entries lie in one. */
	int rounds = 0;
	for (; rounds < MEMO_READS && !lazy.map; rounds++) {
		digest_of(&other, &rounds, sizeof rounds);
		cr_assert(!memo_text_get(&lazy, 1, &other, &d, &number));
		cr_assert(memo_get(&lazy, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
		cr_assert(digest_equal(&d, &want));
	}
	cr_assert_geq(rounds, MEMO_READS / 2);
	cr_assert(lazy.map);
	cr_assert_eq(descriptors(), before, "the mapping needs no descriptor");
	memo_close(&lazy);
	/* An answer is written to the file or to the mapping. */
	scratch_write("b", "two");
	sys_sleep_ns(3 * MEMO_RACY_NS);
	st = stat_of(scratch("b"));
	digest_of(&want, "two", 3);
	memo_open(&lazy, memo.dir);
	cr_assert(!memo_get(&lazy, MEMO_CONTENT, -1, scratch("b"), &st, NULL, &d));
	memo_put(&lazy, MEMO_CONTENT, -1, scratch("b"), &st, NULL, &want);
	cr_assert_null(lazy.map, "one answer needs no mapping");
	cr_assert(memo_get(&memo, MEMO_CONTENT, -1, scratch("b"), &st, NULL, &d));
	cr_assert(digest_equal(&d, &want));
	memo_close(&lazy);
	/* A forked child has no descriptor to close. */
	memo_open(&lazy, memo.dir);
	memo_map(&lazy);
	cr_assert(lazy.map);
	cr_assert_eq(descriptors(), before);
	memo_close(&lazy);
	memo_open(&lazy, memo.dir);
	memo_close(&lazy);
	cr_assert_eq(descriptors(), before);
	cr_assert(!memo_get(&lazy, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
}

/* Otherwise, text that a program writes to a closed stream's descriptor would go into the memo. */
Test(memo, takes_no_number_of_a_closed_stream)
{
	struct memo lazy;
	int keep = dup(0);

	close(0);
	memo_open(&lazy, memo.dir);
	cr_expect_eq(fcntl(0, F_GETFD), -1);
	memo_close(&lazy);
	dup2(keep, 0);
	close(keep);
}

/* A container that is restored from a checkpoint finds its tmpfs as it was, on another machine. */
Test(memo, a_copy_on_a_tmpfs_is_not_used)
{
	char command[400], dir[] = "/dev/shm/reprise-memo-XXXXXX";
	struct memo first, copy;
	struct statx st;
	struct digest d;

	if (!mkdtemp(dir))
		cr_skip_test("no /dev/shm");
	scratch_write("a", "one");
	sys_sleep_ns(3 * MEMO_RACY_NS);
	st = stat_of(scratch("a"));
	memo_open_mapped(&first, dir);
	cr_assert(!memo_get(&first, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	digest_of(&d, "one", 3);
	memo_put(&first, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
	cr_assert(memo_get(&first, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	snprintf(command, sizeof command, "cp -p %s/memo %s/copy && mv %s/copy %s/memo", dir, dir,
	         dir, dir);
	cr_assert_eq(system(command), 0);
	memo_open_mapped(&copy, dir);
	cr_assert(copy.map);
	cr_assert(!memo_get(&copy, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	memo_close(&first);
	memo_close(&copy);
	snprintf(command, sizeof command, "rm -r %s", dir);
	cr_assert_eq(system(command), 0);
}

Test(memo, a_key_is_new_once)
{
	struct digest one, two;
	pid_t child;
	int status;

	digest_of(&one, "1", 1);
	digest_of(&two, "2", 1);
	cr_expect(!memo_seen_before(&memo, &one));
	cr_expect(memo_seen_before(&memo, &one));
	cr_expect(!memo_seen_before(&memo, &two));
	child = fork();
	if (!child) {
		struct memo again;

		memo_open(&again, scratch("run")); /* reads, at first */
		_exit(memo_seen_before(&again, &one) && memo_seen_before(&again, &two) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	cr_expect_eq(status, 0);
	digest_use(DIGEST_BLAKE2B);
	cr_expect(!memo_seen_before(&memo, &one), "keys of the other digest are others");
	digest_use(DIGEST_XXH3);
}

/* A first time cannot be recorded, so every time counts as a later one. */
Test(memo, a_key_is_never_new_without_a_memo)
{
	struct memo none;
	struct digest one;

	digest_of(&one, "1", 1);
	memo_open(&none, NULL);
	cr_expect(memo_seen_before(&none, &one));
	memo_close(&none);
}

Test(memo, none_without_a_directory)
{
	struct memo none;
	struct statx st;
	struct digest d;

	scratch_write("a", "one");
	st = stat_of(scratch("a"));
	memo_open_mapped(&none, NULL);
	cr_assert_null(none.map);
	cr_assert(!memo_get(&none, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	memo_put(&none, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
	cr_assert_eq(memo_lock(&none, MEMO_CONTENT, -1, scratch("a"), &st, NULL, 0), -1);
	memo_open_mapped(&none, scratch("nowhere"));
	cr_assert_null(none.map);
	memo_close(&none);
}

/* Root's file is not readable. In a directory without the sticky bit it is replaced. */
static int map_of_root(void)
{
	struct memo other;

	chmod(scratch("run/memo"), 0666);
	memo_open_mapped(&other, scratch("run"));
	return other.map != NULL;
}

Test(memo, not_one_that_others_can_write)
{
	chmod(scratch("run"), 0777);
	cr_assert_eq(scratch_as_nobody(map_of_root), 0);
}

Test(memo, lock_is_held_by_one_and_freed_by_a_kill)
{
	struct statx st;
	pid_t child;
	int pipes[2], lock;
	char c;

	scratch_write("a", "one");
	scratch_settle();
	st = stat_of(scratch("a"));
	cr_assert_eq(pipe(pipes), 0);
	child = fork();
	if (!child) {
		if (memo_lock(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, 0) < 0)
			_exit(1);
		(void)!write(pipes[1], "x", 1);
		for (;;)
			pause();
	}
	cr_assert_eq(read(pipes[0], &c, 1), 1);
	cr_assert_eq(memo_lock(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, 20000000), -1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	lock = memo_lock(&memo, MEMO_CONTENT, -1, scratch("a"), &st, NULL, 1000000000);
	cr_assert_geq(lock, 0);
	memo_unlock(lock);
}

Test(memo, a_text_is_known_by_its_content)
{
	struct digest content = {{1}}, other = {{2}}, form = {{3}}, d;
	uint64_t number;

	cr_expect(!memo_text_get(&memo, 1, &content, &d, &number));
	memo_text_put(&memo, 1, &content, &form, 77);
	cr_assert(memo_text_get(&memo, 1, &content, &d, &number));
	cr_expect(digest_equal(&d, &form));
	cr_expect_eq(number, 77);
	cr_expect(!memo_text_get(&memo, 1, &other, &d, &number));
	/* other rules make other forms */
	cr_expect(!memo_text_get(&memo, 2, &content, &d, &number));
	/* a torn number is no answer */
	for (size_t i = 56; i < MEMO_SIZE; i += 64)
		memo.map[i] += memo.map[i] == 77;
	cr_expect(!memo_text_get(&memo, 1, &content, &d, &number));
}
