/* keying/memo.c - the memo's table: MEMO_SIZE bytes of slots, no head. A slot, in the machine's
 * byte order (the file never leaves the node):
 *   offset 0  size 16  stamp   XXH3-128 over the algorithm of the value, kind, boot, file
 *                              system, dev, ino, size, mtime, ctime, btime [, extra]
 *         16       32  value   digest
 *         48        8  check   XXH3-64 of the 48 bytes before, plus the number
 *         56        8  number  MEMO_TEXT; else zero
 * Placement: pages of 16 buckets of 4 slots. Without extra, neighbouring inodes share a page and
 * have a bucket each. A package's headers were written in a row: 600 look-ups touch some 60 pages.
 * With extra, page and bucket follow from the stamp, since one directory has many sets. */
#include "keying/memo.h"

#include <xxhash.h>

#include "keying/memo_file.h"
#include "shim/path.h"

#include "shim/banned.h"

/* Enters every stamp: change it when the meaning of a slot changes. */
#define MEMO_VERSION 4

enum { SLOT_SIZE = 64, OFF_VALUE = 16, OFF_CHECK = 48, OFF_NUMBER = 56, BUCKET_SLOTS = 4,
       PAGE_BUCKETS = 16, BUCKET_SIZE = BUCKET_SLOTS * SLOT_SIZE };
#define MEMO_PAGES (MEMO_SIZE / MEMO_PAGE)
_Static_assert(BUCKET_SIZE * PAGE_BUCKETS == MEMO_PAGE, "table above");
_Static_assert(OFF_CHECK == OFF_VALUE + DIGEST_SIZE, "table above");
_Static_assert((MEMO_PAGES & (MEMO_PAGES - 1)) == 0, "pages are chosen by mask");

/* Pauses while another process digests the same file: it takes 25 ms for 434 MB. */
#define LOCK_PAUSE_MIN_NS 500000ll
#define LOCK_PAUSE_MAX_NS 10000000ll

/* The fields that a stamp digests; no padding. algorithm: the digest of the values, so that a
 * process never meets a value of the other algorithm. */
struct stamp_source {
	uint16_t version, algorithm;
	uint32_t kind;
	uint32_t major, minor;
	struct digest boot;
	uint64_t identity, ino, size;
	int64_t mtime_s, ctime_s, btime_s;
	uint32_t mtime_ns, ctime_ns, btime_ns, has_extra;
	struct digest extra;
};
_Static_assert(sizeof(struct stamp_source) == 16 + 32 + 24 + 24 + 16 + 32, "no padding");

struct stamp {
	unsigned char b[16];
	size_t bucket; /* offset of the bucket in the map */
};

static const struct memo_fs *memo_fs(struct memo *m, int fd, const char *path,
                                     const struct statx *st)
{
	static const struct memo_fs nothing;
	int known = m->fs_count < MEMO_FS_MAX ? m->fs_count : MEMO_FS_MAX;
	struct memo_fs *fs;
	int level;

	/* The newest first: successive look-ups are mostly on one file system. */
	for (int i = known - 1; i >= 0; i--)
		if (m->fs[i].minor == st->stx_dev_minor && m->fs[i].major == st->stx_dev_major)
			return &m->fs[i];
	fs = &m->fs[m->fs_count % MEMO_FS_MAX];
	level = fstrust_judge(fd, path, st, &fs->identity);
	if (level < 0) {
		fs->major = fs->minor = ~0u; /* it may have held a verdict */
		return &nothing;
	}
	fs->trusted = level;
	fs->major = st->stx_dev_major;
	fs->minor = st->stx_dev_minor;
	/* Once full, the count stays between MEMO_FS_MAX and twice that, so that it cannot wrap. */
	if (++m->fs_count == 2 * MEMO_FS_MAX)
		m->fs_count = MEMO_FS_MAX;
	return fs;
}

static int memo_there(const struct memo *m)
{
	return m->map || m->reads;
}

