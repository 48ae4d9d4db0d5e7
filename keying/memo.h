/* keying/memo.h - node-local memory of what was digested: file digests, directory stamps, listings; of keys that were seen.
 *
 * One file in the runtime directory, fallocated once (a full tmpfs would answer a store into a hole
 * with SIGBUS), mapped by every process of the user that asks more than a few questions. Fixed 64-byte slots in buckets of 4; table and
 * placement stand above memo.c. Written without locks: a torn slot fails its check and is a miss. It
 * is never truncated: whoever wants it gone unlinks it.
 *
 *     if (!memo_get(&m, MEMO_CONTENT, fd, NULL, &st, NULL, &d)) {    // st: from before the reading
 *             ... read fd, digest it ...
 *             memo_put(&m, MEMO_CONTENT, fd, NULL, &st, NULL, &d);
 *     }
 *
 * memo_put keeps only what one of the last MEMO_ASKED missed memo_gets asked for, by the clock of that
 * question: a file may change again within the tick that its change time shows, so it is the time before
 * the reading that must be clear of the change time, not the time after it. So: ask, then read all
 * of it, then put; ask again before reading again.
 *
 * Trusted file systems: keying/fstrust.h. On those that are judged by their files (overlay, btrfs) a
 * file without birth time or with a change time of whole seconds is never kept, and elsewhere such a
 * time must be MEMO_RACY_COARSE_NS old. Not seen: writes through a shared mapping that was dirtied
 * before the file was digested (the kernel sets the times once per write-back, and on a tmpfs,
 * which is never written back, once per mapping: content there must be MEMO_RACY_MAPPED_NS old).
 *
 * THREAD, one thread a struct; the mapping survives fork. */
#ifndef KEYING_MEMO_H
#define KEYING_MEMO_H

#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/sys.h"

enum memo_kind { MEMO_CONTENT = 1, MEMO_ABSENT = 2, MEMO_LISTING = 3, MEMO_SEEN = 5 /* 4 was another */ };

/* Of the file. 65,536 slots: the files of a few torch builds and the directory groups of some hundred actions. */
#define MEMO_SIZE (4u << 20)
#define MEMO_ASKED 4  /* a directory's question may enclose those for files in it */
#define MEMO_FS_MAX 16 /* an overlay shows one device a layer; then the oldest verdict goes */

/* A question of a mapping costs a page fault, twice a read, until its pages come with their neighbours'; and the
 * mapping as much as five more: a ptxas asks about six files, a small C source with its passes about fifty, a large
 * one 600. Who knows that many will be asked maps at once (memo_map). */
#define MEMO_READS 64

struct memo {
	unsigned char *map; /* NULL and reads 0: no memo, every look-up is a miss */
	size_t size;
	int reads;          /* not mapped yet: so many questions are read from fd, less one */
	int fd;             /* open while reads is not 0 */
	const char *dir;    /* runtime_dir, by reference; for the lock of memo_lock */
	struct digest boot; /* what tells this boot's memo from another's */
	/* verdicts on st_dev seen by this process */
	struct memo_fs {
		unsigned major, minor;
		int trusted; /* enum fstrust */
		unsigned long long identity;
	} fs[MEMO_FS_MAX];
	int fs_count;
	struct memo_asked {
		unsigned char stamp[16];
		int64_t at_ns;
	} asked[MEMO_ASKED];
	unsigned asked_next;
};

/* Opens or makes <runtime_dir>/memo. Failure leaves an empty memo; never an error. runtime_dir is
 * kept by reference and may be NULL. A process may ask little: the first questions are read, and a descriptor stays
 * open until the memo is mapped, by the MEMO_READS-th question, memo_put or memo_map, or closed; never one of the
 * numbers 0 to 2. */
void memo_open(struct memo *m, const char *runtime_dir);
/* No descriptor stays open. Before a fork whose child goes on as somebody else. */
void memo_map(struct memo *m);
void memo_close(struct memo *m);
/* fd or path (fd -1) tells the file system. st must hold STATX_BASIC_STATS|STATX_BTIME.
 * extra: more that the value depends on (a set of names), or NULL. 1 found, 0 not. */
int memo_get(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
             const struct digest *extra, struct digest *value);
/* Keeps nothing of a file whose ctime or mtime was too close to the question (git's racy rule: MEMO_RACY_NS), in the
 * future, or on an untrusted file system. */
void memo_put(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
              const struct digest *extra, const struct digest *value);
/* 1: told before on this node, by this user, since its boot; 0: not, and from now on it is. Where there is no memo nobody
 * could be told: 1. May forget. */
int memo_seen_before(struct memo *m, const struct digest *what);
/* Kernel ticks are 1-4 ms, 10 ms at HZ=100; two of them. */
#define MEMO_RACY_NS 20000000ll
/* A change time of whole seconds may come from a clock of whole seconds (ext3's inodes). */
#define MEMO_RACY_COARSE_NS 2100000000ll
/* Of a tmpfs's file: who writes one through a mapping is done with it by then (docs/limits.md). */
#define MEMO_RACY_MAPPED_NS 2000000000ll
/* True when file times on this file system come from this kernel's clock (the trusted ones). */
int memo_clock_local(struct memo *m, int fd, const char *path, const struct statx *st);

/* For large files: waits until no other process holds this stamp, at most wait_ns, and holds it until
 * memo_unlock. A descriptor, or -1 when there is nothing to hold (no memo, not to be kept, time out):
 * go on without. Ask memo_get again after it. */
int memo_lock(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
              const struct digest *extra, int64_t wait_ns);
void memo_unlock(int lock);

#endif
