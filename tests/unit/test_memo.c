/* tests/unit/test_memo.c - the memo and the verdicts on file systems it stands on. */
#include "keying/memo.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "keying/fstrust.h"
#include "tests/unit/scratch.h"

static struct memo memo;

/* The memo in <scratch>/run, and files beside it; on a file system that is trusted. */
static void setup(void)
{
	struct statx st;

	scratch_make();
	cr_assert_eq(sys_statx(AT_FDCWD, scratch_dir, 0, STATX_BASIC_STATS | STATX_BTIME, &st), 0);
	memset(&memo, 0, sizeof memo);
	if (!memo_clock_local(&memo, -1, scratch_dir, &st)) {
		scratch_remove();
		scratch_make_in("/dev/shm");
	}
	mkdir(scratch("run"), 0700);
	memo_open(&memo, strdup(scratch("run")));
	cr_assert(memo.map, "no memo in %s", scratch_dir);
}

static void teardown(void)
{
	memo_close(&memo);
	scratch_remove();
}

TestSuite(memo, .init = setup, .fini = teardown);

static struct statx stat_of(const char *path)
{
	struct statx st;

	cr_assert_eq(sys_statx(AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_BTIME, &st), 0, "%s", path);
	return st;
}

/* Asks and answers as a prober does: 1 when it was known already. */
static int remember(const char *path, const char *text)
{
	struct statx st = stat_of(path);
	struct digest d;

	if (memo_get(&memo, MEMO_CONTENT, -1, path, &st, NULL, &d))
		return 1;
	digest_of(&d, text, strlen(text));
	memo_put(&memo, MEMO_CONTENT, -1, path, &st, NULL, &d);
	return 0;
}

static int known(const char *path, const char *text)
{
	struct statx st = stat_of(path);
	struct digest d, want;

	digest_of(&want, text, strlen(text));
	if (!memo_get(&memo, MEMO_CONTENT, -1, path, &st, NULL, &d))
		return 0;
	cr_assert(digest_equal(&d, &want), "%s: a wrong digest", path);
	return 1;
}

/* With the two digests, neither kind of process is told what the other kept. */
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

		memo_open(&again, scratch("run"));
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

Test(memo, racy_files_are_not_kept)
{
	scratch_write("a", "one");
	remember(scratch("a"), "one");
	cr_assert(!known(scratch("a"), "one"));
}

/* The clock of the question counts: a slow reading does not make a fresh stamp an old one. */
Test(memo, a_slow_digest_does_not_settle_a_stamp)
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

/* Asked again, a question is the newest: others in between do not push it out. */
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

Test(memo, future_times_are_not_kept)
{
	struct timespec ahead[2] = {{0, UTIME_OMIT}, {time(NULL) + 1000, 5}};

	scratch_write("a", "one");
	cr_assert_eq(utimensat(AT_FDCWD, scratch("a"), ahead, 0), 0);
	scratch_settle();
	remember(scratch("a"), "one");
	cr_assert(!known(scratch("a"), "one"));
}

