/* keying/memo.h - node-local memory of digests (of files, directory stamps and listings), and of
 * keys that were seen.
 *
 * The memo is one file in the runtime directory. It is fallocated once: on a full tmpfs a store
 * into a hole would raise SIGBUS. Every process of the user that asks more than a few questions
 * maps it. It has fixed 64-byte slots in buckets of 4; the table and the placement stand at the
 * head of memo.c. Writers take no locks: a torn slot fails its check and is a miss. The file is
 * never truncated: to remove it, unlink it.
 *
 *     if (!memo_get(&m, MEMO_CONTENT, fd, NULL, &st, NULL, &d)) {    // st: from before the reading
 *             ... read fd, digest it ...
 *             memo_put(&m, MEMO_CONTENT, fd, NULL, &st, NULL, &d);
 *     }
 *
 * memo_put stores only an answer to one of the last MEMO_ASKED memo_gets that missed, and takes the
 * time of that question. A file may change again within the tick that its change time shows. So the
 * time before the reading must be clear of the change time, not the time after it. Ask, then read
 * all of the file, then put; ask again before reading again.
 *
 * keying/fstrust.h says which file systems are trusted. Overlay and btrfs are judged by their
 * files. There a file is never kept without a birth time, or with a change time of whole seconds.
 * Elsewhere a change time of whole seconds must be MEMO_RACY_COARSE_NS old.
 *
 * Not seen: writes through a shared mapping that was dirtied before the file was digested. The
 * kernel sets the times once per write-back. A tmpfs is never written back, so there it sets them
 * once per mapping, and content must be MEMO_RACY_MAPPED_NS old.
 *
 * THREAD, one thread a struct; the mapping survives fork. */
#pragma once

#include "keying/fstrust.h"
#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/kernel/sys.h"

enum memo_kind {
	MEMO_CONTENT = 1,
	MEMO_ABSENT = 2,
	MEMO_LISTING = 3,
	MEMO_SEEN = 5, /* 4 had another meaning */
	MEMO_TEXT = 6
};

/* Size of the file: 65,536 slots, enough for the files of a few torch builds and the directory
 * groups of some hundred actions. */
#define MEMO_SIZE (4u << 20)
#define MEMO_ASKED 4  /* a directory's question may enclose questions for files in it */
/* an overlay shows one device a layer; when all are used, the oldest verdict goes */
#define MEMO_FS_MAX 16

/* Pages are read, and the last one is kept: a large source asks 400 times in 90 pages. The mapping
 * costs as much as five reads, and each of its page faults as much as seven. A caller that asks for
 * long maps at once (memo_map). */
#define MEMO_READS 512
#define MEMO_PAGE 4096u

struct memo {
	unsigned char *map; /* NULL with reads 0: there is no memo, and every look-up is a miss */
	size_t size;
	int reads;          /* not mapped yet: this many pages, less one, are read from fd */
	int fd;             /* open while reads is not 0 */
	size_t page_at;     /* offset of page[] in the file; MEMO_SIZE: none */
	const char *dir;    /* runtime_dir, by reference; for memo_lock */
	struct digest boot; /* distinguishes this boot's memo from other boots' */
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
	unsigned char page[MEMO_PAGE]; /* not zeroed by memo_open */
};

/* What a statx asks for a question to the memo. */
#define MEMO_STATX (STATX_BASIC_STATS | STATX_BTIME | SYS_STATX_MOUNT)

/* fd, or path where fd is -1, tells the file system. st must hold MEMO_STATX.
 * extra: more that the value depends on (a set of names), or NULL. 1 found, 0 not. */
int memo_get(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
             const struct digest *extra, struct digest *value);
/* Stores nothing for a file on an untrusted file system. Stores nothing if ctime or mtime is in the
 * future, or too close to the question (git's racy rule: MEMO_RACY_NS). */
void memo_put(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
              const struct digest *extra, const struct digest *value);
/* 1: this user already reported `what` on this node since its boot. 0: the report is new, and is
 * recorded now. Without a memo nothing can be recorded: 1. The memo may forget. */
int memo_seen_before(struct memo *m, const struct digest *what);
/* What a text of this content says, by the rules of this number: a digest and a number. 1 found, 0
 * not. */
int memo_text_get(struct memo *m, unsigned rules, const struct digest *content,
                  struct digest *value, uint64_t *number);
void memo_text_put(struct memo *m, unsigned rules, const struct digest *content,
                   const struct digest *value, uint64_t number);
/* Two kernel ticks: a tick is 1-4 ms, and 10 ms at HZ=100. */
#define MEMO_RACY_NS 20000000ll
/* A change time of whole seconds may come from a clock of whole seconds (ext3's inodes). */
#define MEMO_RACY_COARSE_NS 2100000000ll
/* For a file on a tmpfs: a process that writes it through a mapping has finished by then
 * (docs/limits.md). */
#define MEMO_RACY_MAPPED_NS 2000000000ll
/* True when file times on this file system come from this kernel's clock (the file system is
 * trusted). */
int memo_clock_local(struct memo *m, int fd, const char *path, const struct statx *st);
/* True when the memo keeps what is known about such a file once it is old enough. */
int memo_keeps(struct memo *m, int fd, const char *path, const struct statx *st);

/* For large files: waits at most wait_ns until no other process holds this stamp. Then holds the
 * stamp until memo_unlock. Returns a descriptor, or -1: go on without the lock, since there is no
 * memo, the file may not be kept, or the time is over. Call memo_get again afterwards. */
int memo_lock(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
              const struct digest *extra, int64_t wait_ns);
void memo_unlock(int lock);
