/* judge/lookup.c - the first candidate whose names and inputs all hold names the result. */
#include "judge/lookup.h"

#include <string.h>

#include "judge/input/input.h"
#include "judge/input/search.h"
#include "judge/name/name.h"
#include "judge/output/confine.h"
#include "judge/proof_verbs.h"
#include "judge/start.h"
#include "names/name_shape.h"
#include "shim/buf.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/counters.h"

#include "shim/banned.h"

/* 1: a name of a file that the command names may stand in the place of the recorded one, which is
 * name i. */
static int file_holds_name(struct start *s, const struct bound_name *was, size_t i)
{
	const struct name *is;

	if (was->index >= s->names.files)
		return 0;
	is = &s->names.file[was->index];
	if (is->len == was->len && memcmp(is->text, was->text, is->len) == 0)
		return 1;
	proof_differs(&s->proofs, i);
	return was->binding == NAME_FREE ||
	       start_detail(s, "file %s was %s when recorded", is->text, was->text);
}

/* 1: the bindings of candidate c allow its result for this start's names. */
static int names_hold(struct start *s, const struct candidate *c)
{
	int differs = 0;

	if (c->name_count != name_list_all(&s->all_names))
		return 0;
	for (size_t i = 0; i < c->name_count; i++) {
		const struct bound_name *was = &c->name[i];
		const struct patch_name *is;

		if (was->kind == NAME_KIND_FILE) {
			if (!file_holds_name(s, was, i))
				return 0;
			continue;
		}
		is = name_list_find(&s->all_names, was->kind, was->index);
		if (!is)
			return 0;
		if (is->len == was->len &&
		    (is->kind == NAME_KIND_OWN || memcmp(is->text, was->text, is->len) == 0))
			continue;
		differs = 1;
		proof_differs(&s->proofs, i);
		/* Short names are not searched for in the streams, and so cannot be exchanged. The
		 * names of a text are exchanged in place. */
		if (was->binding == NAME_BOUND ||
		    (name_is_base(is->kind) && !name_is_plain(is->text)) ||
		    ((was->binding == NAME_LENGTH || name_shown(was->binding) == NAME_LENGTH ||
		      is->kind == NAME_KIND_TEXT) && is->len != was->len) ||
		    is->len < NAME_VOLATILE_MIN || was->len < NAME_VOLATILE_MIN) {
			start_detail(s, is->kind == NAME_KIND_HASH
			                        ? "the hash of a source's path, %s, "
			                          "was %s when recorded"
			                        : "name %s was %s when recorded",
			             is->text, was->text);
			return 0;
		}
		if (!judge_alone(&s->names, &s->arena, c, is->kind))
			return start_detail(s, "another path begins with the letters of %s",
			                    is->text);
	}
	/* A directory that stayed may hold what lies below another name now. */
	for (size_t i = 0; differs && i < c->name_count; i++)
		if (name_is_mapped(c->name[i].kind) &&
		    !judge_alone(&s->names, &s->arena, c, c->name[i].kind))
			return start_detail(s, "another path begins with the letters of %s",
			                    c->name[i].text);
	return 1;
}

/* NULL: *why says more. */
static struct result *read_result(struct start *s, const struct digest *k2, struct entry *e,
                                  enum reason *why)
{
	struct result *r = arena_alloc(&s->arena, sizeof *r);

	switch (store_get(&s->store, STORE_RESULT, k2, 0, e, &s->arena, &s->verdict.fault)) {
	case ENTRY_OK:
		if (r && result_decode(r, e->payload, e->len, &s->arena) == 0)
			return r;
		counters_add(&s->store, COUNTER_CORRUPT, 1);
		/* fall through */
	case ENTRY_BAD:
		log_write(LOG_WARNING, "a damaged result entry was removed");
		*why = REASON_MISS_CORRUPT;
		return NULL;
	default:
		*why = REASON_MISS_RESULT;
		return NULL;
	}
}

struct result *judge_result(struct start *s, const struct digest *k2)
{
	enum reason ignored;
	struct entry e;

	return read_result(s, k2, &e, &ignored);
}

/* 1: the input compares names of directories. These are asked first, since a candidate of another
 * directory fails there, at the price of few looks at files. */
static int is_of_names(const struct input *in)
{
	return in->kind == INPUT_CWD || in->kind == INPUT_PWD || in->kind == INPUT_ORDER;
}

static int all_hold(struct start *s, const struct candidate *c, int of_names)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_of_names(&c->v[i]) == of_names && !judge_input_holds(s, &c->v[i]))
			return 0;
	return 1;
}

/* The candidate needs these proofs (bits), which REPRISE_PROOFS turns off. */
static void say_off(struct start *s, unsigned off)
{
	const char *names = "";
	int many = (off & (off - 1)) != 0;

	for (unsigned i = 0; i < PROOF_COUNT && names; i++)
		if (off >> i & 1)
			names = arena_cat(&s->arena, names, *names ? ", " : "", proof_name(i),
			                  NULL);
	start_detail(s, "a hit needs the proof%s %s, which %s off (REPRISE_PROOFS)",
	             many ? "s" : "", names ? names : "", many ? "are" : "is");
}

/* All else of the candidate holds. */
static enum reason proofs_hold(struct start *s, struct candidate *c)
{
	enum reason reason = REASON_NONE;
	unsigned off;

#define HOLDS(call) \
	if (reason == REASON_NONE) \
		reason = call;
#include "proofs/proofs.def"
	off = s->proofs.rests & (unsigned)setting_number(&s->set, SETTING_PROOFS);
	if (reason != REASON_NONE || !off)
		return reason;
	say_off(s, off);
	return REASON_MISS_PROOF;
}

