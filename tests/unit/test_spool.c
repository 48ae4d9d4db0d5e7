/* The spool: added records come out, whatever process is killed and whatever the files hold. */
#include "store_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "store/queue/spool.h"

TestSuite(spool, .init = fixture_start_in_memory, .fini = fixture_stop);

static struct spool_record record(unsigned n)
{
	struct spool_record r = {.class = n % 2 ? STORE_MANIFEST : STORE_RESULT,
	                         .made_at = 1000 + n,
	                         .wall_ns = n};

	memcpy(r.key.b, &n, sizeof n);
	r.result = key_of("result");
	memset(r.lease, (int)(n % 3), sizeof r.lease);
	return r;
}

static unsigned number(const struct spool_record *r)
{
	unsigned n;

	memcpy(&n, r->key.b, sizeof n);
	return n;
}

static int files(void)
{
	DIR *d = opendir(in_spool(""));
	int n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static size_t pending(void)
{
	size_t n;
	int64_t age;

	cr_assert_eq(spool_pending(&store, &n, &age), 0);
	return n;
}

Test(spool, a_result_names_its_job)
{
	struct spool_record r = {.class = STORE_RESULT, .key = key_of("k")},
	                    candidate = {.class = STORE_MANIFEST, .result = key_of("r")};
	struct spool_batch b = SPOOL_BATCH_INIT;
	char job[DIGEST_SIZE + 1];

	cr_expect_str_eq(spool_job(&r, job), "");
	spool_set_job(&r, "a name, of forty letters: it does not fit");
	cr_expect_str_eq(spool_job(&r, job), "");
	spool_set_job(&r, "job.1234567890123456789012345678"); /* 32 */
	cr_assert_eq(spool_add(&store, &r), 0);
	spool_set_job(&candidate, "j");
	cr_expect_str_eq(spool_job(&candidate, job), "");
	cr_assert_eq(spool_add(&store, &candidate), 0);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_assert_eq(b.count, 2);
	cr_expect_str_eq(spool_job(&b.v[0], job), "job.1234567890123456789012345678");
	struct digest result = key_of("r");
	cr_expect(digest_equal(&b.v[1].result, &result));
	spool_batch_free(&b);
}

Test(spool, what_goes_in_comes_out)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	int64_t age;
	size_t n;

	cr_expect_eq(pending(), 0);
	for (unsigned i = 0; i < 200; i++) {
		struct spool_record r = record(i);
		cr_assert_eq(spool_add(&store, &r), 0);
	}
	cr_expect_eq(spool_pending(&store, &n, &age), 0);
	cr_expect_eq(n, 200);
	cr_expect_gt(age, 1000000);
	cr_assert_eq(spool_take(&store, &b, &fault), 0, "%s", fault.text);
	cr_assert_eq(b.count, 200);
	for (unsigned i = 0; i < 200; i++) {
		struct spool_record r = record(i);
		cr_expect_eq(memcmp(b.v[i].key.b, r.key.b, DIGEST_SIZE), 0);
		cr_expect(digest_equal(&b.v[i].result, &r.result));
		cr_expect_eq(memcmp(b.v[i].lease, r.lease, SPOOL_TOKEN), 0);
		cr_expect_eq(b.v[i].class, r.class);
		cr_expect_eq(b.v[i].made_at, r.made_at);
		cr_expect_eq(b.v[i].wall_ns, r.wall_ns);
	}
	cr_expect_eq(pending(), 200, "until they are done");
	for (size_t i = 0; i < 199; i++)
		spool_done(&store, &b, i, 1);
	cr_expect_eq(b.left, 1);
	cr_expect_eq(files(), 1);
	spool_done(&store, &b, 199, 1);
	cr_expect_eq(b.count, 0);
	cr_expect_eq(files(), 0);
	cr_expect_eq(pending(), 0);
}

Test(spool, what_a_killed_publisher_left_comes_first)
{
	struct spool_batch b = SPOOL_BATCH_INIT;

	for (unsigned i = 0; i < 3; i++) {
		struct spool_record r = record(i);
		struct spool_batch dead = SPOOL_BATCH_INIT;

		spool_add(&store, &r);
		cr_assert_eq(spool_take(&store, &dead, &fault), 0);
		spool_batch_free(&dead);
	}
	struct spool_record r = record(3);
	spool_add(&store, &r);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_assert_eq(b.count, 4);
	for (unsigned i = 0; i < 4; i++)
		cr_expect_eq(number(&b.v[i]), i);
	/* Records may be added while a publisher works. */
	r = record(4);
	spool_add(&store, &r);
	spool_done(&store, &b, 3, 1);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_assert_eq(b.count, 5);
	cr_expect_eq(number(&b.v[4]), 4);
	cr_expect_eq(b.done[3], 1);
	for (size_t i = 0; i < 5 && b.count; i++)
		spool_done(&store, &b, i, 1);
	cr_expect_eq(files(), 0);
}

