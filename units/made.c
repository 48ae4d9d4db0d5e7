/* units/made.c - the table of graphs that ranks made.
 *
 * <runtime>/made: MADE_SLOTS slots (store/slots.h), a member's chosen by bytes 8 to 11 of the key.
 *   0 32  key: that of the member (units/key.h) in the scope of the rank whose number is the
 *         world's size, which no rank has; or that of the set in the scope of a rank that made a
 *         member of it */
#include "units/made.h"

#include <string.h>

#include "shim/sys.h"
#include "store/slots.h"
#include "units/key.h"
#include "units/rank.h"

#include "shim/banned.h"

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
