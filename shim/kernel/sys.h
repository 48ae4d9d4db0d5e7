/* shim/kernel/sys.h - raw system calls that return -errno and never touch errno.
 *
 * Everything below hooks/ uses these to call the kernel. Inside the object, libc's wrappers of the
 * same names are our own hooks. These hooks are not available before the constructor has run, and
 * set errno. A program without libc's start-up can use the functions here as well. They use only
 * calls that both x86-64 and aarch64 have (the *at family, clone), except two that libc makes on
 * x86-64. shim/kernel/sandbox.def lists the calls that a tool itself does not make.
 *
 * CHILD: every function here may run in a vfork child and in a signal handler. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

/* For variables that each start of a tool changes: they share the page of the object's data that a
 * start changes in any case. Each other page costs a start two page faults. */
#define START_DATA __attribute__((section(".data.start")))

/* Headers of glibc before 2.34 lack them; the numbers are the same on every machine. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

#if defined(__x86_64__)
static inline long sys_call6(long n, long a, long b, long c, long d, long e, long f)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
	                 : "=a"(ret)
	                 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline long sys_call6(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
	                 : "+r"(x0)
	                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
	                 : "memory", "cc");
	return x0;
}
#else
#error "Reprise runs on x86-64 and aarch64"
#endif

#define SYS0(n) sys_call6((n), 0, 0, 0, 0, 0, 0)
#define SYS1(n, a) sys_call6((n), (long)(a), 0, 0, 0, 0, 0)
#define SYS2(n, a, b) sys_call6((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(n, a, b, c) sys_call6((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(n, a, b, c, d) sys_call6((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS5(n, a, b, c, d, e) \
	sys_call6((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

#define SYS6(n, a, b, c, d, e, f) \
	sys_call6((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static inline int sys_openat(int dir, const char *path, int flags, mode_t mode)
{
	return (int)SYS4(SYS_openat, dir, path, flags, mode);
}
static inline int sys_open(const char *path, int flags, mode_t mode)
{
	return sys_openat(AT_FDCWD, path, flags, mode);
}
static inline int sys_close(int fd) { return (int)SYS1(SYS_close, fd); }
static inline ssize_t sys_read(int fd, void *buf, size_t n) { return SYS3(SYS_read, fd, buf, n); }
static inline ssize_t sys_write(int fd, const void *buf, size_t n)
{
	return SYS3(SYS_write, fd, buf, n);
}
static inline ssize_t sys_pread(int fd, void *buf, size_t n, off_t at)
{
	return SYS4(SYS_pread64, fd, buf, n, at);
}
static inline ssize_t sys_pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return SYS4(SYS_pwrite64, fd, buf, n, at);
}
/* Uses newfstatat if that call returns all fields of mask. The loader of any program calls
 * newfstatat, so a system call filter that allows the program allows this call, too. */
int sys_statx(int dir, const char *path, int flags, unsigned mask, struct statx *st);
/* In the mask of sys_statx: the number of the file's mount, which no other mount of this boot gets.
 * Linux knows it from 6.8 on, and headers from 2024 on as STATX_MNT_ID_UNIQUE. */
