/* cli/report/job_remote.c - parts of a job in the remote store. */
#include "cli/report/report.h"

#include <errno.h>

#include "remote/remote.h"
#include "store/dirs.h"
#include "store/job/job_node.h"

/* Records of all nodes in a report take 64 MB of memory, and 100 more when they are read. Nodes
 * beyond add their sums. */
#define EVENTS_MOST ((64u << 20) / EVENT_BYTES)

/* Opens the remote store for a few questions of a person who waits. */
static int open_remote(struct remote *r, struct cli *c, struct store *s, const char *job,
                       struct fault *fault)
{
	remote_tag(s, &c->settings, c->envp, &c->arena);
	if (remote_open(r, &c->settings, c->envp, job, s, &c->arena, fault) < 0)
		return -1;
	/* Reading the report of a job is no part of it. */
	r->job = NULL;
	r->ask_again = 1;
	remote_limit_stall(r, CLI_STALL_NS);
	return 0;
}

int job_remote_leave(struct cli *c, struct store *s, const char *job, struct fault *fault)
{
	unsigned char *payload = NULL;
	struct arena work = ARENA_INIT;
	struct digest key, list;
	char host[DIRS_HOST];
	struct events e;
	struct remote r;
	size_t len;
	int rc = 0;

	if (events_read(&e, s, job, &c->arena) < 0)
		return 0;
	if (open_remote(&r, c, s, job, fault) < 0)
		return -1;
	if (!remote_may_publish(&r))
		goto out;
	dirs_host(host);
	r.arena = &work;
	payload = job_node_encode(&len, &e, job, host, job_remote_expected(c), &work);
	job_node_key(&key, job, host, s->runtime_dir ? s->runtime_dir : "");
	job_node_list_key(&list, job, job_node_list(&key));
	/* A server that does not answer is known to the agent's breaker. */
	rc = !payload || cli_remote_answers(c, s, fault) < 0 ||
	     remote_put_result(&r, STORE_JOB_NODE, &key, payload, len, fault) != 0 ||
	     remote_put_candidate(&r, STORE_JOB_NODE, &list, key.b, sizeof key.b, fault) != 0
	     ? -1 : 0;
out:
	remote_close(&r);
	arena_free(&work);
	return rc;
}

int job_remote_expected(struct cli *c)
{
	struct remote_use use;

	return setting_number(&c->settings, SETTING_EVENTS) == EVENTS_REMOTE &&
	       remote_use_load(&use, &c->settings, c->envp, &c->arena);
}

struct joining {
	struct cli *c;
	struct remote r;
	struct events *e;
	struct job_remote *nodes;
	const char *job;
	size_t own;        /* events of this store: the first ones, by start */
	const char **host; /* of these, each once */
	size_t hosts;
	struct digest self;
	struct arena lists, work;
};

/* 1: the store holds events of that node, as one that nodes share does. */
static int is_known(const struct joining *j, const char *host)
{
	for (size_t i = 0; i < j->hosts; i++)
		if (strcmp(j->host[i], host) == 0)
			return 1;
	return 0;
}

static void note_hosts(struct joining *j)
{
	const char *last = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < j->own; i++) {
		const char *host = j->e->v[i].host, **v;

		/* Events of one file share the text. */
		if (host == last || is_known(j, host))
			continue;
		last = host;
		v = arena_grow(&j->c->arena, j->host, j->hosts, &cap, sizeof *v, 16);
		if (!v)
			return;
		j->host = v;
		v[j->hosts++] = host;
	}
}

static void add_node(struct joining *j, const struct job_node *n)
{
	struct job_remote *nodes = j->nodes;

	if (!arena_room(&j->c->arena, nodes->v, nodes->count, &nodes->cap, 16))
		return;
	nodes->v[nodes->count] = (struct job_remote_node){.host = n->host, .events = n->events};
	figures_of_sums(&nodes->v[nodes->count++].f, &n->sums);
}

/* 0; -1 with *fault: no answer. */
static int join_one(struct joining *j, const struct digest *key, struct fault *fault)
{
	struct job_node n;
	struct entry entry;
	const char *why;

	if (digest_equal(key, &j->self))
		return 0;
	switch (remote_result(&j->r, STORE_JOB_NODE, key, &entry, fault)) {
	case REMOTE_SKIPPED:
		return -1;
	case REMOTE_ABSENT: /* its time has come, or it was refused */
		j->nodes->refused += *j->r.refused != '\0';
		return 0;
	case REMOTE_HIT:
		break;
	}
	if (job_node_decode(&n, entry.payload, entry.len, j->job, &j->c->arena, &why) < 0) {
		j->nodes->refused++;
		return 0;
	}
	if (job_node_join(j->e, &n, is_known(j, n.host), j->own, EVENTS_MOST, &j->c->arena) < 0)
		return fault_set(fault, ENOMEM, "no memory for the events");
	add_node(j, &n);
	return 0;
}

static int join_all(struct joining *j, struct fault *fault)
{
	static struct entry v[REMOTE_CANDIDATES];
	int rc = 0;

	for (unsigned list = 0; list < JOB_NODE_LISTS && rc == 0; list++) {
		struct digest key;
		int n;

		job_node_list_key(&key, j->job, list);
		cli_progress("%zu nodes in the remote store", j->nodes->count);
		j->r.arena = &j->lists;
		n = remote_get_list(&j->r, STORE_JOB_NODE, &key, v, &j->nodes->refused, fault);
		rc = n < 0 ? -1 : 0;
		j->r.arena = &j->work;
		for (int i = 0; i < n && rc == 0; i++) {
			if (v[i].len == DIGEST_SIZE) {
				memcpy(key.b, v[i].payload, DIGEST_SIZE);
				rc = join_one(j, &key, fault);
			} else {
				j->nodes->refused++;
			}
			arena_free(&j->work);
		}
		arena_free(&j->lists);
	}
	return rc;
}

static int join(struct cli *c, struct store *s, const char *job, struct events *e,
                struct job_remote *nodes, struct fault *fault)
{
	struct joining j = {.c = c, .e = e, .nodes = nodes, .job = job, .own = e->count,
	                    .lists = ARENA_INIT, .work = ARENA_INIT};
	char host[DIRS_HOST];
	int rc;

	if (open_remote(&j.r, c, s, job, fault) < 0)
		return -1;
	if (!j.r.on)
		return fault_set(fault, ENOENT, "no remote store is configured");
	note_hosts(&j);
	dirs_host(host);
	job_node_key(&j.self, job, host, s->runtime_dir ? s->runtime_dir : "");
	rc = join_all(&j, fault);
	remote_close(&j.r);
	cli_progress_end();
	events_sort(e, &c->arena);
	return rc;
}

int job_remote_read(struct cli *c, struct store *s, const char *job, int asked, struct events *e,
                    struct job_remote *nodes, int *status, const char *who)
{
	struct fault fault = {0, ""};
	int known = events_read(e, s, job, &c->arena);

	memset(nodes, 0, sizeof *nodes);
	if (!job || (!asked && !job_remote_expected(c)))
		return known;
	if (join(c, s, job, e, nodes, &fault) < 0) {
		fprintf(stderr, "%s: what other nodes did is missing: %s\n", who, fault.text);
		*status = CLI_FINDING;
	}
	if (nodes->refused) {
		fprintf(stderr, "%s: %u parts of nodes in the remote store were refused: they are "
		        "damaged, belong to another job, or have no trusted signature\n", who,
		        nodes->refused);
		*status = CLI_FINDING;
	}
	return known == 0 || nodes->count ? 0 : -1;
}
