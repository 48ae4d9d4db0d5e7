/* jit/remote_lookup.c - the remote store, for an action inside a host. */
#include "jit/remote_lookup.h"

#include "remote/remote.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/settings/job.h"
#include "store/agent.h"
#include "store/entry/candidate.h"
#include "store/inbox.h"
#include "store/job/counters.h"
#include "store/queue/spool.h"

#include "shim/banned.h"

/* Compiles are looked up and sent there. */
static int is_used(struct start *s)
{
	struct remote_use use;

	return remote_use_load(&use, &s->set, s->call.envp, &s->arena) &&
	       use.classes >> STORE_MANIFEST & 1;
}

/* Takes a candidate and its result from the inbox. 0 or -1. */
static int take(struct start *s, struct store *inbox, const struct entry *e)
{
	struct candidate *c = arena_alloc(&s->arena, sizeof *c);
	struct entry result;
	struct fault ignored;

	if (!c || candidate_decode(c, e->payload, e->len, &s->arena) < 0 ||
	    foreign_fetched(&s->k1, c, &s->arena)) {
		counters_add(&s->store, COUNTER_REFUSED_ENTRIES, 1);
		return -1;
	}
	if (store_get(&s->store, STORE_RESULT, &c->result, 0, &result, &s->arena, &ignored) !=
	    ENTRY_OK &&
	    (store_get(inbox, STORE_RESULT, &c->result, 0, &result, &s->arena,
	               &ignored) != ENTRY_OK ||
	     store_put_entry(&s->store, 0, &result, &ignored) < 0))
		return -1;
	return store_add_candidate(&s->store, STORE_MANIFEST, &s->k1, e->payload, e->len,
	                           &ignored);
}

int remote_lookup_ahead(struct start *s)
{
	struct store inbox;
	struct entry e;
	struct fault ignored;
	int filled = 0;

	if (!is_used(s) || !s->store.writable || setting_number(&s->set, SETTING_READONLY))
		return 0;
	remote_tag(&s->store, &s->set, s->call.envp, &s->arena);
	if (inbox_open(&inbox, &s->store, &s->arena) < 0)
		return 0;
	for (int i = 0; i < STORE_SLOTS; i++) {
		if (store_get(&inbox, STORE_MANIFEST, &s->k1, i, &e, &s->arena, &ignored) !=
		    ENTRY_OK)
			break;
		filled |= take(s, &inbox, &e) == 0;
	}
	s->verdict.from_remote = filled;
	return filled;
}

int remote_lookup(struct start *s)
{
	const char *why = NULL;
	int filled;

	if (!is_used(s))
		return 0;
	remote_tag(&s->store, &s->set, s->call.envp, &s->arena);
	filled = agent_fill_once(&s->store, &s->set, s->call.envp, STORE_MANIFEST, &s->k1,
	                         &s->arena, &why) == AGENT_FILLED;
	if (why)
		format_text(s->verdict.remote_note, sizeof s->verdict.remote_note, "remote: %s",
		            why);
	s->verdict.from_remote = filled;
	return filled;
}

void remote_lookup_publish(struct start *s, const struct digest *k2, int64_t took)
{
	struct spool_record record = {STORE_RESULT, *k2, {{0}},
	                              s->times.started_at / 1000000000, {0},
	                              (uint64_t)took};
	struct agent_question q;
	struct agent_reply none;
	struct agent g;
	struct fault fault;

	if (!is_used(s) || setting_number(&s->set, SETTING_REMOTE_READONLY))
		return;
	spool_set_job(&record, settings_job(&s->set, s->call.envp, &s->arena, NULL));
	remote_tag(&s->store, &s->set, s->call.envp, &s->arena);
	if (spool_add(&s->store, &record) < 0)
		return;
	record.class = STORE_MANIFEST;
	record.key = s->k1;
	record.result = *k2; /* in place of the job */
	if (spool_add(&s->store, &record) < 0 || spool_publisher_busy(&s->store))
		return;
	agent_open(&g, &s->store, &s->set, s->call.envp, &s->arena);
	agent_question(&q, &g, AGENT_DONE, STORE_MANIFEST, &s->k1);
	q.flags = AGENT_SENDS;
	agent_ask(&g, &q, agent_patience(&g, 0), &none, &fault);
	agent_close(&g);
}
