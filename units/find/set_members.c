/* units/find/set_members.c - members of sets, and what ranks have under one name. */
#include "units/find/set_members.h"

#include <string.h>

#include "units/find/place.h"
#include "units/format/member.h"

#include "shim/banned.h"

/* 1: it is known that the rank has no set of this name. Two ranks' parcels are never equal: their
 * keys hold the scope. */
static int has_none(struct unit_lookup *l, const struct rank *me, unsigned long rank,
                    struct member theirs[STORE_SLOTS])
{
	struct rank peer = *me;
	enum agent_answer answer;
	const char *scope;
	struct digest set;

	peer.rank = rank;
	scope = unit_scope_of_peer(l->scope, me, &peer, &l->arena);
	if (!scope)
		return 0;
	unit_key(&set, l->u.class, scope, l->name, l->u.name_len);
	answer = unit_lookup_ask(l, STORE_SET, &set);
	if (set_members(l, &set, theirs)) {
		l->why = "ranks have different sets and may share a directory: give each rank a "
		         "TORCHINDUCTOR_CACHE_DIR of its own";
		return 0;
	}
	if (answer == AGENT_SKIPPED)
		l->why = arena_cat(&l->arena, "another rank's set is not known: ", l->why ? l->why
		                   : "", NULL);
	return answer != AGENT_SKIPPED;
}

/* 1: no rank that may share the directory has a set for this name. */
static int is_alone(struct unit_lookup *l, const struct rank *me)
{
	struct member *theirs = arena_alloc(&l->arena, STORE_SLOTS * sizeof *theirs);

	if (!theirs || me->to - me->from > PEERS_MAX) {
		l->why = "too many ranks may share the directory";
		return 0;
	}
	for (unsigned long i = me->from; i < me->to; i++)
		if (i != me->rank && !has_none(l, me, i, theirs))
			return 0;
	return 1;
}

/* --- public, in header order --- */

unsigned set_members(struct unit_lookup *l, const struct digest *set,
                     struct member out[STORE_SLOTS])
{
	struct fault fault;
	enum entry_status st;
	unsigned n = 0;

	for (int slot = 0; slot >= 0 && n < STORE_SLOTS;
	     slot = store_next_slot(&l->store, slot, st)) {
		struct entry e;

		st = store_get(&l->store, STORE_SET, set, slot, &e, &l->arena, &fault);
		if (st != ENTRY_OK || member_decode(&out[n], e.payload, e.len, &l->arena) < 0)
			continue;
		store_touch(&l->store, STORE_SET, set, slot, &e);
		n++;
	}
	return n;
}

int set_may_lay(struct unit_lookup *l, const struct peers *who)
{
	const char *root = arena_memdup(&l->arena, l->path, l->u.root_len);
	struct rank me;
	int everywhere;

	if (!(l->row->scope & SCOPE_RANK_FX) ||
	    setting_number(&l->set, SETTING_FX_SCOPE) == SHARING_ALL)
		return 1;
	rank_read(&me, l->envp);
	everywhere = me.to - me.from < me.world &&
	             (!root || !place_is_of_one_host(root, &l->arena));
	if (everywhere) {
		me.from = 0;
		me.to = me.world;
	}
	return (!everywhere && peers_apart(who, 0)) || is_alone(l, &me) ||
	       (!everywhere && peers_apart(who, 1));
}
