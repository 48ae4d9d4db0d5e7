/* units/complete.c - offers a completed unit. */
#include "units/complete.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "keying/hashfile.h"
#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "shim/settings/job.h"
#include "store/job/job_list.h"
#include "store/queue/spool.h"
#include "units/find/miss_report.h"
#include "units/find/peers.h"
#include "units/format/member.h"
#include "units/format/parcel.h"
#include "units/offer.h"
#include "units/shape/seen_files.h"
#include "units/unasked.h"

#include "shim/banned.h"

/* The file whose identity is recorded. A directory that was renamed as one does not name its index,
 * so the directory itself is recorded; so is one that grows. */
static const char *recorded_path(struct unit_lookup *l)
{
	return l->u.part == PART_UNIT || unit_grows(l->u.class) ? l->unit : l->path;
}

/* 1: the store has the unit. Of a set: the member, where its name is the content's digest, and its
 * record, which may have been removed alone. */
static int known(struct unit_lookup *l)
{
	struct digest key = l->key;
	char path[PATH_SIZE];

	if (l->row->traits & TRAIT_NEWEST)
		return 0;
	if (l->row->form == UNIT_SET) {
		if (!l->u.member)
			return 1;
		unit_member_key(&key, &l->key, l->u.member, NULL);
	}
	if (store_path(path, sizeof path, l->store.dir, STORE_UNIT, &key, 0) >= sizeof path ||
	    sys_access(path, F_OK) < 0 || (l->row->form == UNIT_SET && !unit_lookup_has(l, &key)))
		return 0;
	unit_lookup_used(l, &key);
	return 1;
}

/* The agent packs what was offered, and sends it. */
static void tell_agent(struct unit_lookup *l)
{
	struct agent_question q;
	struct agent_reply none;
	struct fault fault = {0, ""};
	struct agent g;

	if (!l->store.runtime_dir || spool_publisher_busy(&l->store))
		return;
	agent_open(&g, &l->store, &l->set, l->envp, &l->arena);
	agent_question(&q, &g, AGENT_DONE, STORE_UNIT, &l->key);
	q.flags = AGENT_SENDS;
	if (agent_ask(&g, &q, agent_patience(&g, 0), &none, &fault) == AGENT_SKIPPED)
		l->why = arena_strdup(&l->arena, fault.text);
	agent_close(&g);
}

/* 0, or -1: it cannot be read, or is too large to be packed. In XXH3, since the publisher may have
 * other settings. */
static int digest_content(struct unit_lookup *l, struct offer *o)
{
	unsigned char *buffer = arena_alloc(&l->arena, HASHFILE_BUFFER);
	struct digest_state s;
	ssize_t n = -1;
	int fd = buffer && o->size <= PARCEL_BYTES_MAX
	         ? sys_above_streams(sys_open(l->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
	                                      O_NONBLOCK, 0)) : -1;

	if (fd < 0)
		return -1;
	digest_init_as(&s, DIGEST_XXH3);
	while ((n = sys_read_all(fd, buffer, HASHFILE_BUFFER)) > 0)
		digest_add(&s, buffer, (size_t)n);
	sys_close(fd);
	digest_final(&s, &o->content);
	o->closed = 1;
	return n < 0 ? -1 : 0;
}

/* 1: the unit may depend on a file that neither its name nor its scope holds. */
static int read_a_file(struct unit_lookup *l)
{
	if (!(l->row->traits & TRAIT_READS_NOTHING) || files_read_none(l->path))
		return 0;
	l->why = "the process read a file while it compiled, and the name of the unit does not "
	         "hold its content";
	miss_report_off(l, 1);
	return 1;
}

static int offer(struct unit_lookup *l, int closed)
{
	int grows = unit_grows(l->u.class);
	struct offer o = {.class = l->u.class, .key = l->key, .uid = sys_geteuid(),
	                  .opened = !l->made && !grows, .path = l->unit,
	                  .member = l->u.member && !grows ? l->u.member : "", .scope = l->scope,
	                  .name = l->name};
	struct statx st;

	if (!l->store.writable || setting_number(&l->set, SETTING_READONLY) || known(l) ||
	    read_a_file(l))
		return 0;
	negative_cache_forget(&l->store, &l->key);
	if (sys_statx(AT_FDCWD, recorded_path(l), AT_SYMLINK_NOFOLLOW, OFFER_STATX, &st) < 0 ||
	    (l->made && !grows && st.stx_ino != l->made))
		return 0;
	offer_identify(&o, &st);
	if (closed && !grows && digest_content(l, &o) < 0)
		return 0;
	o.local = l->remote > 0 && unasked_offers(l);
	o.made_at = sys_now_ns(CLOCK_REALTIME) / 1000000000;
	o.job = settings_job(&l->set, l->envp, &l->arena, NULL);
	remote_tag(&l->store, &l->set, l->envp, &l->arena);
	/* The publisher adds to the list. */
	job_list_create(&l->store, job_list_job(&l->set, l->envp, &l->arena));
	if (offer_add(&l->store, &o) == 0)
		tell_agent(l);
	return 0;
}

int complete(struct unit_lookup *l)
{
	/* First: another rank may find the file at any moment. */
	if (l->mark)
		made_tell(l);
	return offer(l, 0);
}

int complete_closed(struct unit_lookup *l)
{
	return offer(l, 1);
}

int complete_found(struct unit_lookup *l)
{
	struct statx st;

	if (!l->mark || !made_by_peer(l) || unit_lookup_has(l, NULL) ||
	    sys_statx(AT_FDCWD, l->path, AT_SYMLINK_NOFOLLOW, STATX_INO, &st) < 0)
		return 0;
	l->made = st.stx_ino;
	return offer(l, 0);
}
