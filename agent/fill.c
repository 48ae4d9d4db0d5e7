/* agent/fill.c - copies entries of the remote store into the local store and the inbox. */
#include "agent/fill.h"

#include <errno.h>

#include "remote/backends.h"
#include "shim/kernel/sys.h"
#include "store/entry/candidate.h"
#include "store/job/counters.h"
#include "store/unpacked.h"
#include "units/format/member.h"
#include "units/format/parcel.h"

static int store_has(const struct store *s, enum store_class class, const struct digest *key)
{
	char path[4096];

	return store_path(path, sizeof path, s->dir, class, key, 0) < sizeof path &&
	       sys_access(path, F_OK) == 0;
}

/* An entry with that payload was put. */
static void came(struct filler *f, const struct store *to, uint64_t payload)
{
	f->entries++;
	f->bytes += payload + ENTRY_HEAD + ENTRY_TAIL;
	if (to == f->inbox)
		inbox_account(f->store, payload + ENTRY_HEAD + ENTRY_TAIL);
}

/* The settings may leave out the class of a unit, which its key does not say. */
static int is_exchanged(struct filler *f, unsigned class)
{
	return class && f->remote->units >> class & 1;
}

/* What is larger goes to the inbox while it comes, so that it needs no memory. */
#define LARGE (4u << 20)

static enum agent_answer answer_of(enum remote_status status)
{
	switch (status) {
	case REMOTE_HIT: return AGENT_FILLED;
	case REMOTE_ABSENT: return AGENT_ABSENT;
	case REMOTE_SKIPPED: break;
	}
	return AGENT_SKIPPED;
}

/* Brings a result or a unit. out->payload NULL: it is in the inbox, and takes part in the store's
 * size. */
static enum agent_answer bring(struct filler *f, uint64_t least, enum store_class class,
                               const struct digest *key, struct entry *out, struct fault *fault)
{
	enum agent_answer answer;

	f->remote->into = f->inbox;
	f->remote->into_least = least;
	answer = answer_of(remote_result(f->remote, class, key, out, fault));
	f->remote->into = NULL;
	if (answer == AGENT_FILLED && !out->payload)
		came(f, f->inbox, out->len);
	return answer;
}

/* Puts into a store what bring() has brought. */
static int keep(struct filler *f, struct store *to, const struct entry *e, struct fault *fault)
{
	int rc = 0;

	if (!e->payload && to != f->inbox)
		rc = inbox_move(f->inbox, to, e->class, &e->key);
	if (rc < 0)
		return fault_sys(fault, -rc, "store entry", to->dir);
	if (!e->payload)
		return 0;
	if (store_put_entry(to, 0, e, fault) < 0)
		return -1;
	came(f, to, e->len);
	return 0;
}

/* The class of a unit that bring() has brought, or 0: it is none. */
static unsigned class_of(struct filler *f, const struct entry *e)
{
	struct parcel p;

	_Static_assert(sizeof f->remote->into_first == PARCEL_CLASS, "all that is kept");
	if (!e->payload)
		return parcel_class(f->remote->into_first);
	return parcel_decode(&p, e->payload, e->len, f->remote->arena) < 0 ? 0 : p.class;
}

/* Fetches the parcel of a unit unless the store has it. */
static enum agent_answer fetch_unit(struct filler *f, const struct digest *key, struct fault *fault)
{
	enum agent_answer answer;
	struct entry e;

	if (store_has(f->store, STORE_UNIT, key))
		return AGENT_FILLED;
	answer = bring(f, LARGE, STORE_UNIT, key, &e, fault);
	if (answer != AGENT_FILLED)
		return answer;
	if (!is_exchanged(f, class_of(f, &e)))
		return AGENT_ABSENT;
	return keep(f, f->store, &e, fault) < 0 ? AGENT_SKIPPED : AGENT_FILLED;
}

/* True if the parcel that a member names belongs to this set and name and, if the name is no
 * digest, has this content. Without the check, a writer of Redis could store anything here under a
 * key that another job asks for. */
