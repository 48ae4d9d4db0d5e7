"""System calls and the errors that their pages list.

Most rows leave EFAULT out, since a bad address is the caller's own mistake. EBADF stands where a
call may meet a descriptor that somebody else closed."""

import errno
import os
import re

# Groups of errors that have the same effect.
PATHS = "EACCES ELOOP ENAMETOOLONG ENOENT ENOTDIR ENOMEM EIO EBADF EINVAL"
WRITES = "EROFS ENOSPC EDQUOT EEXIST EMLINK EXDEV EBUSY"
SOCKETS = (
    "EACCES EAFNOSUPPORT EMFILE ENFILE ENOBUFS ENOMEM ECONNREFUSED ETIMEDOUT ENETUNREACH "
    "EAGAIN EINTR EADDRNOTAVAIL EALREADY EBADF ECONNRESET EINPROGRESS EINVAL EISCONN EMSGSIZE "
    "ENOTCONN ENOTSOCK EPROTONOSUPPORT EPROTOTYPE"
)
# Not brk: the kernel answers with the break as it was, and libc crashes on an error.
ERRORS = {
    "openat": (
        PATHS + " EMFILE ENFILE EROFS ENOSPC EISDIR ETXTBSY EINTR EOVERFLOW EBUSY EDQUOT EEXIST"
        " EFBIG ENODEV ENXIO EOPNOTSUPP"
    ),
    "openat2": PATHS + " EAGAIN EXDEV E2BIG EINVAL",
    "open": PATHS,
    "close": "EIO EINTR EBADF EDQUOT ENOSPC",
    "read": "EIO EINTR EAGAIN EISDIR EBADF EINVAL",
    "pread64": "EIO EINTR ESPIPE EAGAIN EBADF EINVAL EISDIR ENXIO EOVERFLOW",
    "readv": "EIO EINTR EAGAIN EBADF EINVAL EISDIR",
    "write": "EIO ENOSPC EDQUOT EPIPE EINTR EAGAIN EFBIG EBADF EDESTADDRREQ EINVAL",
    "pwrite64": "EIO ENOSPC EDQUOT EAGAIN EBADF EFBIG EINTR EINVAL ENXIO EOVERFLOW EPIPE ESPIPE",
    "writev": "EIO ENOSPC EINTR EAGAIN EBADF EDQUOT EFBIG EINVAL EPIPE",
    "stat": PATHS + " EOVERFLOW",
    "lstat": PATHS + " EOVERFLOW",
    "fstat": "ENOMEM EBADF EOVERFLOW",
    "newfstatat": PATHS + " EOVERFLOW",
    "statx": PATHS + " EINVAL",
    "access": PATHS + " EROFS ETXTBSY",
    "faccessat": PATHS + " EROFS ETXTBSY",
    "faccessat2": PATHS + " EROFS ETXTBSY",
    "readlink": PATHS + " EINVAL",
    "readlinkat": PATHS + " EINVAL",
    "getdents64": "EIO ENOENT EINVAL EBADF ENOTDIR",
    "mkdir": PATHS + " " + WRITES,
    "mkdirat": PATHS + " " + WRITES,
    "unlink": PATHS + " EBUSY EROFS EISDIR ENOTEMPTY",
    "unlinkat": PATHS + " EBUSY EROFS EISDIR ENOTEMPTY",
    "rename": PATHS + " " + WRITES + " EISDIR ENOTEMPTY",
    "renameat": PATHS + " " + WRITES + " EISDIR ENOTEMPTY",
    "renameat2": PATHS + " " + WRITES + " EISDIR ENOTEMPTY",
    "link": PATHS + " " + WRITES,
    "linkat": PATHS + " " + WRITES,
    "symlink": PATHS + " " + WRITES,
    "symlinkat": PATHS + " " + WRITES,
    "chmod": PATHS + " EROFS",
    "fchmod": "EIO EROFS EBADF",
    "fchmodat": PATHS + " EROFS ENOTSUP",
    "umask": "",
    "ftruncate": "EFBIG EINVAL EIO EINTR EBADF ETXTBSY",
    "fallocate": "ENOSPC EOPNOTSUPP EFBIG EIO EINTR EBADF EINVAL ENODEV ENOSYS ESPIPE ETXTBSY",
    "sendfile": "EAGAIN EIO EINVAL ENOMEM EBADF EOVERFLOW ESPIPE",
    "ioctl": "ENOTTY EINVAL EOPNOTSUPP EXDEV EBADF",
    "fcntl": "EACCES EAGAIN EMFILE EINTR EINVAL ENOLCK EBADF EBUSY EDEADLK",
    "flock": "EINTR ENOLCK EWOULDBLOCK EINVAL EBADF",
    "fsync": "EIO ENOSPC EROFS EBADF EDQUOT EINTR EINVAL",
    "fdatasync": "EIO ENOSPC EBADF EDQUOT EINTR EINVAL EROFS",
    "utimensat": PATHS + " EROFS ESRCH",
    "lseek": "EINVAL ESPIPE EBADF ENXIO EOVERFLOW",
    "dup": "EMFILE EBADF",
    "dup2": "EMFILE EBUSY EBADF EINTR",
    "dup3": "EMFILE EBUSY EBADF EINTR EINVAL",
    "pipe": "EMFILE ENFILE",
    "pipe2": "EMFILE ENFILE EINVAL",
    "memfd_create": "EMFILE ENFILE ENOMEM EINVAL",
    "mmap": "EACCES EAGAIN ENFILE ENOMEM ENODEV EINVAL EBADF EEXIST EOVERFLOW ETXTBSY",
    "munmap": "EINVAL ENOMEM",
    "mprotect": "EACCES ENOMEM EINVAL",
    "mremap": "ENOMEM EFAULT EAGAIN EINVAL",
    "madvise": "EINVAL ENOMEM EAGAIN EACCES EBADF EBUSY EIO",
    "fork": "EAGAIN ENOMEM",
    "vfork": "EAGAIN ENOMEM",
    "clone": "EAGAIN ENOMEM EINVAL EBUSY ENOSPC EUSERS",
    "clone3": "EAGAIN ENOMEM EINVAL EBUSY EEXIST ENOSPC EOPNOTSUPP EUSERS",
    "wait4": "ECHILD EINTR EAGAIN EINVAL ESRCH",
    "waitid": "ECHILD EINTR EINVAL",
    "kill": "ESRCH EINVAL",
    "tgkill": "ESRCH EAGAIN EINVAL",
    "getpid": "",
    "getppid": "",
    "gettid": "",
    "getsid": "ESRCH",
    "setsid": "",
    "setpgid": "EACCES EINVAL ESRCH",
    "prctl": "EINVAL EACCES EBADF EBUSY EOPNOTSUPP",
    "prlimit64": "EINVAL EFAULT ESRCH",
    "getrlimit": "EINVAL",
    "setrlimit": "EINVAL",
    "getrusage": "EINVAL",
    "sysinfo": "EFAULT",
    "uname": "EFAULT",
    "getrandom": "EAGAIN EINTR EINVAL",
    "getcwd": "EACCES ENOENT ERANGE ENAMETOOLONG",
    "chdir": PATHS,
    "fchdir": "EACCES EBADF ENOTDIR",
    "statfs": PATHS + " EINTR EOVERFLOW",
    "fstatfs": "EIO EBADF EINTR ENOMEM EOVERFLOW",
    "clock_gettime": "EINVAL EACCES ENODEV EOPNOTSUPP",
    "gettimeofday": "EFAULT",
    "time": "EFAULT",
    "clock_nanosleep": "EINTR EINVAL",
    "nanosleep": "EINTR",
    "rt_sigaction": "EINVAL",
    "rt_sigprocmask": "EINVAL",
    "sigaltstack": "ENOMEM EINVAL",
    "futex": "EAGAIN EINTR ETIMEDOUT EACCES EDEADLK EINVAL ENFILE ENOMEM ESRCH",
    "sched_getaffinity": "EINVAL ESRCH",
    "sched_yield": "",
    "poll": "EINTR ENOMEM EINVAL",
    "ppoll": "EINTR ENOMEM EINVAL",
    "select": "EINTR EBADF EINVAL ENOMEM",
    "epoll_create1": "EMFILE ENFILE EINVAL ENOMEM",
    "epoll_wait": "EINTR EBADF EINVAL",
    "socket": SOCKETS,
    "connect": SOCKETS,
    "socketpair": SOCKETS,
    "bind": SOCKETS + " EADDRINUSE",
    "listen": "EADDRINUSE EBADF EINVAL ENOTSOCK EOPNOTSUPP",
    "accept4": SOCKETS,
    "sendto": SOCKETS + " EPIPE",
    "recvfrom": SOCKETS,
    "sendmsg": SOCKETS + " EPIPE",
    "recvmsg": SOCKETS,
    "setsockopt": "EINVAL ENOPROTOOPT EBADF ENOTSOCK",
    "getsockopt": "EINVAL ENOPROTOOPT EBADF ENOTSOCK",
    "shutdown": "ENOTCONN EBADF EINVAL ENOTSOCK",
    "getuid": "",
    "geteuid": "",
    "getgid": "",
    "getegid": "",
    "getgroups": "EINVAL",
    "set_tid_address": "",
    "set_robust_list": "EINVAL",
    "rseq": "EINVAL EBUSY",
    "arch_prctl": "EINVAL",
    "pidfd_open": "EINVAL EMFILE ESRCH ENFILE ENODEV ENOMEM",
    "close_range": "EINVAL EMFILE ENOMEM",
    "process_vm_readv": "ESRCH ENOMEM EINVAL",
    "ptrace": "ESRCH",
    "inotify_init1": "EMFILE",
    "personality": "EINVAL",
    "getxattr": "ENODATA EOPNOTSUPP",
    "execve": (
        "EACCES ENOENT ENOMEM E2BIG ETXTBSY EAGAIN EINVAL EIO EISDIR ELIBBAD ELOOP EMFILE "
        "ENAMETOOLONG ENFILE ENOEXEC ENOTDIR"
    ),
    "sched_setaffinity": "EINVAL",
    "membarrier": "EINVAL",
    "sync_file_range": "EIO",
    "posix_fadvise": "EINVAL",
    "fadvise64": "EINVAL",
    "mlock": "ENOMEM EAGAIN EINVAL",
    "getpriority": "ESRCH",
    "signalfd4": "EBADF EINVAL EMFILE ENFILE ENODEV ENOMEM",
    "kcmp": "EBADF EINVAL ESRCH",
    "tee": "EAGAIN EINVAL ENOMEM",
    "splice": "EAGAIN EBADF EINVAL ENOMEM ESPIPE",
    "setitimer": "EINVAL",
    "rt_sigpending": "EINVAL",
    "rt_sigtimedwait": "EAGAIN EINTR EINVAL",
    "rt_sigsuspend": "EINTR",
    "getsockname": "EBADF EINVAL ENOBUFS ENOTSOCK",
    "getpeername": "EBADF EINVAL ENOBUFS ENOTCONN ENOTSOCK",
    "execveat": "EACCES ENOENT ENOMEM E2BIG ETXTBSY EAGAIN EBADF EINVAL ELOOP ENOEXEC ENOTDIR",
    "fchownat": PATHS + " EROFS",
    "fchown": "EBADF EIO EROFS",
    "mknodat": PATHS + " " + WRITES,
    "truncate": PATHS + " EFBIG EINTR EISDIR EROFS ETXTBSY",
    "setpriority": "EACCES EINVAL ESRCH",
}
HEADERS = (
    "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "/usr/include/asm/unistd_64.h",
    "/usr/include/asm-generic/unistd.h",
)


def errors_of(call):
    """Names of the errors that its page lists, and the two that a sandbox gives."""
    return list(dict.fromkeys(ERRORS.get(call, "EINVAL").split() + ["EPERM", "ENOSYS"]))


def number_of_error(name):
    return getattr(errno, name)


def numbers():
    """The kernel's number of each call."""
    for path in HEADERS:
        if os.path.exists(path):
            return {
                name: int(number)
                for name, number in re.findall(
                    r"^#define __NR_(\w+)\s+(\d+)", open(path).read(), re.M
                )
            }
    return {}
