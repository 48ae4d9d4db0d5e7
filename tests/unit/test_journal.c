/* The journal: any bytes there and back, order, rotation, cut lines. */
#include "store_fixture.h"

#include "store/job/journal.h"

TestSuite(journal, .init = fixture_start, .fini = fixture_stop);

static struct journal_record out[64];

static struct journal_record record(int pid, const char *detail)
{
	return (struct journal_record){.time = 1700000000 + pid, .pid = pid, .job = "job",
	                               .tool = "gcc",
	                               .verdict = "miss", .reason = "input", .detail = detail,
	                               .cwd = "/home/u", .key = "abc", .key_history = NULL,
	                               .argv = "gcc -c a.c"};
}

static const char *journal_path(void)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/journal", store.runtime_dir);
	return path;
}

Test(journal, any_bytes_but_nul)
{
	char all[256];
	struct journal_record r;

	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	r = record(1, all);
	journal_add(&store, &r);
	r = record(2, "\\x41\\t\\");
	journal_add(&store, &r);
	cr_assert_eq(journal_read(&store, out, 64, &arena), 2);
	cr_expect_str_eq(out[0].detail, all);
	cr_expect_str_eq(out[1].detail, "\\x41\\t\\");
	cr_expect_eq(out[0].time, 1700000001);
	cr_expect_eq(out[0].pid, 1);
	cr_expect_str_eq(out[0].job, "job");
	cr_expect_str_eq(out[0].tool, "gcc");
	cr_expect_str_eq(out[0].verdict, "miss");
	cr_expect_str_eq(out[0].reason, "input");
	cr_expect_str_eq(out[0].cwd, "/home/u");
	cr_expect_str_eq(out[0].key, "abc");
	cr_expect_str_eq(out[0].key_history, "");
	cr_expect_str_eq(out[0].argv, "gcc -c a.c");
}

Test(journal, newest_last_and_at_most)
{
	for (int i = 1; i <= 10; i++) {
		struct journal_record r = record(i, "");
		journal_add(&store, &r);
	}
	cr_assert_eq(journal_read(&store, out, 4, &arena), 4);
	for (int i = 0; i < 4; i++)
		cr_expect_eq(out[i].pid, 7 + i);
	cr_assert_eq(journal_read(&store, out, 64, &arena), 10);
	cr_expect_eq(out[0].pid, 1);
	cr_expect_eq(out[9].pid, 10);
}

Test(journal, none)
{
	struct store nowhere = {0};
	struct journal_record r = record(1, "");

	cr_expect_eq(journal_read(&store, out, 64, &arena), 0);
	journal_add(&nowhere, &r);
	cr_expect_eq(journal_read(&nowhere, out, 64, &arena), -1);
}

Test(journal, long_command_lines_are_cut)
{
	static char argv[100000];
	struct journal_record r = record(1, "");

	memset(argv, 'a', sizeof argv - 1);
	r.argv = argv;
	journal_add(&store, &r);
	cr_assert_eq(journal_read(&store, out, 64, &arena), 1);
	cr_expect_eq(strlen(out[0].argv), 1024);
}

Test(journal, rotates_once_and_reads_both)
{
	static char detail[4000];
	struct stat st;
	char old[300];
	int n;

	memset(detail, 'd', sizeof detail - 1);
	for (int i = 1; i <= 300; i++) {
		struct journal_record r = record(i, detail);
		journal_add(&store, &r);
	}
	snprintf(old, sizeof old, "%s.1", journal_path());
	cr_expect(exists(old));
	cr_assert_eq(stat(journal_path(), &st), 0);
	cr_expect_lt(st.st_size, JOURNAL_BYTES_MAX);
	n = journal_read(&store, out, 64, &arena);
	cr_assert_eq(n, 64);
	for (int i = 0; i < n; i++)
		cr_expect_eq(out[i].pid, 300 - 63 + i);
}

Test(journal, malformed_lines_are_passed_over)
{
	static const char text[] =
		"\n" "no fields\n" "1\t2\t3\n"
		"1\t2\tj\tt\tv\tr\td\tc\tk\ttr\ta\tone too many\n"
		"x\t2\tj\tt\tv\tr\td\tc\tk\ttr\ta\n" /* no time */
		"1\t99999999999\tj\tt\tv\tr\td\tc\tk\ttr\ta\n"
		"1\t2\tj\tt\tv\tr\tbad \\q\tc\tk\ttr\ta\n"
		"1\t2\tj\tt\tv\tr\tbad \\x0\tc\tk\ttr\ta\n"
		"1\t2\tj\tt\tv\tr\tbad \\x00\tc\tk\ttr\ta\n"
		"1\t7\tj\tt\tv\tr\td\tc\tk\ttr\ta\n"
		"1\t8\tj\tt\tv\tr\td\tc\tk\ttr\tcut";

	write_file(journal_path(), text, sizeof text - 1);
	cr_assert_eq(journal_read(&store, out, 64, &arena), 1);
	cr_expect_eq(out[0].pid, 7);
}

static int add_many(int number)
{
	static char detail[3000];
	struct journal_record r = record(number, detail);

	memset(detail, 'a' + r.pid, sizeof detail - 1);
	for (int i = 0; i < 30; i++)
		journal_add(&store, &r);
	return 0;
}

Test(journal, lines_of_several_processes_do_not_mix)
{
	static struct journal_record many[200];

	crowd_start(5, add_many);
	crowd_end();
	cr_assert_eq(journal_read(&store, many, 200, &arena), 150);
	for (int i = 0; i < 150; i++) {
		cr_assert_eq(strlen(many[i].detail), 2999);
		cr_expect_eq(many[i].detail[0], 'a' + many[i].pid);
		cr_expect_eq(many[i].detail[2998], 'a' + many[i].pid);
	}
}

/* Made by tests/data/make-specimens.py. */
Test(journal, specimen)
{
	unsigned char file[512], again[512];
	size_t n = read_whole("tests/data/journal-v1.bin", file, sizeof file);
	struct journal_record r;

	write_file(journal_path(), file, n);
	cr_assert_eq(journal_read(&store, out, 64, &arena), 1);
	r = out[0];
	cr_expect_eq(r.time, 1700000000);
	cr_expect_eq(r.pid, 4711);
	cr_expect_str_eq(r.reason, "input");
	cr_expect_str_eq(r.detail, "a\tb\nc\\d\x01\xc3\xa9");
	cr_expect_eq(strlen(r.key), 64);
	cr_expect_str_eq(r.key_history, "");
	cr_assert_eq(unlink(journal_path()), 0);
	journal_add(&store, &r);
	cr_assert_eq(read_whole(journal_path(), again, sizeof again), n);
	cr_expect_eq(memcmp(file, again, n), 0);
}