static int is_of_set(struct filler *f, const struct digest *set, const struct member *m)
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
	if (store_get(f->store, STORE_UNIT, &m->parcel, 0, &e, f->remote->arena, &ignored) !=
	    ENTRY_OK &&
	    remote_result(f->remote, STORE_UNIT, &m->parcel, &e, &ignored) != REMOTE_HIT)
		return 0;
	if (parcel_decode(&p, e.payload, e.len, f->remote->arena) < 0 || p.files != 1 ||
	    !is_exchanged(f, p.class))
		return 0;
	text = parcel_file_bytes(&p.file[0], NULL, &len, f->remote->arena);
	if (!text)
		return 0;
	digest_of(&content, text, len);
	unit_member_key(&key, set, m->name, &content);
	if (!digest_equal(&key, &m->parcel))
		return 0;
	if (!store_has(f->store, STORE_UNIT, &m->parcel))
		keep(f, f->store, &e, &ignored);
	return 1;
}

/* Fetches the parcels of members before these. */
static enum agent_answer fetch_members(struct filler *f, const struct digest *key, struct entry *v,
                                       unsigned count, struct fault *fault)
{
	enum agent_answer answer = AGENT_ABSENT;
	struct remote_read want[REMOTE_CANDIDATES];
	unsigned reads = 0, most = remote_reads_most(f->remote);

	for (unsigned i = 0; i < count && reads < most; i++) {
		struct member m;

		if (member_decode(&m, v[i].payload, v[i].len, f->remote->arena) == 0 &&
		    !store_has(f->store, STORE_UNIT, &m.parcel))
			want[reads++] = (struct remote_read){STORE_UNIT, 0, m.parcel};
	}
	if (reads > 1)
		remote_read_ahead(f->remote, want, reads, f->remote->arena);
	/* The oldest first, so that the newest is kept longest. */
	while (count--) {
		struct member m;

		if (member_decode(&m, v[count].payload, v[count].len, f->remote->arena) < 0)
			continue;
		if (!is_of_set(f, key, &m)) {
			counters_add(f->store, COUNTER_REFUSED_ENTRIES, 1);
			continue;
		}
		enum agent_answer one = fetch_unit(f, &m.parcel, fault);
		if (one == AGENT_FILLED && store_add_candidate(f->store, STORE_SET, key,
		                                             v[count].payload, v[count].len,
		                                             fault) == 0)
			answer = AGENT_FILLED;
		else if (answer != AGENT_FILLED)
			answer = AGENT_SKIPPED;
		if (one == AGENT_ABSENT)
			fault_set(fault, ENOENT, "the remote store no longer has the parcel");
	}
	if (reads > 1)
		remote_read_end(f->remote);
	return answer;
}

/* Of several stores, each has a list of its own: a page for each. */
static enum agent_answer fetch_set(struct filler *f, const struct digest *key, struct fault *fault)
{
	struct entry *v = arena_alloc(f->remote->arena, REMOTE_CANDIDATES * sizeof *v);
	enum agent_answer answer = v ? AGENT_ABSENT : AGENT_SKIPPED, page;
	unsigned from = 0, count = 0;
	int more = v != NULL;

	while (more && from < PLACES_MAX * REMOTE_CANDIDATES) {
		page = answer_of(remote_candidates(f->remote, STORE_SET, key, from, v,
		                                   REMOTE_CANDIDATES, &count, &more, fault));
		if (page == AGENT_FILLED)
			page = fetch_members(f, key, v, count, fault);
		else
			more = 0;
		/* What one store has is of use whatever another one says. */
		if (answer != AGENT_FILLED && (from == 0 || page != AGENT_ABSENT))
			answer = page;
		from += REMOTE_CANDIDATES;
	}
	return answer;
}

/* Fetches results before the candidates that name them. The host itself checks which inputs
 * hold. */
static enum agent_answer fetch_action(struct filler *f, const struct digest *key,
                                    struct fault *fault)
{
	enum agent_answer answer;
	struct entry v[REMOTE_FIRST], result;
	struct candidate c;
	unsigned count = 0;
	int more;

