/* units/find/claim.c - the table of claims.
 *
 * <runtime>/makers: CLAIM_SLOTS slots (store/shared_page.h), a kernel's chosen by its bytes 8 to
 * 11, and 11, and one more that counts waits without a kernel (device ""; pid: how many in a row):
 *   0 16  the kernel's first bytes
 *  16  8  when, CLOCK_BOOTTIME ns; 0: no claim
 *  24  4  pid
 *  28  4  tid
 *  32 16  device, NULs behind it */
#include "units/find/claim.h"

#include <string.h>

#include "shim/format.h"
#include "shim/kernel/process.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "store/shared_page.h"
#include "store/walk.h"
#include "units/find/lay.h"
#include "units/unit_event.h"

#include "shim/banned.h"

/* --- device copy --- */

static int is_device(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

static int try_device(void *ctx, int dirfd, const char *path, const char *name)
{
	struct device_copy *s = ctx;
	struct fault ignored;
	const char *from;

	if (!is_device(name) || strcmp(name, s->own) == 0)
		return 0;
	s->others = 1;
	from = arena_cat(&s->lookup->arena, s->devices, "/", name, "/", s->kernel, NULL);
	return from && sys_access(from, F_OK) == 0 &&
	       lay_copy(from, s->lookup->unit, s->lookup->u.member, &s->lookup->arena,
	                &ignored) == LAY_LAID;
}

/* 1: the kernel is complete in that device's directory: its index is written last. */
static int is_made(void *ctx, const char *device)
{
	struct device_copy *s = ctx;
	char index[PATH_SIZE];
	size_t n = format_text(index, sizeof index, "%s/%s/%s/%s", s->devices, device, s->kernel,
	                       s->lookup->u.member);

	return n < sizeof index && sys_access(index, F_OK) == 0;
}

/* --- public, in header order --- */

void device_copy_find(struct device_copy *s, struct unit_lookup *l)
{
	char *root = arena_memdup(&l->arena, l->path, l->u.root_len);
	size_t n = root ? path_dir_len(root) : 0;

	*s = (struct device_copy){.lookup = l};
	if (!(l->row->traits & TRAIT_PER_DEVICE) || n == 0 || !is_device(path_base(root)))
		return;
	s->kernel = arena_memdup(&l->arena, l->path + l->u.root_len + 1,
	                         l->u.unit_len - l->u.root_len - 1);
	s->own = arena_strdup(&l->arena, path_base(root));
	root[n] = '\0';
	if (s->kernel && s->own && strcmp(path_base(root), unit_name(l->u.class)) == 0)
		s->devices = root;
}

int device_copy_make(struct device_copy *s)
{
	if (!s->devices || walk_names(s->devices, try_device, s) != 1)
		return 0;
	unit_event_brought(s->lookup, 0);
	return 1;
}

int device_copy_wait(struct device_copy *s)
{
	struct rank me;
	struct digest kernel;
	const char *name;

	if (!s->devices || !s->lookup->u.member)
		return 0;
	/* With one device no process waits, and no kernel is claimed. */
	rank_read(&me, s->lookup->envp);
	if (me.local_world < 2 && !s->others)
		return 0;
	name = arena_cat(&s->lookup->arena, s->devices, "/", s->kernel, "/", s->lookup->u.member,
	                 NULL);
	if (!name)
		return 0;
	digest_name(&kernel, name, strlen(name));
	return claim_or_wait(s->lookup->store.runtime_dir, &kernel, s->own, is_made, s);
}

#define PAUSE_FIRST_NS 1000000ll
#define PAUSE_MAX_NS 10000000ll
/* A look at a slot takes microseconds. A process that cannot lock it for so long goes on without a
 * claim. */
#define BUSY_MAX_NS 200000000ll

struct claim {
	unsigned char kernel[16];
	int64_t at;
	int32_t pid, tid;
	char device[CLAIM_DEVICE];
};
_Static_assert(sizeof(struct claim) == 48, "table above");

/* The slot that this thread claimed last, counted from 1. */
static __thread uint32_t mine;

static int open_table(const char *runtime_dir)
{
	return slots_open(runtime_dir, "makers");
}

static uint32_t slot_of(const struct digest *kernel)
{
	return slots_of(kernel, CLAIM_SLOTS);
}

static int get(int fd, uint32_t slot, struct claim *c)
{
	return slots_get(fd, slot, c, sizeof *c) && !c->device[CLAIM_DEVICE - 1];
}

static void put(int fd, uint32_t slot, const struct claim *c)
{
	slots_put(fd, slot, c, sizeof *c);
}

/* 1: the claim is younger than ns. A time in the future is from before the last boot. */
static int is_young(const struct claim *c, int64_t ns, int64_t now)
{
	return c->at && c->at <= now && now - c->at < ns;
}

static int is_of(const struct claim *c, const struct digest *kernel)
{
	return memcmp(c->kernel, kernel->b, sizeof c->kernel) == 0;
}

static int distrusted(int fd, int64_t now)
{
	struct claim vain;

	return get(fd, CLAIM_SLOTS, &vain) && vain.pid >= CLAIM_DISTRUST &&
	       is_young(&vain, CLAIM_REST_NS, now);
}

/* Counts a wait that ended; in_vain: without a kernel. */
static void note_wait(const char *runtime_dir, int in_vain)
{
	int fd = open_table(runtime_dir);
	struct claim vain;

	if (fd < 0)
		return;
	if (!get(fd, CLAIM_SLOTS, &vain))
		memset(&vain, 0, sizeof vain);
	if (in_vain || vain.pid) {
		vain.pid = in_vain ? vain.pid + 1 : 0;
		vain.at = sys_now_ns(CLOCK_BOOTTIME);
		put(fd, CLAIM_SLOTS, &vain);
	}
	sys_close(fd);
}

static void claim(int fd, const struct digest *kernel, const char *device, int64_t now)
{
	struct claim c = {.at = now, .pid = sys_getpid(), .tid = sys_gettid()}, before;

	if (mine && get(fd, mine - 1, &before) && before.pid == c.pid && before.tid == c.tid) {
		before.at = 0;
		put(fd, mine - 1, &before);
	}
	memcpy(c.kernel, kernel->b, sizeof c.kernel);
	memcpy(c.device, device, strnlen(device, sizeof c.device - 1));
	mine = slot_of(kernel) + 1;
	put(fd, mine - 1, &c);
}

/* Of two processes that come at the same time, the second sees the first one's claim. 0, or
 * -EAGAIN: another process has the slot. */
static int lock_slot(int fd, uint32_t slot, short type)
{
	return slots_lock(fd, (off_t)(slot * SLOTS_SIZE(struct claim)), SLOTS_SIZE(struct claim),
	                  type);
}

enum turn { TURN_OURS, TURN_WAIT, TURN_NOBODYS };

/* Looks at the table once. WAIT: *seen is another device's claim; it is unchanged where another
 * process has the slot. waited: the caller waits already, and goes on to wait even when no new wait
 * may begin. */
static enum turn look(const char *runtime_dir, const struct digest *kernel, const char *device,
                      struct claim *seen, int waited)
{
	int fd = open_table(runtime_dir);
	int64_t now = sys_now_ns(CLOCK_BOOTTIME);
	enum turn turn = TURN_WAIT;
	struct claim c;
	int rc;

	if (fd < 0)
		return TURN_NOBODYS;
	rc = !waited && distrusted(fd, now) ? -ENOENT : lock_slot(fd, slot_of(kernel), F_WRLCK);
	if (rc < 0 && rc != -EAGAIN) {
		turn = TURN_NOBODYS;
	} else if (rc == 0) {
		int held = get(fd, slot_of(kernel), &c) && is_of(&c, kernel) &&
		           is_young(&c, CLAIM_LIFE_NS, now) &&
		           sys_kill(c.pid, 0) != -ESRCH;

		if (held && strncmp(c.device, device, sizeof c.device) == 0) {
			turn = c.pid == sys_getpid() && c.tid == sys_gettid() ? TURN_OURS
			       : TURN_NOBODYS;
		} else if (held) {
			*seen = c;
		} else {
			claim(fd, kernel, device, now);
			turn = TURN_OURS;
		}
		/* Unlocked explicitly: a child that was forked meanwhile has the descriptor. */
		lock_slot(fd, slot_of(kernel), F_UNLCK);
	}
	sys_close(fd);
	return turn;
}

int claim_or_wait(const char *runtime_dir, const struct digest *kernel, const char *device,
               int (*made)(void *ctx, const char *device), void *ctx)
{
	int64_t pause = PAUSE_FIRST_NS, begun = sys_now_ns(CLOCK_BOOTTIME);
	struct claim seen = {0};
	struct progress claimer = {0};
	int done = 0;

	if (strlen(device) >= CLAIM_DEVICE)
		return 0;
	/* The claimer may have claimed it long after the caller came. */
	while (sys_now_ns(CLOCK_BOOTTIME) - begun < (seen.at ? 2 * CLAIM_LIFE_NS : BUSY_MAX_NS)) {
		enum turn turn = look(runtime_dir, kernel, device, &seen, seen.at != 0);

		/* Asked after the look: a claim may be gone because its kernel is there. */
		done = seen.at && made(ctx, seen.device);
		if (done || turn != TURN_WAIT)
			break;
		claimer.pid = seen.pid;
		if (seen.at && !progress_goes_on(&claimer, sys_now_ns(CLOCK_BOOTTIME) - begun))
			break;
		sys_sleep_ns(pause);
		pause = pause * 3 / 2 < PAUSE_MAX_NS ? pause * 3 / 2 : PAUSE_MAX_NS;
	}
	if (seen.at)
		note_wait(runtime_dir, !done);
	return done;
}
