/* action/remote_store.c - an action and the remote store. */
#include "action/remote_store.h"

#include <string.h>

#include "action/action.h"
#include "judge/lookup.h"
#include "judge/output/confine.h"
#include "remote/remote.h"
#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "shim/settings/job.h"
#include "store/inbox.h"
#include "store/job/counters.h"

#include "shim/banned.h"

static void refuse(struct action *a, const char *what, const char *why)
{
	counters_add(&a->start.store, COUNTER_REFUSED_ENTRIES, 1);
	log_write(LOG_WARNING, "a remote %s was refused: %s", what, why);
	start_detail(&a->start, "%s: %s", what, why);
	start_missed(&a->start, REASON_MISS_REFUSED);
}

static void note(struct action *a, const char *text)
{
	log_write(LOG_INFO, "remote: %s", text);
	format_text(a->start.verdict.remote_note, sizeof a->start.verdict.remote_note,
	            "remote: %s", text);
}

/* The local store gets what a tool accepted. */
static void fill_local(struct action *a, const struct entry *candidate, const struct entry *result)
{
	struct store *s = &a->start.store;
	struct fault fault;

	if (!s->writable || setting_number(&a->start.set, SETTING_READONLY))
		return;
	if ((result && inbox_accept(a->inbox, s, result) < 0 &&
	     store_put_entry(s, 0, result, &fault) < 0) ||
	    store_add_candidate(s, STORE_MANIFEST, &a->start.k1, candidate->payload,
	                        candidate->len, &fault) < 0)
		log_once("store-write", "cannot store: %s", fault.text);
	else
		inbox_done(a->inbox, &a->start.k1, a->waited_ns ? NULL : candidate->payload);
}

#define DOES_NOT_UNPACK "an output does not unpack to what it says"

/* Unpacks before the local store is filled: the local store does not check the writer of an entry.
 * The replay needs the bytes anyway. */
static int unpack_outputs(struct action *a, struct result *r)
{
	for (size_t i = 0; i < r->out_count; i++) {
		struct result_output *o = &r->out[i];

		if (!o->packed || start_streams(a->start.row, o))
			continue;
		o->data = result_output_bytes(o, &a->start.arena);
		if (!o->data)
			return -1;
		o->packed = NULL;
	}
	return 0;
}

/* Gets a candidate's result from the inbox, where the agent puts it. 0; 1: it came, and another
 * start has accepted it since; -1 and start_missed() knows why. *bad: it was refused. */
static int ask_result(struct action *a, const struct candidate *c, struct entry *e, int *bad)
{
	struct start *s = &a->start;
	struct agent_reply reply = {0};
	struct agent_question q;
	struct fault ignored;
	enum agent_answer answer = AGENT_ABSENT;
	enum entry_status st = ENTRY_ABSENT;

	if (store_get(a->inbox, STORE_RESULT, &c->result, 0, e, &s->arena, &ignored) == ENTRY_OK)
		return 0;
	q = remote_store_question(a, AGENT_RESULT, STORE_RESULT, &c->result);
	answer = remote_store_ask(a, &q, &reply);
	a->inbox->reads = reply.checked ? ENTRY_MAPS_CHECKED : s->store.reads;
	if (answer == AGENT_FILLED)
		st = store_get(a->inbox, STORE_RESULT, &c->result, 0, e, &s->arena, &ignored);
	a->inbox->reads = s->store.reads;
	if (st == ENTRY_OK)
		return 0;
	if (answer == AGENT_FILLED && st == ENTRY_ABSENT)
		return 1;
	if (st == ENTRY_BAD) {
		*bad = 1;
		refuse(a, "result", "it is damaged");
		return -1;
	}
	*bad = *reply.refused != '\0';
	start_detail(s, "remote: %s", *bad ? reply.refused
	                              : answer == AGENT_SKIPPED ? s->verdict.fault.text
	                                                        : "it has no such result");
	start_missed(s, *bad ? REASON_MISS_REFUSED : REASON_MISS_RESULT);
	return -1;
}

/* Decodes the result of a candidate that confine_candidate() has accepted. NULL: it was refused. */
static struct result *accepted(struct action *a, const struct candidate *c, const struct entry *e)
{
	struct result *result = arena_alloc(&a->start.arena, sizeof *result);
	const char *why;

