/* The directory in which each rank of a host looks, as it noted it. */
#include "store_fixture.h"

#include <signal.h>
#include <sys/prctl.h>

#include "shim/path.h"
#include "units/find/peers.h"

TestSuite(peers, .init = fixture_start, .fini = fixture_stop);

#define GRAPH "fxgraph/bc/fbcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst"
#define KEPT "aotautograd/abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst"
/* With so many processes between, the launch is not found. */
#define SCRIPTS 16

static struct unit_lookup b;
static int master_port = 29500;

/* This process is that rank of a host with `locals`, and looks for a graph below that directory. */
static void tell(struct peers *p, int local, int locals, const char *dir, const char *what)
{
	static char rank[32], world[32], lrank[32], lworld[32];
	static char port[32];
	static char *env[] = {rank, world, lrank, lworld, port, NULL};

	snprintf(rank, sizeof rank, "RANK=%d", local);
	snprintf(world, sizeof world, "WORLD_SIZE=%d", locals);
	snprintf(lrank, sizeof lrank, "LOCAL_RANK=%d", local);
	snprintf(lworld, sizeof lworld, "LOCAL_WORLD_SIZE=%d", locals);
	snprintf(port, sizeof port, "MASTER_PORT=%d", master_port);
	b = (struct unit_lookup){.envp = env, .store = store};
	settings_defaults(&b.set);
	b.path = arena_cat(&arena, in_root(dir), "/", what, NULL);
	cr_assert(unit_shape(&b.u, b.path));
	b.row = &unit_rows[b.u.class];
	peers_tell(p, &b);
}

struct said {
	int local, locals, after_ms;
	const char *dir;
};

static void says(int ready, const void *ctx)
{
	const struct said *s = ctx;
	struct peers p;

	if (s->after_ms && write(ready, "x", 1) != 1)
		_exit(1);
	usleep(1000 * (unsigned)s->after_ms);
	tell(&p, s->local, s->locals, s->dir, GRAPH);
	if (!s->after_ms && write(ready, "x", 1) != 1)
		_exit(1);
}

/* A rank that has noted its directory, and stays. */
static pid_t rank(int local, int locals, const char *dir)
{
	return stays(says, &(struct said){local, locals, 0, dir});
}

struct asked {
	int locals, wait;
	const char *dir, *what;
};

static int asks(void *ctx)
{
	struct asked *q = ctx;
	struct peers p;

	tell(&p, 0, q->locals, q->dir, q->what);
	return peers_apart(&p, q->wait);
}

/* Asks for rank 0, as a sibling of the others. */
static int apart(int locals, int wait, const char *dir)
{
	return in_child(asks, &(struct asked){locals, wait, dir, GRAPH});
}

Test(peers, each_has_its_own)
{
	pid_t one = rank(1, 3, "own/1"), two;

	cr_expect_eq(apart(3, 0, "own/0"), 0, "one has said nothing");
	two = rank(2, 3, "own/2");
	cr_expect_eq(apart(3, 0, "own/0"), 1);
	cr_expect_eq(apart(3, 0, "own/1"), 0);
	cr_expect_eq(apart(3, 1, "own/2"), 0);
	cr_expect_eq(apart(4, 0, "own/0"), 0, "a launch with one more");
	/* Graphs of the other class may be in another directory. */
	cr_expect_eq(in_child(asks, &(struct asked){3, 0, "own/0", KEPT}), 0);
	end_one(two);
	cr_expect_eq(apart(3, 0, "own/0"), 0, "a dead one says nothing");
	end_one(one);
}

/* With random slots, two of 16 ranks would share one in 3 of 100 launches. */
Test(peers, ranks_of_one_launch_have_a_slot_each)
{
	enum { RANKS = 16, LAUNCHES = 20 };
	pid_t ranks[RANKS];
	char dir[16];

	for (int launch = 0; launch < LAUNCHES; launch++) {
		for (int r = 1; r < RANKS; r++) {
			snprintf(dir, sizeof dir, "own/%d", r);
			ranks[r] = rank(r, RANKS, dir);
		}
		cr_expect_eq(apart(RANKS, 0, "own/0"), 1, "port %d", master_port);
		for (int r = 1; r < RANKS; r++)
			end_one(ranks[r]);
		master_port++;
	}
}

Test(peers, names_of_one_directory)
{
	pid_t one;

	shell("mkdir -p '%s/there/deep'", root);
	cr_assert_eq(symlink("there", in_root("link")), 0);
	one = rank(1, 2, "there/deep/new/1");
	cr_expect_eq(apart(2, 0, "link/deep/new/1"), 0);
	cr_expect_eq(apart(2, 0, "there/../link/./deep//new/1"), 0,
	             "what is not there yet has to be spelled alike, or nothing is known");
	cr_expect_eq(apart(2, 0, "there/deep/other/../new/1"), 0);
	cr_expect_eq(apart(2, 0, "link/deep/new/0"), 1);
	shell("mkdir -p '%s/there/deep/new/1'", root);
	cr_expect_eq(apart(2, 0, "link/deep/new/1"), 0, "it is made meanwhile");
	cr_expect_eq(apart(2, 0, "there/deep/new/0"), 1);
	end_one(one);
}

Test(peers, a_rank_that_comes_later_is_waited_for)
{
	pid_t one = stays(says, &(struct said){1, 2, 300, "own/1"});
	int64_t begun = ms();
	cr_expect_eq(apart(2, 1, "own/0"), 1);
	cr_expect_geq(ms() - begun, 200);
	cr_expect_lt(ms() - begun, 2000);
	end_one(one);
}

static int asks_often(void *ctx)
{
	struct asked *q = ctx;
	struct peers p;
	int said = 0;

	tell(&p, 0, q->locals, q->dir, q->what);
	for (int i = 0; i < 5; i++)
		said |= peers_apart(&p, q->wait);
	return said;
}

