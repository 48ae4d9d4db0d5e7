/* units/bring.c - a framework's unit is looked for: found in the store, asked for, laid. */
#include "units/bring.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "keying/hashfile.h"
#include "remote/config.h"
#include "remote/tag.h"
#include "remote/trust.h"
#include "shim/path.h"
#include "shim/sys.h"
#include "store/counters.h"
#include "store/lock.h"
#include "store/used.h"
#include "units/ask.h"
#include "units/carried.h"
#include "units/key.h"
#include "units/lay.h"
#include "units/member.h"
#include "units/missed.h"
#include "units/peers.h"
#include "units/place.h"
#include "units/sibling.h"
#include "units/switches.h"
#include "units/tally.h"

#include "shim/banned.h"

/* Other threads and processes of the node that look for the same unit wait for who came first. */
#define LOCK_WAIT_NS 5000000000ll
/* A name of so many letters is a digest; torch 2.6 and 2.7 call a member "entry". */
#define CONTENT_NAME 51

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

/* As bring.remote. Settings keep the class from the remote, or all of it. */
static int may_ask(struct bring *b)
{
	struct remote_config config;
	struct fault ignored;

	if (remote_config_load(&config, &b->set, b->envp, &b->arena, &ignored) < 0 || config.scheme == REMOTE_NONE)
		return -1;
	return config.units >> b->u.class & 1;
}

/* TorchAir's names hold no more of a program than a class: of two projects on a host that have one class, each with a directory of
 * its own, the sources of both stand. So its directory is part of the scope, as TorchAir itself looks nowhere else. */
static const char *scope_in(const struct bring *b, const char *scope, struct arena *a)
{
	const char *root = scope && b->row->scope & SCOPE_ROOT ? arena_memdup(a, b->path, b->u.root_len) : NULL;

	return root ? arena_cat(a, scope, " root=", root, NULL) : scope;
}

int bring_open(struct bring *b, const char *path, int forked, char *const envp[])
{
	struct fault fault;

	memset(b, 0, sizeof *b);
	b->envp = envp;
	if (settings_disabled(envp))
		return -1;
	settings_load(&b->set, envp, &b->arena);
	if (setting_number(&b->set, SETTING_FORCE_DISABLE))
		return -1;
	b->path = absolute(path, &b->arena);
	if (!b->path || unit_shape(&b->u, b->path) == PART_NONE)
		return -1;
	b->row = &unit_rows[b->u.class];
	if (!unit_class_on(b->u.class, &b->set, envp, &b->why))
		return -1;
	/* Keys are of the algorithm that the settings ask for; a host's constructor does not load them. */
	if (trust_configured(&b->set))
		digest_use(DIGEST_BLAKE2B);
	b->scope = scope_in(b, unit_scope(b->u.class, &b->set, envp, forked, &b->arena, &b->why), &b->arena);
	b->unit = arena_memdup(&b->arena, b->path, b->u.unit_len);
	b->name = arena_memdup(&b->arena, b->path + b->u.name_at, b->u.name_len);
	if (!b->scope || !b->unit || !b->name || store_open(&b->store, &b->set, envp, &b->arena, &fault) < 0 ||
	    !b->store.dir)
		return -1;
	b->why = NULL;
	unit_key(&b->key, b->u.class, b->scope, b->name, b->u.name_len);
	ask_memory(&b->asked, &b->store, &b->arena);
	b->remote = may_ask(b);
	/* A setting or a part of the scope may be missing without another sign. */
	return b->arena.refused ? -1 : 0;
}

void bring_close(struct bring *b)
{
	counters_close(&b->store);
	arena_free(&b->arena);
}

/* Once in a short time. Without a remote store the local one holds what there is. */
static enum ask_answer ask_remote(struct bring *b, enum store_class class, const struct digest *key)
{
	return b->remote > 0 ? ask_once(&b->store, &b->set, b->envp, &b->asked, class, key, &b->arena, &b->why) : ASK_ABSENT;
}

/* A whole entry that is not what its key says was made by hand. It goes, or nobody would offer a better one. */
static void remove_parcel(struct bring *b, const struct digest *key, const char *why)
{
	char path[PATH_SIZE];

	b->why = why;
	if (b->store.writable && store_path(path, sizeof path, b->store.dir, STORE_UNIT, key, 0) < sizeof path &&
	    sys_unlink(path) == 0)
		counters_add(&b->store, COUNTER_CORRUPT, 1);
}

/* member: of a set, what its one file is called; else NULL. */
static int parcel_of(struct bring *b, const struct digest *key, const char *member, struct parcel *p)
{
	const char *why = NULL;
	struct fault fault;
	struct entry e;

	if (store_get(&b->store, STORE_UNIT, key, 0, &e, &b->arena, &fault) != ENTRY_OK)
		return -1;
	store_touch(&b->store, STORE_UNIT, key, 0, &e);
	if (parcel_decode(p, e.payload, e.len, &b->arena) < 0 || p->class != b->u.class ||
	    (member && strcmp(p->file[0].name, member) != 0))
		why = "what the store has is no parcel of this class and name";
	else
		why = carried_not(p, b->name, &b->arena);
	if (why && b->arena.refused)
		b->why = "memory is refused";
	else if (why)
		remove_parcel(b, key, why);
	return why ? -1 : 0;
}

