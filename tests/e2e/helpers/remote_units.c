/* Does by hand what a host does with units of frameworks: for units_publish.bats. Settings come
 * from the environment and the user's file; SCOPE names the processes that share the units. Without
 * it, units of JAX and of the user's own classes have the scope of this process.
 *
 *   offer PATH [opened]  the file at PATH (an index, a member, the unit itself) was completed
 *   scan DIR             the same for every file below DIR that completes a unit
 *   lay PATH             brings the unit at PATH from the local store, otherwise from the remote
 *                        one,
 *                        and lays it. A line for each parcel: "laid", "there" or "fault: why";
 *                        status
 *                        1 if there is none
 *   show PATH            its JSON, as the local store has it
 *   forge PATH OLD NEW   the local store's parcel of the unit at PATH, with NEW, of the same
 *                        length,
 *                        for each OLD. OLD "class": its class is the number NEW; "mode:FILE":
 *                        the file has exactly the octal mode NEW
 *   send PATH            puts the local store's parcel of the unit into the remote, whatever it is
 *   pending              offers that wait */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "remote/remote.h"
#include "store/trust.h"
#include "units/find/lay.h"
#include "units/format/member.h"
#include "units/offer.h"
#include "units/scope/scope.h"
#include "units/shape/declared.h"

static struct arena arena;
static struct settings set;
static struct store store;
static struct remote r;
static struct fault fault;

static const char *scope(const struct unit_path *u)
{
	const char *own = NULL, *why;

	if (getenv("SCOPE"))
		return getenv("SCOPE");
	if (unit_rows[u->class].scope & SCOPE_DECLARED)
		own = declared_scope(u, environ, time(NULL) + 60, &arena, &why);
	else if (u->class == UNIT_JAX)
		own = unit_scope(u->class, &set, environ, 0, NULL, &arena, &why);
	return own ? own : "";
}

/* The part that a path names; its unit's path and key. */
static enum unit_part unit_of(const char *path, struct unit_path *u, char *unit, struct digest *key)
{
	enum unit_part part = unit_shape(u, path);

	if (part == PART_NONE)
		return part;
	memcpy(unit, path, u->unit_len);
	unit[u->unit_len] = '\0';
	unit_key(key, u->class, scope(u), path + u->name_at, u->name_len);
	return part;
}

static int offer(const char *path, int opened)
{
	struct offer o = {.made_at = time(NULL), .job = "test", .opened = opened};
	char unit[PATH_SIZE];
	struct unit_path u;
	struct statx st;

	if (unit_of(path, &u, unit, &o.key) == PART_NONE ||
	    sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, OFFER_STATX, &st) < 0)
		return 1;
	o.class = u.class;
	o.scope = scope(&u);
	o.path = unit;
	o.member = u.member ? u.member : "";
	o.name = unit + u.name_at;
	offer_identify(&o, &st);
	return offer_add(&store, &o) < 0;
}

static int scanned(const char *path, const struct stat *st, int type, struct FTW *where)
{
	struct unit_path u;
	enum unit_part part = unit_shape(&u, path);
	enum unit_form form = unit_rows[part == PART_NONE ? 0 : u.class].form;

	(void)st;
	(void)where;
	if (type == FTW_F && (part == PART_INDEX || (part == PART_MEMBER && form == UNIT_SET) ||
	                      (part == PART_UNIT && (form == UNIT_FILE || form == UNIT_MERGED))))
		return offer(path, 0);
	return 0;
}

static int parcel_of(const struct digest *key, struct parcel *p)
{
	struct entry e;

	if (store_get(&store, STORE_UNIT, key, 0, &e, &arena, &fault) != ENTRY_OK &&
	    (!r.on || remote_result(&r, STORE_UNIT, key, &e, &fault) != REMOTE_HIT))
		return -1;
	return parcel_decode(p, e.payload, e.len, &arena);
}

static int lay_one(const struct digest *key, enum unit_form form, const char *unit)
{
	struct parcel p;

	if (parcel_of(key, &p) < 0)
		return 1;
	switch (lay_parcel(&p, form, unit, &arena, &fault)) {
	case LAY_LAID: puts("laid"); return 0;
	case LAY_THERE: puts("there"); return 0;
	case LAY_FAULT: printf("fault: %s\n", fault.text);
	}
	return 1;
}

