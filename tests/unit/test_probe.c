/* tests/unit/test_probe.c - the prober's answers about files and links, their memory, and
 * permissions. */
#include "probe_fixture.h"

#include <sys/wait.h>

#include "keying/hashfile.h"
#include "keying/probe_table.h"

TestSuite(probe, .init = probe_setup, .fini = probe_teardown);

static int content_is(const char *path, const char *text)
{
	struct digest d, want;

	digest_of(&want, text, strlen(text));
	return probe_file(&prober, path, &d, NULL) == 0 && digest_equal(&d, &want);
}

Test(probe, file_content_and_stat)
{
	struct digest d;
	struct statx st;

	scratch_write("a", "hello");
	scratch_write("empty", "");
	cr_assert(content_is(scratch("a"), "hello"));
	cr_assert(content_is(scratch("empty"), ""));
	cr_assert_eq(probe_file(&prober, scratch("a"), &d, &st), 0);
	cr_assert_eq(st.stx_size, 5);
	cr_assert_eq(st.stx_mode & S_IFMT, S_IFREG);
	cr_assert_eq(prober.files_hashed, 2);
}

Test(probe, what_is_no_regular_file)
{
	struct digest d;

	mkdir(scratch("d"), 0700);
	mkfifo(scratch("fifo"), 0600);
	cr_assert_eq(symlink("loop", scratch("loop")), 0);
	scratch_write("a", "");
	cr_assert_eq(probe_file(&prober, scratch("d"), &d, NULL), -EISDIR);
	cr_assert_eq(probe_file(&prober, scratch("fifo"), &d, NULL), -ESPIPE);
	cr_assert_eq(probe_file(&prober, "/dev/null", &d, NULL), -ESPIPE);
	cr_assert_eq(probe_file(&prober, scratch("none"), &d, NULL), -ENOENT);
	cr_assert_eq(probe_file(&prober, scratch("a/b"), &d, NULL), -ENOTDIR);
	cr_assert_eq(probe_file(&prober, scratch("loop"), &d, NULL), -ELOOP);
	cr_assert_eq(probe_file(&prober, "", &d, NULL), -ENOENT);
	cr_assert_eq(probe_file_fresh(&prober, scratch("fifo"), &d), -ESPIPE);
	cr_assert_eq(probe_file_fresh(&prober, scratch("none"), &d), -ENOENT);
}

Test(probe, sizes_around_the_buffer)
{
	static const size_t sizes[] = {1, 255, HASHFILE_BUFFER - 1, HASHFILE_BUFFER,
	                               HASHFILE_BUFFER + 1, 3 * HASHFILE_BUFFER + 17};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *bytes = malloc(sizes[i]), name[16];
		struct digest d, want;
		FILE *f;

		for (size_t k = 0; k < sizes[i]; k++)
			bytes[k] = (char)(k * 31 + k / 251);
		snprintf(name, sizeof name, "f%zu", i);
		f = fopen(scratch(name), "w");
		fwrite(bytes, 1, sizes[i], f);
		fclose(f);
		digest_of(&want, bytes, sizes[i]);
		cr_assert_eq(probe_file(&prober, scratch(name), &d, NULL), 0);
		cr_assert(digest_equal(&d, &want), "size %zu", sizes[i]);
		free(bytes);
	}
}

Test(probe, a_file_that_hides_its_size_is_read_whole)
{
	struct digest d, want;
	char text[4096];
	int fd = open("/proc/version", O_RDONLY);
	ssize_t n = read(fd, text, sizeof text);

	close(fd);
	cr_assert_gt(n, 20);
	digest_of(&want, text, (size_t)n);
	cr_assert_eq(probe_file(&prober, "/proc/version", &d, NULL), 0);
	cr_assert(digest_equal(&d, &want));
}

Test(probe, answers_are_remembered_and_fresh_ones_are_not)
{
	struct digest d, two;

	scratch_write("a", "one");
	cr_assert(content_is(scratch("a"), "one"));
	scratch_write("a", "two");
	cr_assert(content_is(scratch("a"), "one"));
	digest_of(&two, "two", 3);
	cr_assert_eq(probe_file_fresh(&prober, scratch("a"), &d), 0);
	cr_assert(digest_equal(&d, &two));
}

static int writes_at = -1;

/* Writes the file's last byte while its first bytes are digested. */
static int write_last(const char *text, size_t n)
{
	(void)text;
	(void)n;
	if (writes_at >= 0)
		cr_assert_eq(pwrite(writes_at, "b", 1, 3 * HASHFILE_BUFFER), 1);
	return 0;
}

static int nowhere(const char *text, size_t n, struct arena *a)
{
	(void)text;
	(void)n;
	(void)a;
	return 0;
}

