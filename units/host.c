/* units/host.c - decides which file calls of a host concern units. */
#include "units/host.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The environment as it is now, since programs set variables late. Read as getenv(3) does. */
static char *const *environment(void)
{
	return environ;
}

#include "shim/elfobject.h"
#include "shim/exe.h"
#include "shim/fdpath.h"
#include "shim/path.h"
#include "shim/sandbox.h"
#include "shim/signals.h"
#include "shim/sys.h"
#include "shim/trace.h"
#include "units/lookup.h"
#include "units/complete.h"
#include "units/miss_report.h"

#include "shim/banned.h"

/* The smallest page of any machine: readable memory begins and ends at such a page. */
#define PAGE_LEAST 4096

int unit_self, unit_awaits_lock;
static int64_t began; /* s since 1970 */
static int forked;
/* 1: this thread is in act(). A signal handler of the host may interrupt it. */
static __thread int busy;

static int is_framework_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const char *name = info->dlpi_name ? path_base(info->dlpi_name) : "";

	(void)size;
	(void)ctx;
	return strncmp(name, "libpython", 9) == 0 || strncmp(name, "libtorch", 8) == 0;
}

static int names_python(const char *path)
{
	return strncmp(path_base(path), "python", 6) == 0 ||
	       strncmp(path_base(path), "pypy", 4) == 0;
}

static int is_python(void)
{
	char exe[PATH_SIZE];

	return exe_path(exe, sizeof exe) > 0 && names_python(exe);
}

/* 1: the process runs Python or libtorch; a shell's `ls` or `rm` looks for no unit. Libraries are
 * loaded later, and a host stays one. In a forked child a thread that is gone may hold the loader's
 * lock: libc's fork renews other locks and not that one (glibc 2.36). */
static int is_framework(void)
{
	static int known;

	if (!known)
		known = is_python() || (!forked && dl_iterate_phdr(is_framework_library, NULL));
	return known;
}

void unit_host_begin(void)
{
	/* libc's own clock makes no system call and is not another library's. */
	int (*clock)(clockid_t, struct timespec *) =
		(int (*)(clockid_t, struct timespec *))elfobject_loaded("libc.so.6",
		                                                        "clock_gettime");
	struct timespec now;

	began = clock && clock(CLOCK_REALTIME, &now) == 0 ? now.tv_sec
	                                                  : sys_now_ns(CLOCK_REALTIME) / 1000000000;
	unit_self = sys_getpid();
	/* What it installs itself is known from what it was started behind. Another program is
	 * asked when it turns out to be a framework: most are none, and the look costs 10 us. */
	if (names_python((const char *)getauxval(AT_EXECFN)))
		sandbox_begin(0);
}

void unit_after_fork(void)
{
	if (!unit_self)
		return;
	unit_self = sys_getpid();
	forked = 1;
	busy = 0;
}

/* 1: this process may act on the path. A vfork child has its parent's memory and another pid. */
static int may_act(int dirfd, const char *path)
{
	return (dirfd == AT_FDCWD || path[0] == '/') && !busy && !trace_process() &&
	       !trace_thread() && sys_getpid() == unit_self &&
	       is_framework() && sandbox_permits();
}

/* Nearly all calls end before this frame. */
static __attribute__((noinline, cold)) int act(int dirfd, const char *path, uint64_t made,
                                               int (*what)(struct unit_lookup *))
{
	int error = errno, rc = 0;
	struct signals_size held;
	struct unit_lookup l;

	if (may_act(dirfd, path)) {
		busy = 1;
		held = signals_size_hold();
		if (unit_lookup_open(&l, path, forked, environment()) == 0) {
			l.began = began;
			l.made = made;
			rc = what(&l);
		} else if (what == unit_lookup_run) {
			miss_report_off(&l);
		}
		unit_lookup_close(&l);
		signals_size_release(&held);
		busy = 0;
	}
	errno = error;
	return rc;
}

int unit_provide(int dirfd, const char *path)
{
	struct unit_path u;

	return path && unit_shape(&u, path) && unit_looked_up(&u) &&
	       act(dirfd, path, 0, unit_lookup_run);
}

int unit_extend(const char *path)
{
	struct unit_path u;

	if (!path || unit_shape(&u, path) != PART_UNIT || unit_rows[u.class].form != UNIT_SET)
		return 0;
	act(AT_FDCWD, path, 0, unit_lookup_run);
	return 1;
}

/* 1: the path is readable to its end. Otherwise the kernel answers EFAULT, and we would crash.
 * rt_sigprocmask copies a signal mask from there before it refuses an unknown `how`, and no file is
 * looked at as cheaply. */
static int readable(const char *path)
{
	for (size_t n = 0, left; n < PATH_SIZE; n += left) {
		uintptr_t at = (uintptr_t)path + n;

		left = PAGE_LEAST - at % PAGE_LEAST;
		if (SYS4(SYS_rt_sigprocmask, ~0, at & ~(uintptr_t)7, NULL,
		         SIGNALS_SET_SIZE) != -EINVAL)
			return 0;
		if (memchr(path + n, 0, left))
			return 1;
	}
	return 0;
}

uint64_t unit_inode(int from_dirfd, const char *from, const char *to)
{
	struct unit_path u;
	struct statx st;

	if (!readable(to) || !unit_shape(&u, to) || !unit_completes(&u, 0) ||
	    sys_statx(from_dirfd, from, AT_SYMLINK_NOFOLLOW, STATX_INO, &st) < 0)
		return 0;
	return st.stx_ino;
}

void unit_complete(int dirfd, const char *path, uint64_t made)
{
	struct unit_path u;

	if (!path || !unit_shape(&u, path) || !unit_completes(&u, made == 0))
		return;
	if (!made && unit_rows[u.class].complete & COMPLETE_LOCK)
		unit_awaits_lock = 1;
	else
		act(dirfd, path, made, complete);
}

void unit_complete_locked(int fd)
{
	char path[PATH_SIZE];
	struct unit_path u;

	if (fdpath(path, sizeof path, fd) > 0 && unit_shape(&u, path) &&
	    unit_rows[u.class].complete & COMPLETE_LOCK &&
	    unit_completes(&u, 1))
		act(AT_FDCWD, path, 0, complete);
}
