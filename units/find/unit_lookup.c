/* units/find/unit_lookup.c - finds a unit in the stores and places it where the framework looked.
 * */
#include "units/find/unit_lookup.h"

#include <string.h>

#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/job/counters.h"
#include "store/job/job_list.h"
#include "store/lock.h"
#include "store/trust.h"
#include "store/walk.h"
#include "units/find/claim.h"
#include "units/find/lay.h"
#include "units/find/listing.h"
#include "units/find/miss_report.h"
#include "units/find/peers.h"
#include "units/find/place.h"
#include "units/find/set_members.h"
#include "units/format/member.h"
#include "units/scope/condition.h"
#include "units/scope/scope.h"
#include "units/shape/declared.h"
#include "units/shape/seen_files.h"
#include "units/unasked.h"
#include "units/unit_event.h"

#include "shim/banned.h"

/* For another thread or process of the node that fetches the same unit. */
#define LOCK_WAIT_NS 5000000000ll

static int stands(const char *path)
{
	return sys_access(path, F_OK) == 0;
}

static const char *absolute(const char *path, struct arena *a)
{
	char cwd[PATH_SIZE];

	if (path[0] == '/')
		return arena_strdup(a, path);
	if (sys_getcwd(cwd, sizeof cwd) <= 0 || cwd[0] != '/')
		return NULL;
	return arena_cat(a, cwd, cwd[1] ? "/" : "", path, NULL);
}

/* As unit_lookup.remote. Settings may keep a class, or all of them, from the remote store. */
static int may_ask(struct unit_lookup *l)
{
	struct remote_use use;

	if (!remote_use_load(&use, &l->set, l->envp, &l->arena))
		return -1;
	return use.units >> l->u.class & 1;
}

/* The caller's part of the scope. TorchAir's names hold a class and not the program. Two projects
 * on a host may have a class in common, each with a directory of its own, and the sources of both
 * exist. So the directory is part of the scope; TorchAir looks in no other directory. For the
 * user's own classes the scope is what their lines say. */
static const char *scope_in(struct unit_lookup *l, const char *scope, struct arena *a)
{
	const char *root = scope && l->row->scope & SCOPE_ROOT
	                   ? arena_memdup(a, l->path, l->u.root_len) : NULL;

	if (scope && l->row->scope & SCOPE_DECLARED)
		return declared_scope(&l->u, l->envp, l->began, a, &l->why);
	return root ? arena_cat(a, scope, " root=", root, NULL) : scope;
}

/* Graphs of a rank that may have others beside it are placed under names of its own. */
static uint64_t mark_for(const struct unit_lookup *l)
{
	struct rank me;

	if (!(l->row->scope & SCOPE_RANK_FX) ||
	    setting_number(&l->set, SETTING_FX_SCOPE) == SHARING_ALL)
		return 0;
	rank_read(&me, l->envp);
	return me.world > 1 ? mark_of(l->scope) : 0;
}

/* 1: the unit of the user's own class lies in a directory of ours, whose files a shape may fit. */
static int is_ours(struct unit_lookup *l)
{
	int in_store = place_is_below(l->unit, l->store.dir, &l->arena);

	if (!in_store &&
	    (!l->store.node_dir || !place_is_below(l->unit, l->store.node_dir, &l->arena)))
		return 0;
	l->why = in_store ? "it lies in the directory of the store"
	         : "it lies in the runtime directory";
	return 1;
}

int unit_lookup_open(struct unit_lookup *l, const char *path, int64_t began_ns, int forked,
                     char *const envp[])
{
	struct fault fault;

	memset(l, 0, sizeof *l);
	l->envp = envp;
	l->began_ns = began_ns;
	l->began = began_ns / 1000000000;
	if (settings_disabled(envp))
		return -1;
	settings_load(&l->set, envp, &l->arena);
	if (setting_number(&l->set, SETTING_FORCE_DISABLE))
		return -1;
	l->path = absolute(path, &l->arena);
	if (!l->path || unit_shape(&l->u, l->path) == PART_NONE)
		return -1;
	l->row = &unit_rows[l->u.class];
	if (!unit_class_on(l->u.class, &l->set, envp, &l->why))
		return -1;
	/* The settings choose the digest of keys; a host's constructor does not load them. */
	if (trust_configured(&l->set))
		digest_use(DIGEST_BLAKE2B);
	if (store_open(&l->store, &l->set, envp, &l->arena, &fault) < 0)
		return -1;
	l->scope = scope_in(l, unit_scope(l->u.class, &l->set, envp, forked, l->store.node_dir,
	                                  &l->arena, &l->why), &l->arena);
	l->unit = arena_memdup(&l->arena, l->path, l->u.unit_len);
	l->name = arena_memdup(&l->arena, l->path + l->u.name_at, l->u.name_len);
	if (!l->scope || !l->unit || !l->name || !l->store.dir ||
	    (l->row->scope & SCOPE_DECLARED && is_ours(l)))
		return -1;
	l->why = NULL;
	l->mark = mark_for(l);
	unit_key(&l->key, l->u.class, l->scope, l->name, l->u.name_len);
	l->remote = may_ask(l);
	if (l->remote > 0)
		remote_tag(&l->store, &l->set, l->envp, &l->arena);
	/* Without memory, a setting or a part of the scope may be missing without another sign. */
	return l->arena.refused ? -1 : 0;
}