#define SYS_STATX_MOUNT 0x4000u
/* Where a statx holds the number. Older headers have no name for the field. */
#define SYS_STATX_MOUNT_AT (offsetof(struct statx, stx_dev_minor) + sizeof(uint32_t))
/* The number, or 0: st was not asked for it, or the kernel does not know it. */
static inline uint64_t sys_statx_mount(const struct statx *st)
{
	uint64_t number = 0;

	if (st->stx_mask & SYS_STATX_MOUNT)
		__builtin_memcpy(&number, (const char *)st + SYS_STATX_MOUNT_AT, sizeof number);
	return number;
}
/* The major number of loop devices. */
#define SYS_MAJOR_LOOP 7
static inline int sys_statfs(const char *path, struct statfs *fs)
{
	return (int)SYS2(SYS_statfs, path, fs);
}
static inline int sys_fstatfs(int fd, struct statfs *fs) { return (int)SYS2(SYS_fstatfs, fd, fs); }
/* True if no byte is free; a file system that reports no size (blocks 0) is never full. */
static inline int sys_is_full(const struct statfs *fs) { return fs->f_blocks && fs->f_bavail == 0; }
static inline int sys_rename(const char *from, const char *to)
{
	return (int)SYS5(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
static inline int sys_link(const char *from, const char *to)
{
	return (int)SYS5(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
static inline int sys_unlink(const char *path) { return (int)SYS3(SYS_unlinkat, AT_FDCWD, path, 0);
                                                 }
static inline int sys_rmdir(const char *path)
{
	return (int)SYS3(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
static inline int sys_mkdir(const char *path, mode_t mode)
{
	return (int)SYS3(SYS_mkdirat, AT_FDCWD, path, mode);
}
static inline ssize_t sys_readlink(const char *path, char *buf, size_t n)
{
#ifdef SYS_readlink /* libc's choice, where it exists */
	return SYS3(SYS_readlink, path, buf, n);
#else
	return SYS4(SYS_readlinkat, AT_FDCWD, path, buf, n);
#endif
}
/* F_OK, X_OK, ... checked against the real ids, following links. */
static inline int sys_access(const char *path, int mode)
{
#ifdef SYS_access /* libc's choice, where it exists */
	return (int)SYS2(SYS_access, path, mode);
#else
	return (int)SYS3(SYS_faccessat, AT_FDCWD, path, mode);
#endif
}
static inline int sys_fchmod(int fd, mode_t mode) { return (int)SYS2(SYS_fchmod, fd, mode); }
static inline int sys_fcntl(int fd, int cmd, long arg) { return (int)SYS3(SYS_fcntl, fd, cmd, arg);
                                                         }
/* A lease on a file: as long as the descriptor or a mapping of it lasts, a process that opens the
 * file to write it, or cuts it, waits. The signal that tells us so does nothing. kind F_RDLCK: fd
 * is open for reading; -EAGAIN: a process has the file open to write it. F_WRLCK: -EAGAIN: another
 * descriptor has the file open. */
static inline int sys_lease(int fd, int kind)
{
	sys_fcntl(fd, F_SETSIG, SIGURG);
	return sys_fcntl(fd, F_SETLEASE, kind);
}
/* Moves fd above the standard streams, and closes fd. If the caller's streams are closed, a file
 * that we keep open in their place would become the tool's standard output. Errors pass through. */
static inline int sys_above_streams(int fd)
{
	int up;

	if (fd < 0 || fd > 2)
		return fd;
	up = sys_fcntl(fd, F_DUPFD_CLOEXEC, 3);
	sys_close(fd);
	return up;
}
/* Opens a file of ours. If it is missing, makes it with exactly that mode: under a umask that
 * removes the owner's bits, the next process could not open the file. `flags` without O_CREAT: one
 * call if the file exists. */
static inline int sys_open_made(const char *path, int flags, mode_t mode)
{
	int fd = sys_open(path, flags, 0);

	if (fd != -ENOENT)
		return fd;
	fd = sys_open(path, flags | O_CREAT, mode);
	if (fd >= 0)
		sys_fchmod(fd, mode);
	return fd;
}
static inline int sys_ftruncate(int fd, off_t n) { return (int)SYS2(SYS_ftruncate, fd, n); }
static inline int sys_fallocate(int fd, int mode, off_t at, off_t n)
{
	return (int)SYS4(SYS_fallocate, fd, mode, at, n);
}
static inline off_t sys_lseek(int fd, off_t at,
                              int whence) { return SYS3(SYS_lseek, fd, at, whence); }
static inline ssize_t sys_getdents(int fd, void *buf, size_t n)
{
	return SYS3(SYS_getdents64, fd, buf, n);
}
static inline int sys_ioctl(int fd, unsigned long req, void *arg)
{
	return (int)SYS3(SYS_ioctl, fd, req, arg);
}
static inline int sys_dup3(int from, int to,
                           int flags) { return (int)SYS3(SYS_dup3, from, to, flags); }
static inline int sys_pipe2(int fds[2], int flags) { return (int)SYS2(SYS_pipe2, fds, flags); }
/* Length with the final NUL, or -errno. */
static inline ssize_t sys_getcwd(char *buf, size_t n) { return SYS2(SYS_getcwd, buf, n); }
static inline pid_t sys_getpid(void) { return (pid_t)SYS0(SYS_getpid); }
static inline pid_t sys_gettid(void) { return (pid_t)SYS0(SYS_gettid); }
static inline pid_t sys_getppid(void) { return (pid_t)SYS0(SYS_getppid); }
static inline uid_t sys_geteuid(void) { return (uid_t)SYS0(SYS_geteuid); }
static inline uid_t sys_getuid(void) { return (uid_t)SYS0(SYS_getuid); }
static inline int sys_kill(pid_t pid, int sig) { return (int)SYS2(SYS_kill, pid, sig); }
static inline int sys_clock_gettime(clockid_t id, struct timespec *ts)
{
	return (int)SYS2(SYS_clock_gettime, id, ts);
}
static inline int sys_nanosleep(const struct timespec *ts)
{
	return (int)SYS2(SYS_nanosleep, ts, NULL);
}
_Noreturn static inline void sys_exit_group(int status)
{
	/* If a filter refuses the call, the end of the thread usually ends the process. Otherwise a
	 * fault does. */
	SYS1(SYS_exit_group, status);
	SYS1(SYS_exit, status);
	__builtin_trap();
}
/* An address, or -errno as a pointer: test with sys_mmap_failed(). */
static inline void *sys_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	return (void *)sys_call6(SYS_mmap, (long)at, (long)n, prot, flags, fd, (long)off);
}
static inline int sys_mmap_failed(const void *p) { return (unsigned long)p > -4096UL; }
/* Tells the kernel that the content of n bytes, in whole pages, is no longer needed. */
static inline void sys_drop_pages(const void *at, size_t n)
{
	uintptr_t page = 64u << 10, from = ((uintptr_t)at + page - 1) & ~(page - 1);
	uintptr_t to = ((uintptr_t)at + n) & ~(page - 1);

	if (from < to)
		SYS3(SYS_madvise, from, to - from, MADV_DONTNEED);
}
static inline int sys_munmap(void *at, size_t n) { return (int)SYS2(SYS_munmap, at, n); }

/* True if two statx results with STATX_INO are of one file. */
static inline int sys_same_file(const struct statx *x, const struct statx *y)
{
	return x->stx_ino == y->stx_ino && x->stx_dev_major == y->stx_dev_major &&
	       x->stx_dev_minor == y->stx_dev_minor;
}

/* True for the device /dev/null: in a chroot, a file may have its name. */
static inline int sys_is_null(const struct statx *x)
{
	return (x->stx_mode & S_IFMT) == S_IFCHR && x->stx_rdev_major == 1 &&
	       x->stx_rdev_minor == 3;
}

/* True if a call that returned rc was interrupted by a signal and must be repeated. A system call
 * filter may return EINTR each time, so the calls are counted in *tries: 0 at first and after each
 * call that did something. After SYS_TRIES_MOST, EINTR is an error like others. CHILD, SIGNAL. */
#define SYS_TRIES_MOST 1000
static inline int sys_interrupted(long rc, unsigned *tries)
{
	return rc == -EINTR && ++*tries < SYS_TRIES_MOST;
}

/* The same for a descriptor that poll said to be ready: a filter may also return EAGAIN each time.
 * CHILD, SIGNAL. */
static inline int sys_not_yet(long rc, unsigned *tries)
{
	return (rc == -EINTR || rc == -EAGAIN) && ++*tries < SYS_TRIES_MOST;
}

/* sys_read_all from a place of the file; below 0: from where it stands. */
static inline ssize_t sys_pread_all(int fd, void *buf, size_t n, off_t at)
{
	size_t done = 0;
	unsigned tries = 0;

	while (done < n) {
		char *to = (char *)buf + done;
		ssize_t r = at < 0 ? sys_read(fd, to, n - done)
		                   : sys_pread(fd, to, n - done, at + (off_t)done);
		if (sys_interrupted(r, &tries))
			continue;
		if (r < 0)
			return r;
		if (r == 0)
			break;
		done += (size_t)r;
		tries = 0;
	}
	return (ssize_t)done;
}

/* Transfers all n bytes or returns an error: at the end of file the count read, short writes
 * continue. EINTR is repeated. */
static inline ssize_t sys_read_all(int fd, void *buf, size_t n)
{
	return sys_pread_all(fd, buf, n, -1);
}

/* The first n bytes of a file. Returns how many there are, or -errno. flags are added to
 * O_RDONLY. A FIFO does not block. CHILD, SIGNAL. */
static inline ssize_t sys_read_file(const char *path, int flags, void *out, size_t n)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0);
	ssize_t got = fd < 0 ? fd : sys_read_all(fd, out, n);

	if (fd >= 0)
		sys_close(fd);
	return got;
}

/* The same as a string, cut where it does not fit; "" where the file cannot be read. */
static inline ssize_t sys_read_text(const char *path, char *text, size_t size)
{
	ssize_t n = sys_read_file(path, 0, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* A file system takes one write of 150 MB three times as long as the same bytes in pieces that fit
 * into a cache of the processor. */
#define SYS_WRITE_PIECE (128u << 10)
static inline ssize_t sys_write_all(int fd, const void *buf, size_t n)
{
	size_t done = 0;
	unsigned tries = 0;

	while (done < n) {
		size_t left = n - done;
		ssize_t r = sys_write(fd, (const char *)buf + done,
		                      left < SYS_WRITE_PIECE ? left : SYS_WRITE_PIECE);
		if (sys_interrupted(r, &tries))
			continue;
		if (r <= 0)
			return r < 0 ? r : -EIO;
		done += (size_t)r;
		tries = 0;
	}
	return (ssize_t)done;
}
/* The same to a place of the file. */
static inline ssize_t sys_pwrite_all(int fd, const void *buf, size_t n, off_t at)
{
	size_t done = 0;
	unsigned tries = 0;

	while (done < n) {
		size_t left = n - done;
		ssize_t r = sys_pwrite(fd, (const char *)buf + done,
		                       left < SYS_WRITE_PIECE ? left : SYS_WRITE_PIECE,
		                       at + (off_t)done);
		if (sys_interrupted(r, &tries))
			continue;
		if (r <= 0)
			return r < 0 ? r : -EIO;
		done += (size_t)r;
		tries = 0;
	}
	return (ssize_t)done;
}
#define SYS_CLOCK_REFUSED_NS 10000000
static inline int64_t sys_now_ns(clockid_t id)
{
	static int64_t refused;
	struct timespec ts = {0, 0};

	/* A clock that cannot be read advances with each call, so that every wait ends. */
	if (sys_clock_gettime(id, &ts) < 0)
		return __atomic_add_fetch(&refused, SYS_CLOCK_REFUSED_NS, __ATOMIC_RELAXED);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}
static inline void sys_sleep_ns(int64_t ns)
{
	struct timespec ts = {ns / 1000000000, ns % 1000000000};

	sys_nanosleep(&ts);
}
