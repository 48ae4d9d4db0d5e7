/* Units that a host looks up and completes, in the test's own process, from a store of the test's
 * own. */
#include "store_fixture.h"

#include <dlfcn.h>
#include <sys/resource.h>

#include "shim/buf.h"
#include "shim/path.h"
#include "units/complete.h"
#include "units/find/listing.h"
#include "units/find/unit_lookup.h"
#include "units/format/member.h"
#include "units/format/parcel.h"
#include "units/offer.h"
#include "units/shape/seen_files.h"

TestSuite(unit_lookup, .init = fixture_start, .fini = fixture_stop);

#define B32 "J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMQ"
#define X64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct unit_lookup b;
static char *rank[5];   /* variables of a launcher, and others of the case */
static const char *because; /* why it was not brought */
static int64_t began; /* when the process began, in seconds from now */

/* As a look-up of that path in the fixture's store. */
static int opened(const char *path)
{
	static char dir[128], run[128];
	static char *env[8];

	snprintf(dir, sizeof dir, "REPRISE_CACHE_DIR=%s", cache);
	snprintf(run, sizeof run, "REPRISE_RUNTIME_DIR=%s", runtime);
	memcpy(env, (char *[]){dir, run, rank[0], rank[1], rank[2], rank[3], rank[4], NULL},
	       sizeof env);
	return unit_lookup_open(&b, path, (time(NULL) + began) * 1000000000ll, 0, env);
}

static int brought(const char *path)
{
	int rc = opened(path);

	rc = rc == 0 && unit_lookup_run(&b);
	because = arena_strdup(&arena, b.why ? b.why : "");
	unit_lookup_close(&b);
	return rc;
}

/* Puts a parcel; returns the path of its entry. */
static const char *put_parcel(const struct parcel *p, const struct digest *key)
{
	static char path[PATH_SIZE];
	struct buf out = BUF_INIT(&arena);

	parcel_encode(&out, p, COMPRESS_NEVER);
	cr_assert(!out.failed);
	cr_assert_eq(store_put(&store, STORE_UNIT, key, 0, out.data, out.len, &fault), 0);
	store_path(path, sizeof path, store.dir, STORE_UNIT, key, 0);
	return path;
}

/* A torch under which graphs can be shared. */
static void load_torch(void)
{
	shell("mkdir -p '%s/torch/lib'", root);
	shell("cd '%s/torch' && echo 'version = 1' >version.py && "
	      "echo 'int unused;' | cc -shared -fPIC -Wl,--build-id -o lib/libtorch_cpu.so -x c -",
	      root);
	cr_assert(dlopen(in_root("torch/lib/libtorch_cpu.so"), RTLD_NOW), "%s", dlerror());
}

#define SET "x/fxgraph/bc/fbcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst"
#define ONE "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrs"
#define TWO "bcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst"

/* A set's member in the store: a file whose name differs from its record's, with or without a
 * condition. Returns its parcel's entry. */
static const char *put_in_set(const char *unit, const char *member, const char *called,
                              struct member_condition *c)
{
	struct parcel_file file = {.name = called, .mode = 0644, .data = (unsigned char *)"graph",
	                           .len = 5};
	struct member m = {.name = member, .condition = c, .conditions = c != NULL};
	struct parcel p = {.note = "", .file = &file, .files = 1};
	struct buf out = BUF_INIT(&arena);
	struct digest set;

	cr_assert_eq(opened(in_root(unit)), 0, "%s", b.why);
	p.class = b.u.class;
	set = b.key;
	unit_lookup_close(&b);
	unit_member_key(&m.parcel, &set, member, NULL);
	member_encode(&out, &m);
	cr_assert_eq(store_add_candidate(&store, STORE_SET, &set, out.data, out.len, &fault), 0);
	return put_parcel(&p, &m.parcel);
}

static const char *put_member(const char *member, const char *called)
{
	return put_in_set(SET, member, called, NULL);
}

Test(unit_lookup, a_member_is_laid_under_its_own_name)
{
	const char *entry;

	load_torch();
	entry = put_member(ONE, ONE);
	cr_expect(brought(in_root(SET "/" ONE)));
	cr_expect(exists(in_root(SET "/" ONE)) && exists(entry));
	entry = put_member(TWO, "zz");
	cr_expect(!brought(in_root(SET "/" TWO)));
	cr_expect(!exists(in_root(SET "/zz")), "a file that nobody looked for");
	cr_expect(!exists(entry), "nobody would offer a better one");
	cr_expect_eq(counted(COUNTER_CORRUPT), 1);
}