Test(spool, damaged_records_are_skipped_and_counted)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	unsigned char bytes[8 * 128];
	size_t n;

	for (unsigned i = 0; i < 6; i++) {
		struct spool_record r = record(i);
		spool_add(&store, &r);
	}
	n = read_whole(in_spool("queue"), bytes, sizeof bytes);
	cr_assert_eq(n, 6 * 128);
	bytes[128 + 50] ^= 1;                              /* one changed */
	memmove(bytes + 3 * 128 + 40, bytes + 4 * 128, 256); /* one cut short, as by a full disk */
	write_file(in_spool("queue"), bytes, n - 88);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_assert_eq(b.count, 4, "%zu", b.count);
	cr_expect_eq(number(&b.v[0]), 0);
	cr_expect_eq(number(&b.v[1]), 2);
	cr_expect_eq(number(&b.v[2]), 4);
	cr_expect_eq(number(&b.v[3]), 5);
	cr_expect_eq(counted(COUNTER_SPOOL_DROPPED), 2);
	spool_batch_free(&b);
}

Test(spool, nothing_but_noise)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	unsigned char noise[10000];
	struct spool_record r = record(1);

	srandom(3);
	spool_add(&store, &r);
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (unsigned char)random();
	write_file(in_spool("queue"), noise, sizeof noise);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_expect_eq(b.count, 0);
	cr_expect_eq(files(), 0, "it does not stay for ever");
}

Test(spool, what_is_no_file_is_left_out)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	struct spool_record r = record(1);

	cr_assert_eq(spool_add(&store, &r), 0);
	cr_assert_eq(rename(in_spool("queue"), in_spool("work.5.1")), 0);
	cr_assert_eq(mkdir(in_spool("work.1.1"), 0700), 0);
	cr_assert_eq(symlink("work.5.1", in_spool("work.2.1")), 0);
	cr_assert_eq(mkfifo(in_spool("work.3.1"), 0600), 0);
	/* No reader is waited for, and the record is not reported as kept. */
	cr_assert_eq(mkfifo(in_spool("queue"), 0600), 0);
	cr_expect_eq(spool_add(&store, &r), -1);
	cr_expect_eq(pending(), 1);
	cr_assert_eq(spool_take(&store, &b, &fault), 0, "%s", fault.text);
	cr_assert_eq(b.count, 1, "%zu", b.count);
	cr_expect_eq(number(&b.v[0]), 1);
	r = record(2);
	cr_assert_eq(spool_add(&store, &r), 0, "the FIFO was taken");
	cr_assert_eq(spool_take(&store, &b, &fault), 0, "%s", fault.text);
	cr_assert_eq(b.count, 2);
	spool_done(&store, &b, 0, 1);
	spool_done(&store, &b, 1, 1);
	cr_expect_eq(pending(), 0);
	spool_batch_free(&b);
}

Test(spool, more_than_a_queue_holds)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	struct spool_record r = record(1);

	cr_assert_eq(spool_add(&store, &r), 0);
	cr_assert_eq(truncate(in_spool("queue"), 1ll << 36), 0, "a hole: no disk is filled");
	cr_assert_eq(spool_take(&store, &b, &fault), 0, "%s", fault.text);
	cr_assert_eq(b.count, 1);
	spool_done(&store, &b, 0, 1);
	cr_expect_eq(files(), 0);
	spool_batch_free(&b);
}

Test(spool, a_full_queue_drops)
{
	struct spool_record r = record(1);
	struct spool_batch b = SPOOL_BATCH_INIT;

	spool_add(&store, &r);
	cr_assert_eq(truncate(in_spool("queue"), 128ll * SPOOL_RECORDS_MAX), 0);
	cr_expect_eq(spool_add(&store, &r), -1);
	cr_expect_eq(counted(COUNTER_SPOOL_DROPPED), 1);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_expect_eq(b.count, 1);
	cr_expect_eq(spool_add(&store, &r), 0);
	spool_batch_free(&b);
}

