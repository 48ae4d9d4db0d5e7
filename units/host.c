/* units/host.c - decides which file calls of a host concern units. */
#include "units/host.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The environment as it is now, since programs set variables late. Read as getenv(3) does. */
static char *const *environment(void)
{
	return environ;
}

#include "shim/kernel/exe.h"
#include "shim/kernel/memory.h"
#include "shim/kernel/realpath.h"
#include "shim/kernel/sandbox.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/loader/elfobject.h"
#include "shim/path.h"
#include "shim/trace.h"
#include "store/walk.h"
#include "units/complete.h"
#include "units/find/listing.h"
#include "units/find/miss_report.h"
#include "units/find/unit_lookup.h"
#include "units/shape/declared.h"
#include "units/shape/pattern.h"
#include "units/shape/seen_files.h"

#include "shim/banned.h"

/* What this work takes is 22 KiB at most, beside the host's own frames (seen with gcc 14, -O2). A
 * thread may have 16 KiB in all. */
#define STACK_NEEDED (32u << 10)

int unit_self, unit_awaits_lock, unit_awaits_close, unit_awaits_read;
/* Bits of descriptors whose close completes a unit. Higher ones are not awaited: their files are
 * not carried. */
#define AWAITED_MOST 4096
static uint64_t awaited[AWAITED_MOST / 64];
static int64_t began; /* ns since 1970 */
static int forked;
/* 1: this process has listed a directory above those of graphs: it may read a graph without using
 * it. */
static int lists_all;
/* 1: this thread is in act(). A signal handler of the host may interrupt it. */
static __thread int busy;
/* Of the lookup that act() made last. */
static __thread uint64_t mark_found;

static int is_framework_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const char *name = info->dlpi_name ? path_base(info->dlpi_name) : "";

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

/* 1: the process is known to run Python or libtorch. */
static int known;

/* 1: the process runs Python or libtorch; a shell's `ls` or `rm` looks for no unit. Libraries are
 * loaded later, and a host stays one. In a forked child a thread that is gone may hold the loader's
 * lock: libc's fork renews other locks and not that one (glibc 2.36). */
static int is_framework(void)
{
	if (!known && (is_python() || (!forked && dl_iterate_phdr(is_framework_library, NULL)))) {
		known = 1;
		__atomic_fetch_or(&unit_awaits_read, UNIT_READS_SOURCES, __ATOMIC_RELAXED);
	}
	return known;
}

void unit_host_begin(void)
{
	/* libc's own clock makes no system call and is not another library's. */
	int (*clock)(clockid_t, struct timespec *) =
		(int (*)(clockid_t, struct timespec *))elfobject_loaded("libc.so.6",
		                                                        "clock_gettime");
	struct timespec now;

	began = clock && clock(CLOCK_REALTIME, &now) == 0
	        ? now.tv_sec * 1000000000ll + now.tv_nsec : sys_now_ns(CLOCK_REALTIME);
	unit_self = sys_getpid();
	/* In Python the system call filters are tried at the start, so that a filter which Python
	 * installs later is told apart. Another program is tried when it turns out to be a
	 * framework: most are none, and a try costs 10 us. */
	if (names_python((const char *)getauxval(AT_EXECFN)))
		sandbox_begin(0);
}

void unit_host_declares(void)
{
	declared_expect();
}

void unit_after_fork(void)
{
	if (!unit_self)
		return;
	/* The parent goes on writing to files whose descriptors the child closes. */
	if (unit_awaits_close)
		memset(awaited, 0, sizeof awaited);
	unit_awaits_close = 0;
	declared_after_fork();
	unit_self = sys_getpid();
	forked = 1;
	busy = 0;
}

/* Compiles the user's classes in a framework's process. A process that is none, or not yet, is
 * asked again at its 1st, 2nd, 4th, 8th ... look-up: libraries are loaded later. */
static __attribute__((noinline, cold)) void declare(void)
{
	static unsigned asked;
	struct arena a = ARENA_INIT;
	struct signals_size held;
	struct settings *set;
	int error = errno;
	unsigned n = __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);

	if (!(n & (n - 1)) && !busy && !trace_process() && !trace_thread() &&
	    sys_getpid() == unit_self && memory_stack_has(STACK_NEEDED) && is_framework()) {
		busy = 1;
		held = signals_size_hold();
		set = arena_alloc(&a, sizeof *set);
		if (set) {
			settings_load(set, environment(), &a);
			declared_load(set);
		}
		arena_free(&a);
		signals_size_release(&held);
		busy = 0;
	}
	errno = error;
}