/* The number of waiting offers after what() ran for that member. */
static size_t offers_after(const char *member, int (*what)(struct unit_lookup *l))
{
	size_t n;
	int64_t age;

	cr_assert_eq(opened(member), 0);
	what(&b);
	unit_lookup_close(&b);
	cr_assert_eq(offers_pending(&store, &n, &age), 0);
	return n;
}

/* The framework makes it. */
static size_t offered(const char *member)
{
	shell("mkdir -p '%s'", in_root(SET));
	write_file(member, "graph", 5);
	return offers_after(member, complete);
}

Test(unit_lookup, a_member_whose_record_is_gone_is_offered_again)
{
	load_torch();
	put_member(ONE, ONE);
	put_member(TWO, TWO);
	cr_expect_eq(offered(in_root(SET "/" ONE)), 0, "it is all there");
	cr_expect_eq(offered(in_root(SET "/" TWO)), 0);
	/* As after eviction, or damage: later records are not seen, either. */
	shell("find '%s/set' -type f ! -name '*.1' -delete", cache);
	cr_expect_eq(offered(in_root(SET "/" TWO)), 1);
	cr_expect_eq(offered(in_root(SET "/" ONE)), 2);
}

#define MODULE "x/Model_dynamic_0123456789abcdef0123456789abcdef/forward"

static void look_at(const char *path)
{
	struct stat st;

	cr_assert_eq(stat(path, &st), 0);
	seen_files_add(path, st.st_dev, st.st_ino);
}

/* A record of another node may name any file of this machine. */
Test(unit_lookup, a_condition_is_a_source_that_was_there_when_the_process_began)
{
	static const char *const none[] = {"/dev/zero", "/dev/tty", "fifo", "large", "."};
	struct member_condition c = {.content = key_of("source")};
	int64_t begun = now();

	load_torch();
	shell("cd '%s' && echo 'int unused;' | cc -shared -fPIC -o _C.cpython-311.so -x c - && "
	      "mkfifo fifo && "
	      "truncate -s 100G large", root);
	cr_assert(dlopen(in_root("_C.cpython-311.so"), RTLD_NOW), "%s", dlerror());
	began = 10;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		c.path = none[i][0] == '/' ? none[i] : in_root(none[i]);
		put_in_set(MODULE, "compiled_module", "compiled_module", &c);
		cr_expect(!brought(in_root(MODULE "/compiled_module")), "%s", c.path);
		cr_expect(strstr(because, arena_cat(&arena, c.path, ", a source of the stored "
		                                    "unit, is not here", NULL)),
		          "%s", because);
	}
	cr_expect_lt(now() - begun, 20000000000);
	c.path = in_root("model.py");
	began = 0;
	write_file(c.path, "source", 6);
	put_in_set(MODULE, "compiled_module", "compiled_module", &c);
	cr_expect(!brought(in_root(MODULE "/compiled_module")),
	          "another one may have been imported");
	cr_expect(strstr(because, "model.py, a source of") && strstr(because,
		"may have changed since"), "%s", because);
	began = 10;
	write_file(c.path, "edited", 6);
	cr_expect(!brought(in_root(MODULE "/compiled_module")));
	cr_expect(strstr(because, "model.py, a source of") && strstr(because, "differs here"), "%s",
	          because);
	write_file(c.path, "source", 6);
	cr_expect(!brought(in_root(MODULE "/compiled_module")), "as the first of two projects");
	cr_expect(strstr(because, "model.py, a source of") &&
	          strstr(because, "this process never looked at it"), "%s", because);
	look_at(c.path);
	cr_expect(brought(in_root(MODULE "/compiled_module")));
}

/* As rank R of W, the L-th of M on its host. */
static void be(const char *r, const char *w, const char *l, const char *m)
{
	rank[0] = arena_cat(&arena, "RANK=", r, NULL);
	rank[1] = arena_cat(&arena, "WORLD_SIZE=", w, NULL);
	rank[2] = arena_cat(&arena, l ? "LOCAL_RANK=" : "X=", l, NULL);
	rank[3] = arena_cat(&arena, m ? "LOCAL_WORLD_SIZE=" : "Y=", m, NULL);
}

/* torch 2.6 and 2.7 have one file of a fixed name, so files of two ranks cannot lie in one
 * directory. */
#define ENTRY "/aotautograd/a" ONE "/entry"

static void put_entry(void)
{
	put_in_set("x/aotautograd/a" ONE, "entry", "entry", NULL);
}

