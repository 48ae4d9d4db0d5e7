/* units/find/peers.c - the table of ranks' directories.
 *
 * <runtime>/ranks: PEERS_SLOTS slots (store/shared_page.h). The launch's digest chooses the first
 * slot, slot, and each class has PEERS_MAX slots in a row, so ranks of one launch never share one.
 * A rank whose slot a rank of another launch took counts as one without a record.
 *   0 16  who: digest of launch, class and local rank
 *  16 16  the directory: digest of its path, links resolved
 *  32  8  start of the rank's process, and
 *  40  4  its pid: as in shim/kernel/process.h
 *  44  4  1: the rank has looked in several directories, or a process that it started has
 *
 * The table of graphs that ranks made.
 *
 * <runtime>/made: MADE_SLOTS slots (store/shared_page.h), a member's chosen by bytes 8 to 11 of the
 * key.
 *   0 32  key: that of the member (units/format/member.h) in the scope of the rank whose number is
 *         the world's size, which no rank has; or that of the set in the scope of a rank that made
 *         a member of it */
#include "units/find/peers.h"

#include <string.h>

#include "shim/format.h"
#include "shim/kernel/process.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/shared_page.h"
#include "units/find/place.h"
#include "units/format/member.h"
#include "units/scope/rank.h"

#include "shim/banned.h"

#define PAUSE_NS 10000000ll
/* Scripts between a launcher and its rank. */
#define SCRIPTS_MAX 16

struct record {
	unsigned char who[16], root[16];
	int64_t began;
	int32_t pid, several;
};
_Static_assert(sizeof(struct record) == 48, "table above");

static int64_t waited;

/* 1: that process was started with this rank, so that a process above it is the launcher. */
static int has_rank(pid_t pid, const char *name, const char *value, struct arena *a)
{
	char path[32];
	const char *block, *its;
	size_t n = 0;

	format_text(path, sizeof path, "/proc/%d/environ", (int)pid);
	block = text_read(path, UNIT_ENVIRON_MAX, &n, a);
	its = block ? text_variable(block, n, name) : NULL;
	return its && strcmp(its, value) == 0;
}

/* The launcher alone is not enough: ranks whose launcher has ended are children of init, as are
 * those of another job. */
static void name_launch(struct digest *out, const struct process *launcher,
                        const struct rank *me, char *const envp[])
{
	static const char *const names[] = {"MASTER_ADDR", "MASTER_PORT"};
	int64_t id[3] = {launcher->pid, launcher->began, (int64_t)me->world};
	struct digest_state s;

	digest_init_as(&s, DIGEST_XXH3);
	digest_add(&s, id, sizeof id);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = env_get(envp, names[i]);

		digest_add(&s, value ? value : "", value ? strlen(value) + 1 : 1);
	}
	digest_final(&s, out);
}

static int find_launch(struct digest *out, const struct process *self, const struct rank *me,
                       char *const envp[],
                       struct arena *a)
{
	const char *value = me->local_name ? env_get(envp, me->local_name) : NULL;
	struct process p = *self;

	if (!value)
		return -1;
	for (int i = 0; i < SCRIPTS_MAX; i++) {
		if (!p.parent || process_read(&p, p.parent) < 0)
			return -1;
		if (!has_rank(p.pid, me->local_name, value, a)) {
			name_launch(out, &p, me, envp);
			return 0;
		}
	}
	return -1;
}

/* Digest of a directory's name. The directory may not exist yet: its existing part is resolved, and
 * the rest is appended. */
static int resolve(struct digest *out, const char *root, struct arena *a)
{
	char fd_path[32], real[PATH_SIZE];
	const char *all;
	size_t there;
	int fd = place_open(root, &there, a);

	if (fd < 0)
		return -1;
	format_text(fd_path, sizeof fd_path, "/proc/self/fd/%d", fd);
	ssize_t n = sys_readlink(fd_path, real, sizeof real - 1);
	sys_close(fd);
	real[n > 0 ? n : 0] = '\0';
	/* ".." can be resolved only where the directory exists. */
	all = arena_cat(a, real, root + there, NULL);
	if (*real != '/' || !all || strstr(root + there, "/.."))
		return -1;
	digest_name(out, all, strlen(all));
	return 0;
}

static uint32_t slot_of(const struct peers *p, unsigned long local, unsigned char who[16])
{
	struct digest_state s;
	struct digest d;

	digest_init_as(&s, DIGEST_XXH3);
	digest_add(&s, p->launch.b, sizeof p->launch.b);
	digest_add(&s, &p->class, sizeof p->class);
	digest_add(&s, &local, sizeof local);
	digest_final(&s, &d);
	memcpy(who, d.b, 16);
	return (slots_of(&p->launch, PEERS_SLOTS) + (uint32_t)p->class * PEERS_MAX +
	        (uint32_t)local) %
	       PEERS_SLOTS;
}

static int open_table(const struct peers *p)
{
	return slots_open(p->runtime_dir, "ranks");
}