enum reason judge_candidate_holds(struct start *s, struct candidate *c)
{
	enum reason reason;

	s->proofs.differ = s->proofs.rests = 0;
	s->proofs.learned = 0;
	if (!names_hold(s, c) || !all_hold(s, c, 1))
		return REASON_MISS_NAMES;
	search_set_begin(s, c);
	if (!all_hold(s, c, 0) || stream_files_read(s, c))
		return REASON_MISS_INPUT;
	reason = proofs_hold(s, c);
	if (reason != REASON_NONE)
		return reason;
	/* With refused memory, the key and the answers may be incomplete. */
	return s->arena.refused ? REASON_MISS_MEMORY : REASON_NONE;
}

static struct candidate *read_candidate(struct start *s, int slot, enum entry_status *st,
                                        struct entry *e)
{
	struct candidate *c;

	*st = store_get(&s->store, STORE_MANIFEST, &s->k1, slot, e, &s->arena, &s->verdict.fault);
	if (*st == ENTRY_BAD)
		log_write(LOG_WARNING, "a damaged manifest entry was removed");
	if (*st != ENTRY_OK)
		return NULL;
	c = arena_alloc(&s->arena, sizeof *c);
	if (!c || candidate_decode(c, e->payload, e->len, &s->arena) < 0)
		return NULL;
	return c;
}

int judge_seen(const struct verdict *verdict, const struct digest *k2)
{
	for (int i = 0; i < verdict->seen_count; i++)
		if (digest_equal(&verdict->seen[i]->result, k2))
			return 1;
	return 0;
}

void judge_saw(struct verdict *verdict, struct candidate *c, int slot)
{
	if (verdict->seen_count == STORE_SLOTS || judge_seen(verdict, &c->result))
		return;
	verdict->seen_slot[verdict->seen_count] = slot;
	verdict->seen[verdict->seen_count++] = c;
}

/* A candidate that was read, and where. */
struct found {
	struct candidate *c;
	struct entry manifest;
	int slot;
};

/* The candidate has bindings that no start need find again. result: what it serves with them from
 * now on, or NULL. */
static void keep_learned(struct start *s, const struct found *f, const struct entry *result)
{
	struct buf b = BUF_INIT(&s->arena);
	struct fault ignored;

	if (result)
		candidate_result_key(f->c, &s->k1, &f->c->result);
	candidate_encode(&b, f->c);
	if (b.failed || !s->store.writable ||
	    (result && store_put(&s->store, STORE_RESULT, &f->c->result, 0, result->payload,
	                         result->len, &ignored) < 0))
		return;
	if (f->slot < STORE_SLOTS)
		store_put(&s->store, STORE_MANIFEST, &s->k1, f->slot, b.data, b.len, &ignored);
	else
		store_add_candidate(&s->store, STORE_MANIFEST, &s->k1, b.data, b.len, &ignored);
}

/* 1: the candidate serves. */
static int try_candidate(struct start *s, const struct found *f, struct result **out)
{
	const char *refused = s->confines ? confine_inputs(s, f->c) : NULL;
	struct entry result;
	enum reason why;

	if (refused) {
		counters_add(&s->store, COUNTER_REFUSED_ENTRIES, 1);
		start_detail(s, "entry of the remote store: %s", refused);
		start_missed(s, REASON_MISS_REFUSED);
		return 0;
	}
	why = judge_candidate_holds(s, f->c);
	if (why != REASON_NONE) {
		start_missed(s, why);
		judge_saw(&s->verdict, f->c, f->slot < STORE_SLOTS ? f->slot : -1);
		if (s->proofs.learned)
			keep_learned(s, f, NULL);
		return 0;
	}
	*out = read_result(s, &f->c->result, &result, &why);
	if (!*out) {
		s->verdict.detail[0] = '\0';
		start_missed(s, why);
		return 0;
	}
	s->verdict.held = f->c;
	store_touch(&s->store, STORE_MANIFEST, &s->k1, f->slot, &f->manifest);
	store_touch(&s->store, STORE_RESULT, &f->c->result, 0, &result);
	if (s->proofs.learned)
		keep_learned(s, f, &result);
	return 1;
}

/* 1: other candidates are tried first. */
static int is_for_later(struct start *s, const struct candidate *c)
{
	return 0
#define LATER(call) || (call)
#include "proofs/proofs.def"
	;
}

/* Candidates of other definitions come last: their texts are to be searched. So do candidates of
 * another directory: that an output cannot be moved is found when it is replayed. */
int judge_lookup(struct start *s, struct result **out)
{
	struct found f, *later = NULL;
	enum entry_status st;
	int count = 0;

	s->verdict.detail[0] = '\0';
	start_missed(s, REASON_MISS_NEW);
	for (f.slot = 0; f.slot >= 0; f.slot = store_next_slot(&s->store, f.slot, st)) {
		f.c = read_candidate(s, f.slot, &st, &f.manifest);
		/* A seed may have what another place has. */
		if (!f.c || (f.slot >= STORE_SLOTS && judge_seen(&s->verdict, &f.c->result)))
			continue;
		if (!is_for_later(s, f.c)) {
			if (try_candidate(s, &f, out))
				return 1;
			continue;
		}
		if (!later)
			later = arena_alloc(&s->arena, STORE_SLOTS * sizeof *later);
		if (later && count < STORE_SLOTS)
			later[count++] = f;
	}
	for (int i = 0; i < count; i++)
		if (try_candidate(s, &later[i], out))
			return 1;
	return 0;
}
