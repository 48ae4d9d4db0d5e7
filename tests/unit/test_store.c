/* The store's entries: the cost of a get, damage, wiping, full and read-only disks, seeds. */
#include "store_key_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <utime.h>

TestSuite(store, .init = fixture_start, .fini = fixture_stop);

Test(store, put_and_get)
{
	key = key_of("k");
	cr_expect_eq(get(), ENTRY_ABSENT);
	cr_assert_eq(put("one"), 0, "%s", fault.text);
	cr_assert_eq(get(), ENTRY_OK);
	cr_expect_eq(e.len, 3);
	cr_expect_eq(memcmp(e.payload, "one", 3), 0);
	cr_assert_eq(put("second"), 0);
	cr_assert_eq(get(), ENTRY_OK);
	cr_expect_eq(e.len, 6);
	cr_expect_eq(store_get(&store, STORE_MANIFEST, &key, 0, &e, &arena, &fault), ENTRY_ABSENT);
	cr_expect_eq(files_below(in_root("cache/tmp")), 0);
	cr_expect_gt(counted(COUNTER_STORED_BYTES), 0);
	cr_expect_gt(counted(COUNTER_STORE_SIZE), 0);
}

Test(store, an_entry_of_another_store_is_kept_as_it_is)
{
	unsigned char bytes[2][512];
	ssize_t n[2];

	key = key_of("k");
	cr_assert_eq(put("from afar"), 0, "%s", fault.text);
	cr_assert_eq(get(), ENTRY_OK);
	cr_assert(e.whole);
	for (int i = 0; i < 2; i++) {
		int fd = open(path_of(STORE_RESULT, 0), O_RDONLY);

		cr_assert_geq(fd, 0);
		n[i] = read(fd, bytes[i], sizeof bytes[i]);
		close(fd);
		cr_assert_eq(unlink(path_of(STORE_RESULT, 0)), 0);
		if (i == 0)
			cr_assert_eq(store_put_entry(&store, 0, &e, &fault), 0, "%s", fault.text);
	}
	cr_expect(n[0] > ENTRY_HEAD + ENTRY_TAIL && n[0] == n[1] &&
	          !memcmp(bytes[0], bytes[1], (size_t)n[0]));
	/* An entry with another payload is sealed again. */
	e.payload = (const unsigned char *)"from afar";
	e.whole = 0;
	cr_assert_eq(store_put_entry(&store, 0, &e, &fault), 0, "%s", fault.text);
	cr_assert_eq(get(), ENTRY_OK);
	cr_expect_eq(e.len, 9);
}

Test(store, paths)
{
	char path[512], hex[DIGEST_HEX + 1], want[512];

	key = key_of("k");
	digest_hex(&key, hex);
	size_t n = store_path(path, sizeof path, "/dir", STORE_MANIFEST, &key, 31);
	snprintf(want, sizeof want, "/dir/manifest/%.2s/%s.31", hex, hex + 2);
	cr_expect_str_eq(path, want);
	cr_expect_eq(n, strlen(want));
	n = store_path(path, sizeof path, "/dir", STORE_KEY_HISTORY, &key, 0);
	snprintf(want, sizeof want, "/dir/trail/%.2s/%s", hex, hex + 2);
	cr_expect_str_eq(path, want);
	cr_expect_eq(store_path(path, n, "/dir", STORE_KEY_HISTORY, &key, 0), n);
	cr_expect_str_eq(path, "");
}

