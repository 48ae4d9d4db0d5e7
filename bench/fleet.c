/* bench/fleet.c - many nodes that start one job at once, against a real Redis.
 *
 *   fleet warm|cold NODES KEYS BYTES WORK_MS AT_ONCE       (the server: REPRISE_REDIS_*)
 *
 * A node is a process with its own runtime directory and memory of an agent. It looks up KEYS
 * actions one after the other, each over a new connection: the candidates, then the result of BYTES
 * bytes.
 *   warm  Redis holds all results
 *   cold  Redis is empty: the node that gets a lease works for WORK_MS and publishes, and the other
 *         nodes wait as action/remote_store.c does
 * At most AT_ONCE nodes run at a time, because they share the processors with Redis. A node that
 * waits for a processor measures a slow server instead of the protocol, and stops using that
 * server. Of 1,000 nodes at once on two processors, most compile for themselves. The functions of
 * remote/ speak the protocol. Prints one JSON object; a figure is the average of one node unless
 * its name says otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/redis/redis.h"
#include "remote/server.h"
#include "shim/kernel/sys.h"

#define MS 1000000ll
/* As in action/remote_store.c. */
#define PAUSE_FIRST_NS (20 * MS)
#define PAUSE_LONGEST_NS (250 * MS)
#define LEASE_MS 10000
#define WAIT_NS (60000 * MS)

struct sums {
	uint64_t round_trips, in, out, connections;
	uint64_t worked, waited, failed;
	uint64_t wait_trips; /* of the nodes that waited, from the first refused lease on */
	int64_t slowest_ns;
};
static struct sums *sums;
static unsigned key_count, work_ms;
static size_t size;
static int is_cold;
static char root[64];

