/* cli/fetch.c - `reprise fetch`: the fetcher, which fills the local store from the remote store for
 * hosts (remote/ask.h). */
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "remote/ask.h"
#include "remote/remote.h"
#include "shim/log.h"
#include "shim/settings/job.h"
#include "store/entry/candidate.h"
#include "store/job/counters.h"
#include "units/format/member.h"
#include "units/format/parcel.h"
#include "units/offer.h"

/* A host sends its question as soon as it is connected. */
#define QUESTION_MS 200

struct fetcher {
	struct store *store;
	struct remote *remote;
	struct arena work; /* memory of one question */
};

static int store_has(const struct store *s, enum store_class class, const struct digest *key)
{
	char path[4096];

	return store_path(path, sizeof path, s->dir, class, key, 0) < sizeof path &&
	       sys_access(path, F_OK) == 0;
}

static enum ask_answer answer_of(enum remote_status status)
{
	switch (status) {
	case REMOTE_HIT: return ASK_FILLED;
	case REMOTE_ABSENT: return ASK_ABSENT;
	case REMOTE_SKIPPED: break;
	}
	return ASK_SKIPPED;
}

/* Fetches the parcel of a unit unless the store has it. */
static enum ask_answer fetch_unit(struct fetcher *f, const struct digest *key, struct fault *fault)
{
	enum ask_answer answer;
	struct entry e;

	if (store_has(f->store, STORE_UNIT, key))
		return ASK_FILLED;
	answer = answer_of(remote_result(f->remote, STORE_UNIT, key, &e, fault));
	if (answer == ASK_FILLED && store_put_entry(f->store, 0, &e, fault) < 0)
		return ASK_SKIPPED;
	return answer;
}

/* True if the parcel that a member names belongs to this set and name and, if the name is no
 * digest, has this content. Without the check, a writer of Redis could store anything here under a
 * key that another job asks for. */
static int is_of_set(struct fetcher *f, const struct digest *set, const struct member *m)
{
	const unsigned char *text;
	struct digest key, content;
	struct fault ignored;
	struct parcel p;
	struct entry e;
	uint64_t len;

	unit_member_key(&key, set, m->name, NULL);
	if (digest_equal(&key, &m->parcel))
		return 1;
	if (store_get(f->store, STORE_UNIT, &m->parcel, 0, &e, &f->work, &ignored) != ENTRY_OK &&
	    remote_result(f->remote, STORE_UNIT, &m->parcel, &e, &ignored) != REMOTE_HIT)
		return 0;
	if (parcel_decode(&p, e.payload, e.len, &f->work) < 0 || p.files != 1)
		return 0;
	text = parcel_file_bytes(&p.file[0], NULL, &len, &f->work);
	if (!text)
		return 0;
	digest_of(&content, text, len);
	unit_member_key(&key, set, m->name, &content);
	if (!digest_equal(&key, &m->parcel))
		return 0;
	if (!store_has(f->store, STORE_UNIT, &m->parcel))
		store_put_entry(f->store, 0, &e, &ignored);
	return 1;
}

/* Fetches the parcels of a set before the members that name them. */
static enum ask_answer fetch_set(struct fetcher *f, const struct digest *key, struct fault *fault)
{
	struct entry *v = arena_alloc(&f->work, REMOTE_CANDIDATES * sizeof *v);
	enum ask_answer answer;
	unsigned count = 0;
	int more;

	if (!v)
		return ASK_SKIPPED;
	answer = answer_of(remote_candidates(f->remote, STORE_SET, key, 0, v, REMOTE_CANDIDATES,
	                                     &count, &more, fault));
	if (answer != ASK_FILLED)
		return answer;
	answer = ASK_ABSENT;
	/* The oldest first, so that the newest is kept longest. */
	while (count--) {
		struct member m;

		if (member_decode(&m, v[count].payload, v[count].len, &f->work) < 0)
			continue;
		if (!is_of_set(f, key, &m)) {
			counters_add(f->store, COUNTER_REFUSED_ENTRIES, 1);
			continue;
		}
		enum ask_answer one = fetch_unit(f, &m.parcel, fault);
		if (one == ASK_FILLED && store_add_candidate(f->store, STORE_SET, key,
		                                             v[count].payload, v[count].len,
		                                             fault) == 0)
			answer = ASK_FILLED;
		else if (answer != ASK_FILLED)
			answer = ASK_SKIPPED;
		if (one == ASK_ABSENT)
			fault_set(fault, ENOENT, "the remote store no longer has the parcel");
	}
	return answer;
}

/* Fetches results before the candidates that name them. The host itself checks which inputs
 * hold. */
static enum ask_answer fetch_action(struct fetcher *f, const struct digest *key,
                                    struct fault *fault)
{
	enum ask_answer answer;
	struct entry v[REMOTE_FIRST], result;
	struct candidate c;
	unsigned count = 0;
	int more;

	answer = answer_of(remote_candidates(f->remote, STORE_MANIFEST, key, 0, v, REMOTE_FIRST,
	                                     &count, &more, fault));
	if (answer != ASK_FILLED)
		return answer;
	answer = ASK_ABSENT;
	while (count--) {
		if (candidate_decode(&c, v[count].payload, v[count].len, &f->work) < 0)
			continue;
		if (foreign_fetched(key, &c, &f->work)) {
			counters_add(f->store, COUNTER_REFUSED_ENTRIES, 1);
			continue;
		}
		if (!store_has(f->store, STORE_RESULT, &c.result) &&
		    (remote_result(f->remote, STORE_RESULT, &c.result, &result, fault) !=
		     REMOTE_HIT || store_put_entry(f->store, 0, &result, fault) < 0))
			continue;
		if (store_add_candidate(f->store, STORE_MANIFEST, key, v[count].payload,
		                        v[count].len, fault) == 0)
			answer = ASK_FILLED;
	}
	return answer;
}

