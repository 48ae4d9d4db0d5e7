/* Offers: the publisher gets all offers of jobs, in order, even if processes are killed, and with
 * any file. */
#include "store_fixture.h"

#include <sys/mman.h>

#include "shim/buf.h"
#include "shim/log.h"
#include "units/offer.h"
#include "units/unit_event.h"

TestSuite(offer, .init = fixture_start, .fini = fixture_stop);

static struct offer offer(unsigned n)
{
	static char path[8][64];
	char *p = path[n % 8];
	struct offer o = {.class = UNIT_TRITON, .uid = 1000 + n, .dev = 8ull << 32 | 1, .ino = n,
	                  .size = 10ull * n,
	                  .ctime_ns = 1700000000000000000ll + n, .made_at = 1000 + n,
	                  .opened = (int)(n % 2), .local = (int)(n % 3 == 0),
	                  .path = p, .member = "__grp__k.json",
	                  .scope = n % 3 ? "world=8 rank=3" : "", .name = "B",
	                  .job = "job"};

	snprintf(p, sizeof path[0], "/cache/%u", n);
	o.key = key_of("unit");
	return o;
}

static size_t pending(void)
{
	size_t n;
	int64_t age;

	cr_assert_eq(offers_pending(&store, &n, &age), 0);
	return n;
}

static void add(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		struct offer o = offer(i);

		cr_assert_eq(offer_add(&store, &o), 0);
	}
}

Test(offer, what_goes_in_comes_out_oldest_first)
{
	struct offer out[16];
	char token[OFFER_TOKEN];
	int64_t age;
	size_t n;
	unsigned next = 0;

	cr_expect_eq(offers_take(&store, out, 16, token, &arena, &fault), 0);
	add(0, 50);
	cr_expect_eq(counted(COUNTER_UNITS_OFFERED), 50);
	cr_expect_eq(offers_pending(&store, &n, &age), 0);
	cr_expect_eq(n, 50);
	cr_expect_gt(age, 1000000);
	for (int count; (count = offers_take(&store, out, 16, token, &arena, &fault)) > 0;) {
		for (int i = 0; i < count; i++, next++) {
			struct offer o = offer(next);

			cr_assert_str_eq(out[i].path, o.path);
			cr_expect_str_eq(out[i].member, o.member);
			cr_expect_str_eq(out[i].scope, o.scope);
			cr_expect_str_eq(out[i].name, o.name);
			cr_expect_str_eq(out[i].job, o.job);
			cr_expect(digest_equal(&out[i].key, &o.key));
			cr_expect_eq(out[i].class, o.class);
			cr_expect_eq(out[i].uid, o.uid);
			cr_expect_eq(out[i].dev, o.dev);
			cr_expect_eq(out[i].ino, o.ino);
			cr_expect_eq(out[i].size, o.size);
			cr_expect_eq(out[i].ctime_ns, o.ctime_ns);
			cr_expect_eq(out[i].made_at, o.made_at);
			cr_expect_eq(out[i].opened, o.opened);
			cr_expect_eq(out[i].local, o.local);
		}
		cr_expect_eq(pending(), (next > 16 ? 60 : 50) - (next - (unsigned)count),
		             "until they are done");
		if (next == 16) /* a later offer waits behind */
			add(50, 60);
		offers_done(&store, token);
		cr_expect_eq(pending(), (next < 16 ? 50 : 60) - next);
	}
	cr_expect_eq(next, 60);
	cr_expect_eq(pending(), 0);
	cr_expect_eq(counted(COUNTER_UNITS_DROPPED), 0);
}

Test(offer, what_a_killed_publisher_took_comes_again)
{
	struct offer out[8];
	char token[OFFER_TOKEN], second[OFFER_TOKEN];

	add(0, 6);
	cr_assert_eq(offers_take(&store, out, 4, token, &arena, &fault), 4);
	offers_done(&store, token);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 2);
	cr_assert_eq(offers_take(&store, out, 8, second, &arena, &fault), 2, "not done");
	cr_expect_eq(out[0].ino, 4);
	offers_done(&store, second);
	cr_expect_eq(offers_take(&store, out, 8, token, &arena, &fault), 0);
	offers_done(&store, second); /* there is no such batch: nothing happens */
	offers_done(&store, "rubbish");
	offers_done(&store, "../../x/00000000");
}