static void add(uint64_t *to, uint64_t n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

/* The part of the process that one tool start opens: settings, store and remote store. */
struct start {
	struct arena arena;
	struct settings set;
	struct store store;
	struct remote remote;
};

static int start_open(struct start *s)
{
	struct fault fault = {0, ""};

	memset(s, 0, sizeof *s);
	settings_load(&s->set, environ, &s->arena);
	if (store_open(&s->store, &s->set, environ, &s->arena, &fault) < 0 || !s->store.dir ||
	    remote_open(&s->remote, &s->set, environ, "fleet", &s->store, &s->arena, &fault) < 0 ||
	    !s->remote.on) {
		fprintf(stderr, "fleet: %s\n", *fault.text ? fault.text : "no remote store");
		return -1;
	}
	return 0;
}

static uint64_t trips_of(const struct start *s)
{
	const struct cluster *c = &redis_of(&s->remote.server->backend)->cluster;
	uint64_t trips = c->seed.round_trips;

	for (unsigned i = 0; i < c->nodes; i++)
		trips += c->node[i]->wire.round_trips;
	return trips;
}

static void start_close(struct start *s)
{
	struct cluster *c = &redis_of(&s->remote.server->backend)->cluster;
	uint64_t in = c->seed.received, out = c->seed.sent, connections = c->seed.received > 0;

	for (unsigned i = 0; i < c->nodes; i++) {
		in += c->node[i]->wire.received;
		out += c->node[i]->wire.sent;
		connections += c->node[i]->wire.received > 0;
	}
	add(&sums->round_trips, trips_of(s));
	add(&sums->in, in);
	add(&sums->out, out);
	add(&sums->connections, connections);
	remote_close(&s->remote);
	arena_free(&s->arena);
}

static void name_key(struct digest *d, char kind, unsigned i)
{
	struct { char kind; unsigned i; } name;

	memset(&name, 0, sizeof name);
	name.kind = kind;
	name.i = i;
	digest_name(d, &name, sizeof name);
}

static unsigned char *payload_of(const struct digest *result, size_t n, struct arena *a)
{
	unsigned char *p = arena_alloc(a, n);
	uint64_t x = 88172645463325252ull;

	for (size_t i = 0; p && i < n; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		p[i] = (unsigned char)x;
	}
	if (p)
		memcpy(p, result, sizeof *result);
	return p;
}
/* The candidate of a small compile has some kilobytes after packing. */
#define CANDIDATE_BYTES 4096

static int publish(struct start *s, unsigned i)
{
	struct digest k1, k2;
	struct fault fault = {0, ""};

	name_key(&k1, 'm', i);
	name_key(&k2, 'r', i);
	unsigned char *result = payload_of(&k2, size, &s->arena);
	unsigned char *candidate = payload_of(&k2, CANDIDATE_BYTES, &s->arena);
	if (!result || !candidate ||
	    remote_put_result(&s->remote, STORE_RESULT, &k2, result, size, &fault) != 0 ||
	    remote_put_candidate(&s->remote, STORE_MANIFEST, &k1, candidate, CANDIDATE_BYTES,
				 &fault) != 0) {
		fprintf(stderr, "fleet: not published: %s\n", fault.text);
		return -1;
	}
	return 0;
}

/* Returns 1 if the candidate and the result came. */
static int look_up(struct start *s, unsigned i)
{
	struct digest k1, k2;
	struct entry candidates[REMOTE_FIRST], result;
	struct fault fault;
	unsigned n;
	int more;

	name_key(&k1, 'm', i);
	name_key(&k2, 'r', i);
	return remote_candidates(&s->remote, STORE_MANIFEST, &k1, 0, candidates, REMOTE_FIRST, &n,
				 &more, &fault) == REMOTE_HIT &&
	       n > 0 &&
	       remote_result(&s->remote, STORE_RESULT, &k2, &result, &fault) == REMOTE_HIT &&
	       result.len == size;
}

static void work(struct start *s, unsigned i)
{
	add(&sums->worked, 1);
	sys_sleep_ns(work_ms * MS);
	publish(s, i);
}

static void wait_or_work(struct start *s, unsigned i)
{
	unsigned char token[SPOOL_TOKEN];
	struct digest k1;
	int64_t until = sys_now_ns(CLOCK_MONOTONIC) + WAIT_NS, pause = PAUSE_FIRST_NS;

	name_key(&k1, 'm', i);
	int64_t listed = s->remote.listed;
	int answer = remote_lease_take(&s->remote, &k1, token, LEASE_MS);
	if (answer == 0)
		add(&sums->waited, 1);
	uint64_t before = answer == 0 ? trips_of(s) : 0;
	s->remote.ask_again = 1;
	if (answer == 1 && s->remote.listed > listed && look_up(s, i)) {
		remote_lease_release(&s->remote, &k1, token);
		return;
	}
	while (answer == 0 && sys_now_ns(CLOCK_MONOTONIC) < until) {
		sys_sleep_ns(pause / 2 + (int64_t)(rand() % 1024) * pause / 1024);
		pause = 2 * pause < PAUSE_LONGEST_NS ? 2 * pause : PAUSE_LONGEST_NS;
		answer = remote_lease_take(&s->remote, &k1, token, LEASE_MS);
		if (look_up(s, i)) {
			if (answer == 1)
				remote_lease_release(&s->remote, &k1, token);
			add(&sums->wait_trips, trips_of(s) - before);
			return;
		}
	}
	work(s, i);
	if (answer == 1)
		remote_lease_release(&s->remote, &k1, token);
}

static int node(unsigned number)
{
	char dir[128];
	int64_t begun = sys_now_ns(CLOCK_MONOTONIC), took;

	srand(number);
	remote_memory_use(remote_memory_make());
	snprintf(dir, sizeof dir, "%s/%u", root, number);
	setenv("REPRISE_CACHE_DIR", dir, 1);
	setenv("REPRISE_RUNTIME_DIR", dir, 1);
	for (unsigned i = 0; i < key_count; i++) {
		struct start s;

		if (start_open(&s) < 0)
			return 1;
		if (!look_up(&s, i)) {
			if (is_cold)
				wait_or_work(&s, i);
			else
				add(&sums->failed, 1);
		}
		start_close(&s);
	}
	took = sys_now_ns(CLOCK_MONOTONIC) - begun;
	int64_t slowest = __atomic_load_n(&sums->slowest_ns, __ATOMIC_RELAXED);
	while (took > slowest &&
	       !__atomic_compare_exchange_n(&sums->slowest_ns, &slowest, took, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	return 0;
}

static int run(unsigned nodes, unsigned at_once)
{
	unsigned alive = 0;
	int status, bad = 0;

	for (unsigned i = 0; i < nodes || alive; ) {
		if (i < nodes && alive < at_once) {
			pid_t pid = fork();

			if (pid == 0)
				_exit(node(i));
			if (pid < 0)
				return -1;
			i++;
			alive++;
			continue;
		}
		if (wait(&status) > 0)
			alive--;
		bad |= status;
	}
	return bad ? -1 : 0;
}

static int prepare(void)
{
	struct start s;
	char dir[128];
	int rc = 0;

	snprintf(dir, sizeof dir, "%s/seed", root);
	setenv("REPRISE_CACHE_DIR", dir, 1);
	setenv("REPRISE_RUNTIME_DIR", dir, 1);
	if (start_open(&s) < 0)
		return -1;
	for (unsigned i = 0; i < key_count && rc == 0 && !is_cold; i++)
		rc = publish(&s, i);
	remote_close(&s.remote);
	arena_free(&s.arena);
	return rc;
}

int main(int argc, char **argv)
{
	char command[128];

	if (argc != 7 || (strcmp(argv[1], "warm") != 0 && strcmp(argv[1], "cold") != 0)) {
		fputs("usage: fleet warm|cold NODES KEYS BYTES WORK_MS AT_ONCE\n", stderr);
		return 2;
	}
	is_cold = strcmp(argv[1], "cold") == 0;
	unsigned nodes = (unsigned)atoi(argv[2]), at_once = (unsigned)atoi(argv[6]);
	key_count = (unsigned)atoi(argv[3]);
	size = (size_t)atol(argv[4]);
	work_ms = (unsigned)atoi(argv[5]);
	if (!nodes || !at_once || size < DIGEST_SIZE)
		return 2;
	sums = mmap(NULL, sizeof *sums, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(root, sizeof root, "/dev/shm/reprise-fleet.XXXXXX");
	if (sums == MAP_FAILED || !mkdtemp(root))
		return 1;
	int rc = prepare();
	int64_t begun = sys_now_ns(CLOCK_MONOTONIC);
	if (rc == 0)
		rc = run(nodes, at_once);
	double seconds = (double)(sys_now_ns(CLOCK_MONOTONIC) - begun) / 1e9, n = nodes;
	snprintf(command, sizeof command, "rm -rf %s", root);
	if (system(command) != 0)
		rc = -1;
	printf("{\"nodes\": %u, \"keys\": %u, \"seconds\": %.3f, \"slowest_node\": %.3f, "
	       "\"round_trips\": %.1f, \"connections\": %.1f, \"bytes_in\": %.0f, "
	       "\"bytes_out\": %.0f, \"worked_in_all\": %lu, \"waited_in_all\": %lu, "
	       "\"trips_of_a_wait\": %.1f, \"failed_in_all\": %lu}\n",
	       nodes, key_count, seconds, (double)sums->slowest_ns / 1e9,
	       (double)sums->round_trips / n, (double)sums->connections / n, (double)sums->in / n,
	       (double)sums->out / n, (unsigned long)sums->worked, (unsigned long)sums->waited,
	       sums->waited ? (double)sums->wait_trips / (double)sums->waited : 0,
	       (unsigned long)sums->failed);
	return rc ? 1 : 0;
}