	if (!result || result_decode(result, e->payload, e->len, &a->start.arena) < 0)
		why = "it is no result";
	else
		why = confine_result(&a->start, c, result);
	if (!why && unpack_outputs(a, result) < 0)
		why = DOES_NOT_UNPACK;
	if (!why)
		return result;
	refuse(a, "result", why);
	return NULL;
}

/* A result that the local store has. NULL: it has none; *bad: it was refused. Another key may have
 * brought it, for a start that accepts other outputs. */
static struct result *stored_result(struct action *a, const struct candidate *c,
                                    const struct entry *candidate, int *bad)
{
	struct result *result = judge_result(&a->start, &c->result);
	const char *why = result ? confine_result(&a->start, c, result) : NULL;

	*bad = why != NULL;
	if (why) {
		refuse(a, "result", why);
		return NULL;
	}
	if (result)
		fill_local(a, candidate, NULL);
	return result;
}

/* Of starts that ask for one result at once, one takes it out of the inbox. The others find it in
 * the store, unless they look between the two: then it is asked for again, and another one of them
 * may be the one that takes it. */
#define TRIES 8

/* Gets the result of a candidate that holds, from the local or the remote store. *bad: it was
 * refused. */
static struct result *fetch_result(struct action *a, const struct candidate *c,
                                   const struct entry *candidate, int *bad)
{
	struct entry *fetched = arena_alloc(&a->start.arena, 2 * sizeof *fetched);
	struct result *result = NULL;
	int rc = 1;

	for (int i = 0; i < TRIES && rc > 0; i++) {
		result = stored_result(a, c, candidate, bad);
		if (result && i > 0)
			a->start.verdict.from_remote = 1;
		if (result || *bad || !fetched)
			return result;
		rc = ask_result(a, c, &fetched[1], bad);
	}
	if (rc > 0)
		start_missed(&a->start, REASON_MISS_RESULT);
	if (rc != 0)
		return NULL;
	result = accepted(a, c, &fetched[1]);
	if (!result) {
		*bad = 1;
		return NULL;
	}
	fetched[0] = *candidate;
	a->fetched = fetched;
	a->start.verdict.from_remote = 1;
	for (size_t i = 0; i < result->out_count; i++)
		if (start_streams(a->start.row, &result->out[i]))
			return result;
	remote_store_fill(a);
	return result;
}

/* 1 with *out. 0: this candidate does not serve, and start_missed() knows why. -1: the caller
 * should not try other candidates, since a bad result's memory stays in use. */
static int try_candidate(struct action *a, const struct entry *e, struct result **out)
{
	struct candidate *c = arena_alloc(&a->start.arena, sizeof *c);
	enum reason why;
	const char *no;
	int bad;

	if (!c || candidate_decode(c, e->payload, e->len, &a->start.arena) < 0) {
		refuse(a, "candidate", "it is no candidate");
		return 0;
	}
	if (judge_seen(&a->start.verdict, &c->result))
		return 0;
	no = confine_candidate(&a->start, c, &c->result);
	if (no) {
		refuse(a, "candidate", no);
		return 0;
	}
	why = judge_candidate_holds(&a->start, c);
	if (why != REASON_NONE) {
		judge_saw(&a->start.verdict, c, -1);
		start_missed(&a->start, why);
		return 0;
	}
	*out = fetch_result(a, c, e, &bad);
	if (*out) {
		a->start.verdict.held = c;
		return 1;
	}
	return bad ? -1 : 0;
}

/* Candidate `slot` of the inbox. 0, or -1: it is not there. */
static int get_candidate(struct action *a, int slot, struct entry *e)
{
	struct fault ignored;

	return store_get(a->inbox, STORE_MANIFEST, &a->start.k1, slot, e, &a->start.arena,
	                 &ignored) == ENTRY_OK ? 0 : -1;
}

/* Tries what was brought ahead of the job, with the return values of try_candidate(). */
static int try_inbox(struct action *a, struct result **out)
{
	struct entry e;
	int served = 0;

	for (int i = 0; i < STORE_SLOTS && !served && get_candidate(a, i, &e) == 0; i++)
		served = try_candidate(a, &e, out);
	return served;
}