Test(spool, no_store_no_spool)
{
	struct store none = {0};
	struct spool_record r = record(1);
	struct spool_batch b = SPOOL_BATCH_INIT;
	size_t n;
	int64_t age;

	cr_expect_eq(spool_add(&none, &r), -1);
	cr_expect_eq(spool_take(&none, &b, &fault), -1);
	cr_expect_eq(spool_pending(&none, &n, &age), -1);
	none = store;
	none.remote[0] = '\0';
	cr_expect_eq(spool_add(&none, &r), -1, "for whom?");
	cr_expect_eq(spool_take(&none, &b, &fault), -1);
	cr_expect_not(exists(in_root("cache/spool")));
	store.writable = 0;
	cr_expect_eq(spool_add(&store, &r), -1);
}

Test(spool, what_a_vanished_host_left_is_taken_over)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	struct spool_record r = record(7);

	spool_add(&store, &r);
	shell("mv '%s/spool'/* '%1$s/x' && mkdir -p '%1$s/spool' && mv '%1$s/x' '%1$s/spool/pod-1'",
	      cache);
	shell("cp -r '%s/spool/pod-1' '%1$s/spool/pod-2'", cache);
	shell("touch -d '2 hours ago' '%s/spool/pod-1/" REMOTE_TAG_LOCAL "/queue'", cache);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_assert_eq(b.count, 1, "the other may still live");
	cr_expect_eq(number(&b.v[0]), 7);
	cr_expect_not(exists(in_root("cache/spool/pod-1")));
	cr_expect(exists(in_root("cache/spool/pod-2/" REMOTE_TAG_LOCAL "/queue")));
	spool_batch_free(&b);
}

/* The same store in a job that names another remote store. */
static struct store other_store(void)
{
	struct store other;

	open_store(&other, "REPRISE_REDIS_URL=redis://other");
	cr_assert_str_neq(other.remote, store.remote);
	return other;
}

Test(spool, jobs_with_other_remotes_do_not_meet)
{
	struct spool_batch b = SPOOL_BATCH_INIT, of_other = SPOOL_BATCH_INIT;
	struct store other = other_store();
	struct spool_record r;
	int64_t age;
	size_t n;

	for (unsigned i = 0; i < 5; i++) {
		r = record(i);
		cr_assert_eq(spool_add(i == 3 ? &other : &store, &r), 0);
	}
	cr_expect_eq(pending(), 4);
	cr_expect_eq(spool_elsewhere(&store), 1);
	cr_expect_eq(spool_elsewhere(&other), 4);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_assert_eq(b.count, 4);
	cr_expect_eq(number(&b.v[3]), 4);
	cr_assert_eq(spool_take(&other, &of_other, &fault), 0);
	cr_assert_eq(of_other.count, 1);
	cr_expect_eq(number(&of_other.v[0]), 3);
	for (size_t i = 0; i < 4; i++)
		spool_done(&store, &b, i, 1);
	cr_expect_eq(pending(), 0);
	cr_expect_eq(spool_elsewhere(&store), 1, "taken and not done");
	cr_assert_eq(spool_pending(&other, &n, &age), 0);
	cr_expect_eq(n, 1);
	spool_batch_free(&of_other);
}

Test(spool, a_vanished_host_leaves_each_remote_its_own)
{
	struct spool_batch b = SPOOL_BATCH_INIT, of_other = SPOOL_BATCH_INIT;
	struct store other = other_store();
	struct spool_record r = record(7);

	spool_add(&store, &r);
	r = record(8);
	spool_add(&other, &r);
	shell("mv '%s/spool'/* '%1$s/x' && mkdir -p '%1$s/spool' && mv '%1$s/x' '%1$s/spool/pod-1'",
	      cache);
	shell("touch -d '2 hours ago' '%s'/spool/pod-1/*/queue", cache);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_assert_eq(b.count, 1);
	cr_expect_eq(number(&b.v[0]), 7);
	cr_expect(exists(in_root("cache/spool/pod-1")), "the other's is there");
	cr_assert_eq(spool_take(&other, &of_other, &fault), 0);
	cr_assert_eq(of_other.count, 1);
	cr_expect_eq(number(&of_other.v[0]), 8);
	cr_expect_not(exists(in_root("cache/spool/pod-1")));
	spool_batch_free(&b);
	spool_batch_free(&of_other);
}

/* Queues of earlier versions name no remote store: they are not sent. */
Test(spool, queues_that_name_no_remote_are_not_sent)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	struct spool_record r = record(1);

	spool_add(&store, &r);
	shell("cd '%s'/spool/* && mv " REMOTE_TAG_LOCAL "/queue . && cp queue "
	      "work.0000000000000001.1", cache);
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	cr_expect_eq(b.count, 0);
	cr_expect_eq(pending(), 0);
	cr_expect_eq(spool_elsewhere(&store), 0);
}

static int take_lock(void *unused)
{
	struct lock l;

	(void)unused;
	return spool_publisher_take(&store, &l);
}