Test(unit_lookup, peers_are_asked_for_as_many_as_a_host_has)
{
	int64_t begun = now();

	load_torch();
	be("1", "8", "1", "8");
	put_entry();
	cr_expect(brought(in_root("x" ENTRY)), "peers without a set of their own");
	be("1", "90000000", "1", "90000000");
	put_entry();
	cr_expect(!brought(in_root("y" ENTRY)), "nobody has so many");
	cr_expect_lt(now() - begun, 20000000000);
}

Test(unit_lookup, a_set_that_is_not_known_is_no_agreement)
{
	load_torch();
	be("1", "2", "1", "2");
	put_entry();
	rank[4] = "REPRISE_REDIS_URL=redis://127.0.0.1:1";
	cr_expect(!brought(in_root("x" ENTRY)));
	cr_expect(strstr(because, "another rank's set is not known: "), "%s", because);
	cr_expect(!exists(in_root("x" ENTRY)));
	rank[4] = NULL;
	cr_expect(brought(in_root("x" ENTRY)), "%s", because);
}

Test(unit_lookup, a_rank_without_a_local_number_may_share_its_directory)
{
	load_torch();
	be("3", "8", NULL, NULL);
	put_entry();
	cr_expect(brought(in_root("x" ENTRY)), "nobody else has a set");
	be("5", "8", NULL, NULL);
	put_entry();
	cr_expect(!brought(in_root("y" ENTRY)));
	cr_expect(strstr(because, "different sets"), "%s", because);
	cr_expect(strstr(because, "TORCHINDUCTOR_CACHE_DIR"), "%s", because);
	be("5", "8", "0", "1");
	cr_expect(brought(in_root("y" ENTRY)), "alone on its host");
}

/* Ranks 1 and 9: each is the second rank of its host. */
Test(unit_lookup, a_directory_that_other_hosts_may_have)
{
	load_torch();
	be("9", "16", "1", "8");
	put_entry();
	be("1", "16", "1", "8");
	put_entry();
	cr_expect(!brought("/proc/none/x" ENTRY));
	cr_expect(strstr(because, "different sets"), "%s", because);
	cr_expect(brought(in_root("x" ENTRY)), "%s", because);
	be("1", "1000", "1", "8");
	put_entry();
	cr_expect(!brought("/proc/none/x" ENTRY));
	cr_expect(strstr(because, "too many ranks"), "%s", because);
}

/* The path of a member under this rank's mark. */
static const char *marked(const char *member)
{
	const char *name;

	cr_assert_eq(opened(in_root(SET)), 0);
	name = arena_strdup(&arena, in_root(arena_cat(&arena, SET "/",
	                                              mark_name(b.mark, member, &arena), NULL)));
	unit_lookup_close(&b);
	return name;
}

Test(unit_lookup, ranks_of_one_directory_each_lay_their_own_set)
{
	const char *mine, *theirs;

	load_torch();
	be("0", "2", "0", "2");
	put_member(ONE, ONE);
	be("1", "2", "1", "2");
	put_member(TWO, TWO);
	mine = marked(TWO);
	cr_expect(brought(in_root(SET)), "%s", because);
	cr_expect(exists(mine));
	be("0", "2", "0", "2");
	theirs = marked(ONE);
	cr_expect(!exists(theirs));
	cr_expect(brought(in_root(SET)), "%s", because);
	cr_expect(exists(theirs) && exists(mine));
	cr_expect(!exists(in_root(SET "/" ONE)) && !exists(in_root(SET "/" TWO)));
	cr_expect_eq(counted(COUNTER_BROUGHT_FXGRAPH), 2);
	cr_expect_eq(counted(COUNTER_UNITS_MISSED), 0);
	/* A rank of another world sees an empty directory. */
	be("0", "3", "0", "3");
	cr_expect(brought(in_root(SET)));
	cr_expect_eq(counted(COUNTER_UNITS_MISSED), 1, "it sees none of them");
	/* A file that the framework wrote is not laid again. */
	be("1", "2", "1", "2");
	cr_assert_eq(rename(mine, in_root(SET "/" TWO)), 0, "%s", mine);
	cr_expect(brought(in_root(SET)));
	cr_expect(!exists(mine));
	be("0", "3", "0", "3");
	cr_expect(brought(in_root(SET)));
	cr_expect_eq(counted(COUNTER_UNITS_MISSED), 1);
}

/* This rank opens it to read it. */
static size_t found(const char *member)
{
	return offers_after(member, complete_found);
}