static void serve_one(struct fetcher *f, int fd)
{
	struct ask_reply reply = {.magic = ASK_MAGIC, .answer = ASK_SKIPPED};
	struct pollfd p = {fd, POLLIN, 0};
	struct fault fault = {0, ""};
	struct ask_question q;
	struct ucred peer;
	socklen_t n = sizeof peer;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 || peer.uid != geteuid())
		return;
	if (poll(&p, 1, QUESTION_MS) <= 0 || recv(fd, &q, sizeof q, MSG_DONTWAIT) != sizeof q ||
	    q.magic != ASK_MAGIC)
		return;
	q.events_of[sizeof q.events_of - 1] = '\0';
	f->remote->job = *q.events_of ? q.events_of : NULL;
	f->remote->rank = q.rank;
	remote_charge(f->remote, q.job, REMOTE_BUDGET_UNITS + (q.class == STORE_SET));
	if (remote_reload_keys(f->remote, &fault) < 0)
		log_once("fetcher", "nothing is fetched: %s", fault.text);
	else if (q.class == STORE_UNIT)
		reply.answer = fetch_unit(f, &q.key, &fault);
	else if (q.class == STORE_SET)
		reply.answer = fetch_set(f, &q.key, &fault);
	else if (q.class == STORE_MANIFEST)
		reply.answer = fetch_action(f, &q.key, &fault);
	else
		fault_set(&fault, EINVAL, "no such class");
	if (reply.answer == ASK_SKIPPED)
		memccpy(reply.text, fault.text, '\0', sizeof reply.text - 1);
	send(fd, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT);
	f->remote->job = NULL;
	arena_free(&f->work);
}

/* Returns the number of processes that were served, or -1: none can be. */
static int serve_all(struct fetcher *f, int listening)
{
	for (int count = 0;; count++) {
		int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0 && count == 0 && errno != EAGAIN && errno != EINTR &&
		    errno != ECONNABORTED)
			return -1;
		if (fd < 0)
			return count;
		serve_one(f, fd);
		close(fd);
	}
}

/* Serves until no process asks for a while, the remote store fails, or its keys cannot be read.
 * After a failure this process does not ask again (remote_failed), and the next process may have
 * another password. Hosts that connect while the socket is removed are still served. */
static void serve(struct fetcher *f, int listening, const char *name)
{
	struct arena *before = f->remote->arena;
	struct pollfd p = {listening, POLLIN, 0};
	unsigned tries = 0;
	int served = 0;

	f->remote->arena = &f->work;
	while (f->remote->on && !remote_failed(f->remote) && served >= 0 &&
	       tries < SYS_TRIES_MOST && poll(&p, 1, (int)(ASK_IDLE_NS / 1000000)) > 0) {
		served = serve_all(f, listening);
		tries = served ? 0 : tries + 1;
	}
	char *path = arena_cat(&f->work, f->store->runtime_dir, "/", name, NULL);
	if (path)
		unlink(path);
	serve_all(f, listening);
	f->remote->arena = before;
}

/* Starts a publisher if an earlier job left something to pack or send: hosts that only look up
 * start none. */
static void pick_up(const struct cli *c, struct store *s, struct remote *r)
{
	struct fault fault = {0, ""};
	char object[PATH_SIZE];
	size_t offers = 0;
	int64_t age;

	if (cli_find_library(object, sizeof object, NULL) < 0)
		return;
	offers_pending(s, &offers, &age);
	if (offers)
		publisher_start(r, object, c->envp, &fault);
	else
		publisher_resume(r, object, c->envp, &fault);
}

int cli_fetch(struct cli *c, int argc, char **argv)
{
	struct fetcher f = {.work = ARENA_INIT};
	struct lock lock = LOCK_INIT;
	struct fault fault = {0, ""};
	char name[ASK_NAME_SIZE];
	struct digest key;
	struct remote r;
	struct store s;
	int fd, daemon;
	const struct cli_option options[] = {
		{"daemon", 'd', NULL, NULL, &daemon},
		{0},
	};
	const struct cli_syntax syntax = {
		.options = options,
		.text = "Fetches entries from the remote store into the local one for jobs that "
			"ask. Jobs start it in the background; it ends after a minute without "
			"questions. One runs at a time for a store and its settings."};

	cli_parse(argc, argv, &syntax);
	int status = cli_open_store(c, &s, argv[0]);
	if (status != CLI_OK)
		return status;
	log_init(&c->settings, s.dir, s.runtime_dir, "fetch", c->envp, &c->arena);
	remote_tag(&s, &c->settings, c->envp, &c->arena);
	ask_name(name, &s, &c->settings);
	digest_name(&key, name, strlen(name));
	if (!s.runtime_dir || lock_take(&lock, s.runtime_dir, &key, 0, NULL) != LOCK_HELD)
		return CLI_OK; /* another fetcher serves */
	if (remote_open(&r, &c->settings, c->envp,
	                settings_job(&c->settings, c->envp, &c->arena, NULL), &s, &c->arena,
	                &fault) < 0 || !r.on) {
		log_once("fetcher", "nothing is fetched: %s",
		         *fault.text ? fault.text : "no remote store is configured");
		return CLI_FINDING;
	}
	pick_up(c, &s, &r);
	f.store = &s;
	f.remote = &r;
	fd = ask_socket(s.runtime_dir, name, 1);
	if (fd < 0) {
		fault_sys(&fault, -fd, "listen", name);
		log_once("fetcher", "%s", fault.text);
		status = CLI_FINDING;
	} else {
		serve(&f, fd, name);
		close(fd);
	}
	remote_close(&r);
	lock_release(&lock);
	return status;
}