void unit_lookup_close(struct unit_lookup *l)
{
	counters_close(&l->store);
	arena_free(&l->arena);
}

/* A complete entry that its key contradicts was made by hand. It is removed, since no process
 * offers a better one while it is there. */
static void remove_parcel(struct unit_lookup *l, const struct digest *key, const char *why)
{
	char path[PATH_SIZE];

	l->why = why;
	if (l->store.writable &&
	    store_path(path, sizeof path, l->store.dir, STORE_UNIT, key, 0) < sizeof path &&
	    sys_unlink(path) == 0)
		counters_add(&l->store, COUNTER_CORRUPT, 1);
}

/* member: the name of a set's member; else NULL. */
static int parcel_of(struct unit_lookup *l, const struct digest *key, const char *member,
                     struct parcel *p)
{
	const char *why = NULL;
	struct fault fault;
	struct entry e;

	if (store_get(&l->store, STORE_UNIT, key, 0, &e, &l->arena, &fault) != ENTRY_OK)
		return -1;
	store_touch(&l->store, STORE_UNIT, key, 0, &e);
	if (parcel_decode(p, e.payload, e.len, &l->arena) < 0 || p->class != l->u.class ||
	    (member && strcmp(p->file[0].name, member) != 0))
		why = "the stored entry belongs to another class or name";
	else
		why = parcel_refusal(p, l->name, &l->arena);
	if (why && l->arena.refused)
		l->why = "memory is refused";
	else if (why)
		remove_parcel(l, key, why);
	return why ? -1 : 0;
}

/* 1: the parcel was placed. */
static int lay(struct unit_lookup *l, const struct parcel *p)
{
	struct fault fault = {0, ""};
	uint64_t bytes = 0;

	switch (lay_parcel(p, l->row->form, l->unit, &l->arena, &fault)) {
	case LAY_LAID:
		for (unsigned i = 0; i < p->files; i++)
			bytes += p->file[i].len;
		unit_event_brought(l, bytes);
		unasked_found(l);
		return 1;
	case LAY_THERE:
		return 0;
	default:
		l->why = arena_strdup(&l->arena, fault.text);
		return 0;
	}
}

static void provide_one(struct unit_lookup *l)
{
	struct parcel p;

	if (parcel_of(l, &l->key, NULL, &p) == 0 ||
	    (unit_lookup_ask(l, STORE_UNIT, &l->key) == AGENT_FILLED &&
	     parcel_of(l, &l->key, NULL, &p) == 0)) {
		unit_lookup_used(l, &l->key);
		lay(l, &p);
	}
}

static int member_stands(const struct unit_lookup *l, const char *name)
{
	char at[PATH_SIZE];

	return path_join(at, sizeof at, l->unit, name) >= sizeof at || stands(at);
}

/* mark: of the name under which it is placed; 0: its own one. */
static void provide_member(struct unit_lookup *l, const struct member *m, uint64_t mark)
{
	const char *name = mark ? mark_name(mark, m->name, &l->arena) : m->name;
	struct parcel p;

	if (!name || member_stands(l, m->name) || (mark && member_stands(l, name)) ||
	    !condition_all_hold(m, l->began, &l->arena, &l->why))
		return;
	if (parcel_of(l, &m->parcel, m->name, &p) == 0 ||
	    (unit_lookup_ask(l, STORE_UNIT, &m->parcel) == AGENT_FILLED &&
	     parcel_of(l, &m->parcel, m->name, &p) == 0)) {
		unit_lookup_used(l, &m->parcel);
		p.file[0].name = name;
		lay(l, &p);
	}
}

