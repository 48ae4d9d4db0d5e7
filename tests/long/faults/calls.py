"""System calls and the errors that their pages list."""

import errno
import os
import re

# By groups: what fails alike.
PATHS = "EACCES ELOOP ENAMETOOLONG ENOENT ENOTDIR ENOMEM EIO"
WRITES = "EROFS ENOSPC EDQUOT EEXIST EMLINK EXDEV EBUSY"
SOCKETS = (
    "EACCES EAFNOSUPPORT EMFILE ENFILE ENOBUFS ENOMEM ECONNREFUSED ETIMEDOUT ENETUNREACH "
    "EAGAIN EINTR"
)
# Not brk: the kernel answers with the break as it was, and libc crashes on an error.
ERRORS = {
    "openat": PATHS + " EMFILE ENFILE EROFS ENOSPC EISDIR ETXTBSY EINTR EOVERFLOW",
    "openat2": PATHS + " EAGAIN EXDEV E2BIG EINVAL",
    "open": PATHS,
    "close": "EIO EINTR EBADF",
    "read": "EIO EINTR EAGAIN EISDIR",
    "pread64": "EIO EINTR ESPIPE",
    "readv": "EIO EINTR",
    "write": "EIO ENOSPC EDQUOT EPIPE EINTR EAGAIN EFBIG",
    "pwrite64": "EIO ENOSPC EDQUOT",
    "writev": "EIO ENOSPC EINTR",
    "stat": PATHS,
    "lstat": PATHS,
    "fstat": "ENOMEM EBADF EOVERFLOW",
    "newfstatat": PATHS + " EOVERFLOW",
    "statx": PATHS + " EINVAL",
    "access": PATHS + " EROFS",
    "faccessat": PATHS,
    "faccessat2": PATHS + " EINVAL",
    "readlink": PATHS + " EINVAL",
    "readlinkat": PATHS + " EINVAL",
    "getdents64": "EIO ENOENT EINVAL",
    "mkdir": PATHS + " " + WRITES,
    "mkdirat": PATHS + " " + WRITES,
    "unlink": PATHS + " EBUSY EROFS EISDIR",
    "unlinkat": PATHS + " EBUSY EROFS EISDIR ENOTEMPTY",
    "rename": PATHS + " " + WRITES,
    "renameat": PATHS + " " + WRITES,
    "renameat2": PATHS + " " + WRITES + " EINVAL",
    "link": PATHS + " " + WRITES,
    "linkat": PATHS + " " + WRITES,
    "symlink": PATHS + " " + WRITES,
    "symlinkat": PATHS + " " + WRITES,
    "chmod": PATHS + " EROFS",
    "fchmod": "EIO EROFS",
    "fchmodat": PATHS + " EROFS",
    "umask": "",
    "ftruncate": "EFBIG EINVAL EIO EINTR",
    "fallocate": "ENOSPC EOPNOTSUPP EFBIG EIO EINTR",
    "copy_file_range": "EXDEV ENOSPC EIO EINVAL EOPNOTSUPP EFBIG",
    "sendfile": "EAGAIN EIO EINVAL ENOMEM",
    "ioctl": "ENOTTY EINVAL EOPNOTSUPP EXDEV",
    "fcntl": "EACCES EAGAIN EMFILE EINTR EINVAL ENOLCK",
    "flock": "EINTR ENOLCK EWOULDBLOCK EINVAL",
    "fsync": "EIO ENOSPC EROFS",
    "fdatasync": "EIO ENOSPC",
    "utimensat": PATHS + " EROFS",
    "lseek": "EINVAL ESPIPE",
    "dup": "EMFILE",
    "dup2": "EMFILE EBUSY",
    "dup3": "EMFILE EBUSY",
    "pipe": "EMFILE ENFILE",
    "pipe2": "EMFILE ENFILE EINVAL",
    "memfd_create": "EMFILE ENFILE ENOMEM EINVAL",
    "mmap": "EACCES EAGAIN ENFILE ENOMEM ENODEV EINVAL",
    "munmap": "EINVAL ENOMEM",
    "mprotect": "EACCES ENOMEM EINVAL",
    "mremap": "ENOMEM EFAULT EAGAIN",
    "madvise": "EINVAL ENOMEM EAGAIN",
    "fork": "EAGAIN ENOMEM",
    "vfork": "EAGAIN ENOMEM",
    "clone": "EAGAIN ENOMEM EINVAL",
    "clone3": "EAGAIN ENOMEM EINVAL",
    "wait4": "ECHILD EINTR",
    "waitid": "ECHILD EINTR",
    "kill": "ESRCH",
    "tgkill": "ESRCH EAGAIN",
    "getpid": "",
    "getppid": "",
    "gettid": "",
    "getsid": "ESRCH",
    "setsid": "",
    "setpgid": "EACCES",
    "prctl": "EINVAL EACCES",
    "prlimit64": "EINVAL EFAULT",
    "getrlimit": "EINVAL",
    "setrlimit": "EINVAL",
    "getrusage": "EINVAL",
    "sysinfo": "EFAULT",
    "uname": "EFAULT",
    "getrandom": "EAGAIN EINTR",
    "getcwd": "EACCES ENOENT ERANGE ENAMETOOLONG",
    "chdir": PATHS,
    "fchdir": "EACCES",
    "statfs": PATHS,
    "fstatfs": "EIO",
    "clock_gettime": "EINVAL",
    "gettimeofday": "EFAULT",
    "time": "EFAULT",
    "clock_nanosleep": "EINTR EINVAL",
    "nanosleep": "EINTR",
    "rt_sigaction": "EINVAL",
    "rt_sigprocmask": "EINVAL",
    "sigaltstack": "ENOMEM EINVAL",
    "futex": "EAGAIN EINTR ETIMEDOUT",
    "sched_getaffinity": "EINVAL ESRCH",
    "sched_yield": "",
    "poll": "EINTR ENOMEM",
    "ppoll": "EINTR ENOMEM",
    "select": "EINTR",
    "epoll_create1": "EMFILE ENFILE",
    "epoll_wait": "EINTR",
    "socket": SOCKETS,
    "connect": SOCKETS,
    "socketpair": SOCKETS,
    "bind": SOCKETS + " EADDRINUSE",
    "listen": "EADDRINUSE",
    "accept4": SOCKETS,
    "sendto": SOCKETS + " EPIPE",
    "recvfrom": SOCKETS,
    "sendmsg": SOCKETS + " EPIPE",
    "recvmsg": SOCKETS,
    "setsockopt": "EINVAL ENOPROTOOPT",
    "getsockopt": "EINVAL ENOPROTOOPT",
    "shutdown": "ENOTCONN",
    "getuid": "",
    "geteuid": "",
    "getgid": "",
    "getegid": "",
    "getgroups": "EINVAL",
    "set_tid_address": "",
    "set_robust_list": "EINVAL",
    "rseq": "EINVAL EBUSY",
    "arch_prctl": "EINVAL",
    "pidfd_open": "EINVAL EMFILE ESRCH",
    "close_range": "EINVAL",
    "process_vm_readv": "ESRCH ENOMEM",
    "ptrace": "ESRCH",
    "inotify_init1": "EMFILE",
    "personality": "EINVAL",
    "getxattr": "ENODATA EOPNOTSUPP",
    "execve": "EACCES ENOENT ENOMEM E2BIG ETXTBSY EAGAIN",
    "sched_setaffinity": "EINVAL",
    "membarrier": "EINVAL",
    "sync_file_range": "EIO",
    "posix_fadvise": "EINVAL",
    "fadvise64": "EINVAL",
    "mlock": "ENOMEM",
    "getpriority": "ESRCH",
    "setpriority": "EACCES",
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