/* 0: the slot holds who's record, and its process lives. */
static int read_record(struct record *s, int fd, uint32_t at, const unsigned char who[16])
{
	struct process its;

	return slots_get(fd, at, s, sizeof *s) && memcmp(s->who, who, 16) == 0 &&
	       process_read(&its, s->pid) == 0 &&
	                       its.began == s->began
	               ? 0
	               : -1;
}

/* Writes this rank's record. A rank that looks in several directories, or starts a process that
 * looks elsewhere, has none to itself. */
static void put_record(struct record *s, int fd, uint32_t at)
{
	struct record was;

	if (read_record(&was, fd, at, s->who) == 0) {
		s->several = was.several || memcmp(was.root, s->root, sizeof s->root) != 0;
		if (s->several == was.several && memcmp(was.root, s->root, sizeof s->root) == 0)
			return;
	}
	slots_put(fd, at, s, sizeof *s);
}

enum answer { ANSWER_NONE, ANSWER_SAME, ANSWER_OTHER };

static enum answer answer_of(const struct peers *p, int fd, unsigned long local)
{
	struct record mine;
	unsigned char who[16];
	uint32_t at = slot_of(p, local, who);

	if (read_record(&mine, fd, at, who) < 0)
		return ANSWER_NONE;
	return !mine.several && memcmp(mine.root, p->root.b, sizeof mine.root) ? ANSWER_OTHER
	       : ANSWER_SAME;
}

/* The other ranks' answers: SAME if one says so, OTHER if all do. */
static enum answer answers(const struct peers *p)
{
	enum answer all = ANSWER_OTHER;
	int fd = open_table(p);

	if (fd < 0)
		return ANSWER_NONE;
	for (unsigned long i = 0; i < p->locals && all != ANSWER_SAME; i++) {
		enum answer w = i == p->local ? ANSWER_OTHER : answer_of(p, fd, i);

		if (w != ANSWER_OTHER)
			all = w;
	}
	sys_close(fd);
	return all;
}

/* --- public, in header order --- */

void peers_tell(struct peers *p, struct unit_lookup *l)
{
	struct rank me;
	struct process self;
	struct record mine = {.several = 0};
	const char *root = arena_memdup(&l->arena, l->path, l->u.root_len);
	uint32_t at;
	int fd;

	*p = (struct peers){.runtime_dir = l->store.runtime_dir, .class = l->u.class};
	if (!(l->row->scope & SCOPE_RANK_FX) ||
	    setting_number(&l->set, SETTING_FX_SCOPE) == SHARING_ALL || !p->runtime_dir || !root)
		return;
	rank_read(&me, l->envp);
	if (me.local_world < 2 || me.local_world > PEERS_MAX || process_read(&self, 0) < 0 ||
	    find_launch(&p->launch, &self, &me, l->envp, &l->arena) < 0 ||
	    resolve(&p->root, root, &l->arena) < 0)
		return;
	fd = open_table(p);
	if (fd < 0)
		return;
	p->locals = me.local_world;
	p->local = me.local_rank;
	at = slot_of(p, p->local, mine.who);
	memcpy(mine.root, p->root.b, sizeof mine.root);
	mine.began = self.began;
	mine.pid = self.pid;
	put_record(&mine, fd, at);
	sys_close(fd);
}

int peers_apart(const struct peers *p, int wait)
{
	enum answer said = p->locals ? answers(p) : ANSWER_SAME;

	while (said == ANSWER_NONE && wait &&
	       __atomic_add_fetch(&waited, PAUSE_NS, __ATOMIC_RELAXED) <= PEERS_WAIT_NS) {
		sys_sleep_ns(PAUSE_NS);
		said = answers(p);
	}
	return said == ANSWER_OTHER;
}

static int key_of(struct digest *out, struct unit_lookup *l)
{
	struct rank me, any;
	const char *scope;
	struct digest set;

	rank_read(&me, l->envp);
	any = me;
	any.rank = me.world;
	scope = unit_scope_of_peer(l->scope, &me, &any, &l->arena);
	if (!scope || !l->u.member)
		return -1;
	unit_key(&set, l->u.class, scope, l->name, l->u.name_len);
	unit_member_key(out, &set, l->u.member, NULL);
	return 0;
}

static int is_there(int fd, const struct digest *key)
{
	struct digest found;

	return slots_get(fd, slots_of(key, MADE_SLOTS), &found, sizeof found) &&
	       digest_equal(&found, key);
}

void made_tell(struct unit_lookup *l)
{
	struct digest key;
	int fd = key_of(&key, l) == 0 ? slots_open(l->store.runtime_dir, "made") : -1;

	if (fd < 0)
		return;
	slots_put(fd, slots_of(&l->key, MADE_SLOTS), &l->key, sizeof l->key);
	slots_put(fd, slots_of(&key, MADE_SLOTS), &key, sizeof key);
	sys_close(fd);
}

int made_by_peer(struct unit_lookup *l)
{
	struct digest key;
	int fd = key_of(&key, l) == 0 ? slots_open(l->store.runtime_dir, "made") : -1;
	int made;

	if (fd < 0)
		return 0;
	made = is_there(fd, &key) && !is_there(fd, &l->key);
	sys_close(fd);
	return made;
}