static int64_t stamp_ns(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

/* Whether files of this stamp may be looked up and kept at all, whatever the time. */
static int stamp_trusted(const struct memo_fs *fs, const struct statx *st)
{
	/* An erofs has no access times. */
	const unsigned used = STATX_BASIC_STATS & ~STATX_ATIME;

	if ((st->stx_mask & used) != used)
		return 0;
	if (fs->trusted == FSTRUST_BORN)
		return (st->stx_mask & STATX_BTIME) && st->stx_ctime.tv_nsec;
	if (fs->trusted == FSTRUST_MOUNT)
		return sys_statx_mount(st) != 0;
	return fs->trusted != FSTRUST_NO;
}

static int stamp_settled(const struct memo_fs *fs, enum memo_kind kind, const struct statx *st,
                         int64_t now)
{
	int64_t clear = now - (st->stx_ctime.tv_nsec ? MEMO_RACY_NS : MEMO_RACY_COARSE_NS);

	if (fs->trusted == FSTRUST_MAPPED && kind == MEMO_CONTENT &&
	    clear > now - MEMO_RACY_MAPPED_NS)
		clear = now - MEMO_RACY_MAPPED_NS;
	return stamp_ns(&st->stx_ctime) < clear && stamp_ns(&st->stx_mtime) < clear;
}

static void stamp_begin(struct stamp_source *s, const struct memo *m, enum memo_kind kind,
                        const struct digest *extra)
{
	memset(s, 0, sizeof *s);
	s->version = MEMO_VERSION;
	s->algorithm = (uint16_t)digest_in_use();
	s->kind = kind;
	s->boot = m->boot;
	if (extra) {
		s->has_extra = 1;
		s->extra = *extra;
	}
}

static void stamp_end(const struct stamp_source *s, struct stamp *out)
{
	XXH128_hash_t hash = XXH3_128bits(s, sizeof *s);
	uint64_t page = hash.low64, bucket = hash.high64;

	memcpy(out->b, &hash, sizeof out->b);
	if (!s->has_extra) {
		struct { uint64_t dev, group; } place = {
			(uint64_t)s->major << 32 | s->minor, s->ino / PAGE_BUCKETS };

		page = XXH3_64bits(&place, sizeof place);
		bucket = s->ino + (uint64_t)s->kind - 1;
	}
	out->bucket = ((page & (MEMO_PAGES - 1)) * PAGE_BUCKETS + bucket % PAGE_BUCKETS) *
	              BUCKET_SIZE;
}

/* False where the file system is not trusted. */
static int stamp_make(struct memo *m, enum memo_kind kind, int fd, const char *path,
                      const struct statx *st, const struct digest *extra, struct stamp *out)
{
	const struct memo_fs *fs = memo_fs(m, fd, path, st);
	struct stamp_source s;

	if (!stamp_trusted(fs, st))
		return 0;
	stamp_begin(&s, m, kind, extra);
	s.major = st->stx_dev_major;
	s.minor = st->stx_dev_minor;
	s.identity = fs->identity ^ (fs->trusted == FSTRUST_MOUNT ? sys_statx_mount(st) : 0);
	s.ino = st->stx_ino;
	s.size = st->stx_size;
	s.mtime_s = st->stx_mtime.tv_sec;
	s.mtime_ns = st->stx_mtime.tv_nsec;
	s.ctime_s = st->stx_ctime.tv_sec;
	s.ctime_ns = st->stx_ctime.tv_nsec;
	if (st->stx_mask & STATX_BTIME) {
		s.btime_s = st->stx_btime.tv_sec;
		s.btime_ns = st->stx_btime.tv_nsec;
	}
	stamp_end(&s, out);
	return 1;
}

static uint64_t slot_check(const unsigned char *slot)
{
	uint64_t number;

	memcpy(&number, slot + OFF_NUMBER, sizeof number);
	return XXH3_64bits(slot, OFF_CHECK) + number;
}

/* Returns the bucket in the mapping or in the page that was read last; NULL when neither works. */
static const unsigned char *bucket_of(struct memo *m, const struct stamp *stamp)
{
	size_t page = stamp->bucket & ~(size_t)(MEMO_PAGE - 1);

	if (m->page_at != page && m->reads > 1) {
		m->reads--;
		m->page_at = sys_pread(m->fd, m->page, MEMO_PAGE, (off_t)page) == MEMO_PAGE
		             ? page : MEMO_SIZE;
	}
	if (m->page_at == page)
		return m->page + (stamp->bucket - page);
	if (m->reads == 1)
		memo_map(m);
	return m->map ? m->map + stamp->bucket : NULL;
}

/* 1: *value is set. Other processes may write the slot meanwhile, so a copy is judged. */
static int slot_find(struct memo *m, const struct stamp *stamp, struct digest *value,
                     uint64_t *number)
{
	const unsigned char *bucket = bucket_of(m, stamp);

	for (int i = 0; bucket && i < BUCKET_SLOTS; i++) {
		const unsigned char *slot = bucket + i * SLOT_SIZE;
		unsigned char copy[SLOT_SIZE];
		uint64_t check;

		if (memcmp(slot, stamp->b, sizeof stamp->b))
			continue;
		memcpy(copy, slot, sizeof copy);
		__asm__ volatile("" ::: "memory");
		memcpy(&check, copy + OFF_CHECK, sizeof check);
		if (memcmp(copy, stamp->b, sizeof stamp->b) || check != slot_check(copy))
			continue;
		if (value)
			memcpy(value->b, copy + OFF_VALUE, DIGEST_SIZE);
		if (number)
			memcpy(number, copy + OFF_NUMBER, sizeof *number);
		return 1;
	}
	m->page_at = MEMO_SIZE; /* another process may answer before this is asked again */
	return 0;
}

/* Offset of the same stamp's slot in its bucket, of an empty or damaged slot, or of any slot: a
 * wrong choice costs one digest. */
static size_t slot_choose(const unsigned char *bucket, const struct stamp *stamp, int64_t now)
{
	size_t room = BUCKET_SIZE;

	for (size_t at = 0; at < BUCKET_SIZE; at += SLOT_SIZE) {
		const unsigned char *slot = bucket + at;
		uint64_t check;

		if (!memcmp(slot, stamp->b, sizeof stamp->b))
			return at;
		memcpy(&check, slot + OFF_CHECK, sizeof check);
		if (room == BUCKET_SIZE && check != slot_check(slot))
			room = at;
	}
	return room < BUCKET_SIZE ? room : (size_t)(now >> 10) % BUCKET_SLOTS * SLOT_SIZE;
}

static void slot_write(struct memo *m, const struct stamp *stamp, const struct digest *value,
                       uint64_t number, int64_t now)
{
	unsigned char slot[SLOT_SIZE] = {0};
	const unsigned char *bucket = bucket_of(m, stamp);
	uint64_t check;
	size_t at;

	if (!bucket)
		return;
	memcpy(slot, stamp->b, sizeof stamp->b);
	memcpy(slot + OFF_VALUE, value->b, DIGEST_SIZE);
	memcpy(slot + OFF_NUMBER, &number, sizeof number);
	check = slot_check(slot);
	memcpy(slot + OFF_CHECK, &check, sizeof check);
	at = stamp->bucket + slot_choose(bucket, stamp, now);
	if (m->map)
		memcpy(m->map + at, slot, sizeof slot);
	else
		SYS4(SYS_pwrite64, m->fd, slot, sizeof slot, (off_t)at);
	m->page_at = MEMO_SIZE;
}

static struct memo_asked *asked_find(struct memo *m, const struct stamp *stamp)
{
	for (int i = 0; i < MEMO_ASKED; i++)
		if (!memcmp(m->asked[i].stamp, stamp->b, sizeof stamp->b))
			return &m->asked[i];
	return NULL;
}

int memo_get(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
             const struct digest *extra, struct digest *value)
{
	struct stamp stamp;
	struct memo_asked *asked;

	if (!memo_there(m) || !stamp_make(m, kind, fd, path, st, extra, &stamp))
		return 0;
	if (slot_find(m, &stamp, value, NULL))
		return 1;
	/* A repeated question becomes the newest, and is replaced last. */
	asked = asked_find(m, &stamp);
	if (asked)
		memset(asked, 0, sizeof *asked);
	asked = &m->asked[m->asked_next++ % MEMO_ASKED];
	memcpy(asked->stamp, stamp.b, sizeof stamp.b);
	asked->at_ns = sys_now_ns(CLOCK_REALTIME);
	return 0;
}

void memo_put(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
              const struct digest *extra, const struct digest *value)
{
	struct stamp stamp;
	struct memo_asked *asked;
	int64_t at_ns;

	if (!memo_there(m) || !stamp_make(m, kind, fd, path, st, extra, &stamp))
		return;
	asked = asked_find(m, &stamp);
	if (!asked)
		return;
	at_ns = asked->at_ns;
	/* One answer for each question: the next reading needs a time of its own. */
	memset(asked, 0, sizeof *asked);
	if (!stamp_settled(memo_fs(m, fd, path, st), kind, st, at_ns))
		return;
	slot_write(m, &stamp, value, 0, at_ns);
}

int memo_seen_before(struct memo *m, const struct digest *what)
{
	struct stamp_source s;
	struct stamp stamp;

	if (!memo_there(m))
		return 1;
	stamp_begin(&s, m, MEMO_SEEN, what);
	stamp_end(&s, &stamp);
	if (slot_find(m, &stamp, NULL, NULL))
		return 1;
	if (!memo_there(m))
		return 1;
	slot_write(m, &stamp, what, 0, sys_now_ns(CLOCK_REALTIME));
	return 0;
}

static void text_stamp(struct stamp *stamp, const struct memo *m, unsigned rules,
                       const struct digest *content)
{
	struct stamp_source s;

	stamp_begin(&s, m, MEMO_TEXT, content);
	s.major = rules;
	stamp_end(&s, stamp);
}

int memo_text_get(struct memo *m, unsigned rules, const struct digest *content,
                  struct digest *value, uint64_t *number)
{
	struct stamp stamp;

	if (!memo_there(m))
		return 0;
	text_stamp(&stamp, m, rules, content);
	return slot_find(m, &stamp, value, number);
}

void memo_text_put(struct memo *m, unsigned rules, const struct digest *content,
                   const struct digest *value, uint64_t number)
{
	struct stamp stamp;

	if (!memo_there(m))
		return;
	text_stamp(&stamp, m, rules, content);
	slot_write(m, &stamp, value, number, sys_now_ns(CLOCK_REALTIME));
}

int memo_clock_local(struct memo *m, int fd, const char *path, const struct statx *st)
{
	enum fstrust level = memo_fs(m, fd, path, st)->trusted;

	return level != FSTRUST_NO && level != FSTRUST_MOUNT;
}

int memo_keeps(struct memo *m, int fd, const char *path, const struct statx *st)
{
	return memo_there(m) && stamp_trusted(memo_fs(m, fd, path, st), st);
}

int memo_lock(struct memo *m, enum memo_kind kind, int fd, const char *path, const struct statx *st,
              const struct digest *extra, int64_t wait_ns)
{
	char name[PATH_SIZE];
	struct stamp stamp;
	struct flock range;
	uint64_t at;
	int64_t pause = LOCK_PAUSE_MIN_NS;
	int lock;

	if (!memo_there(m) || !stamp_make(m, kind, fd, path, st, extra, &stamp) ||
	    !stamp_settled(memo_fs(m, fd, path, st), kind, st, sys_now_ns(CLOCK_REALTIME)) ||
	    path_join(name, sizeof name, m->dir, "memo") >= sizeof name)
		return -1;
	lock = sys_open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (lock < 0)
		return -1;
	memcpy(&at, stamp.b, sizeof at);
	memset(&range, 0, sizeof range);
	range.l_type = F_WRLCK;
	range.l_whence = SEEK_SET;
	range.l_start = (off_t)(at >> 2); /* lies far behind the file's end, which locks allow */
	range.l_len = 1;
	for (;;) {
		int rc = sys_fcntl(lock, F_OFD_SETLK, (long)&range);

		if (rc == 0)
			return lock;
		if ((rc != -EAGAIN && rc != -EINTR) || wait_ns <= 0)
			break;
		sys_sleep_ns(pause);
		wait_ns -= pause;
		if (pause < LOCK_PAUSE_MAX_NS)
			pause *= 2;
	}
	sys_close(lock);
	return -1;
}

void memo_unlock(int lock)
{
	if (lock >= 0)
		sys_close(lock);
}