static void provide_set(struct unit_lookup *l, const struct peers *who)
{
	struct member *v = arena_alloc(&l->arena, STORE_SLOTS * sizeof *v);
	uint64_t mark = l->mark;
	unsigned n;

	if (!v)
		return;
	unit_lookup_ask(l, STORE_SET, &l->key);
	n = set_members(l, &l->key, v);
	for (unsigned i = 0; i < n; i++)
		mark = set_names_content(&v[i]) ? mark : 0;
	if (n && !mark && !set_may_lay(l, who))
		return;
	if (n)
		l->why = NULL;
	/* Without memory, a peer's member may be missing without another sign. */
	if (l->arena.refused) {
		l->why = "memory is refused";
		return;
	}
	for (unsigned i = 0; i < n; i++)
		provide_member(l, &v[i], mark);
}

/* Of several concurrent lookups of a unit, one fetches it. last: all sources were asked; only
 * another device may have compiled it since. */
static int fetch(struct unit_lookup *l, struct device_copy *s, const struct peers *who, int last)
{
	struct lock lock = LOCK_INIT;
	int64_t waited = 0;
	const char *scope = l->mark ? l->scope : "";
	const char *what = arena_cat(&l->arena, l->unit, "/", scope, NULL);
	struct digest at;
	int there;

	/* Ranks that share the directory fetch their own sets. */
	digest_name(&at, what ? what : l->unit, strlen(what ? what : l->unit));
	if (l->store.runtime_dir)
		lock_take(&lock, l->store.runtime_dir, &at, LOCK_WAIT_NS, &waited);
	there = waited && stands(l->path);
	if (!there && !device_copy_make(s) && !last) {
		if (l->row->form == UNIT_SET)
			provide_set(l, who);
		else
			provide_one(l);
	}
	lock_release(&lock);
	return there || stands(l->path);
}

/* 1: another rank's graphs stand there alone. */
static int is_of_others(const struct unit_lookup *l)
{
	return l->mark && l->u.part == PART_UNIT && listing_is_empty(l->unit, l->mark);
}

/* 1: a directory without an index holds files, so it stays as it is. If a program asks there for a
 * file and does not find it, that is no miss. */
static int is_settled(const struct unit_lookup *l)
{
	return l->u.part == PART_MEMBER && l->row->form == UNIT_WHOLE &&
	       walk_finds_names(AT_FDCWD, l->unit);
}

int unit_lookup_run(struct unit_lookup *l)
{
	int64_t begun = l->begun = sys_now_ns(CLOCK_MONOTONIC);
	struct device_copy s;
	struct peers who;
	int there;

	if (is_settled(l) || (l->row->traits & TRAIT_LOOKED_TWICE && absent_is_known(l->path)))
		return 0;

	if (setting_number(&l->set, SETTING_RECACHE)) {
		l->why = "REPRISE_RECACHE asks for new units";
		miss_report_off(l, 0);
		return 0;
	}
	device_copy_find(&s, l);
	peers_tell(&who, l);
	there = fetch(l, &s, &who, 0) || (device_copy_wait(&s) && fetch(l, &s, &who, 1));
	if (!there && l->row->traits & TRAIT_LOOKED_TWICE)
		absent_add(l->path);
	if (!there && l->row->traits & TRAIT_READS_NOTHING)
		files_read_begin(l->path);
	if (!there || is_of_others(l))
		miss_report_absent(l);
	counters_add(&l->store, COUNTER_UNITS_WAIT_NS, sys_now_ns(CLOCK_MONOTONIC) - begun);
	return there;
}

void unit_lookup_used(struct unit_lookup *l, const struct digest *parcel)
{
	const char *job = job_list_job(&l->set, l->envp, &l->arena);

	if (l->row->form == UNIT_SET)
		job_list_add(&l->store, job, STORE_SET, &l->key, parcel);
	else
		job_list_add(&l->store, job, STORE_UNIT, parcel, NULL);
}

int unit_lookup_has(struct unit_lookup *l, const struct digest *parcel)
{
	struct member *v = arena_alloc(&l->arena, STORE_SLOTS * sizeof *v);
	unsigned n = v ? set_members(l, &l->key, v) : 0;

	for (unsigned i = 0; i < n; i++)
		if (!parcel || digest_equal(&v[i].parcel, parcel))
			return 1;
	return 0;
}
