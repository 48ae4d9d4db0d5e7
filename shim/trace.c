/* shim/trace.c - the writing side of the trace; the layout is in trace.h. */
#include "shim/trace.h"

#include <limits.h>
#include <link.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "shim/kernel/exe.h"
#include "shim/kernel/realpath.h"
#include "shim/kernel/sandbox.h"
#include "shim/kernel/sys.h"
#include "shim/loader/object.h"

#include "shim/banned.h"

/* A resolved path and the directory of a dirfd. */
#define TRACE_PATH_MAX 4096

struct trace_file {
	char magic[8];
	uint64_t tail;
	uint64_t backed;
	uint32_t overflow;
	uint32_t filters;
};
_Static_assert(sizeof(struct trace_file) == TRACE_HEAD, "table in trace.h");

struct trace_record {
	uint32_t len;
	uint16_t op, flags;
	uint32_t pid, arg, a_len, b_len;
};
_Static_assert(sizeof(struct trace_record) == TRACE_RECORD_HEAD, "table in trace.h");

int trace_active;
static struct trace_file *file;
/* needed to allocate more of the file: the tool may close our descriptors */
static const char *file_path;
static char file_path_copy[TRACE_PATH_MAX];
/* Trace of this thread alone: a compile inside a host (jit/). A process never has both. */
static __thread struct trace_file *mine;
static pid_t self_pid;
static int bye_said;
static uint64_t mapped; /* bytes of file */
/* number of loaded objects that followed HELLO: the first ones of the loader's list, which stay
 * loaded */
static unsigned told;

static struct trace_file *here(void)
{
	return file ? file : mine;
}

