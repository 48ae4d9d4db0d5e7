/* keying/memo.h - node-local memory of what was digested: file digests, directory stamps, listings.
 *
 * One sparse file in the runtime directory, fallocated once (a full tmpfs would answer a store into a
 * hole with SIGBUS), mapped by every process of the user. Fixed 64-byte slots in buckets of 4:
 *   0 16 stamp   XXH3-128 over kind, boot id, mount identity, dev, ino, size, mtime, ctime, btime [, extra]
 *  16 32 value   digest
 *  48  8 check   XXH3-64 of the 48 bytes before
 *  56  8 spare   zero
 * Written without locks: a torn slot fails its check and is a miss. Never trusted further than the
 * stamp: the caller must hold a statx taken *before* the content was read, and put only what
 * memo_may_keep() allows.
 *
 * Trusted file systems: ext4, xfs, btrfs, tmpfs mounted writable and not on a loop device; overlay whose
 * files carry a birth time (squashfs, erofs below it have none) and whose visible lower directories
 * are themselves trusted. Image builders clamp times, so elsewhere equal stamps prove nothing
 * (facts/interception.md 4). THREAD; the mapping survives fork. */
#ifndef KEYING_MEMO_H
#define KEYING_MEMO_H

#include "shim/arena.h"
#include "shim/digest.h"
#include "shim/sys.h"

enum memo_kind { MEMO_CONTENT = 1, MEMO_ABSENT = 2, MEMO_LISTING = 3, MEMO_PTX = 4 };

struct memo {
	unsigned char *map; /* NULL: no memo, every look-up is a miss */
	size_t size;
	struct digest boot; /* of the boot id */
	/* verdicts on st_dev seen by this process */
	struct memo_fs {
		unsigned major, minor;
		int trusted; /* 0 no, 1 yes, 2 only files with a birth time */
		unsigned long long identity;
	} fs[16];
	int fs_count;
};

/* Opens or makes <runtime_dir>/memo. Failure leaves an empty memo; never an error. */
void memo_open(struct memo *m, const char *runtime_dir);
void memo_close(struct memo *m);
/* fd or path (fd -1) tells the file system. st must hold STATX_BASIC_STATS|STATX_BTIME.
 * extra: more that the value depends on (a set of names), or NULL. 1 found, 0 not. */
int memo_get(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
             const struct digest *extra, struct digest *value);
void memo_put(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
              const struct digest *extra, const struct digest *value);
/* False for a file whose ctime or mtime is too close to now (git's racy rule: MEMO_RACY_NS), in the
 * future, or on an untrusted file system. memo_put asks it itself. */
int memo_may_keep(struct memo *m, int fd, const char *path, const struct statx *st);
/* Kernel ticks are 1-4 ms, 10 ms at HZ=100; two of them. */
#define MEMO_RACY_NS 20000000ll
/* True when file times on this file system come from this kernel's clock (the trusted ones). */
int memo_clock_local(struct memo *m, int fd, const char *path, const struct statx *st);

#endif
