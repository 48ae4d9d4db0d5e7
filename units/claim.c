/* units/claim.c - the table of claims.
 *
 * <runtime>/makers: CLAIM_SLOTS slots (store/slots.h), a kernel's chosen by its bytes 8 to 11, and
 * one more that counts waits without a kernel (device ""; pid: how many in a row):
 *   0 16  the kernel's first bytes
 *  16  8  when, CLOCK_BOOTTIME ns; 0: no claim
 *  24  4  pid
 *  28  4  tid
 *  32 16  device, NULs behind it */
#include "units/claim.h"

#include <string.h>

#include "shim/progress.h"
#include "shim/sys.h"
#include "store/slots.h"

#include "shim/banned.h"

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