Test(probe, a_content_is_not_younger_than_its_times)
{
	static const struct probe_texts texts = {write_last, nowhere};
	char bytes[3 * HASHFILE_BUFFER + 2];
	struct timespec old[2] = {{1000, 0}, {1000, 0}};
	struct digest d, first;
	struct statx st;

	memset(bytes, 'a', sizeof bytes);
	bytes[sizeof bytes - 1] = '\0';
	scratch_write("a", bytes);
	writes_at = open(scratch("a"), O_WRONLY);
	cr_assert_eq(futimens(writes_at, old), 0);
	digest_of(&first, bytes, sizeof bytes - 1);
	prober_init(&prober, &arena, &memo, &texts);
	cr_assert_eq(probe_file(&prober, scratch("a"), &d, &st), 0);
	cr_assert_not(digest_equal(&d, &first));
	cr_assert_neq(st.stx_mtime.tv_sec, 1000);
	close(writes_at);
}

Test(probe, many_paths)
{
	unsigned type;
	char name[32];

	scratch_write("f1500", "");
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3000; i++) {
			snprintf(name, sizeof name, "f%d", i);
			cr_assert_eq(probe_present(&prober, scratch(name), &type),
			             i == 1500 ? 0 : -ENOENT);
		}
	cr_assert_eq(prober.count, 3000);
}

Test(probe, the_memo_saves_the_reading)
{
	scratch_write("a", "one");
	scratch_settle();
	cr_assert(content_is(scratch("a"), "one"));
	cr_assert_eq(prober.files_hashed, 1);
	anew();
	cr_assert(content_is(scratch("a"), "one"));
	cr_assert_eq(prober.files_hashed, 0);
}

/* The classic of "racy git": changed within the tick in which it was read, with the same size. */
Test(probe, an_answer_keeps_all_that_the_memo_asks_for)
{
	struct statx st = stat_of(scratch_dir), seen;
	struct {
		struct probe_answer answer;
		char path[8];
	} kept;

	probe_keep_seen(&kept.answer, &st);
	probe_seen(&kept.answer, &seen);
	cr_assert_eq(seen.stx_mask, st.stx_mask);
	cr_assert_eq(sys_statx_mount(&seen), sys_statx_mount(&st));
}

Test(probe, a_change_within_the_tick_is_seen)
{
	for (int i = 0; i < 200; i++) {
		char text[16];

		snprintf(text, sizeof text, "%03d", i);
		scratch_write("a", text);
		anew();
		cr_assert(content_is(scratch("a"), text), "round %d", i);
	}
}

Test(probe, large_files_are_digested_by_one_process_at_a_time)
{
	enum { N = 4 };
	FILE *f = fopen(scratch("large"), "w");
	int hashed = 0, status;
	pid_t child[N];

	cr_assert_eq(ftruncate(fileno(f), 64 << 20), 0);
	fclose(f);
	scratch_settle();
	for (int i = 0; i < N; i++) {
		child[i] = fork();
		if (!child[i]) {
			struct digest d;

			anew();
			if (probe_file(&prober, scratch("large"), &d, NULL))
				_exit(9);
			_exit((int)prober.files_hashed);
		}
	}
	for (int i = 0; i < N; i++) {
		waitpid(child[i], &status, 0);
		cr_assert(WIFEXITED(status));
		hashed += WEXITSTATUS(status);
	}
	cr_assert_eq(hashed, 1);
}

/* Whatever is asked first, "is it a link?" and "what is there?" have answers of their own. */
Test(probe, a_link_and_what_it_leads_to)
{
	struct prober other;
	unsigned type;

	mkdir(scratch("d"), 0700);
	scratch_write("d/f", "x");
	cr_assert_eq(symlink("d", scratch("l")), 0);
	for (int first = 0; first < 2; first++) {
		prober_init(&other, &arena, &memo, NULL);
		if (first)
			probe_no_link(&other, scratch("l"));
		cr_expect_eq(probe_present(&other, scratch("l"), &type), 0);
		cr_expect_eq(type, S_IFDIR);
		cr_expect_eq(probe_no_link(&other, scratch("l")), -ELOOP);
		cr_expect_eq(probe_real(&other, scratch("l/f")), -ELOOP);
		if (first)
			probe_no_link(&other, scratch("d"));
		cr_expect_eq(probe_present(&other, scratch("d"), &type), 0);
		cr_expect_eq(type, S_IFDIR);
		cr_expect_eq(probe_no_link(&other, scratch("d")), 0);
		cr_expect_eq(probe_real(&other, scratch("d/f")), 0);
	}
}