Test(unit_lookup, a_graph_that_a_peer_made_and_this_rank_opened_is_offered_for_it)
{
	load_torch();
	be("0", "2", "0", "2");
	cr_expect_eq(offered(in_root(SET "/" ONE)), 1);
	write_file(in_root(SET "/" TWO), "graph", 5);
	be("1", "2", "1", "2");
	cr_expect_eq(found(in_root(SET "/" TWO)), 1, "nobody knows who made it");
	cr_expect_eq(found(in_root(SET "/" ONE)), 2);
	/* A rank that has its own graph under the key uses that graph. */
	be("0", "2", "0", "2");
	cr_expect_eq(found(in_root(SET "/" ONE)), 2);
	/* Another world, other instructions of the CPU, no rank. */
	be("1", "3", "1", "3");
	cr_expect_eq(found(in_root(SET "/" ONE)), 2);
	be("1", "2", "1", "2");
	rank[4] = "ATEN_CPU_CAPABILITY=default";
	cr_expect_eq(found(in_root(SET "/" ONE)), 2);
	memset(rank, 0, sizeof rank);
	cr_expect_eq(found(in_root(SET "/" ONE)), 2);
	/* The table of makers holds hints only. */
	be("1", "2", "1", "2");
	shell("cd \"$(dirname \"$(find '%s' -name made)\")\" && "
	      "tr '\\000-\\377' x <made >new && cat new >made", runtime);
	cr_expect_eq(found(in_root(SET "/" ONE)), 2, "it is damaged");
}

/* A program's own cache, which an earlier version or another node packed. */
Test(unit_lookup, a_file_that_is_none_of_max_autotunes_is_not_laid)
{
	static const char own[] = "{\"answer\": \"42\"}",
		choices[] = "{\"system\": {\"hash\": \"" X64 "\"}, \"cache\": {}}";
	struct parcel_file file = {.name = X64, .mode = 0644, .data = (const unsigned char *)own,
	                           .len = sizeof own - 1};
	struct parcel p = {.class = UNIT_GEMM, .note = "", .file = &file, .files = 1};
	const char *path = arena_strdup(&arena, in_root("a/cache/" X64)), *entry;
	struct digest key;

	cr_assert_eq(opened(path), 0, "%s", b.why);
	key = b.key;
	unit_lookup_close(&b);
	entry = put_parcel(&p, &key);
	cr_expect(!brought(path));
	cr_expect(strstr(because, "max-autotune"), "%s", because);
	cr_expect(!exists(path) && !exists(entry));
	file.data = (const unsigned char *)choices;
	file.len = sizeof choices - 1;
	put_parcel(&p, &key);
	cr_expect(brought(path), "%s", because);
}

static uint64_t address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	cr_assert_eq(fscanf(f, "%lu", &pages), 1);
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Each round may map one page more. Until the memory suffices, nothing is laid and nothing is
 * removed. */
Test(unit_lookup, memory_that_is_refused_is_no_damage)
{
	static char name[16][8], text[PARCEL_MARKS_MAX];
	static uint64_t mark[PARCEL_MARKS_MAX]; /* what takes memory to decode */
	static struct parcel_file file[16];
	struct parcel p = {UNIT_TRITON, "", file, 16};
	const char *index = in_root("t/" B32 "/__grp__k.json"), *entry;
	struct rlimit was, now;
	struct digest key;
	int done = 0, refused = 0;

	for (unsigned i = 0; i < PARCEL_MARKS_MAX; i++)
		mark[i] = i;
	for (unsigned i = 0; i < p.files; i++) {
		snprintf(name[i], sizeof name[i], "%u", i);
		file[i] = (struct parcel_file){.name = i ? name[i] : "__grp__k.json", .mode = 0644,
		                               .len = sizeof text,
		                               .data = (unsigned char *)text, .mark = mark,
		                               .marks = PARCEL_MARKS_MAX};
	}
	unit_key(&key, UNIT_TRITON, "", B32, strlen(B32));
	entry = put_parcel(&p, &key);
	getrlimit(RLIMIT_AS, &was);
	now = was;
	for (uint64_t more = 0; !done && more < 4u << 20; more += 4096) {
		now.rlim_cur = address_space() + more;
		setrlimit(RLIMIT_AS, &now);
		done = brought(index);
		setrlimit(RLIMIT_AS, &was);
		refused += !done;
		cr_assert(exists(entry), "%lu bytes more: the entry was removed",
		          (unsigned long)more);
		cr_assert(done || !exists(in_root("t/" B32)), "%lu bytes more: half a unit",
		          (unsigned long)more);
	}
	cr_assert(done && refused > 64, "%d", refused);
	cr_assert_eq(counted(COUNTER_CORRUPT), 0);
}