Test(offer, damaged_records_are_skipped_and_counted)
{
	static unsigned char bytes[8192];
	struct offer out[8];
	char token[OFFER_TOKEN];
	struct arena a = ARENA_INIT;
	struct buf one = BUF_INIT(&a);
	struct offer o = offer(0);

	offer_encode(&one, &o);
	add(0, 6);
	size_t n = read_whole(in_spool("offers"), bytes, sizeof bytes);
	bytes[one.len + 60] ^= 1; /* one changed */
	write_file(in_spool("offers"), bytes, n - 30);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 4);
	cr_expect_eq(out[0].ino, 0);
	cr_expect_eq(out[1].ino, 2);
	cr_expect_eq(out[3].ino, 4);
	cr_expect_eq(counted(COUNTER_UNITS_DROPPED), 2);
	offers_done(&store, token);
	cr_expect_eq(pending(), 0);
	/* A file of noise alone is removed in the end. */
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 31 >> 3);
	write_file(in_spool("offers"), bytes, sizeof bytes);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 0);
	cr_expect_eq(exists(in_spool("offers")), 0);
	arena_free(&a);
}

/* Longer than is read at once, with damage at every place where a window might end. */
Test(offer, more_than_a_window)
{
	struct offer out[64];
	char token[OFFER_TOKEN];
	static char scope[20000];
	unsigned seen = 0;

	memset(scope, 's', sizeof scope - 1);
	for (unsigned i = 0; i < 200; i++) {
		struct offer o = offer(i);

		o.scope = scope + i * 97 % 5000;
		cr_assert_eq(offer_add(&store, &o), 0);
	}
	for (int count; (count = offers_take(&store, out, 64, token, &arena, &fault)) > 0;
	     offers_done(&store, token))
		for (int i = 0; i < count; i++, seen++) {
			cr_assert_eq(out[i].ino, seen);
			cr_assert_eq(strlen(out[i].scope), sizeof scope - 1 - seen * 97 % 5000);
		}
	cr_expect_eq(seen, 200);
	cr_expect_eq(counted(COUNTER_UNITS_DROPPED), 0);
}

Test(offer, one_odd_file_stops_nothing)
{
	struct offer out[8];
	char token[OFFER_TOKEN];

	add(0, 2);
	shell("cd '%s/spool/'*/* && mkdir units.0000000000000000.1 && ln -s / "
	      "units.0000000000000001.1 && mkfifo units.0000000000000002.1", cache);
	cr_expect_eq(pending(), 2);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 2, "%s", fault.text);
	offers_done(&store, token);
	cr_expect_eq(offers_take(&store, out, 8, token, &arena, &fault), 0, "%s", fault.text);
	shell("cd '%s/spool/'*/* && mkdir units", cache);
	cr_expect_eq(offers_take(&store, out, 8, token, &arena, &fault), 0, "%s", fault.text);
	add(2, 3);
	cr_expect_eq(offers_take(&store, out, 8, token, &arena, &fault), 1, "%s", fault.text);
}

Test(offer, what_cannot_be_kept_is_counted)
{
	static char scope[OFFER_RECORD_MAX];
	struct offer o = offer(1);

	memset(scope, 's', sizeof scope - 1);
	o.scope = scope;
	cr_expect_eq(offer_add(&store, &o), -1, "too long");
	add(1, 2);
	cr_assert_eq(truncate(in_spool("offers"), OFFER_BYTES_MAX), 0);
	o = offer(2);
	cr_expect_eq(offer_add(&store, &o), -1, "full");
	cr_expect_eq(counted(COUNTER_UNITS_DROPPED), 2);
	store.writable = 0;
	cr_expect_eq(offer_add(&store, &o), -1);
	cr_expect_eq(counted(COUNTER_UNITS_OFFERED), 4);
}

Test(offer, what_a_vanished_host_left_is_taken_over)
{
	struct offer out[8];
	char token[OFFER_TOKEN];

	add(7, 8);
	shell("mv '%s/spool'/* '%1$s/x' && mkdir -p '%1$s/spool' && mv '%1$s/x' '%1$s/spool/pod-1'",
	      cache);
	shell("cp -r '%s/spool/pod-1' '%1$s/spool/pod-2'", cache);
	shell("touch -d '2 hours ago' '%s/spool/pod-1/" REMOTE_TAG_LOCAL "/offers'", cache);
	offers_adopt(&store);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 1,
	             "the other may still live");
	cr_expect_eq(out[0].ino, 7);
	cr_expect_not(exists(in_root("cache/spool/pod-1")));
	cr_expect(exists(in_root("cache/spool/pod-2/" REMOTE_TAG_LOCAL "/offers")));
}