Test(spool, one_publisher)
{
	struct lock l;

	cr_expect_eq(spool_publisher_busy(&store), 0);
	cr_expect_eq(spool_publisher_take(&store, &l), LOCK_HELD);
	cr_expect_eq(spool_publisher_busy(&store), 1);
	cr_expect_eq(in_child(take_lock, NULL), LOCK_TIMEOUT);
	cr_expect_eq(spool_publisher_busy(&store), 1);
	struct store other = other_store();
	struct lock of_other;
	cr_expect_eq(spool_publisher_busy(&other), 0, "another remote has its own");
	cr_expect_eq(spool_publisher_take(&other, &of_other), LOCK_HELD);
	lock_release(&of_other);
	lock_release(&l);
	cr_expect_eq(spool_publisher_busy(&store), 0);
	cr_expect_eq(in_child(take_lock, NULL), LOCK_HELD, "and its end frees it");
	cr_expect_eq(spool_publisher_busy(&store), 0);
}

/* Adders and publishers are killed at any moment. A publisher that does not die sees each kept
 * record. Shared: the adder sets acknowledged[n]; a publisher sets published[n] before it marks the
 * record done. */
#define ADDERS 4
#define NUMBERS 20000
/* An adder adds at most this many records, and then waits for its end, even if it is seldom
 * killed. */
#define ADDS_IN_A_LIFE 500
static unsigned char *acknowledged, *published;

static void add_from(unsigned lane)
{
	struct store own;

	open_store(&own, NULL);
	for (unsigned n = lane, added = 0; n < NUMBERS && added < ADDS_IN_A_LIFE; n += ADDERS) {
		struct spool_record r = record(n);

		if (acknowledged[n])
			continue;
		if (spool_add(&own, &r) == 0)
			acknowledged[n] = 1;
		added++;
	}
	sleep(60);
}

static void publish_all(void)
{
	struct spool_batch b = SPOOL_BATCH_INIT;
	struct store own;
	struct lock l;

	open_store(&own, NULL);
	if (spool_publisher_take(&own, &l) != LOCK_HELD)
		return;
	for (;;) {
		if (spool_take(&own, &b, &fault) < 0)
			return;
		for (size_t i = 0, n = b.count; i < n; i++) {
			published[number(&b.v[i])] = 1;
			spool_done(&own, &b, i, 1);
		}
		usleep(200);
	}
}

Test(spool, nothing_is_lost_by_kills)
{
	acknowledged = mmap(NULL, 2 * NUMBERS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                    -1, 0);
	published = acknowledged + NUMBERS;
	pid_t adder[ADDERS] = {0}, publisher = 0;
	unsigned seed = (unsigned)time(NULL), left = 1, kills = 0;
	int status;

	srandom(seed);
	while (left) {
		for (unsigned i = 0; i < ADDERS; i++)
			if (!adder[i] && (adder[i] = fork()) == 0) {
				add_from(i);
				_exit(0);
			}
		if (!publisher && (publisher = fork()) == 0) {
			publish_all();
			_exit(0);
		}
		usleep((useconds_t)(random() % 3000));
		unsigned victim = (unsigned)random() % (ADDERS + 1);
		pid_t *pid = victim < ADDERS ? &adder[victim] : &publisher;
		kill(*pid, SIGKILL);
		waitpid(*pid, &status, 0);
		kills += WIFSIGNALED(status);
		*pid = 0;
		left = 0;
		for (unsigned n = 0; n < NUMBERS; n++)
			left += !acknowledged[n];
	}
	for (unsigned i = 0; i < ADDERS; i++)
		if (adder[i]) {
			kill(adder[i], SIGKILL);
			waitpid(adder[i], &status, 0);
		}
	if (publisher) {
		kill(publisher, SIGKILL);
		waitpid(publisher, &status, 0);
	}
	/* A last publisher finds all other records. */
	struct spool_batch b = SPOOL_BATCH_INIT;
	cr_assert_eq(spool_take(&store, &b, &fault), 0);
	for (size_t i = 0, n = b.count; i < n; i++) {
		published[number(&b.v[i])] = 1;
		spool_done(&store, &b, i, 1);
	}
	unsigned lost = 0;
	for (unsigned n = 0; n < NUMBERS; n++)
		lost += acknowledged[n] && !published[n];
	cr_expect_eq(lost, 0, "%u of %u lost after %u kills, seed %u", lost, NUMBERS, kills, seed);
	cr_expect_geq(kills, NUMBERS / ADDS_IN_A_LIFE - ADDERS);
	cr_expect_eq(files(), 0);
}
