/* units/set.c - members of sets, and what ranks have under one name. */
#include "units/set.h"

#include "units/key.h"
#include "units/parcel.h"
#include "units/place.h"

#include "shim/banned.h"

/* Member, the payload of a STORE_SET entry; little-endian, no padding
 *
 *   offset 0  32  parcel   key of its STORE_UNIT entry; first: store_add_candidate compares it
 *         32   8  made_at  seconds since 1970
 *         40   .  name     string, of the file
 *          .   4  number of conditions, at most MEMBER_CONDITIONS_MAX, each:
 *                   string path, absolute; 32 digest of what that file must hold
 *
 * A string is 4 length, bytes without a NUL, one NUL that is not counted. The payload ends with
 * the last condition.
 * Specimen: tests/data/member-v1.bin, decoded by tests/unit/test_member.c. */

/* The smallest condition; a count above what the remaining bytes can hold is false. */
enum { CONDITION_MIN = 6 + DIGEST_SIZE };

static void decode_digest(struct reader *r, struct digest *d)
{
	const void *p = reader_bytes(r, DIGEST_SIZE);

	if (p)
		memcpy(d->b, p, DIGEST_SIZE);
}

void member_encode(struct buf *out, const struct member *m)
{
	if (m->conditions > MEMBER_CONDITIONS_MAX || !parcel_name_ok(m->name)) {
		out->failed = 1;
		return;
	}
	buf_add(out, m->parcel.b, DIGEST_SIZE);
	buf_u64(out, (unsigned long long)m->made_at);
	buf_lstr(out, m->name, strlen(m->name));
	buf_u32(out, m->conditions);
	for (unsigned i = 0; i < m->conditions; i++) {
		if (m->condition[i].path[0] != '/')
			out->failed = 1;
		buf_lstr(out, m->condition[i].path, strlen(m->condition[i].path));
		buf_add(out, m->condition[i].content.b, DIGEST_SIZE);
	}
}

int member_decode(struct member *m, const void *bytes, size_t n, struct arena *a)
{
	struct reader r = reader_of(bytes, n);

	memset(m, 0, sizeof *m);
	decode_digest(&r, &m->parcel);
	m->made_at = (int64_t)reader_u64(&r);
	m->name = reader_text(&r);
	size_t count = reader_u32(&r);
	if (r.failed || !parcel_name_ok(m->name) || count > MEMBER_CONDITIONS_MAX ||
	    count > (size_t)(r.end - r.p) / CONDITION_MIN)
		return -1;
	m->condition = arena_alloc(a, (count + 1) * sizeof *m->condition);
	if (!m->condition)
		return -1;
	for (size_t i = 0; i < count; i++) {
		m->condition[i].path = reader_text(&r);
		decode_digest(&r, &m->condition[i].content);
		if (m->condition[i].path[0] != '/')
			r.failed = 1;
	}
	m->conditions = (unsigned)count;
	return r.failed || r.p != r.end ? -1 : 0;
}

/* 1: it is known that the rank has no set of this name. Two ranks' parcels are never equal: their
 * keys hold the scope. */
static int has_none(struct unit_lookup *l, const struct rank *me, unsigned long rank,
                    struct member theirs[STORE_SLOTS])
{
	struct rank peer = *me;
	enum ask_answer answer;
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
	if (answer == ASK_SKIPPED)
		l->why = arena_cat(&l->arena, "another rank's set is not known: ", l->why ? l->why
		                   : "", NULL);
	return answer != ASK_SKIPPED;
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
	unsigned n = 0;

	for (int slot = 0; slot < STORE_SLOTS; slot++) {
		struct entry e;
		enum entry_status st = store_get(&l->store, STORE_SET, set, slot, &e, &l->arena,
		                                 &fault);

		if (st == ENTRY_ABSENT)
			break;
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