/* 1: it was laid. */
static int lay(struct bring *b, const struct parcel *p)
{
	struct fault fault = {0, ""};
	uint64_t bytes = 0;

	switch (lay_parcel(p, b->row->form, b->unit, &b->arena, &fault)) {
	case LAY_LAID:
		for (unsigned i = 0; i < p->files; i++)
			bytes += p->file[i].len;
		tally_brought(&b->store, b->u.class, bytes);
		return 1;
	case LAY_THERE:
		return 0;
	default:
		b->why = arena_strdup(&b->arena, fault.text);
		return 0;
	}
}

static void bring_one(struct bring *b)
{
	struct parcel p;

	if (parcel_of(b, &b->key, NULL, &p) == 0 ||
	    (ask_remote(b, STORE_UNIT, &b->key) == ASK_FILLED && parcel_of(b, &b->key, NULL, &p) == 0)) {
		bring_list(b, &b->key);
		lay(b, &p);
	}
}

static int is_source(const struct bring *b, int fd, const char *path)
{
	struct statx st;

	return sys_statx(fd, path, *path ? 0 : AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE | STATX_CTIME, &st) == 0 &&
	       S_ISREG(st.stx_mode) && st.stx_size <= MEMBER_SOURCE_MAX &&
	       member_is_imported(st.stx_ctime.tv_sec, b->began);
}

/* Another node wrote the path: what is no source here, a device that never ends, is not even opened. NULL, or what is wrong
 * with it. */
static const char *condition_fails(const struct bring *b, const struct member_condition *c, unsigned char *buffer)
{
	int fd = is_source(b, AT_FDCWD, c->path) ? sys_open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0)
	                                         : -ENOENT;
	unsigned long long bytes;
	struct digest d;
	int holds;

	if (fd < 0)
		return "is not here, or may have changed since this process began";
	holds = is_source(b, fd, "") && hashfile(fd, buffer, 0, &d, &bytes, NULL) == 0 && digest_equal(&d, &c->content);
	sys_close(fd);
	return holds ? NULL : "is another one here";
}

static int conditions_hold(struct bring *b, const struct member *m)
{
	unsigned char *buffer = m->conditions ? arena_alloc(&b->arena, HASHFILE_BUFFER) : NULL;

	for (unsigned i = 0; i < m->conditions; i++) {
		const char *wrong = buffer ? condition_fails(b, &m->condition[i], buffer) : "cannot be read: memory is refused";

		if (wrong) {
			b->why = arena_cat(&b->arena, m->condition[i].path, ", of which what the store has was made, ", wrong, NULL);
			return 0;
		}
	}
	return 1;
}

/* Members that the store knows of. Their count, at most STORE_SLOTS. */
static unsigned members(struct bring *b, const struct digest *set, struct member out[STORE_SLOTS])
{
	struct fault fault;
	unsigned n = 0;

	for (int slot = 0; slot < STORE_SLOTS; slot++) {
		struct entry e;
		enum entry_status st = store_get(&b->store, STORE_SET, set, slot, &e, &b->arena, &fault);

		if (st == ENTRY_ABSENT)
			break;
		if (st != ENTRY_OK || member_decode(&out[n], e.payload, e.len, &b->arena) < 0)
			continue;
		store_touch(&b->store, STORE_SET, set, slot, &e);
		n++;
	}
	return n;
}

/* Parcels of two ranks have keys of their own; a graph's name is the digest of its bytes (units/gather_check.h). */
static int holds(const struct member *v, unsigned n, const struct member *m)
{
	for (unsigned i = 0; i < n; i++)
		if (digest_equal(&v[i].parcel, &m->parcel) ||
		    (strlen(m->name) >= CONTENT_NAME && strcmp(v[i].name, m->name) == 0))
			return 1;
	return 0;
}

/* 1: nothing speaks against this rank's set in a directory that it may share with that one. */
static int agrees_with(struct bring *b, const struct unit_rank *me, unsigned long rank, const struct member *mine, unsigned n,
                       struct member *theirs)
{
	struct unit_rank peer = *me;
	const char *scope;
	struct digest set;
	enum ask_answer answer;
	unsigned count;
	int same;

	peer.rank = rank;
	scope = unit_scope_of_peer(b->scope, me, &peer, &b->arena);
	if (!scope)
		return 0;
	unit_key(&set, b->u.class, scope, b->name, b->u.name_len);
	answer = ask_remote(b, STORE_SET, &set);
	count = members(b, &set, theirs);
	if (!count && answer == ASK_SKIPPED)
		b->why = arena_cat(&b->arena, "another rank's set is not known: ", b->why ? b->why : "", NULL);
	if (!count)
		return answer != ASK_SKIPPED;
	same = count == n;
	for (unsigned k = 0; k < count; k++)
		same = same && holds(mine, n, &theirs[k]);
	if (!same)
		b->why = "ranks have sets that differ, and not each a directory of its own";
	return same;
}

