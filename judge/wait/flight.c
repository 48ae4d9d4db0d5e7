/* judge/wait/flight.c - the key of a flight, from the names to which a result will be bound. */
#include "judge/wait/flight.h"

#include <string.h>

#include "judge/name/name.h"
#include "judge/text/text.h"
#include "judge/wait/leader.h"
#include "names/names.h"
#include "shim/kernel/process.h"
#include "store/job/counters.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* --- single flight --- */

struct wait {
	struct leader leader;
	struct start *start;
	int64_t holder_at; /* when the leader took the lock; 0: not known yet */
	struct progress progress;
};

static int may_serve(void *context, const struct lock_holder *holder, int64_t waited_ns)
{
	struct wait *w = context;

	if (!w->holder_at) {
		if (!holder->tid) /* of another pid namespace, or not noted yet */
			return waited_ns < PROGRESS_PATIENCE_NS;
		w->holder_at = holder->at;
		w->progress.pid = holder->tid;
		leader_begin(&w->leader, w->start, holder->tid);
	}
	/* The run that this start waited for has ended. */
	if (holder->at != w->holder_at)
		return 0;
	return !leader_differs(&w->leader) && progress_goes_on(&w->progress, waited_ns);
}

enum lock_status single_flight(struct start *s, struct lock *lock, int *waited)
{
	struct wait *w = arena_alloc(&s->arena, sizeof *w);
	enum lock_status status;
	int64_t ns = 0;

	*waited = 0;
	if (!w)
		return LOCK_FAULT;
	judge_flight(s);
	w->start = s;
	w->leader.fd = -1;
	status = lock_take_while(lock, s->store.runtime_dir, &s->flight, may_serve, w, &ns);
	leader_end(&w->leader);
	if (ns > 0) {
		counters_add(&s->store, COUNTER_WAITS, 1);
		counters_add(&s->store, COUNTER_WAITED_NS, ns);
		s->times.waited_ns += ns;
		*waited = 1;
	}
	return status;
}

/* Places where a name of equal length can be exchanged, or where its length shows. */
#define REACH_IN_PLACE \
	(REACH_HASH | REACH_TEXT | REACH_LENGTH | REACH_DEBUG | REACH_TABLE)

struct guess {
	struct start *start;
	unsigned reach[NAMES_MOST];
	enum asks_answer asks; /* of the sources alone; known if asked */
	int asked;
};

/* Whether the sources ask for their own name. The headers are not known yet. */
static enum asks_answer sources_ask(struct guess *g)
{
	struct candidate none = {0};
	struct texts t;

	if (g->asked)
		return g->asks;
	g->asked = 1;
	g->asks = texts_read(&t, g->start, &none, TEXTS_ALL, 0) == 0 ? asks_answer(&t.asks)
	                                                             : ASKS_FREELY;
	texts_free(&t);
	/* A link orders strings again, and its build id depends on all of them. */
	if (g->asks == ASKS_TELLS && g->start->cmd.flags & CMD_LINK)
		g->asks = ASKS_FREELY;
	return g->asks;
}

/* The strictest binding of this name in the candidates that were read. NAME_NONE: in none. */
static enum name_binding seen_binding(const struct verdict *verdict, const struct patch_name *name)
{
	enum name_binding worst = NAME_NONE;

	for (int i = 0; i < verdict->seen_count; i++) {
		enum name_binding b =
			candidate_binding(verdict->seen[i], name->kind, name->index);

		if (name_is_open(b))
			continue;
		if (name_shown(b) != NAME_NONE)
			b = NAME_BOUND;
		worst = b > worst ? b : worst;
	}
	return worst;
}

static enum name_binding guessed_binding(struct guess *g, size_t i)
{
	const struct patch_name *name = &g->start->all_names.v[i];
	unsigned reach = g->reach[i];

	if (name->kind == NAME_KIND_DIRECTORY)
		return reach & ~(unsigned)REACH_LINES ? NAME_BOUND : NAME_FREE;
	/* The order of strings in debug information is known only after the run. */
	if (reach & (REACH_ANYTHING | REACH_LINES))
		return NAME_BOUND;
	if (reach & REACH_ASKED && sources_ask(g) == ASKS_FREELY)
		return NAME_BOUND;
	if (reach & REACH_IN_PLACE || name->kind == NAME_KIND_TEXT ||
	    (reach & REACH_ASKED && sources_ask(g) == ASKS_TELLS))
		return NAME_LENGTH;
	return NAME_FREE;
}

/* 1: something was added. */
static int add_name(struct key *k, const struct patch_name *name, enum name_binding binding)
{
	char label[] = {(char)name->kind, (char)('0' + name->index), '\0'};
	uint64_t len = name->len;

	if (binding == NAME_BOUND)
		key_add(k, KEY_CANDIDATE, label, name->text, name->len);
	if (binding == NAME_LENGTH)
		key_add(k, KEY_NAME_LENGTH, label, &len, sizeof len);
	return binding == NAME_BOUND || binding == NAME_LENGTH;
}

static int add_names(struct start *s, struct key *k)
{
	const struct name_list *l = &s->all_names;
	struct guess *g = arena_alloc(&s->arena, sizeof *g);
	struct bound_name *v = arena_alloc(&s->arena, (l->count + 1) * sizeof *v);
	struct candidate c = {.name = v, .name_count = l->count};
	int added = 0;

	if (!g || !v || !l->count ||
	    driver_names_free(s->row, &s->cmd, l->v, l->count))
		return 0;
	g->start = s;
	for (size_t i = 0; i < l->count; i++)
		v[i] = (struct bound_name){l->v[i].kind, l->v[i].index, l->v[i].text, l->v[i].len,
		                           NAME_NONE};
	if (l->count <= NAMES_MOST)
		judge_bind_roles(s, &c, g->reach);
	for (size_t i = 0; i < l->count; i++) {
		enum name_binding binding = seen_binding(&s->verdict, &l->v[i]);

		if (l->v[i].kind == NAME_KIND_OWN)
			continue;
		if (binding == NAME_NONE)
			binding = i < NAMES_MOST ? guessed_binding(g, i) : NAME_BOUND;
		added |= add_name(k, &l->v[i], binding);
	}
	return added;
}

/* --- public, in header order --- */

void judge_flight(struct start *s)
{
	struct buf cwd = BUF_INIT(&s->arena);
	int added = 0;
	struct key k;

	if (s->flight_known)
		return;
	s->flight_known = 1;
	key_init(&k, NULL);
	key_add_digest(&k, KEY_CANDIDATE, "action and definitions", &s->flight);
	if (!(s->cmd.flags & CMD_CWD_FREE)) {
		names_path(&s->names, s->call.cwd, &cwd);
		key_add(&k, KEY_CANDIDATE, "cwd", cwd.data, cwd.len);
		added = 1;
	}
	if (add_names(s, &k) || added)
		key_final(&k, &s->flight);
}