Test(memo, whole_seconds_need_a_longer_wait)
{
	struct statx st;

	scratch_write("a", "one");
	scratch_settle();
	st = stat_of(scratch("a"));
	cr_assert(memo_may_keep(&memo, -1, scratch("a"), &st));
	if (memo.fs[0].trusted != FSTRUST_YES)
		cr_skip_test("needs ext4, xfs or tmpfs");
	st.stx_ctime.tv_nsec = 0;
	st.stx_ctime.tv_sec = time(NULL) - 1;
	cr_assert(!memo_may_keep(&memo, -1, scratch("a"), &st));
	st.stx_ctime.tv_sec -= 9;
	st.stx_mtime = st.stx_ctime;
	cr_assert(memo_may_keep(&memo, -1, scratch("a"), &st));
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
	/* Linking changed its change time: unknown, never "one". */
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

/* Several processes write the same slots: every answer is whole. */
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
				if (memo_get(&memo, MEMO_ABSENT, -1, scratch_dir, &st, &set, &value) &&
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
	memo_open(&again, scratch("run"));
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
	struct digest d, want;
	int before = descriptors();

	scratch_write("a", "one");
	sys_sleep_ns(3 * MEMO_RACY_NS);
	cr_assert_eq(remember(scratch("a"), "one"), 0);
	digest_of(&want, "one", 3);
	st = stat_of(scratch("a"));
	memo_open_lazily(&lazy, memo.dir);
	cr_assert_null(lazy.map);
	for (int i = 0; i < 2 * MEMO_READS; i++) {
		memset(&d, 0, sizeof d);
		cr_assert(memo_get(&lazy, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d), "question %d", i);
		cr_assert(digest_equal(&d, &want));
		cr_assert_eq(lazy.map != NULL, i + 1 >= MEMO_READS, "question %d", i);
	}
	cr_assert_eq(descriptors(), before, "the mapping needs no descriptor");
	memo_close(&lazy);
	/* What is put goes to the mapping, and a fork's child has no descriptor to close. */
	memo_open_lazily(&lazy, memo.dir);
	memo_map(&lazy);
	cr_assert(lazy.map);
	cr_assert_eq(descriptors(), before);
	memo_close(&lazy);
	memo_open_lazily(&lazy, memo.dir);
	memo_close(&lazy);
	cr_assert_eq(descriptors(), before);
	cr_assert(!memo_get(&lazy, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
}

/* What is written to a closed stream would else be written into the memo. */
Test(memo, takes_no_number_of_a_closed_stream)
{
	struct memo lazy;
	int keep = dup(0);

	close(0);
	memo_open_lazily(&lazy, memo.dir);
	cr_expect_eq(fcntl(0, F_GETFD), -1);
	memo_close(&lazy);
	dup2(keep, 0);
	close(keep);
}

/* A container that is restored from a checkpoint finds its tmpfs as it was, on another machine. */
Test(memo, a_copy_on_a_tmpfs_is_nobody_s_memo)
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
	memo_open(&first, dir);
	cr_assert(!memo_get(&first, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	digest_of(&d, "one", 3);
	memo_put(&first, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
	cr_assert(memo_get(&first, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	snprintf(command, sizeof command, "cp -p %s/memo %s/copy && mv %s/copy %s/memo", dir, dir, dir, dir);
	cr_assert_eq(system(command), 0);
	memo_open(&copy, dir);
	cr_assert(copy.map);
	cr_assert(!memo_get(&copy, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	memo_close(&first);
	memo_close(&copy);
	snprintf(command, sizeof command, "rm -r %s", dir);
	cr_assert_eq(system(command), 0);
}

Test(memo, none_without_a_directory)
{
	struct memo none;
	struct statx st;
	struct digest d;

	scratch_write("a", "one");
	st = stat_of(scratch("a"));
	memo_open(&none, NULL);
	cr_assert_null(none.map);
	cr_assert(!memo_get(&none, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d));
	memo_put(&none, MEMO_CONTENT, -1, scratch("a"), &st, NULL, &d);
	cr_assert_eq(memo_lock(&none, MEMO_CONTENT, -1, scratch("a"), &st, NULL, 0), -1);
	memo_open(&none, scratch("nowhere"));
	cr_assert_null(none.map);
	memo_close(&none);
}

Test(memo, not_one_that_others_can_write)
{
	pid_t child;
	int status;

	if (geteuid() != 0)
		cr_skip_test("needs root to make another user's file");
	chmod(scratch_dir, 0755);
	chmod(scratch("run"), 0777);
	child = fork();
	if (!child) {
		struct memo other;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		/* Root's file: not readable, and in a directory without the sticky bit it is replaced. */
		chmod(scratch("run/memo"), 0666);
		memo_open(&other, scratch("run"));
		_exit(other.map ? 1 : 0);
	}
	waitpid(child, &status, 0);
	cr_assert_eq(status, 0);
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

/* --- verdicts ------------------------------------------------------------------------------- */

static const char mountinfo[] =
	"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	"27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard\n"
	"28 27 254:0 /usr /ro ro,relatime - ext4 /dev/vda rw,discard\n"
	"29 27 254:1 / /image ro,relatime - ext4 /dev/vdb ro\n"
	"30 27 0:50 / /c rw - overlay overlay rw,lowerdir=/a:/b\\:c:rel:/d,upperdir=/u,workdir=/w\n"
	"31 27 0:51 / /cut rw - overl";

Test(fstrust, finds_a_mount_by_its_id)
{
	struct mount_line line;
	size_t n = sizeof mountinfo - 1;

	cr_assert_eq(fstrust_find_mount(mountinfo, n, 27, &line), 0);
	cr_assert_eq(line.fstype_len, 4);
	cr_assert_arr_eq(line.fstype, "ext4", 4);
	cr_assert_arr_eq(line.source, "/dev/vda", 8);
	cr_assert_arr_eq(line.options, "rw,discard", line.options_len);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 1, &line), -1);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 2, &line), -1);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 0, &line), -1);
	cr_assert_eq(fstrust_find_mount(mountinfo, n, 31, &line), -1, "a line that was cut");
}

Test(fstrust, verdicts)
{
	struct mount_line line;
	size_t n = sizeof mountinfo - 1;

	cr_assert_eq(fstrust_verdict(0xEF53, 0, 254, NULL), FSTRUST_YES);
	cr_assert_eq(fstrust_verdict(0x58465342, 0, 8, NULL), FSTRUST_YES);
	cr_assert_eq(fstrust_verdict(0x01021994, 0, 0, NULL), FSTRUST_YES);
	cr_assert_eq(fstrust_verdict(0x9123683E, 0, 0, NULL), FSTRUST_BORN);
	cr_assert_eq(fstrust_verdict(0xEF53, 0, 7, NULL), FSTRUST_NO, "loop");
	cr_assert_eq(fstrust_verdict(0x73717368, 0, 0, NULL), FSTRUST_NO, "squashfs");
	cr_assert_eq(fstrust_verdict(0xE0F5E1E2, 0, 0, NULL), FSTRUST_NO, "erofs");
	cr_assert_eq(fstrust_verdict(0x6969, 0, 0, NULL), FSTRUST_NO, "nfs");
	cr_assert_eq(fstrust_verdict(0x01021997, 0, 0, NULL), FSTRUST_NO, "9p");
	cr_assert_eq(fstrust_verdict(0xEF53, 1, 254, NULL), FSTRUST_NO);
	cr_assert_eq(fstrust_verdict(0x794c7630, 0, 0, NULL), FSTRUST_NO);
	fstrust_find_mount(mountinfo, n, 28, &line);
	cr_assert_eq(fstrust_verdict(0xEF53, 1, 254, &line), FSTRUST_YES, "read-only view");
	fstrust_find_mount(mountinfo, n, 29, &line);
	cr_assert_eq(fstrust_verdict(0xEF53, 1, 254, &line), FSTRUST_NO, "read-only image");
	fstrust_find_mount(mountinfo, n, 30, &line);
	cr_assert_eq(fstrust_verdict(0x794c7630, 0, 0, &line), FSTRUST_BORN);
}

Test(fstrust, lower_directories)
{
	static const char options[] = "rw,xlowerdir=/no,lowerdir=/a:/b\\:c:rel:/d,upperdir=/u,"
				      "lowerdir+=/e,redirect_dir=on,datadir+=/f";
	static const char *const want[] = {"/a", "/d", "/e", "/f"};
	char dir[16];
	size_t at = 0, i = 0;

	while (fstrust_next_lower(options, sizeof options - 1, &at, dir, sizeof dir)) {
		cr_assert_lt(i, 4, "%s", dir);
		cr_assert_str_eq(dir, want[i++]);
	}
	cr_assert_eq(i, 4);
}

/* --- real mounts ------------------------------------------------------------------------------ */

static int sh(const char *script)
{
	char command[2000];

	snprintf(command, sizeof command, "cd '%s' && { %s; } >/dev/null 2>&1", scratch_dir, script);
	return system(command);
}

static void own_mounts(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		cr_skip_test("needs root and mount namespaces");
}

/* Whatever its age. */
static int trusted(const char *path)
{
	struct statx st = stat_of(path);

	st.stx_ctime.tv_sec -= 10;
	st.stx_mtime.tv_sec -= 10;
	return memo_may_keep(&memo, -1, path, &st);
}

Test(memo, images_with_equal_stamps_are_not_confused)
{
	struct statx one, two;
	struct digest d;

	own_mounts();
	if (sh("mkdir m s && echo one >s/f && touch -d @1000000000 s/f s &&"
	       "mksquashfs s 1.img -all-time 1000000000 -mkfs-time 1000000000 -noappend &&"
	       "echo two >s/f && touch -d @1000000000 s/f s &&"
	       "mksquashfs s 2.img -all-time 1000000000 -mkfs-time 1000000000 -noappend &&"
	       "mount -o loop 1.img m"))
		cr_skip_test("needs mksquashfs and loop devices");
	one = stat_of(scratch("m/f"));
	cr_assert(!memo_get(&memo, MEMO_CONTENT, -1, scratch("m/f"), &one, NULL, &d));
	digest_of(&d, "one\n", 4);
	memo_put(&memo, MEMO_CONTENT, -1, scratch("m/f"), &one, NULL, &d);
	cr_assert_eq(sh("umount m && mount -o loop 2.img m"), 0);
	two = stat_of(scratch("m/f"));
	cr_assert_eq(one.stx_ino, two.stx_ino);
	cr_assert_eq(one.stx_ctime.tv_sec, two.stx_ctime.tv_sec);
	cr_assert(!memo_get(&memo, MEMO_CONTENT, -1, scratch("m/f"), &two, NULL, &d));
	cr_assert_eq(sh("umount m"), 0);
}

Test(memo, overlay_over_an_image_is_not_trusted)
{
	own_mounts();
	if (sh("mkdir m s o t && echo one >s/f && mksquashfs s 1.img -all-time 1000000000 -noappend &&"
	       "mount -o loop 1.img m && mount -t tmpfs t t && mkdir t/u t/w &&"
	       "mount -t overlay o -o lowerdir=$PWD/m,upperdir=t/u,workdir=t/w o"))
		cr_skip_test("needs mksquashfs, loop devices and overlay");
	cr_assert(!trusted(scratch("o/f")));
	/* Where the lower directory cannot be seen, the file speaks for itself: no birth time. */
	memo.fs_count = 0;
	cr_assert_eq(sh("umount o && mount -t overlay o -o lowerdir=m,upperdir=t/u,workdir=t/w o"), 0);
	cr_assert(!trusted(scratch("o/f")));
	sh("umount o t; umount m");
}

Test(memo, overlay_over_an_ext4_image)
{
	own_mounts();
	if (sh("mkdir m s o t && echo one >s/f && truncate -s 8M 1.img &&"
	       "E2FSPROGS_FAKE_TIME=1000000000 mkfs.ext4 -q -I 256 -d s 1.img && mount -o loop 1.img m &&"
	       "echo two >m/late && mount -t tmpfs t t && mkdir t/u t/w &&"
	       "mount -t overlay o -o lowerdir=m,upperdir=t/u,workdir=t/w o"))
		cr_skip_test("needs mkfs.ext4, loop devices and overlay");
	cr_assert(!trusted(scratch("m/f")), "loop device");
	/* The lower directory is a relative name, which nobody else can find: its files speak. */
	cr_assert(stat_of(scratch("o/f")).stx_mask & STATX_BTIME);
	cr_assert_eq(stat_of(scratch("o/f")).stx_ctime.tv_nsec, 0);
	cr_assert(!trusted(scratch("o/f")), "times of whole seconds below an overlay");
	cr_assert(trusted(scratch("o/late")), "times of this kernel below an overlay");
	/* Under a name that can be looked at, the loop device shows. */
	cr_assert_eq(sh("umount o && mount -t overlay o -o lowerdir=$PWD/m,upperdir=t/u,workdir=t/w o"), 0);
	memo.fs_count = 0;
	cr_assert(!trusted(scratch("o/late")), "a lower directory on a loop device");
	sh("umount o t; umount m");
}

Test(memo, overlay_over_plain_directories_is_trusted_and_known_by_its_layers)
{
	struct statx st;
	struct digest set, d;

	own_mounts();
	if (sh("mkdir a b o t top && echo one >top/f && mount -t tmpfs t t && mkdir t/u t/w t/l t/l2 t/top &&"
	       "cp top/f t/top/f && mount -t overlay o -o lowerdir=t/top:t/l,upperdir=t/u,workdir=t/w o"))
		cr_skip_test("needs overlay");
	st = stat_of(scratch("o/f"));
	if (!(st.stx_mask & STATX_BTIME))
		cr_skip_test("a kernel without birth times on tmpfs");
	cr_assert(trusted(scratch("o/f")));
	scratch_settle();
	remember(scratch("o/f"), "one\n");
	cr_assert(known(scratch("o/f"), "one\n"));
	digest_of(&set, "s", 1);
	st = stat_of(scratch("o"));
	memo_get(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, NULL);
	memo_put(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, &set);
	cr_assert(memo_get(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, NULL));
	/* Another bottom layer below the same top: device number and stamps may well be the same. */
	cr_assert_eq(sh("umount o && mount -t overlay o -o lowerdir=t/top:t/l2,upperdir=t/u,workdir=t/w o"), 0);
	memo.fs_count = 0;
	st = stat_of(scratch("o"));
	cr_assert(!memo_get(&memo, MEMO_ABSENT, -1, scratch("o"), &st, &set, &d));
	sh("umount o t");
}

Test(memo, read_only_views_and_images)
{
	own_mounts();
	if (sh("mkdir a t v && mount -t tmpfs t t && echo one >t/f && mount --bind t v &&"
	       "mount -o remount,bind,ro v"))
		cr_skip_test("needs bind mounts");
	cr_assert(trusted(scratch("v/f")), "read-only view of a writable file system");
	memo.fs_count = 0;
	cr_assert_eq(sh("umount v && mount -o remount,ro t"), 0);
	cr_assert(!trusted(scratch("t/f")), "read-only file system");
	sh("umount t");
}