/* Where ranks share one directory, and another one has a set of its own for this name, neither is laid: the framework takes
 * the first entry that fits. */
static int sets_agree(struct bring *b, const struct unit_rank *me, const struct member *mine, unsigned n)
{
	struct member *theirs = arena_alloc(&b->arena, STORE_SLOTS * sizeof *theirs);

	if (!theirs || me->to - me->from > PEERS_MAX) {
		b->why = "more ranks may share the directory than are asked for";
		return 0;
	}
	for (unsigned long i = me->from; i < me->to; i++)
		if (i != me->rank && !agrees_with(b, me, i, mine, n, theirs))
			return 0;
	return 1;
}

static int may_lay(struct bring *b, const struct peers *who, const struct member *mine, unsigned n)
{
	const char *root = arena_memdup(&b->arena, b->path, b->u.root_len);
	struct unit_rank me;
	int everywhere;

	if (!(b->row->scope & SCOPE_RANK_FX) || setting_number(&b->set, SETTING_FX_SCOPE) == SHARING_ALL)
		return 1;
	unit_rank_read(&me, b->envp);
	everywhere = me.to - me.from < me.world && (!root || !place_is_of_one_host(root, &b->arena));
	if (everywhere) {
		me.from = 0;
		me.to = me.world;
	}
	return (!everywhere && peers_apart(who, 0)) || sets_agree(b, &me, mine, n) || (!everywhere && peers_apart(who, 1));
}

static void bring_set(struct bring *b, const struct peers *who)
{
	struct member *v = arena_alloc(&b->arena, STORE_SLOTS * sizeof *v);
	unsigned n;

	if (!v)
		return;
	ask_remote(b, STORE_SET, &b->key);
	n = members(b, &b->key, v);
	if (n && !may_lay(b, who, v, n))
		return;
	if (n)
		b->why = NULL;
	/* A member of a peer may be missing without another sign. */
	if (b->arena.refused) {
		b->why = "memory is refused";
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		char at[PATH_SIZE];
		struct parcel p;

		if (path_join(at, sizeof at, b->unit, v[i].name) >= sizeof at || stands(at) || !conditions_hold(b, &v[i]))
			continue;
		if (parcel_of(b, &v[i].parcel, v[i].name, &p) == 0 ||
		    (ask_remote(b, STORE_UNIT, &v[i].parcel) == ASK_FILLED && parcel_of(b, &v[i].parcel, v[i].name, &p) == 0)) {
			bring_list(b, &v[i].parcel);
			lay(b, &p);
		}
	}
}

/* One of those who look for it at once fetches it. last: every source was asked, but for the sibling that has made it since. */
static int fetch(struct bring *b, struct sibling *s, const struct peers *who, int last)
{
	struct lock lock = LOCK_INIT;
	int64_t waited = 0;
	struct digest at;
	int there;

	digest_name(&at, b->unit, strlen(b->unit));
	if (b->store.runtime_dir)
		lock_take(&lock, b->store.runtime_dir, &at, LOCK_WAIT_NS, &waited);
	there = waited && stands(b->path);
	if (!there && !sibling_copy(s) && !last) {
		if (b->row->form == UNIT_SET)
			bring_set(b, who);
		else
			bring_one(b);
	}
	lock_release(&lock);
	return there || stands(b->path);
}

int bring(struct bring *b)
{
	int64_t begun = sys_now_ns(CLOCK_MONOTONIC);
	struct sibling s;
	struct peers who;
	int there;

	if (setting_number(&b->set, SETTING_RECACHE)) {
		b->why = "REPRISE_RECACHE asks for new ones";
		missed_refused(b);
		return 0;
	}
	sibling_find(&s, b);
	peers_tell(&who, b);
	there = fetch(b, &s, &who, 0) || (sibling_wait(&s) && fetch(b, &s, &who, 1));
	if (!there)
		missed_absent(b);
	counters_add(&b->store, COUNTER_UNITS_WAIT_NS, sys_now_ns(CLOCK_MONOTONIC) - begun);
	return there;
}

void bring_list(struct bring *b, const struct digest *parcel)
{
	const char *job = used_job(&b->set, b->envp, &b->arena);

	if (b->row->form == UNIT_SET)
		used_note(&b->store, job, STORE_SET, &b->key, parcel);
	else
		used_note(&b->store, job, STORE_UNIT, parcel, NULL);
}

int bring_lists(struct bring *b, const struct digest *parcel)
{
	struct member *v = arena_alloc(&b->arena, STORE_SLOTS * sizeof *v);
	unsigned n = v ? members(b, &b->key, v) : 0;

	for (unsigned i = 0; i < n; i++)
		if (digest_equal(&v[i].parcel, parcel))
			return 1;
	return 0;
}