/* Allocates memory for bytes up to `need`. Without it, a store into a full tmpfs is a SIGBUS. */
static int back(struct trace_file *f, uint64_t need)
{
	uint64_t have = __atomic_load_n(&f->backed, __ATOMIC_ACQUIRE);
	uint64_t want;
	int fd, rc;

	if (f == file && need > mapped)
		return -1;
	if (need <= have)
		return 0;
	/* A filter that the process installed itself may kill it for fallocate. */
	if (f == mine || !sandbox_permits())
		return -1;
	want = (need + TRACE_STEP - 1) / TRACE_STEP * TRACE_STEP;
	fd = sys_open(file_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return -1;
	rc = sys_fallocate(fd, 0, (off_t)have, (off_t)(want - have));
	sys_close(fd);
	if (rc < 0)
		return -1;
	while (have < want && !__atomic_compare_exchange_n(&f->backed, &have, want, 0,
	                                                   __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		;
	return 0;
}

static void put(enum trace_op op, unsigned flags, const char *a, size_t a_len, const char *b,
                size_t b_len, unsigned arg)
{
	struct trace_file *f = here();
	struct trace_record *r;
	uint64_t at, len;
	char *text;

	if (!f)
		return;
	len = (TRACE_RECORD_HEAD + a_len + 1 + b_len + 1 + 7) & ~(uint64_t)7;
	at = __atomic_fetch_add(&f->tail, len, __ATOMIC_RELAXED);
	if (back(f, at + len) < 0) {
		__atomic_store_n(&f->overflow, 1, __ATOMIC_RELEASE);
		return;
	}
	r = (struct trace_record *)((char *)f + at);
	r->op = (uint16_t)op;
	r->flags = (uint16_t)flags;
	/* A vfork child shares its parent's self_pid; for events that start a process the real pid
	 * matters. */
	r->pid = (uint32_t)(op == TRACE_EXEC || op == TRACE_EXEC_FAILED ? sys_getpid() : self_pid);
	r->arg = arg;
	r->a_len = (uint32_t)a_len;
	r->b_len = (uint32_t)b_len;
	text = (char *)(r + 1);
	memcpy(text, a, a_len);
	text[a_len] = '\0';
	if (b_len)
		memcpy(text + a_len + 1, b, b_len);
	text[a_len + 1 + b_len] = '\0';
	__atomic_store_n(&r->len, (uint32_t)len, __ATOMIC_RELEASE);
}

/* Frames: one path buffer; trace_path2 uses a second level only when a side is relative. */
static __attribute__((noinline)) void put_relative(enum trace_op op, unsigned flags, int dirfd,
                                                   const char *path, size_t len, const char *b,
                                                   size_t b_len, unsigned arg)
{
	char whole[TRACE_PATH_MAX];
	size_t dir = fdpath_base(whole, sizeof whole, dirfd);

	if (dirfd == AT_FDCWD)
		flags |= TRACE_FLAG_RELATIVE;
	if (dir == 0 || dir + len >= sizeof whole) {
		put(op, flags | TRACE_FLAG_CUT, path, len, "", 0, arg);
		return;
	}
	memcpy(whole + dir, path, len);
	put(op, flags, whole, dir + len, b, b_len, arg);
}

static void put_path(enum trace_op op, unsigned flags, int dirfd, const char *path, const char *b,
                     size_t b_len, unsigned arg)
{
	size_t len;

	if (!path || !path[0] || !here())
		return;
	len = strlen(path);
	if (len >= TRACE_PATH_MAX)
		put(op, flags | TRACE_FLAG_CUT, path, 64, "", 0, arg);
	else if (path[0] == '/')
		put(op, flags, path, len, b, b_len, arg);
	else
		put_relative(op, flags, dirfd, path, len, b, b_len, arg);
}

void trace_path(enum trace_op op, unsigned flags, int dirfd, const char *path, unsigned arg)
{
	put_path(op, flags, dirfd, path, "", 0, arg);
}

void trace_read(unsigned flags, int dirfd, const char *path, unsigned identity, int64_t at)
{
	put_path(TRACE_READ, flags, dirfd, path, (const char *)&at, sizeof at, identity);
}

void trace_write(unsigned flags, int dirfd, const char *path, int fd, unsigned arg)
{
	uint64_t made = trace_made(fd);

	put_path(TRACE_WRITE, flags, dirfd, path, (const char *)&made, sizeof made, arg);
}

/* Prepends the cwd or dirfd's directory to a relative path and keeps its spelling. Not inlined: a
 * buffer of two whole paths would not fit callers' frames. */
static __attribute__((noinline)) size_t absolute(char *out, size_t cap, int dirfd, const char *path)
{
	size_t len = strlen(path), dir;

	if (path[0] == '/') {
		if (len >= cap)
			return 0;
		memcpy(out, path, len + 1);
		return len;
	}
	dir = fdpath_base(out, cap, dirfd);
	if (dir == 0 || dir + 1 + len > cap)
		return 0;
	memcpy(out + dir, path, len + 1);
	return dir + len;
}

void trace_path2(enum trace_op op, unsigned flags, int dirfd_a, const char *a, int dirfd_b,
                 const char *b, unsigned arg)
{
	/* Half a path each: a rename between two longer paths refuses the trace, which is right and
	 * keeps the frame below 4 KiB. */
	char whole_a[TRACE_PATH_MAX / 2 - 64], whole_b[TRACE_PATH_MAX / 2 - 64];
	size_t a_len, b_len;

	if (!a || !b || !here())
		return;
	if (flags & TRACE_FLAG_SYMBOLIC) {
		a_len = strlen(a);
		if (a_len < sizeof whole_a)
			memcpy(whole_a, a, a_len + 1);
		else
			a_len = 0;
	} else {
		a_len = absolute(whole_a, sizeof whole_a, dirfd_a, a);
		if (a[0] != '/')
			flags |= TRACE_FLAG_RELATIVE;
	}
	b_len = absolute(whole_b, sizeof whole_b, dirfd_b, b);
	if (b[0] != '/')
		flags |= TRACE_FLAG_RELATIVE_B;
	if (!a_len || !b_len)
		put(op, flags | TRACE_FLAG_CUT, "", 0, "", 0, arg);
	else
		put(op, flags, whole_a, a_len, whole_b, b_len, arg);
}

void trace_fd(enum trace_op op, unsigned flags, int fd, unsigned arg)
{
	char path[TRACE_PATH_MAX];
	ssize_t len;

	if (!here() || fd < 0)
		return;
	len = fdpath(path, sizeof path, fd);
	if (len > 0 && path[0] == '/')
		put(op, flags, path, (size_t)len, "", 0, arg);
	else
		put(op, flags | TRACE_FLAG_CUT, "", 0, "", 0, arg);
}

void trace_text(enum trace_op op, unsigned flags, const char *a, const char *b, unsigned arg)
{
	put(op, flags, a ? a : "", a ? strlen(a) : 0, b ? b : "", b ? strlen(b) : 0, arg);
}

void trace_probe(enum trace_op found, unsigned flags, int dirfd, const char *path, int error,
                 unsigned arg)
{
	if (error == 0)
		trace_path(found, flags, dirfd, path, arg);
	else if (error == ENOENT || error == ENOTDIR)
		trace_path(TRACE_ABSENT, flags, dirfd, path, 0);
	else
		trace_path(TRACE_FAILED, flags, dirfd, path, (unsigned)error);
}

int trace_attach(const char *path)
{
	struct rlimit space = {RLIM_INFINITY, RLIM_INFINITY};
	struct trace_file head;
	size_t len = strlen(path);
	struct statx st;
	void *map;
	int fd, rc;

	if (len >= sizeof file_path_copy)
		return -ENAMETOOLONG;
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	rc = sys_statx(fd, "", AT_EMPTY_PATH, STATX_UID | STATX_TYPE | STATX_SIZE, &st);
	/* Never write into another user's file of that name. */
	if (rc == 0 && (st.stx_uid != sys_geteuid() || (st.stx_mode & S_IFMT) != S_IFREG))
		rc = -EPERM;
	/* A store beyond the file's end would be a SIGBUS. */
	if (rc == 0 && st.stx_size < TRACE_CAPACITY)
		rc = -EINVAL;
	if (rc == 0 && sys_pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head)
		rc = -EINVAL;
	if (rc == 0 && memcmp(head.magic, TRACE_MAGIC, sizeof head.magic) != 0)
		rc = -EINVAL;
	if (rc == 0 && !sandbox_begin(head.filters))
		rc = -EPERM;
	SYS4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &space);
	mapped = space.rlim_cur == RLIM_INFINITY ? TRACE_CAPACITY : TRACE_CAPACITY_LIMITED;
	map = rc == 0 ? sys_mmap(NULL, mapped, PROT_READ | PROT_WRITE,
	                         MAP_SHARED | MAP_NORESERVE, fd, 0)
	              : NULL;
	sys_close(fd);
	if (rc < 0)
		return rc;
	if (sys_mmap_failed(map))
		return (int)(long)map;
	/* Without the advice, a file system on a disk reads 128 KiB around the first fault. */
	SYS3(SYS_madvise, map, mapped, MADV_RANDOM);
	memcpy(file_path_copy, path, len + 1);
	file_path = file_path_copy;
	file = map;
	self_pid = sys_getpid();
	bye_said = 0;
	told = 0;
	trace_active = 1;
	return 0;
}

void trace_pause(void)
{
	trace_active = 0;
}

void trace_resume(void)
{
	trace_active = file != NULL;
}

void trace_detach(void)
{
	struct trace_file *f = file;

	trace_active = 0;
	file = NULL;
	if (f)
		sys_munmap(f, mapped);
}

int trace_process(void)
{
	return file != NULL;
}

int trace_thread(void)
{
	return mine != NULL;
}

void trace_thread_begin(void *memory, size_t size)
{
	struct trace_file *f = memory;

	f->tail = TRACE_HEAD;
	f->backed = size;
	f->overflow = 0;
	self_pid = sys_getpid();
	mine = f;
	__atomic_fetch_add(&trace_active, 1, __ATOMIC_RELAXED);
	put(TRACE_HELLO, 0, "", 0, "", 0, 0);
}

size_t trace_thread_end(void)
{
	struct trace_file *f = mine;
	size_t n = 0;

	if (!f)
		return 0; /* in a forked child */
	put(TRACE_BYE, 0, "", 0, "", 0, 0);
	mine = NULL;
	__atomic_fetch_sub(&trace_active, 1, __ATOMIC_RELAXED);
	memcpy(f->magic, TRACE_MAGIC, sizeof f->magic);
	n = f->tail;
	return n < f->backed ? n : TRACE_HEAD;
}

void trace_after_fork(void)
{
	pid_t parent = self_pid;

	if (!trace_active)
		return;
	if (!file) {
		mine = NULL;
		trace_active = 0;
		return;
	}
	self_pid = sys_getpid();
	bye_said = 0;
	put(TRACE_FORKED, 0, "", 0, "", 0, (unsigned)parent);
}

unsigned trace_identity_of(const struct statx *st)
{
	unsigned minor = st->stx_dev_minor;

	if (st->stx_dev_major == SYS_MAJOR_LOOP)
		minor += (unsigned)sys_statx_mount(st) << 8;
	return trace_identity(st->stx_ino, st->stx_dev_major, minor);
}

unsigned trace_identity_at(int dirfd, const char *path)
{
	const int flags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
	struct statx st;

	if (sys_statx(dirfd, path, flags, STATX_INO, &st) < 0 ||
	    (st.stx_dev_major == SYS_MAJOR_LOOP &&
	     sys_statx(dirfd, path, flags, STATX_INO | SYS_STATX_MOUNT, &st) < 0))
		return 0;
	return trace_identity_of(&st);
}

uint64_t trace_made(int fd)
{
	struct statx st;
	uint64_t born = 0, stamp;
	unsigned generation[2] = {0, 0}; /* ext4 writes 4 bytes, others a long */

	if (sys_statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_BTIME, &st) < 0)
		return 0;
	if (st.stx_mask & STATX_BTIME)
		born = (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
	stamp = trace_identity(st.stx_ino, st.stx_dev_major, st.stx_dev_minor);
	stamp ^= born * 0x9e3779b97f4a7c15u;
	if (sys_ioctl(fd, FS_IOC_GETVERSION, generation) == 0)
		stamp ^= generation[0] * 0xff51afd7ed558ccdu;
	return stamp ? stamp : 1;
}

static int loaded_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	unsigned *n = ctx;
	const char *name;

	if ((*n)++ < told || !(name = object_library(info)))
		return 0;
	if (name[0] == '/')
		put(TRACE_LOADED, 0, name, strlen(name), "", 0, trace_identity_at(AT_FDCWD, name));
	/* found by an empty or relative element of LD_LIBRARY_PATH, or by dlopen: relative to the
	 * cwd of that moment */
	else
		trace_path(TRACE_LOADED, 0, AT_FDCWD, name, trace_identity_at(AT_FDCWD, name));
	return 0;
}

void trace_loaded(void)
{
	unsigned n = 0;

	dl_iterate_phdr(loaded_object, &n);
}

void trace_hello(void)
{
	char exe[TRACE_PATH_MAX];
	unsigned n_told = 0;
	const char *execfn = (const char *)getauxval(AT_EXECFN);
	ssize_t n = exe_path(exe, sizeof exe);
	struct statx st;
	unsigned identity = 0;

	if (n < 0)
		n = 0;
	exe[n] = '\0';
	if (exe_statx(exe, AT_STATX_DONT_SYNC, STATX_INO, &st) == 0 &&
	    (st.stx_dev_major != SYS_MAJOR_LOOP ||
	     exe_statx(exe, AT_STATX_DONT_SYNC, STATX_INO | SYS_STATX_MOUNT, &st) == 0))
		identity = trace_identity_of(&st);
	put(TRACE_HELLO, 0, exe, (size_t)n, execfn ? execfn : "", execfn ? strlen(execfn) : 0,
	    (unsigned)sys_getppid());
	put(TRACE_PROGRAM, 0, exe, (size_t)n, "", 0, identity);
	told = 0;
	dl_iterate_phdr(loaded_object, &n_told);
	told = n_told;
}

void trace_bye(void)
{
	if (!trace_active || !file || bye_said || sys_getpid() != self_pid)
		return;
	bye_said = 1;
	put(TRACE_BYE, 0, "", 0, "", 0, 0);
}
