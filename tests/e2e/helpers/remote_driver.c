/* Does by hand what a supervisor does with the remote store: for publish.bats. Settings come from
 * the environment.
 *
 *   fill FROM TO SIZE [lease]   actions FROM..TO-1, each a result of SIZE bytes and a candidate, in
 *                               the local store and the spool; with "lease" their leases are taken
 *   count FROM TO               how many of them the remote store has, complete
 *   backfill FROM TO            as count, and then puts them into the faster stores
 *   bare FROM TO SIZE           the spool's records alone, of absent entries
 *   start                       tells the agent that records wait; prints 1, or -1 and why, and any
 *                               child or SIGCHLD
 *   ask CLASS N                 N questions for entries that nobody has; prints the answers
 *   pending                     records that wait */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "remote/remote.h"
#include "shim/log.h"
#include "shim/settings/job.h"
#include "store/agent.h"
#include "store/trust.h"

static struct arena arena;
static struct settings set;
static struct store store;
static struct remote r;
static struct fault fault;

static void names(unsigned n, struct digest *k1, struct digest *k2)
{
	char text[32];

	snprintf(text, sizeof text, "action %u", n);
	digest_of(k1, text, strlen(text));
	snprintf(text, sizeof text, "result %u", n);
	digest_of(k2, text, strlen(text));
}

/* Bytes that do not compress, the same for each n. */
static void content(unsigned char *out, unsigned n, size_t size)
{
	uint64_t v = 88172645463325252ull + n;

	for (size_t i = 0; i < size; i++) {
		v ^= v << 13;
		v ^= v >> 7;
		v ^= v << 17;
		out[i] = (unsigned char)v;
	}
}

static int add(unsigned n, size_t size, int lease, int bare)
{
	unsigned char candidate[200], *bytes = malloc(size + 1);
	struct spool_record rec = {.class = STORE_RESULT, .made_at = time(NULL)};
	struct digest k1, k2;

	names(n, &k1, &k2);
	content(bytes, n, size);
	content(candidate, n, sizeof candidate);
	memcpy(candidate, k2.b, DIGEST_SIZE);
	if (lease && remote_lease_take(&r, &k1, rec.lease,
	                               (unsigned)setting_number(&set, SETTING_REMOTE_LEASE)) != 1)
		return -1;
	if (!bare && (store_put(&store, STORE_RESULT, &k2, 0, bytes, size, &fault) < 0 ||
	              store_add_candidate(&store, STORE_MANIFEST, &k1, candidate, sizeof candidate,
	                                  &fault) < 0))
		return -1;
	free(bytes);
	rec.key = k2;
	if (spool_add(&store, &rec) < 0)
		return -1;
	rec.class = STORE_MANIFEST;
	rec.key = k1;
	rec.result = k2;
	return spool_add(&store, &rec);
}

static int has(unsigned n)
{
	struct entry e[REMOTE_FIRST], result;
	struct digest k1, k2;
	unsigned count;
	int more;

	names(n, &k1, &k2);
	if (remote_candidates(&r, STORE_MANIFEST, &k1, 0, e, REMOTE_FIRST, &count, &more,
	                      &fault) != REMOTE_HIT || count != 1 ||
	    memcmp(e[0].payload, k2.b, DIGEST_SIZE) != 0 ||
	    remote_result(&r, STORE_RESULT, &k2, &result, &fault) != REMOTE_HIT)
		return 0;
	unsigned char *want = malloc(result.len + 1);
	content(want, n, result.len);
	int same = memcmp(want, result.payload, result.len) == 0;
	free(want);
	return same;
}

static volatile sig_atomic_t children;
static void on_child(int sig)
{
	(void)sig;
	children++;
}

/* Says that records wait, as a supervisor does. Prints 1; -1 and why: no agent was told. */
static int start(void)
{
	struct digest none = {{0}};
	struct agent_question q;
	struct agent_reply reply;
	struct agent g;

	signal(SIGCHLD, on_child);
	agent_open(&g, &store, &set, environ, &arena);
	agent_question(&q, &g, AGENT_DONE, STORE_MANIFEST, &none);
	q.flags = AGENT_SENDS;
	int told = agent_ask(&g, &q, agent_patience(&g, 0), &reply, &fault) == AGENT_FILLED;
	printf("%d\n", told ? 1 : -1);
	if (!told)
		printf("%s\n", fault.text);
	usleep(100000);
	if (waitpid(-1, NULL, WNOHANG | __WALL) != -1 || errno != ECHILD)
		printf("a child is left\n");
	if (children)
		printf("SIGCHLD came\n");
	return 0;
}

/* Questions for units (4) or sets (5) that nobody has. */
static int ask_for(enum store_class class, unsigned n)
{
	struct agent_question q;
	struct agent_reply reply;
	struct digest key;
	struct agent g;

	agent_open(&g, &store, &set, environ, &arena);
	for (unsigned i = 0; i < n; i++) {
		/* An absence is remembered by key alone. */
		unsigned name[] = {(unsigned)class, i};

		digest_name(&key, name, sizeof name);
		agent_question(&q, &g, AGENT_FILL, class, &key);
		printf("%d\n", agent_ask(&g, &q, agent_patience(&g, 1), &reply, &fault));
	}
	agent_close(&g);
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	unsigned from = argc > 3 ? (unsigned)atoi(argv[2]) : 0,
		to = argc > 3 ? (unsigned)atoi(argv[3]) : 0, found = 0;

	settings_load(&set, environ, &arena);
	if (trust_configured(&set))
		digest_use(DIGEST_BLAKE2B);
	if (store_open(&store, &set, environ, &arena, &fault) < 0 || !store.dir)
		return 1;
	log_init(&set, store.dir, store.runtime_dir, "driver", environ, &arena);
	remote_tag(&store, &set, environ, &arena);
	const char *job = settings_job(&set, environ, &arena, NULL);
	if (remote_open(&r, &set, environ, job, &store, &arena, &fault) < 0 || !r.on) {
		fprintf(stderr, "%s\n", fault.text);
		return 1;
	}
	if (strcmp(verb, "pending") == 0) {
		size_t n;
		int64_t age;
		spool_pending(&store, &n, &age);
		printf("%zu\n", n);
		return 0;
	}
	if (strcmp(verb, "start") == 0)
		return start();
	if (strcmp(verb, "ask") == 0)
		return ask_for((enum store_class)from, to);
	for (unsigned n = from; n < to; n++) {
		if (strcmp(verb, "count") == 0 || strcmp(verb, "backfill") == 0) {
			found += (unsigned)has(n);
			if (*verb == 'b')
				remote_backfill(&r);
		}
		else if (add(n, argc > 4 ? (size_t)atol(argv[4]) : 100, argc > 5,
		             strcmp(verb, "bare") == 0) < 0)
			return fprintf(stderr, "%u: %s\n", n, fault.text), 1;
	}
	if (strcmp(verb, "count") == 0 || strcmp(verb, "backfill") == 0)
		printf("%u\n", found);
	remote_close(&r);
	return 0;
}
