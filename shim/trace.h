/* shim/trace.h - trace: the events of all processes below a recording tool, written by their hooks.
 *
 * The transport is one file in the runtime directory, fallocated piecewise. Every process of the
 * tree maps it shared, so nothing is lost on _exit or SIGKILL. Its path is in REPRISE_TRACE;
 * descriptors do not survive close_range. A record's space is reserved by one atomic add, and its
 * length word is stored last. So the order of offsets is the order of events, and a hole (a writer
 * killed in between) has a zero length.
 *
 * File, little-endian:
 *   0   8  magic "RPTRACE1"
 *   8   8  tail: offset of the next record (atomic)
 *  16   8  backed: bytes that have memory behind them (atomic, grows)
 *  24   4  overflow: not 0 when a record did not fit or memory was refused (atomic)
 *  28   4  filters: system call filters behind which Reprise may work (shim/kernel/sandbox.h)
 *  32   .. records, 8-byte aligned:
 *          0 4 length of the record in bytes with this head, 0 while being written
 *          4 2 op      6 2 flags      8 4 pid      12 4 arg
 *         16 4 length of a   20 4 length of b
 *         24   a, NUL, b, NUL, padding
 * A process that cannot map the file leaves no hello, and the recorder then refuses the trace.
 *
 * CHILD: every writer below runs in vfork children and on 16 KiB stacks, keeps errno and takes no
 * lock. Its frames have at most 4.3 KiB, for a resolved relative path. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TRACE_MAGIC "RPTRACE1"
#define TRACE_HEAD 32
#define TRACE_RECORD_HEAD 24
/* Address space of the mapping; a clang -j link of LLVM writes 30 MB. */
#define TRACE_CAPACITY (256ull << 20)
/* Size that a process with an address space limit (ulimit -v) maps: the tool's own needs come
 * first. */
#define TRACE_CAPACITY_LIMITED (8ull << 20)
/* Memory is allocated in steps of this size. */
#define TRACE_STEP (64u << 10)

enum trace_op {
	TRACE_HELLO = 1,   /* a: program (/proc/self/exe), b: AT_EXECFN; arg: parent pid */
	TRACE_BYE,         /* orderly end: exit, _exit */
	TRACE_FORKED,      /* a child that did not exec starts to trace; arg: parent pid */
	TRACE_LOADED,      /* a: shared object of this process; arg: its identity */
	/* a: a script's file or text, or a program that tells more than a trace; arg: SCRIPT_ARG of
	 * tools/script/script.h */
	TRACE_SCRIPT,
	TRACE_EXEC,        /* a: path about to be executed by this pid */
	TRACE_EXEC_FAILED, /* a: path; arg: errno */
	TRACE_SPAWN,       /* a: path; arg: the child's pid */
	TRACE_SYSTEM,      /* system, popen, wordexp: a shell will write HELLO as our child */
	/* a opened for reading; arg: identity; b: empty, or the 8 bytes of a time before that (ns,
	 * CLOCK_REALTIME_COARSE) */
	TRACE_READ,
	/* a created or truncated, then written; arg: S_IFREG and the mode that a new file was to
	 * get, 0 for a call that makes none; above 16 bits st_mode of what was there, 0 for nothing
	 * or not known. b: empty, or the 8 bytes of the opened file's trace_made() */
	TRACE_WRITE,
	/* a existed and is changed without truncation (O_RDWR, append, truncate) */
	TRACE_UPDATE,
	TRACE_ABSENT,      /* a did not exist (ENOENT, ENOTDIR) */
	TRACE_FAILED,      /* another failure on a; arg: errno, TRACE_ASKED of access */
	/* a was found by stat, access; arg: st_mode or 0 where not known, TRACE_ASKED and
	 * TRACE_GRANTED of access */
	TRACE_PRESENT,
	TRACE_STAT,        /* as PRESENT, and size and mtime were given to the caller */
	TRACE_LIST,        /* names of directory a were read; arg: identity or 0 */
	TRACE_READLINK,    /* a: link, b: its target */
	TRACE_REALPATH,    /* a: question, b: answer */
	TRACE_RENAME,      /* a to b */
	TRACE_UNLINK,      /* a (also rmdir, remove) */
	TRACE_MKDIR,       /* a */
	TRACE_LINK,        /* a: existing, b: new name (hard); FLAG_SYMBOLIC: a is the text */
	TRACE_CHMOD,       /* a; arg: mode */
	TRACE_TIMES,       /* a: utime family */
	TRACE_TEMP,        /* a: made by mkstemp and friends; arg: as WRITE's */
	TRACE_GETENV,      /* a: name, b: value; FLAG_UNSET */
	TRACE_GETCWD,      /* a: answer */
	TRACE_CLOCK,       /* localtime, gmtime; arg: 1 for localtime */
	TRACE_SOCKET,      /* connect, bind; arg: family */
	/* something no rule knows: a says what (mknod, mount, ...): never stored */
	TRACE_OTHER,
	TRACE_PROGRAM,     /* follows HELLO; a: as there; arg: identity of the file that runs */
	TRACE_REFUSE,      /* a nested action (action/nest.h) reports no inputs: a says why */
	/* a nested action was keyed by the processor's features or the host's memory; arg:
	 * CMD_NATIVE, CMD_SHOWS_MEMORY (tools/cmdline/cmdline.h) */
	TRACE_HOST,
	TRACE_CHANCE,      /* a: a call for time or random bytes; arg: enum chance_kind */
	/* a part of the recorded start, for processes that wait for it; arg: judge/wait/leader.h */
	TRACE_STARTED,
	TRACE_PROOFS,      /* a nested action's result rests on these; arg: bits of enum proof */
	TRACE_OP_COUNT
};
enum { TRACE_FLAG_RELATIVE = 1, /* the caller spelled a relative to the cwd: a was made absolute */
       TRACE_FLAG_RELATIVE_B = 2, TRACE_FLAG_UNSET = 4, TRACE_FLAG_SYMBOLIC = 8,
       TRACE_FLAG_EXISTED = 16,  /* WRITE: the file was there before */
       TRACE_FLAG_NOFOLLOW = 32, /* lstat, O_NOFOLLOW, readlink: about a link itself */
       TRACE_FLAG_CUT = 64,      /* a name was too long: the recorder refuses */
       TRACE_FLAG_EXCL = 128,
       TRACE_FLAG_READING = 512, /* ABSENT: it would have been read */
       TRACE_FLAG_ONLY = 16384,  /* WRITE: opened to be written and not read */
       /* WRITE: made, but would have kept the content of an existing file. UPDATE, and an open
        * that failed: it would have made a file. */
       TRACE_FLAG_KEEPS = 256,
       /* Of nested actions only: */
       TRACE_FLAG_RUN = 1024,     /* READ: as a program */
       TRACE_FLAG_NESTED = 2048,  /* REALPATH; WRITE: in place, unless */
       TRACE_FLAG_UNLINKS = 4096, /* WRITE: the writer removes the old file and makes a new one */
       TRACE_FLAG_TIMES = 8192 }; /* STAT: the result depends on size and time */