Test(store, what_is_made_is_private)
{
	static const char *const dirs[] = {"cache", "cache/tmp", "cache/result", "run"};
	struct stat st;

	key = key_of("k");
	cr_assert_eq(put("x"), 0);
	for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
		cr_assert_eq(stat(in_root(dirs[i]), &st), 0);
		cr_expect_eq(st.st_mode & 07777, 0700, "%s", dirs[i]);
	}
	cr_assert_eq(stat(path_of(STORE_RESULT, 0), &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	cr_expect(exists(in_root("cache/VERSION")));
}

Test(store, a_umask_that_takes_everything)
{
	struct stat st;

	shell("rm -rf '%s'", cache);
	shell("rm -rf '%s'", runtime);
	umask(0777);
	open_store(&store, NULL);
	cr_assert_not_null(store.dir);
	cr_assert_not_null(store.runtime_dir);
	key = key_of("k");
	cr_expect_eq(put("x"), 0);
	umask(022);
	cr_assert_eq(stat(path_of(STORE_RESULT, 0), &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	cr_assert_eq(stat(cache, &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0700);
}

/* --- damage --- */

Test(store, damaged_entries_are_removed_and_counted)
{
	unsigned char b[256];

	key = key_of("k");
	for (int way = 0; way < 3; way++) {
		cr_assert_eq(put("payload"), 0);
		size_t n = read_whole(path_of(STORE_RESULT, 0), b, sizeof b);
		b[50] ^= 1;
		write_file(path_of(STORE_RESULT, 0), way == 2 ? (void *)"foreign" : b,
		           way == 0 ? n : way == 1 ? n - 1 : 7);
		cr_expect_eq(get(), ENTRY_BAD);
		cr_expect_not(exists(path_of(STORE_RESULT, 0)));
		cr_expect_eq(get(), ENTRY_ABSENT);
	}
	cr_expect_eq(counted(COUNTER_CORRUPT), 3);
}

Test(store, an_entry_under_a_wrong_name_is_removed)
{
	char from[512];

	key = key_of("one");
	cr_assert_eq(put("one"), 0);
	strcpy(from, path_of(STORE_RESULT, 0));
	key = key_of("two");
	cr_assert_eq(put("two"), 0);
	cr_assert_eq(rename(from, path_of(STORE_RESULT, 0)), 0);
	cr_expect_eq(get(), ENTRY_BAD);
	cr_expect_eq(get(), ENTRY_ABSENT);
}

/* tests/data/entry-v1.bin is what Reprise wrote before version 2. */
Test(store, entries_of_other_versions_stay)
{
	unsigned char old[512];
	size_t n = read_whole("tests/data/entry-v1.bin", old, sizeof old);
	const struct { const void *bytes; size_t n; } rows[] = {{"RPE\5 all is different", 22},
	                                                        {old, n}};

	key = key_of("specimen");
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(put("x"), 0);
		write_file(path_of(STORE_RESULT, 0), rows[i].bytes, rows[i].n);
		cr_expect_eq(get(), ENTRY_ABSENT);
		cr_expect(exists(path_of(STORE_RESULT, 0)));
	}
	cr_expect_eq(counted(COUNTER_CORRUPT), 0);
	cr_assert_eq(put("y"), 0);
	cr_expect_eq(get(), ENTRY_OK);
}

Test(store, planted_links_are_removed_and_not_followed)
{
	key = key_of("k");
	cr_assert_eq(put("x"), 0);
	cr_assert_eq(rename(path_of(STORE_RESULT, 0), in_root("entry")), 0);
	cr_assert_eq(symlink(in_root("entry"), path_of(STORE_RESULT, 0)), 0);
	cr_expect_eq(get(), ENTRY_BAD);
	cr_expect(exists(in_root("entry")));
	cr_expect_eq(get(), ENTRY_ABSENT);
}

/* --- what a hit costs --- */

static int only(const int *calls, int count, unsigned verdict)
{
	struct sock_filter f[32];
	int n = 0;

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
	                                      offsetof(struct seccomp_data, nr));
	for (int i = 0; i < count; i++) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i],
		                                      0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
	struct sock_fprog prog = {(unsigned short)n, f};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static int get_with_few_calls(void *unused)
{
	static const int calls[] = {SYS_openat, SYS_newfstatat, SYS_read, SYS_close,
	                            SYS_exit_group};

	(void)unused;
	if (!arena_alloc(&arena, 1))
		return 2;
	if (only(calls, 5, SECCOMP_RET_KILL_PROCESS))
		return 77;
	return get() == ENTRY_OK ? 0 : 1;
}

Test(store, a_get_is_openat_stat_read_close)
{
#ifdef __SANITIZE_ADDRESS__
	cr_skip_test("the sanitizer makes calls of its own");
#endif
	key = key_of("k");
	cr_assert_eq(put("a small entry"), 0);
	int rc = in_child(get_with_few_calls, NULL);
	if (rc == 77)
		cr_skip_test("no seccomp here");
	cr_expect_eq(rc, 0);
}

static void touch_what_is_got(void)
{
	cr_assert_eq(get(), ENTRY_OK);
	store_touch(&store, STORE_RESULT, &key, 0, &e);
}

Test(store, touch)
{
	struct utimbuf old = {1000000000, 1000000000};
	struct stat st;

	key = key_of("k");
	cr_assert_eq(put("x"), 0);
	cr_assert_eq(utime(path_of(STORE_RESULT, 0), &old), 0);
	touch_what_is_got();
	cr_assert_eq(stat(path_of(STORE_RESULT, 0), &st), 0);
	cr_expect_gt(st.st_mtime, time(NULL) - 100);
	/* The time is younger than an hour: nothing is written. */
	old.modtime = time(NULL) - STORE_TOUCH_S + 100;
	cr_assert_eq(utime(path_of(STORE_RESULT, 0), &old), 0);
	touch_what_is_got();
	cr_assert_eq(stat(path_of(STORE_RESULT, 0), &st), 0);
	cr_expect_eq(st.st_mtime, old.modtime);
	/* The time is from a clock that is ahead: without a change it would never be evicted. */
	old.modtime = time(NULL) + 1000000;
	cr_assert_eq(utime(path_of(STORE_RESULT, 0), &old), 0);
	touch_what_is_got();
	cr_assert_eq(stat(path_of(STORE_RESULT, 0), &st), 0);
	cr_expect_lt(st.st_mtime, time(NULL) + 100);
}

/* --- wiped, full, read-only --- */

Test(store, wiped_while_in_use)
{
	key = key_of("k");
	cr_assert_eq(put("x"), 0);
	shell("rm -rf '%s'", cache);
	cr_expect_eq(get(), ENTRY_ABSENT);
	cr_assert_eq(put("y"), 0, "%s", fault.text);
	cr_expect_eq(get(), ENTRY_OK);
	cr_expect(exists(in_root("cache/VERSION")));
	shell("rm -rf '%s'", cache);
	cr_assert_eq(add(1, "a"), 0);
	shell("rm -rf '%s'", runtime);
	cr_assert_eq(put("z"), 0);
}

static int wipe_often(void *unused)
{
	(void)unused;
	for (int i = 0; i < 60; i++) {
		char command[256];
		snprintf(command, sizeof command, "rm -rf '%s' 2>/dev/null", cache);
		if (system(command) == -1)
			return 1;
	}
	return 0;
}

Test(store, wiped_again_and_again_a_get_is_whole_or_a_miss)
{
	int status, done = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(wipe_often(NULL));
	key = key_of("k");
	for (int i = 0; waitpid(pid, &status, WNOHANG) == 0; i++) {
		done += put("payload") == 0;
		enum entry_status st = get();
		cr_assert(st == ENTRY_OK || st == ENTRY_ABSENT, "%d", st);
		if (i % 64 == 0)
			arena_free(&arena), open_store(&store, NULL);
	}
	cr_expect_gt(done, 0);
}

static int put_too_much(void *unused)
{
	static char large[100000];
	struct rlimit limit = {20000, 20000};

	(void)unused;
	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 2;
	fault = (struct fault){0};
	int rc = store_put(&store, STORE_RESULT, &key, 0, large, sizeof large, &fault);
	return rc == -1 && fault.code == EFBIG ? 0 : 1;
}

Test(store, a_write_that_fails_leaves_nothing)
{
	key = key_of("k");
	cr_expect_eq(in_child(put_too_much, NULL), 0);
	cr_expect_eq(files_below(in_root("cache/tmp")), 0);
	cr_expect_eq(files_below(in_root("cache/result")), 0);
	cr_expect_eq(get(), ENTRY_ABSENT);
}

Test(store, a_full_disk_leaves_nothing)
{
	static char large[200000];
	char command[256];

	if (geteuid() != 0)
		cr_skip_test("mounting takes root");
	cr_assert_eq(mkdir(in_root("small"), 0700), 0);
	snprintf(command, sizeof command, "mount -t tmpfs -o size=128k none '%s' 2>/dev/null",
	         in_root("small"));
	if (system(command) != 0)
		cr_skip_test("mounting is not allowed here");
	snprintf(cache, sizeof cache, "%s/small/cache", root);
	open_store(&store, NULL);
	key = key_of("k");
	int rc = store_put(&store, STORE_RESULT, &key, 0, large, sizeof large, &fault);
	int code = fault.code;
	int left = files_below(in_root("small/cache/tmp")) +
		files_below(in_root("small/cache/result"));
	int after = put("fits");
	shell("umount '%s'", in_root("small"));
	cr_expect_eq(rc, -1);
	cr_expect_eq(code, ENOSPC);
	cr_expect_eq(left, 0);
	cr_expect_eq(after, 0);
}

Test(store, readonly_setting)
{
	key = key_of("k");
	cr_assert_eq(put("x"), 0);
	open_store(&store, "REPRISE_READONLY=1");
	cr_expect_eq(store.writable, 0);
	cr_expect_eq(get(), ENTRY_OK);
	cr_expect_eq(put("y"), -1);
	cr_expect_eq(fault.code, EROFS);
	cr_expect_eq(add(1, "a"), -1);
	/* Damage is found and not removed. */
	write_file(path_of(STORE_RESULT, 0), "foreign", 7);
	cr_expect_eq(get(), ENTRY_BAD);
	cr_expect(exists(path_of(STORE_RESULT, 0)));
	/* Seeds and remote stores serve it with an empty store. */
	shell("rm -rf '%s'", cache);
	open_store(&store, "REPRISE_READONLY=1");
	cr_expect_str_eq(store.dir, cache);
	cr_expect_eq(store.writable, 0);
	cr_expect_eq(put("y"), -1);
}

Test(store, local_setting)
{
	open_store(&store, "REPRISE_LOCAL=0");
	cr_expect_null(store.dir);
	cr_expect_not_null(strstr(fault.text, "REPRISE_LOCAL"), "%s", fault.text);
	key = key_of("k");
	cr_expect_eq(get(), ENTRY_ABSENT);
	cr_expect_eq(put("x"), -1);
}

Test(store, seeds_are_asked_next_and_never_written)
{
	char seeds[512], first[80];

	strcpy(first, cache);
	key = key_of("in both");
	cr_assert_eq(put("seed"), 0);
	key = key_of("in seed");
	cr_assert_eq(put("seed"), 0);
	key = key_of("bad in seed");
	cr_assert_eq(put("seed"), 0);
	write_file(path_of(STORE_RESULT, 0), "foreign", 7);

	snprintf(cache, sizeof cache, "%s/other", root);
	snprintf(seeds, sizeof seeds, "REPRISE_SEED_DIRS=/proc/none:%.70s", first);
	open_store(&store, seeds);
	cr_assert_not_null(store.seeds[0]);
	cr_expect_str_eq(store.seeds[0], first);
	cr_expect_null(store.seeds[1]);
	cr_expect_eq(get(), ENTRY_ABSENT);
	store_path(seeds, sizeof seeds, first, STORE_RESULT, &key, 0);
	cr_expect(exists(seeds));
	key = key_of("in seed");
	cr_expect_eq(get(), ENTRY_OK);
	cr_expect_not(exists(path_of(STORE_RESULT, 0)));
	key = key_of("in both");
	cr_assert_eq(put("local"), 0);
	cr_assert_eq(get(), ENTRY_OK);
	cr_expect_eq(e.len, 5, "the local one comes first");
	/* If the local entry is damaged, the seed's entry is used. */
	write_file(path_of(STORE_RESULT, 0), "foreign", 7);
	cr_assert_eq(get(), ENTRY_OK);
	cr_expect_eq(e.len, 4);
	/* A seed that any user may write to is not trusted. */
	cr_assert_eq(chmod(first, 0777), 0);
	snprintf(seeds, sizeof seeds, "REPRISE_SEED_DIRS=%.70s", first);
	open_store(&store, seeds);
	cr_expect_null(store.seeds[0]);
}