Test(peers, a_silent_rank_costs_a_process_one_wait)
{
	int64_t begun = ms();

	cr_expect_eq(in_child(asks_often, &(struct asked){2, 1, "own/0", GRAPH}), 0);
	cr_expect_geq(ms() - begun, PEERS_WAIT_NS / 2000000);
	cr_expect_lt(ms() - begun, 2 * PEERS_WAIT_NS / 1000000);
}

static int another_launch(void *ctx)
{
	(void)ctx;
	return apart(2, 0, "own/0");
}

Test(peers, another_launch_does_not_count)
{
	pid_t one = rank(1, 2, "own/1");

	cr_expect_eq(apart(2, 0, "own/0"), 1);
	cr_expect_eq(in_child(another_launch, NULL), 0);
	master_port++;
	cr_expect_eq(apart(2, 0, "own/0"), 0, "of one whose launcher has ended, too");
	end_one(one);
}

/* From now on /proc/self/environ begins with this variable, as in a process that was started with
 * it. */
static void started_as(const char *variable)
{
	char text[2048], *at = text;
	FILE *f = fopen("/proc/self/stat", "r");

	cr_assert(f && fgets(text, sizeof text, f));
	fclose(f);
	at = strrchr(text, ')');
	for (int field = 2; field < 50; field++)
		at = strchr(at + 1, ' ');
	strcpy((char *)strtoul(at, NULL, 10), variable);
}

struct scripts {
	const char *variable;
	int deep;
};

static int below_scripts(void *ctx)
{
	struct scripts *s = ctx;

	started_as(s->variable);
	return s->deep > 1 ? in_child(below_scripts, &(struct scripts){s->variable, s->deep - 1})
	       : apart(2, 0, "own/0");
}

Test(peers, scripts_between_launcher_and_rank)
{
	pid_t one = rank(1, 2, "own/1");

	cr_expect_eq(in_child(below_scripts, &(struct scripts){"LOCAL_RANK=0", 1}), 1);
	cr_expect_eq(in_child(below_scripts, &(struct scripts){"LOCAL_RANK=0", 3}), 1);
	cr_expect_eq(in_child(below_scripts, &(struct scripts){"LOCAL_RANK=0", SCRIPTS}), 0,
	             "more than anybody has");
	cr_expect_eq(in_child(below_scripts, &(struct scripts){"LOCAL_RANK=7", 1}), 0,
	             "a rank that started ranks");
	end_one(one);
}

static void says_two(int ready, const void *ctx)
{
	const struct said *s = ctx;
	struct peers p;

	tell(&p, s->local, s->locals, s->dir, GRAPH);
	tell(&p, s->local, s->locals, "own/1", GRAPH);
	tell(&p, s->local, s->locals, "own/1", GRAPH);
	if (write(ready, "x", 1) != 1)
		_exit(1);
}

Test(peers, a_rank_that_looks_in_two_has_none_to_itself)
{
	pid_t one = stays(says_two, &(struct said){1, 2, 0, "own/0"});

	cr_expect_eq(apart(2, 0, "own/0"), 0, "it may come back");
	cr_expect_eq(apart(2, 0, "own/2"), 0);
	end_one(one);
	one = rank(1, 2, "own/1");
	cr_expect_eq(apart(2, 0, "own/0"), 1);
	end_one(one);
}

/* A rank that looks in own/1 starts a program that looks in the same directory. */
static void says_and_starts(int ready, const void *ctx)
{
	struct peers p;

	started_as("LOCAL_RANK=1");
	tell(&p, 1, 2, "own/1", GRAPH);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		tell(&p, 1, 2, ctx, GRAPH);
		if (write(ready, "x", 1) != 1)
			_exit(1);
		pause();
	}
}

Test(peers, children_of_a_rank_count_as_the_rank)
{
	pid_t one;

	/* The rank's child gets a signal late, and ends after the rank. It becomes a child of this
	 * process, which waits. */
	cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	one = stays(says_and_starts, "own/1");
	cr_expect_eq(apart(2, 0, "own/0"), 1);
	end_one(one);
	while (waitpid(-1, NULL, 0) > 0)
		;
	one = stays(says_and_starts, "own/9");
	cr_expect_eq(apart(2, 0, "own/0"), 0);
	end_one(one);
}

Test(peers, a_table_that_was_damaged)
{
	pid_t one = rank(1, 2, "own/1");
	char junk[4096];
	struct stat st;

	memset(junk, 0xa5, sizeof junk);
	cr_assert_eq(apart(2, 0, "own/0"), 1);
	char table[PATH_SIZE];
	snprintf(table, sizeof table, "%s/ranks", store.runtime_dir);
	int fd = open(table, O_RDWR);
	cr_assert_geq(fd, 0);
	cr_assert_eq(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += (off_t)sizeof junk)
		cr_assert_gt(pwrite(fd, junk, sizeof junk, at), 0);
	close(fd);
	cr_expect_eq(apart(2, 0, "own/0"), 0);
	end_one(one);
}

Test(peers, without_a_table)
{
	pid_t one = rank(1, 2, "own/1");

	store.runtime_dir = NULL;
	cr_expect_eq(apart(2, 1, "own/0"), 0);
	store.runtime_dir = "/nowhere/at/all";
	cr_expect_eq(apart(2, 1, "own/0"), 0);
	end_one(one);
}

Test(peers, a_rank_alone_on_its_host_writes_nothing)
{
	cr_expect_eq(apart(1, 1, "own/0"), 0);
	cr_expect(!exists(arena_cat(&arena, store.runtime_dir, "/ranks", NULL)));
}