/* The upper half of an arg: permissions that access was asked for, 1 to 7 (R_OK | W_OK | X_OK), and
 * permissions that it granted. Each sum is a question of its own. Two entries of an access control
 * list may each grant one permission, and no entry both. */
#define TRACE_ASKED(permissions) (1u << (15 + (permissions)))
#define TRACE_GRANTED(permissions) (1u << (23 + (permissions)))
#define TRACE_ASKED_ANY 0x7f0000u
#define TRACE_LOWER_HALF 0xffffu

/* Identifies the file behind a path when it was opened. So the recorder notices that another file
 * is there since. If a link or directory on the path leads elsewhere now, no time stamp of the
 * files shows it. Two files of one device have the same identity with a probability of at most
 * 2^-32. Never 0, which means unknown. */
static inline unsigned trace_identity(uint64_t ino, unsigned dev_major, unsigned dev_minor)
{
	uint32_t n = (uint32_t)ino ^ (uint32_t)(ino >> 32) * 0x9e3779b1u ^
	             (dev_major * 0x85ebca6bu + dev_minor * 0xc2b2ae35u);

	return n ? n : 1;
}
struct statx;
/* The same by an answer of statx. A loop device may read another file by now, and so have another
 * file in the same inode: there the number of the mount counts, if the kernel knows it. */
unsigned trace_identity_of(const struct statx *st);

/* Tells the file that a process wrote from one that another process has put in its place: an inode
 * may be used again, with another time of birth, or with another generation within a tick of the
 * clock (ext4, xfs, btrfs). 0: not known. */
uint64_t trace_made(int fd);
/* The identity of the file at a path now, or, with an empty path, of a descriptor; 0 if unknown. */
unsigned trace_identity_at(int dirfd, const char *path);

/* Not 0 in a tool or traced process while its events are recorded, and in a host while a thread's
 * are. Hooks check only this. */
extern int trace_active;
/* True: the whole process is traced. */
int trace_process(void);

/* Maps the file named by path. 0, or -errno and trace_active stays 0. Writes nothing. */
int trace_attach(const char *path);
/* Traces this thread, in a process that is not traced. The trace goes into zeroed memory of the
 * thread's own, of `size` bytes: from a HELLO without a name to a BYE. Events of other threads are
 * not recorded. end: returns the bytes of a trace as in a file (overflow is in its head). It
 * returns 0 if there is no trace any more: in a child that was forked meanwhile. Cannot be nested.
 * THREAD. */
void trace_thread_begin(void *memory, size_t size);
size_t trace_thread_end(void);
int trace_thread(void);
/* In the child after fork without exec: sets the new pid and writes FORKED; a thread's trace
 * ends. */
void trace_after_fork(void);
/* Nothing is traced between pause and resume; the file stays mapped. */
void trace_pause(void);
void trace_resume(void);
/* Stops and unmaps (no other thread of this process may be in a hook). */
void trace_detach(void);
/* After exec: writes HELLO, PROGRAM and a LOADED for each object (dl_iterate_phdr; not in a vfork
 * child). trace_loaded() later writes only newer objects. */
void trace_hello(void);
void trace_loaded(void);
/* Writes BYE, once, and only in the process that wrote HELLO (a vfork child's _exit is not its
 * parent's). */
void trace_bye(void);

/* Like trace_path, below, of a READ at a time. */
void trace_read(unsigned flags, int dirfd, const char *path, unsigned identity, int64_t at);
/* Like trace_path of a WRITE; fd: the file that was opened or made. */
void trace_write(unsigned flags, int dirfd, const char *path, int fd, unsigned arg);
/* dirfd as in openat. Empty or NULL paths are ignored. */
void trace_path(enum trace_op op, unsigned flags, int dirfd, const char *path, unsigned arg);
void trace_path2(enum trace_op op, unsigned flags, int dirfd_a, const char *a, int dirfd_b,
                 const char *b, unsigned arg);
/* The file behind a descriptor, under the name that the kernel has for it. */
void trace_fd(enum trace_op op, unsigned flags, int fd, unsigned arg);
/* For bytes that are not a path. */
void trace_text(enum trace_op op, unsigned flags, const char *a, const char *b, unsigned arg);
/* Writes the result of a probe by errno: 0 is `found`, ENOENT and ENOTDIR are ABSENT, else
 * FAILED. */
void trace_probe(enum trace_op found, unsigned flags, int dirfd, const char *path, int error,
                 unsigned arg);