Test(probe, types_stats_links_and_real_paths)
{
	struct stat want;
	struct statx st;
	unsigned type;
	const char *text;
	char real[4096];

	scratch_write("a", "x");
	mkdir(scratch("d"), 0700);
	cr_assert_eq(symlink("../a", scratch("d/l")), 0);
	cr_assert_eq(symlink("none", scratch("dangling")), 0);
	cr_assert_eq(probe_present(&prober, scratch("d/l"), &type), 0);
	cr_assert_eq(type, S_IFREG);
	cr_assert_eq(probe_present(&prober, scratch("d"), &type), 0);
	cr_assert_eq(type, S_IFDIR);
	cr_assert_eq(probe_present(&prober, scratch("dangling"), &type), -ENOENT);
	cr_assert_eq(probe_stat(&prober, scratch("d/l"), &st), 0);
	stat(scratch("a"), &want);
	cr_assert_eq(st.stx_ino, want.st_ino);
	cr_assert_eq(st.stx_mtime.tv_nsec, want.st_mtim.tv_nsec);
	cr_assert_eq(probe_symlink(&prober, scratch("d/l"), &text), 0);
	cr_assert_str_eq(text, "../a");
	cr_assert_eq(probe_symlink(&prober, scratch("a"), &text), -EINVAL);
	cr_assert_eq(probe_symlink(&prober, scratch("none"), &text), -ENOENT);
	cr_assert_eq(probe_no_link(&prober, scratch("d/l")), -ELOOP);
	cr_assert_eq(probe_no_link(&prober, scratch("dangling")), -ELOOP);
	cr_assert_eq(probe_no_link(&prober, scratch("a")), 0);
	cr_assert_eq(probe_no_link(&prober, scratch("d")), 0);
	cr_assert_eq(probe_no_link(&prober, scratch("none")), 0);
	cr_assert_eq(probe_no_link(&prober, scratch("a/none")), 0);
	cr_assert_eq(probe_stat(&prober, scratch("d/l"), &st), 0, "not the link's own state");
	cr_assert(realpath(scratch("d/../d/l"), real));
	cr_assert_eq(probe_realpath(&prober, scratch("d/../d/l"), &text), 0);
	cr_assert_str_eq(text, real);
	cr_assert_eq(probe_realpath(&prober, scratch("dangling"), &text), -ENOENT);
}

Test(probe, real_paths)
{
	struct statx st;

	mkdir(scratch("d"), 0700);
	mkdir(scratch("d/e"), 0700);
	scratch_write("d/e/f", "");
	cr_assert_eq(symlink("d", scratch("l")), 0);
	cr_assert_eq(symlink("f", scratch("d/e/g")), 0);
	cr_assert_eq(probe_real(&prober, scratch("d/e/f")), 0);
	cr_assert_eq(probe_real(&prober, scratch("d/e/f")), 0, "remembered");
	cr_assert_eq(probe_real(&prober, scratch("d/e")), 0);
	cr_assert_eq(probe_real(&prober, scratch("d/e/g")), -ELOOP);
	cr_assert_eq(probe_real(&prober, scratch("l/e/f")), -ELOOP);
	cr_assert_eq(probe_real(&prober, scratch("l/e")), -ELOOP);
	cr_assert_eq(probe_real(&prober, scratch("l")), -ELOOP);
	cr_assert_eq(probe_real(&prober, scratch("d/none")), -ENOENT);
	cr_assert_eq(probe_real(&prober, "/"), 0);
	/* After a look at a link, the target is still asked for. */
	cr_assert_eq(probe_stat(&prober, scratch("d/e/g"), &st), 0);
	cr_assert(S_ISREG(st.stx_mode));
	/* Relative: below a directory that is real, of one letter too. */
	anew();
	cr_assert_eq(chdir(scratch("")), 0);
	cr_assert_eq(probe_real(&prober, "d/e/f"), 0);
	cr_assert_eq(probe_real(&prober, "l/e/f"), -ELOOP);
	cr_assert_eq(rename("d", "x"), 0);
	cr_assert_eq(symlink("x", "d"), 0);
	cr_assert_eq(probe_real(&prober, "d/e/f"), 0, "as it was asked first");
	anew();
	cr_assert_eq(probe_real(&prober, "d/e/f"), -ELOOP);
}

/* Root filled the memo. A forked child has its mapping, but not root's rights. */
static int ask_secret(void)
{
	struct digest d;

	prober_init(&prober, &arena, &memo, NULL);
	return -probe_file(&prober, scratch("secret"), &d, NULL);
}

Test(probe, a_known_digest_is_no_right_to_read)
{
	scratch_write("secret", "s");
	chmod(scratch("secret"), 0600);
	scratch_settle();
	cr_assert(content_is(scratch("secret"), "s"));
	anew();
	cr_assert(content_is(scratch("secret"), "s"));
	cr_assert_eq(prober.files_hashed, 0);
	cr_assert_eq(scratch_as_nobody(ask_secret), EACCES);
}

Test(probe, files_that_were_met)
{
	struct statx st;

	scratch_write("a", "hello");
	cr_assert_eq(sys_statx(AT_FDCWD, scratch("a"), 0, STATX_BASIC_STATS, &st), 0);
	cr_expect_not(probe_led_to(&prober, &st, ""));
	cr_assert_eq(symlink("a", scratch("link")), 0);
	cr_assert_eq(probe_stat(&prober, scratch("link"), NULL), 0);
	cr_expect(probe_led_to(&prober, &st, scratch("a")));
	cr_expect_not(probe_led_to(&prober, &st, scratch("link")));
}