Test(offer, jobs_with_other_remotes_do_not_meet)
{
	struct store other;
	struct offer out[8], o = offer(9);
	char token[OFFER_TOKEN];

	open_store(&other, "REPRISE_REDIS_URL=redis://other");
	add(0, 2);
	cr_assert_eq(offer_add(&other, &o), 0);
	cr_expect_eq(pending(), 2);
	cr_expect_eq(offers_elsewhere(&store), 1);
	cr_expect_eq(offers_elsewhere(&other), 2);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 2);
	offers_done(&store, token);
	cr_expect_eq(offers_take(&store, out, 8, token, &arena, &fault), 0);
	cr_assert_eq(offers_take(&other, out, 8, token, &arena, &fault), 1);
	cr_expect_eq(out[0].ino, 9);
	cr_expect_eq(offers_elsewhere(&store), 1, "taken and not done");
	other.remote[0] = '\0';
	cr_expect_eq(offer_add(&other, &o), -1, "for whom?");
}

Test(offer, identity)
{
	struct offer o = offer(3);
	struct statx st;

	write_file(in_root("file"), "abc", 3);
	cr_assert_eq(sys_statx(AT_FDCWD, in_root("file"), 0, OFFER_STATX, &st), 0);
	offer_identify(&o, &st);
	o.opened = 0;
	cr_expect(offer_same(&o, &st));
	cr_expect_eq(o.size, 3);
	cr_expect_eq(o.uid, getuid());
	o.size = 4;
	cr_expect_not(offer_same(&o, &st));
	o.opened = 1;
	cr_expect(offer_same(&o, &st), "it was written to since");
	o.uid++;
	cr_expect_not(offer_same(&o, &st));
	o.uid--;
	o.ino++;
	cr_expect_not(offer_same(&o, &st));
}

/* Only such records have the version that tells it: older publishers read all others. */
Test(offer, the_maker_is_recorded_if_its_class_needs_it)
{
	struct offer o = offer(4), out[8];
	char token[OFFER_TOKEN];
	struct buf b = BUF_INIT(&arena);

	offer_encode(&b, &o);
	cr_assert_eq(offer_decode(&out[0], b.data, b.len), b.len);
	cr_expect_eq(b.data[3], '1');
	cr_expect_eq(offer_writer(&out[0]), -1);
	cr_assert_eq(offer_add(&store, &o), 0);
	o.class = UNIT_TORCHAIR;
	cr_assert_eq(offer_add(&store, &o), 0);
	cr_expect_eq(pending(), 1);
	cr_expect_eq(offers_held(&store), 1);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 2);
	cr_expect_eq(out[0].writer_pid, 0);
	cr_expect_eq(out[1].writer_pid, (unsigned)getpid());
	cr_expect_neq(out[1].began_at, 0);
	cr_expect_eq(offer_writer(&out[1]), 1);
	b = (struct buf)BUF_INIT(&arena);
	offer_encode(&b, &out[1]);
	cr_expect_eq(b.data[3], '2');
	cr_expect_eq(offer_decode(&o, b.data, b.len), b.len);
	cr_expect_eq(o.writer_began, out[1].writer_began);
	cr_expect_eq(o.writer_space, out[1].writer_space);
	for (size_t i = 0; i < b.len; i++)
		cr_expect_eq(offer_decode(&o, b.data, i), 0);
}

/* A file that its writer closed: size and content count, and not the time. */
Test(offer, a_closed_file_is_said_with_its_content)
{
	struct offer o = offer(4), out;
	struct buf b = BUF_INIT(&arena);
	struct statx st;

	write_file(in_root("file"), "abc", 3);
	cr_assert_eq(sys_statx(AT_FDCWD, in_root("file"), 0, OFFER_STATX, &st), 0);
	offer_identify(&o, &st);
	o.closed = 1;
	digest_name(&o.content, "abc", 3);
	offer_encode(&b, &o);
	cr_expect_eq(b.data[3], '3');
	cr_assert_eq(offer_decode(&out, b.data, b.len), b.len);
	cr_expect_eq(out.closed, 1);
	cr_expect(digest_equal(&out.content, &o.content));
	cr_expect_eq(out.writer_pid, 0);
	cr_expect_str_eq(out.path, o.path);
	for (size_t i = 0; i < b.len; i++)
		cr_expect_eq(offer_decode(&out, b.data, i), 0);
	o.ctime_ns++;
	cr_expect(offer_same(&o, &st));
	o.size++;
	cr_expect_not(offer_same(&o, &st));
}