/* Tries the candidates of an answer, the same way. */
static int try_answer(struct action *a, const struct agent_reply *r, struct result **out)
{
	const unsigned char *at = a->agent->bytes;
	size_t left = a->agent->bytes_len;
	int served = 0, slot = 0;

	for (unsigned i = 0; i < r->count && i < AGENT_FIRST && !served; i++) {
		size_t n = r->length[i];
		struct entry e = {.class = STORE_MANIFEST, .key = a->start.k1, .payload = at,
		                  .len = n};

		if (n > left || (!n && get_candidate(a, slot++, &e) < 0))
			break;
		at += n;
		left -= n;
		served = try_candidate(a, &e, out);
	}
	return served;
}

int remote_store_lookup(struct action *a, struct result **out)
{
	if (!remote_store_agent(a))
		return 0;
	return try_inbox(a, out) > 0 || remote_store_look_up(a, 0, out) > 0;
}

void remote_store_fill(struct action *a)
{
	if (a->fetched)
		fill_local(a, &a->fetched[0], &a->fetched[1]);
	a->fetched = NULL;
}

void remote_store_refuse(struct action *a)
{
	refuse(a, "result", DOES_NOT_UNPACK);
	a->fetched = NULL;
}

struct agent *remote_store_agent(struct action *a)
{
	struct start *s = &a->start;
	struct remote_use use;

	if (a->remote_off || a->agent)
		return a->agent;
	if (remote_use_load(&use, &s->set, s->call.envp, &s->arena) &&
	    use.classes >> STORE_MANIFEST & 1) {
		remote_tag(&s->store, &s->set, s->call.envp, &s->arena);
		a->agent = arena_alloc(&s->arena, sizeof *a->agent);
		a->inbox = arena_alloc(&s->arena, sizeof *a->inbox);
	}
	if (!a->agent || !a->inbox || inbox_open(a->inbox, &s->store, &s->arena) < 0) {
		a->agent = NULL;
		a->remote_off = 1;
		return NULL;
	}
	a->publishes = !use.readonly;
	agent_open(a->agent, &s->store, &s->set, s->call.envp, &s->arena);
	return a->agent;
}

struct agent_question remote_store_question(struct action *a, enum agent_verb verb,
                                            enum store_class class, const struct digest *key)
{
	struct agent_question q;

	_Static_assert(1 + TOOL_CLASSES <= REMOTE_BUDGET_UNITS, "those of units follow");
	agent_question(&q, a->agent, verb, class, key);
	q.budget = 1 + tool_class(a->start.row);
	return q;
}

enum agent_answer remote_store_ask(struct action *a, const struct agent_question *q,
                                   struct agent_reply *out)
{
	int64_t begun = sys_now_ns(CLOCK_MONOTONIC);
	enum agent_answer answer =
		agent_ask(a->agent, q, agent_patience(a->agent, q->verb == AGENT_RESULT), out,
		          &a->start.verdict.fault);

	a->waited_ns += sys_now_ns(CLOCK_MONOTONIC) - begun;
	a->skipped |= answer == AGENT_SKIPPED;
	if (out->magic == AGENT_MAGIC)
		a->publishes = (int)out->sends;
	return answer;
}

int remote_store_look_up(struct action *a, int again, struct result **out)
{
	struct agent_reply reply = {.more = 1};
	struct agent_question q;
	int served = 0;

	for (unsigned from = 0;
	     remote_store_agent(a) && reply.more && from < STORE_SLOTS && !served;
	     from += AGENT_FIRST) {
		q = remote_store_question(a, AGENT_CANDIDATES, STORE_MANIFEST, &a->start.k1);
		q.from = from;
		q.flags = again ? AGENT_ASKS_AGAIN : 0;
		enum agent_answer answer = remote_store_ask(a, &q, &reply);

		if (*reply.refused) {
			start_detail(&a->start, "entry of the remote store: %s", reply.refused);
			start_missed(&a->start, REASON_MISS_REFUSED);
		}
		if (answer == AGENT_SKIPPED)
			note(a, a->start.verdict.fault.text);
		else
			a->listed = reply.listed;
		if (answer != AGENT_FILLED)
			return 0;
		served = try_answer(a, &reply, out);
	}
	return served;
}