static inline enum unit_part shape(struct unit_path *u, const char *path)
{
	if (__builtin_expect(declared_state == DECLARED_WAITING, 0))
		declare();
	return unit_shape(u, path);
}

/* 1: this process may act on the path. A vfork child has its parent's memory and another pid. */
static int may_act(int dirfd, const char *path)
{
	return (dirfd == AT_FDCWD || path[0] == '/') && !busy && !trace_process() &&
	       !trace_thread() && sys_getpid() == unit_self && memory_stack_has(STACK_NEEDED) &&
	       is_framework() && sandbox_permits();
}

/* Nearly all calls end before this frame. */
static __attribute__((noinline, cold)) int act(int dirfd, const char *path, uint64_t made,
                                               int (*what)(struct unit_lookup *))
{
	int error = errno, rc = 0;
	struct signals_size held;
	struct unit_lookup l;

	mark_found = MARK_NONE;
	if (may_act(dirfd, path)) {
		busy = 1;
		held = signals_size_hold();
		if (unit_lookup_open(&l, path, began, forked, environment()) == 0) {
			l.made = made;
			rc = what(&l);
			mark_found = l.mark ? l.mark : MARK_NONE;
		} else {
			miss_report_off(&l, what != unit_lookup_run);
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

	if (!path || !shape(&u, path) || !unit_looked_up(&u))
		return 0;
	if (unit_rows[u.class].traits & TRAIT_READS_NOTHING)
		__atomic_fetch_or(&unit_awaits_read, UNIT_READS_ANY, __ATOMIC_RELAXED);
	return act(dirfd, path, 0, unit_lookup_run);
}

static int is_of_graphs(const struct unit_row *row)
{
	return row->form == UNIT_SET && row->scope & SCOPE_RANK_FX;
}

/* 1: the directory is above those of graphs. The framework lists the directory of one key. A
 * program that lists a directory above reads the graphs of all keys, as an archiver does. */
static int holds_graphs(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	for (unsigned class = 1; class < UNIT_CLASSES_MAX; class++) {
		const char *p = unit_text(unit_rows[class].path);

		for (; is_of_graphs(&unit_rows[class]) && p; p = pattern_next(p))
			if (pattern_fits_above(p, path, n))
				return 1;
	}
	return 0;
}

/* A process that cannot tell its rank, or may not act now, sees no rank's graphs. */
int unit_extend(const char *path, uint64_t *mark)
{
	struct unit_path u;

	if (!path)
		return 0;
	if (shape(&u, path) != PART_UNIT || unit_rows[u.class].form != UNIT_SET) {
		if (!lists_all && holds_graphs(path))
			lists_all = 1;
		return 0;
	}
	act(AT_FDCWD, path, 0, unit_lookup_run);
	if (unit_rows[u.class].scope & SCOPE_RANK_FX &&
	    (sys_getpid() != unit_self || is_framework()))
		*mark = mark_found;
	if (lists_all)
		__atomic_fetch_and(&unit_awaits_read, ~UNIT_READS_GRAPHS, __ATOMIC_RELAXED);
	else if (mark_found != MARK_NONE)
		__atomic_fetch_or(&unit_awaits_read, UNIT_READS_GRAPHS, __ATOMIC_RELAXED);
	return 1;
}

static int nothing(struct unit_lookup *l)
{
	return 0;
}

/* The program takes the directory for empty. The next rank that looks lays its graphs again. */
int unit_drop_hidden(const char *path)
{
	struct unit_path u;

	if (!path || shape(&u, path) != PART_UNIT ||
	    !(unit_rows[u.class].scope & SCOPE_RANK_FX) || !may_act(AT_FDCWD, path))
		return 0;
	act(AT_FDCWD, path, 0, nothing);
	if (!listing_is_empty(path, mark_found))
		return 0;
	walk_drop_files(AT_FDCWD, path);
	return 1;
}

/* A program may run a source that it only read: exec(open(path).read()). */
static void see_source(int fd, const char *path)
{
	struct statx st;

	if (path_ends(path, ".py") &&
	    sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &st) == 0 &&
	    S_ISREG(st.stx_mode))
		unit_see(path, makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino);
}

/* A file that has no name (O_TMPFILE) is the process's own. */
static void see_any(int fd, const char *path)
{
	struct statx st;

	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_NLINK, &st) < 0 ||
	    (S_ISREG(st.stx_mode) && st.stx_nlink))
		files_read_add(path);
}