/* The record of an offer, as a version wrote it. */
static size_t record(unsigned char *out, size_t cap, const struct offer *o, int version)
{
	struct buf b = BUF_INIT(&arena);
	struct digest check;

	offer_encode(&b, o);
	cr_assert(!b.failed && b.len <= cap);
	memcpy(out, b.data, b.len);
	if (version) {
		out[3] = (unsigned char)version;
		digest_name(&check, out, b.len - 16);
		memcpy(out + b.len - 16, check.b, 16);
	}
	return b.len;
}

Test(offer, a_later_version_beside_this_one)
{
	unsigned char bytes[2048];
	struct offer out[8], o = offer(1);
	char token[OFFER_TOKEN], log[128], *env[] = {log, NULL};
	struct settings set;
	size_t n;

	snprintf(log, sizeof log, "REPRISE_LOG=%s/log", root);
	add(0, 1);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 1);
	offers_done(&store, token);
	/* Its record is counted and named. The records behind it are taken. */
	n = record(bytes, sizeof bytes, &o, '4');
	n += record(bytes + n, sizeof bytes - n, &o, 0);
	write_file(in_spool("offers"), bytes, n);
	settings_defaults(&set);
	settings_merge_env(&set, env, &arena);
	log_init(&set, cache, runtime, "publish", env, &arena);
	cr_assert_eq(offers_take(&store, out, 8, token, &arena, &fault), 1);
	offers_done(&store, token);
	cr_expect_eq(counted(COUNTER_UNITS_DROPPED), 1);
	n = read_whole(in_root("log"), bytes, sizeof bytes - 1);
	bytes[n] = 0;
	cr_expect(strstr((char *)bytes, "a newer version of Reprise"), "%s", bytes);
}

Test(offer, counted_by_class)
{
	unit_counters_packed(&store, UNIT_BEST_CONFIG, 100);
	unit_counters_brought(&store, UNIT_TORCHAIR, 7);
	cr_expect_eq(counted(COUNTER_PACKED_BEST_CONFIG), 1);
	cr_expect_eq(counted(COUNTER_UNITS_PACKED), 1);
	cr_expect_eq(counted(COUNTER_UNITS_BYTES), 100);
	cr_expect_eq(counted(COUNTER_BROUGHT_TORCHAIR), 1);
	cr_expect_eq(counted(COUNTER_UNITS_BROUGHT_BYTES), 7);
}

/* Jobs append and publishers take, and are killed at any moment: each offer that add() confirmed is
 * received. */
#define ADDERS 3
#define NUMBERS 6000
static unsigned char *acknowledged, *heard;

static void add_from(unsigned lane)
{
	struct store own;

	open_store(&own, NULL);
	for (unsigned n = lane; n < NUMBERS; n += ADDERS) {
		struct offer o = offer(n);

		if (!acknowledged[n] && offer_add(&own, &o) == 0)
			acknowledged[n] = 1;
	}
}

static void hear(void)
{
	struct store own;
	struct offer out[100];
	char token[OFFER_TOKEN];
	struct fault f;
	struct arena a = ARENA_INIT;

	open_store(&own, NULL);
	for (;;) {
		int n = offers_take(&own, out, 100, token, &a, &f);

		for (int i = 0; i < n; i++)
			heard[out[i].ino] = 1;
		if (n > 0)
			offers_done(&own, token);
		arena_free(&a);
	}
}

Test(offer, nothing_is_lost_when_processes_are_killed)
{
	pid_t adder[ADDERS];
	struct timespec nap = {0, 3000000};
	int running = ADDERS;

	acknowledged = mmap(NULL, 2 * NUMBERS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                    -1, 0);
	heard = acknowledged + NUMBERS;
	for (unsigned i = 0; i < ADDERS; i++)
		if ((adder[i] = fork()) == 0) {
			add_from(i);
			_exit(0);
		}
	while (running) {
		pid_t p = fork();

		if (p == 0)
			hear();
		nanosleep(&nap, NULL);
		kill(p, SIGKILL);
		waitpid(p, NULL, 0);
		for (int i = 0; i < ADDERS; i++)
			if (adder[i] > 0 && waitpid(adder[i], NULL, WNOHANG) > 0) {
				adder[i] = 0;
				running--;
			}
	}
	pid_t p = fork();
	if (p == 0)
		hear();
	for (int i = 0; i < 500 && pending(); i++)
		nanosleep(&nap, NULL);
	kill(p, SIGKILL);
	waitpid(p, NULL, 0);
	for (unsigned n = 0; n < NUMBERS; n++)
		cr_assert(acknowledged[n] && heard[n], "%u", n);
}
