/* units/complete.c - what a host completed is offered. */
#include "units/complete.h"

#include <string.h>
#include <sys/stat.h>

#include "remote/spool.h"
#include "remote/tag.h"
#include "shim/path.h"
#include "shim/sys.h"
#include "store/used.h"
#include "units/key.h"
#include "units/offer.h"
#include "units/summon.h"

#include "shim/banned.h"

/* The file whose state tells that the unit is what was completed; NULL: none. A kernel that came by one rename of
 * its directory names its index nowhere: any will do. */
static const char *witness(struct bring *b)
{
	return b->u.part == PART_UNIT ? b->unit : b->path;
}

/* The store has it. Of a set: this member, where the framework's name is the content's digest, and its record, which may
 * have gone alone. */
static int known(struct bring *b)
{
	struct digest key = b->key;
	char path[PATH_SIZE];

	if (b->row->traits & TRAIT_NEWEST)
		return 0;
	if (b->row->form == UNIT_SET) {
		if (!b->u.member)
			return 1;
		unit_member_key(&key, &b->key, b->u.member, NULL);
	}
	if (store_path(path, sizeof path, b->store.dir, STORE_UNIT, &key, 0) >= sizeof path ||
	    sys_access(path, F_OK) < 0 || (b->row->form == UNIT_SET && !bring_lists(b, &key)))
		return 0;
	bring_list(b, &key);
	return 1;
}

static void start_publisher(struct bring *b)
{
	static const char *const verb[] = {"publish", "--daemon", NULL};
	struct fault fault;

	if (b->store.runtime_dir && !spool_publisher_busy(&b->store) &&
	    summon(verb, b->envp, &b->arena, &fault) < 0)
		b->why = arena_strdup(&b->arena, fault.text);
}

int complete(struct bring *b)
{
	struct offer o = {.class = b->u.class, .key = b->key, .uid = sys_geteuid(), .opened = !b->made, .path = b->unit,
	                  .member = b->u.member ? b->u.member : "", .scope = b->scope, .name = b->name};
	struct statx st;

	if (!b->store.writable || setting_number(&b->set, SETTING_READONLY) || known(b))
		return 0;
	absent_forget(&b->asked, &b->key);
	if (sys_statx(AT_FDCWD, witness(b), AT_SYMLINK_NOFOLLOW, OFFER_STATX, &st) < 0 ||
	    (b->made && st.stx_ino != b->made))
		return 0;
	offer_identify(&o, &st);
	o.made_at = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	o.job = settings_job(&b->set, b->envp, &b->arena, NULL);
	remote_tag(&b->store, &b->set, b->envp, &b->arena);
	used_begin(&b->store, used_job(&b->set, b->envp, &b->arena)); /* the publisher lists it */
	if (offer_add(&b->store, &o) == 0)
		start_publisher(b);
	return 0;
}