static int lay(const char *path)
{
	struct entry e[STORE_SLOTS];
	char unit[PATH_SIZE];
	struct unit_path u;
	struct digest key;
	struct member m;
	unsigned count = 0;
	int more, rc = 1;

	if (unit_of(path, &u, unit, &key) == PART_NONE)
		return 1;
	if (unit_rows[u.class].form != UNIT_SET)
		return lay_one(&key, unit_rows[u.class].form, unit);
	while (count < STORE_SLOTS && store_get(&store, STORE_SET, &key, (int)count, &e[count],
	                                        &arena, &fault) == ENTRY_OK)
		count++;
	if (count == 0 && r.on)
		remote_candidates(&r, STORE_SET, &key, 0, e, STORE_SLOTS, &count, &more, &fault);
	for (unsigned i = 0; i < count; i++) {
		if (member_decode(&m, e[i].payload, e[i].len, &arena) < 0)
			return 1;
		printf("%s %u ", m.name, m.conditions);
		rc = lay_one(&m.parcel, UNIT_SET, unit);
		if (rc)
			return rc;
	}
	return rc;
}

static int show(const char *path)
{
	char unit[PATH_SIZE];
	struct unit_path u;
	struct digest key;
	struct parcel p;
	uint64_t n;

	r.on = 0;
	if (unit_of(path, &u, unit, &key) == PART_NONE || parcel_of(&key, &p) < 0)
		return 1;
	const unsigned char *bytes = parcel_file_bytes(&p.file[0], NULL, &n, &arena);
	return !bytes || fwrite(bytes, 1, n, stdout) != n;
}

/* A parcel that a writer to the store can make: well sealed. */
static int forge(const char *path, const char *old, const char *new)
{
	size_t n = strlen(old), done = 0;
	unsigned char *bytes;
	char unit[PATH_SIZE];
	struct unit_path u;
	struct digest key;
	struct entry e;

	if (unit_of(path, &u, unit, &key) == PART_NONE ||
	    store_get(&store, STORE_UNIT, &key, 0, &e, &arena, &fault) != ENTRY_OK)
		return 1;
	bytes = (unsigned char *)arena_memdup(&arena, e.payload, e.len);
	if (strncmp(old, "mode:", 5) == 0) {
		/* The name with its NUL, two bytes of mode, "exact". */
		unsigned char *p = memmem(bytes, e.len, old + 5, n - 5 + 1);
		unsigned long mode = strtoul(new, NULL, 8);

		if (p) {
			p += n - 5 + 1;
			p[0] = (unsigned char)mode;
			p[1] = (unsigned char)(mode >> 8);
			p[2] = 1;
			done = 1;
		}
	} else if (strcmp(old, "class") == 0) {
		bytes[0] = (unsigned char)atoi(new);
		done = 1;
	} else if (strlen(new) == n) {
		for (unsigned char *p = bytes; (p = memmem(p, e.len - (size_t)(p - bytes), old, n));
		     p += n, done++)
			memcpy(p, new, n);
	}
	return !done || store_put(&store, STORE_UNIT, &key, 0, bytes, e.len, &fault) < 0;
}

static int send_as_is(const char *path)
{
	char unit[PATH_SIZE];
	struct unit_path u;
	struct digest key;
	struct entry e;

	return unit_of(path, &u, unit, &key) == PART_NONE ||
	       store_get(&store, STORE_UNIT, &key, 0, &e, &arena, &fault) != ENTRY_OK ||
	       remote_put_result(&r, STORE_UNIT, &key, e.payload, e.len, &fault) != 0;
}

int main(int argc, char **argv, char **envp)
{
	size_t n = 0;
	int64_t age;

	settings_load(&set, envp, &arena);
	declared_expect();
	declared_load(&set);
	if (trust_configured(&set))
		digest_use(DIGEST_BLAKE2B);
	if (argc < 2 || store_open(&store, &set, envp, &arena, &fault) < 0 || !store.dir)
		return 2;
	remote_tag(&store, &set, envp, &arena);
	remote_open(&r, &set, envp, "test", &store, &arena, &fault);
	if (argc > 2 && strcmp(argv[1], "offer") == 0)
		return offer(argv[2], argc > 3);
	if (argc > 2 && strcmp(argv[1], "scan") == 0)
		return nftw(argv[2], scanned, 16, FTW_PHYS) != 0;
	if (argc > 2 && strcmp(argv[1], "lay") == 0)
		return lay(argv[2]);
	if (argc > 2 && strcmp(argv[1], "show") == 0)
		return show(argv[2]);
	if (argc > 4 && strcmp(argv[1], "forge") == 0)
		return forge(argv[2], argv[3], argv[4]);
	if (argc > 2 && strcmp(argv[1], "send") == 0)
		return send_as_is(argv[2]);
	if (strcmp(argv[1], "pending") != 0)
		return 2;
	offers_pending(&store, &n, &age);
	printf("%zu\n", n);
	return 0;
}