	answer = answer_of(remote_candidates(f->remote, STORE_MANIFEST, key, 0, v, REMOTE_FIRST,
	                                     &count, &more, fault));
	if (answer != AGENT_FILLED)
		return answer;
	answer = AGENT_ABSENT;
	while (count--) {
		if (candidate_decode(&c, v[count].payload, v[count].len, f->remote->arena) < 0)
			continue;
		if (foreign_fetched(key, &c, f->remote->arena)) {
			counters_add(f->store, COUNTER_REFUSED_ENTRIES, 1);
			continue;
		}
		if (!store_has(f->store, STORE_RESULT, &c.result) &&
		    (bring(f, LARGE, STORE_RESULT, &c.result, &result, fault) != AGENT_FILLED ||
		     keep(f, f->store, &result, fault) < 0))
			continue;
		if (store_add_candidate(f->store, STORE_MANIFEST, key, v[count].payload,
		                        v[count].len, fault) == 0)
			answer = AGENT_FILLED;
	}
	return answer;
}

enum agent_answer fill_local(struct filler *f, enum store_class class, const struct digest *key,
                             struct fault *fault)
{
	switch (class) {
	case STORE_UNIT: return fetch_unit(f, key, fault);
	case STORE_SET: return fetch_set(f, key, fault);
	case STORE_MANIFEST: return fetch_action(f, key, fault);
	default: break;
	}
	fault_set(fault, EINVAL, "no such class");
	return AGENT_SKIPPED;
}

enum agent_answer fill_candidates(struct filler *f, const struct digest *k1, unsigned from,
                                  struct agent_reply *out, unsigned char bytes[AGENT_BYTES],
                                  size_t room, size_t *len, struct digest *newest,
                                  struct fault *fault)
{
	struct entry v[AGENT_FIRST];
	enum agent_answer answer;
	unsigned count = 0;
	int more = 0, slot = 0;

	answer = answer_of(remote_candidates(f->remote, STORE_MANIFEST, k1, from, v, AGENT_FIRST,
	                                     &count, &more, fault));
	out->listed = f->remote->listed;
	out->more = (unsigned)more;
	for (unsigned i = 0; answer == AGENT_FILLED && i < count; i++) {
		if (v[i].len <= room - *len) {
			memcpy(bytes + *len, v[i].payload, v[i].len);
			*len += out->length[i] = (uint32_t)v[i].len;
		} else if (store_put(f->inbox, STORE_MANIFEST, k1, slot++, v[i].payload, v[i].len,
		                     fault) < 0) {
			return AGENT_SKIPPED;
		}
		out->count = i + 1;
		if (i == 0 && v[i].len >= DIGEST_SIZE)
			memcpy(newest->b, v[i].payload, DIGEST_SIZE);
	}
	return answer;
}

int fill_has_result(const struct filler *f, const struct digest *k2)
{
	return store_has(f->store, STORE_RESULT, k2);
}

enum agent_answer fill_result(struct filler *f, const struct digest *k2, struct fault *fault)
{
	enum agent_answer answer;
	struct entry e;

	f->checked = 0;
	if (store_has(f->inbox, STORE_RESULT, k2))
		return AGENT_FILLED;
	answer = bring(f, 0, STORE_RESULT, k2, &e, fault);
	f->checked = answer == AGENT_FILLED;
	if (answer == AGENT_FILLED && keep(f, f->inbox, &e, fault) < 0)
		return AGENT_SKIPPED;
	return answer;
}

/* --- ahead of the job --- */

/* A seed counts as the local store. */
static int node_has(const struct filler *f, enum store_class class, const struct digest *key)
{
	int has = store_has(f->store, class, key);

	for (int i = 0; f->store->seeds[i] && !has; i++)
		has = store_has(&(struct store){.dir = f->store->seeds[i]}, class, key);
	return has;
}

/* The candidate that names the result: the newest one, or else one of all. 0, or -1. */
#define NEWEST 1
static int find_candidate(struct filler *f, const struct digest *k1, const struct digest *result,
                          struct entry *out, enum agent_answer *answer, struct fault *fault)
{
	struct entry *v = arena_alloc(f->remote->arena, REMOTE_CANDIDATES * sizeof *v);
	unsigned from = 0, count;
	int more = v != NULL;

	*answer = AGENT_SKIPPED;
	while (more) {
		unsigned max = from ? REMOTE_CANDIDATES - from : NEWEST;

		*answer = answer_of(remote_candidates(f->remote, STORE_MANIFEST, k1, from, v, max,
		                                      &count, &more, fault));
		if (*answer != AGENT_FILLED)
			return -1;
		for (unsigned i = 0; i < count; i++)
			if (v[i].len >= DIGEST_SIZE &&
			    memcmp(v[i].payload, result->b, DIGEST_SIZE) == 0) {
				*out = v[i];
				return 0;
			}
		from += max;
		more &= from < REMOTE_CANDIDATES;
	}
	*answer = AGENT_ABSENT;
	return -1;
}