void unit_opened_to_read(int fd, int dirfd, const char *path)
{
	struct unit_path u;

	if (unit_awaits_read & UNIT_READS_SOURCES && path)
		see_source(fd, path);
	if (unit_awaits_read & UNIT_READS_ANY && path && shape(&u, path) == PART_NONE)
		see_any(fd, path);
	if (unit_awaits_read & UNIT_READS_GRAPHS && !lists_all && path &&
	    shape(&u, path) == PART_MEMBER && unit_rows[u.class].scope & SCOPE_RANK_FX)
		act(dirfd, path, 0, complete_found);
}

/* 1: the path is readable to its end. Otherwise the kernel answers EFAULT, and we would crash. */
static int readable(const char *path)
{
	for (size_t n = 0, left; n < PATH_SIZE; n += left) {
		left = MEMORY_PAGE - ((uintptr_t)path + n) % MEMORY_PAGE;
		if (!memory_page_readable((uintptr_t)path + n))
			return 0;
		if (memchr(path + n, 0, left))
			return 1;
	}
	return 0;
}

/* As declare(): a process that is no framework, or not yet, is asked again ever more seldom. */
static __attribute__((noinline, cold)) int becomes_framework(void)
{
	static unsigned asked;
	unsigned n = __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
	int error = errno, is = 0;

	if (!(n & (n - 1)) && !busy && sys_getpid() == unit_self && memory_stack_has(STACK_NEEDED))
		is = is_framework();
	errno = error;
	return is;
}

void unit_see(const char *path, uint64_t device, uint64_t inode)
{
	if (known || becomes_framework())
		seen_files_add(path, device, inode);
}

uint64_t unit_inode(int from_dirfd, const char *from, const char *to)
{
	struct unit_path u;
	struct statx st;

	if (!readable(to) || !shape(&u, to) || !unit_completes(&u, 0) ||
	    sys_statx(from_dirfd, from, AT_SYMLINK_NOFOLLOW, STATX_INO, &st) < 0)
		return 0;
	return st.stx_ino;
}

void unit_complete(int dirfd, const char *path, uint64_t made)
{
	struct unit_path u;

	if (path && shape(&u, path) && unit_completes(&u, made == 0))
		act(dirfd, path, made, complete);
}

void unit_opened_here(int fd, int dirfd, const char *path)
{
	struct unit_path u;
	unsigned how;

	if (!path || !shape(&u, path) || !unit_completes(&u, 1))
		return;
	how = unit_rows[u.class].complete;
	if (how & COMPLETE_LOCK) {
		unit_awaits_lock = 1;
	} else if (!(how & COMPLETE_CLOSED)) {
		act(dirfd, path, 0, complete);
	} else if (fd < AWAITED_MOST) {
		__atomic_fetch_or(&awaited[fd / 64], 1ull << fd % 64, __ATOMIC_RELAXED);
		unit_awaits_close = 1;
	}
}

/* The caller's frame holds a path: a vfork child, or a thread with a small stack, does without. */
int unit_is_awaited(int fd)
{
	return fd >= 0 && fd < AWAITED_MOST &&
	       (__atomic_load_n(&awaited[fd / 64], __ATOMIC_RELAXED) >> fd % 64 & 1) &&
	       sys_getpid() == unit_self && memory_stack_has(STACK_NEEDED);
}

uint64_t unit_closing(int fd, char *path)
{
	struct statx st;
	struct unit_path u;

	if (!may_act(AT_FDCWD, "/"))
		return 0;
	__atomic_fetch_and(&awaited[fd / 64], ~(1ull << fd % 64), __ATOMIC_RELAXED);
	/* The descriptor may be another file's by now: dup2 closes without this hook. A file that
	 * ends before the place where this process wrote was truncated by another writer. */
	if (fdpath(path, PATH_SIZE, fd) <= 0 || !unit_shape(&u, path) || !unit_completes(&u, 1) ||
	    (SYS3(SYS_fcntl, fd, F_GETFL, 0) & O_ACCMODE) == O_RDONLY ||
	    sys_statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_SIZE, &st) < 0 ||
	    SYS3(SYS_lseek, fd, 0, SEEK_CUR) > (long)st.stx_size)
		return 0;
	return st.stx_ino;
}

void unit_closed(const char *path, uint64_t made)
{
	act(AT_FDCWD, path, made, complete_closed);
}

void unit_complete_locked(int fd)
{
	char path[PATH_SIZE];
	struct unit_path u;

	if (fdpath(path, sizeof path, fd) > 0 && shape(&u, path) &&
	    unit_rows[u.class].complete & COMPLETE_LOCK &&
	    unit_completes(&u, 1))
		act(AT_FDCWD, path, 0, complete);
}