/* Reads a result that has just come into the inbox. 0, or -1: there is no memory to map it. */
static int read_back(struct filler *f, const struct digest *key, struct entry *out)
{
	struct store checked = *f->inbox;
	struct fault ignored;

	checked.reads = ENTRY_MAPS_CHECKED;
	return store_get(&checked, STORE_RESULT, key, 0, out, f->remote->arena, &ignored) ==
	       ENTRY_OK ? 0 : -1;
}

/* Nobody waits for this process, so that it unpacks what each hit would unpack. An entry that does
 * not unpack stays as it came: the tool that would use it refuses it. */
static int keep_unpacked(struct filler *f, const struct entry *e, struct fault *fault)
{
	enum compress_mode mode = (enum compress_mode)setting_number(f->set, SETTING_COMPRESS);
	const struct entry *packed = e;
	struct entry read;
	uint64_t more;

	if (!e->payload)
		packed = read_back(f, &e->key, &read) == 0 ? &read : NULL;
	more = packed ? unpacked_more(packed, mode, f->remote->arena) : 0;
	if (!more || more > f->room ||
	    unpacked_put(f->inbox, packed, mode, f->remote->arena, fault) < 0)
		return keep(f, f->inbox, e, fault);
	came(f, f->inbox, e->payload ? e->len + more : more);
	return 0;
}

static int inbox_has_action(const struct filler *f, const struct digest *k1,
                            const struct digest *result)
{
	return store_has(f->inbox, STORE_MANIFEST, k1) && store_has(f->inbox, STORE_RESULT, result);
}

unsigned fill_ahead_reads(const struct filler *f, enum store_class class, const struct digest *key,
                          const struct digest *result, struct remote_read out[2])
{
	unsigned n = 0;

	if (class == STORE_SET)
		out[n++] = (struct remote_read){class, REMOTE_CANDIDATES, *key};
	else if (class == STORE_UNIT && !node_has(f, class, key))
		out[n++] = (struct remote_read){class, 0, *key};
	if (class != STORE_MANIFEST || inbox_has_action(f, key, result))
		return n;
	if (!node_has(f, STORE_RESULT, result) && !store_has(f->inbox, STORE_RESULT, result))
		out[n++] = (struct remote_read){STORE_RESULT, 0, *result};
	if (n || !node_has(f, STORE_MANIFEST, key))
		out[n++] = (struct remote_read){STORE_MANIFEST, NEWEST, *key};
	return n;
}

/* A tool or a host checks the action when it looks for it: here nobody knows which it is. */
static enum agent_answer bring_action(struct filler *f, const struct digest *k1,
                                      const struct digest *result, struct fault *fault)
{
	int has_result = node_has(f, STORE_RESULT, result);
	enum agent_answer answer;
	struct entry candidate, e;

	if ((has_result && node_has(f, STORE_MANIFEST, k1)) ||
	    inbox_has_action(f, k1, result))
		return AGENT_ABSENT;
	if (find_candidate(f, k1, result, &candidate, &answer, fault) < 0)
		return answer;
	if (!has_result && !store_has(f->inbox, STORE_RESULT, result)) {
		answer = bring(f, LARGE, STORE_RESULT, result, &e, fault);
		if (answer != AGENT_FILLED)
			return answer;
		if (keep_unpacked(f, &e, fault) < 0)
			return AGENT_SKIPPED;
	}
	if (store_add_candidate(f->inbox, STORE_MANIFEST, k1, candidate.payload, candidate.len,
	                        fault) < 0)
		return AGENT_SKIPPED;
	f->entries++;
	f->bytes += candidate.len;
	return AGENT_FILLED;
}

enum agent_answer fill_ahead(struct filler *f, enum store_class class, const struct digest *key,
                             const struct digest *result, struct fault *fault)
{
	if (class == STORE_MANIFEST)
		return bring_action(f, key, result, fault);
	if (class == STORE_UNIT && node_has(f, STORE_UNIT, key))
		return AGENT_ABSENT;
	return fill_local(f, class, key, fault);
}
