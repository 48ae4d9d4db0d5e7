/* units/offer.c - records of completed units that wait to be packed (where: store/queue.h);
 * little-endian, no padding.
 *
 *   offset 0   4  magic    "RPO1", "RPO2", "RPO3"; the last byte is the version
 *          4   4  length   of the whole record, at most OFFER_RECORD_MAX
 *          8   4  class    number of units/units.def
 *         12   4  opened   0, 1
 *         16  32  key
 *         48   4  uid
 *         52   8  dev      major << 32 | minor
 *         60   8  ino
 *         68   8  size
 *         76   8  ctime_ns
 *         84   8  made_at  s since 1970
 *         92   8  began_at s since 1970, of the process; 0: not known
 *        100   .  path, member, scope, name, job: each 4 length, bytes, one NUL that is not counted
 *          .   .  writer   in version 2 alone, for units that their writer may remove: 4 pid, not
 *                          0; 8 start, in 1/100 s since the boot; 8 digest of its boot and pid
 *                          namespace
 *          .   .  content  in version 3 alone, for files that were closed: 32 digest, XXH3
 *          .  16  check    first bytes of the XXH3 digest of all before it
 *
 * A write that a full disk cut short leaves a record that fails its check; reading goes on at the
 * next magic. A taken file that was handled in part is named after the offset:
 * "units.<time>.<pid>.<8 hex>". */
#include "units/offer.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/buf.h"
#include "shim/format.h"
#include "shim/le.h"
#include "shim/log.h"
#include "store/counters.h"
#include "store/walk.h"
#include "units/process.h"

#include "shim/banned.h"

enum { OFF_LENGTH = 4, OFF_TEXTS = 100, CHECK = 16, TEXTS = 5, MAKER = 20,
      RECORD_MIN = OFF_TEXTS + TEXTS * 5 + CHECK };
_Static_assert(OFF_TEXTS == 16 + DIGEST_SIZE + 4 + 6 * 8, "table above");
static const unsigned char magic[3] = {'R', 'P', 'O'}; /* and the version */
static const struct queue units = {"units", "units."};
/* Some hundreds of records are read at once. */
#define WINDOW (512u << 10)
_Static_assert(WINDOW >= 2 * OFFER_RECORD_MAX,
               "a window holds a record that begins anywhere in its first half");

void offer_encode(struct buf *out, const struct offer *o)
{
	const char *texts[TEXTS] = {o->path, o->member, o->scope, o->name, o->job};
	size_t length = RECORD_MIN, begin = out->len;
	struct digest check;

	for (int i = 0; i < TEXTS; i++)
		length += strlen(texts[i]);
	length += o->closed ? DIGEST_SIZE : o->writer_pid ? MAKER : 0;
	if (length > OFFER_RECORD_MAX)
		out->failed = 1;
	buf_add(out, magic, sizeof magic);
	buf_u8(out, o->closed ? '3' : o->writer_pid ? '2' : '1');
	buf_u32(out, (unsigned)length);
	buf_u32(out, o->class);
	buf_u32(out, o->opened != 0);
	buf_add(out, o->key.b, DIGEST_SIZE);
	buf_u32(out, o->uid);
	buf_u64(out, o->dev);
	buf_u64(out, o->ino);
	buf_u64(out, o->size);
	buf_u64(out, (uint64_t)o->ctime_ns);
	buf_u64(out, (uint64_t)o->made_at);
	buf_u64(out, (uint64_t)o->began_at);
	for (int i = 0; i < TEXTS; i++)
		buf_lstr(out, texts[i], strlen(texts[i]));
	if (o->writer_pid && !o->closed) {
		buf_u32(out, o->writer_pid);
		buf_u64(out, (uint64_t)o->writer_began);
		buf_u64(out, o->writer_space);
	}
	if (o->closed)
		buf_add(out, o->content.b, DIGEST_SIZE);
	if (out->failed)
		return;
	digest_name(&check, out->data + begin, length - CHECK);
	buf_add(out, check.b, CHECK);
}

size_t offer_decode(struct offer *o, const void *bytes, size_t n)
{
	struct reader r = {bytes, (const unsigned char *)bytes + n, 0};
	const unsigned char *head = reader_bytes(&r, sizeof magic), *p = bytes, *content;
	unsigned version = reader_u8(&r), length = reader_u32(&r);
	struct digest check;

	if (r.failed || memcmp(head, magic, sizeof magic) != 0 ||
	    version < '1' || version > '3' ||
	    length < RECORD_MIN || length > OFFER_RECORD_MAX || length > n)
		return 0;
	digest_name(&check, p, length - CHECK);
	if (memcmp(check.b, p + length - CHECK, CHECK) != 0)
		return 0;
	r.end = p + length - CHECK;
	unsigned class = reader_u32(&r), opened = reader_u32(&r);
	memcpy(o->key.b, reader_bytes(&r, DIGEST_SIZE), DIGEST_SIZE);
	o->uid = reader_u32(&r);
	o->dev = reader_u64(&r);
	o->ino = reader_u64(&r);
	o->size = reader_u64(&r);
	o->ctime_ns = (int64_t)reader_u64(&r);
	o->made_at = (int64_t)reader_u64(&r);
	o->began_at = (int64_t)reader_u64(&r);
	o->path = reader_text(&r);
	o->member = reader_text(&r);
	o->scope = reader_text(&r);
	o->name = reader_text(&r);
	o->job = reader_text(&r);
	o->writer_pid = version == '2' ? reader_u32(&r) : 0;
	o->writer_began = version == '2' ? (int64_t)reader_u64(&r) : 0;
	o->writer_space = version == '2' ? reader_u64(&r) : 0;
	o->closed = version == '3';
	if (o->closed && (content = reader_bytes(&r, DIGEST_SIZE)))
		memcpy(o->content.b, content, DIGEST_SIZE);
	o->class = (enum unit_class)class;
	o->opened = opened == 1;
	return !r.failed && r.p == r.end && class < UNIT_CLASSES_MAX && unit_rows[class].class &&
	       opened <= 1 &&
	       (version != '2' || o->writer_pid) && o->path[0] == '/' ? length : 0;
}

void offer_identify(struct offer *o, const struct statx *st)
{
	o->uid = st->stx_uid;
	o->dev = (uint64_t)st->stx_dev_major << 32 | st->stx_dev_minor;
	o->ino = st->stx_ino;
	o->size = st->stx_size;
	o->ctime_ns = st->stx_ctime.tv_sec * 1000000000ll + st->stx_ctime.tv_nsec;
}

int offer_same(const struct offer *o, const struct statx *st)
{
	struct offer now;

	offer_identify(&now, st);
	return now.uid == o->uid && now.dev == o->dev && now.ino == o->ino &&
	       (o->opened || unit_grows(o->class) ||
	        (now.size == o->size &&
	         (o->closed || now.ctime_ns == o->ctime_ns)));
}

/* Digest of the boot and the pid namespace in which this process's pid has a meaning; hosts that
 * share the store have another one. 0: not known. */
static uint64_t own_space(void)
{
	char boot[64];
	struct digest d;
	struct statx st;
	int fd = sys_open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
	ssize_t n = fd < 0 ? -1 : sys_read_all(fd, boot, sizeof boot);

	if (fd >= 0)
		sys_close(fd);
	if (n <= 0 || sys_statx(AT_FDCWD, "/proc/self/ns/pid", 0, STATX_INO, &st) < 0)
		return 0;
	digest_name(&d, boot, (size_t)n);
	return le_get(d.b, 8) ^ st.stx_ino;
}

void offer_sign(struct offer *o)
{
	struct process p;

	if (process_read(&p, 0) < 0)
		return;
	o->began_at = (sys_now_ns(CLOCK_REALTIME) - sys_now_ns(CLOCK_BOOTTIME)) / 1000000000 +
	              p.began / 100;
	o->writer_pid = (unsigned)p.pid;
	o->writer_began = p.began;
	o->writer_space = own_space();
}

int offer_writer(const struct offer *o)
{
	struct process p;

	if (!o->writer_pid || !o->writer_space || o->writer_space != own_space())
		return -1;
	return process_read(&p, (pid_t)o->writer_pid) == 0 && p.began == o->writer_began &&
	       p.state != 'Z' && p.state != 'X';
}

int offer_again(struct store *s, const struct offer *o)
{
	struct arena a = ARENA_INIT;
	struct buf b = BUF_INIT(&a);
	int rc = -1;

	offer_encode(&b, o);
	if (!b.failed)
		rc = queue_append(s, &units, b.data, b.len, OFFER_BYTES_MAX);
	arena_free(&a);
	if (rc < 0)
		counters_add(s, COUNTER_UNITS_DROPPED, 1);
	return rc;
}

int offer_add(struct store *s, const struct offer *o)
{
	struct offer mine = *o;

	counters_add(s, COUNTER_UNITS_OFFERED, 1);
	if (!mine.began_at && unit_rows[o->class].traits & TRAIT_WITHDRAWN)
		offer_sign(&mine);
	return offer_again(s, &mine);
}

void offers_adopt(struct store *s)
{
	queue_adopt(s, &units);
}

/* Where reading goes on after a damaged record: at the next magic or the end. */
static size_t resync(const unsigned char *p, size_t n)
{
	const unsigned char *next = n > 1 ? memmem(p + 1, n - 1, magic, sizeof magic) : NULL;

	return next ? (size_t)(next - p) : n;
}

/* 1: a record may go on behind these bytes. */
static int may_go_on(const unsigned char *p, size_t n)
{
	struct reader r = {p + OFF_LENGTH, p + n, 0};

	return n < RECORD_MIN ||
	       (memcmp(p, magic, sizeof magic) == 0 && reader_u32(&r) <= OFFER_RECORD_MAX &&
	                          n < OFFER_RECORD_MAX);
}

/* Up to max records of n bytes. *used: the bytes that are handled. whole: no byte follows. */
static unsigned read_records(struct offer *out, unsigned max, const unsigned char *p, size_t n,
                             int whole,
                             size_t *used, int64_t *damaged)
{
	unsigned count = 0;
	size_t at = 0;

	while (at < n && count < max) {
		size_t length = offer_decode(&out[count], p + at, n - at);

		if (!length && !whole && may_go_on(p + at, n - at))
			break;
		count += length > 0;
		*damaged += length == 0;
		at += length ? length : resync(p + at, n - at);
	}
	*used = at;
	return count;
}

/* The offset up to which a taken file is handled, from the end of its name. */
static uint64_t done_of(const char *name)
{
	const char *dot = strrchr(name, '.');
	uint64_t v = 0;

	if (!dot || strlen(dot) != 9)
		return 0;
	for (const char *p = dot + 1; *p; p++) {
		int d = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10
		        : -1;
		if (d < 0)
			return 0;
		v = v << 4 | (unsigned)d;
	}
	return v;
}

static void put_hex(char out[9], uint64_t v)
{
	for (int i = 0; i < 8; i++)
		out[i] = "0123456789abcdef"[v >> (28 - 4 * i) & 15];
	out[8] = '\0';
}

/* Records of one taken file. Their number; 0: the file holds none and is removed, or cannot be
 * read, and other files are taken nevertheless; -ENOMEM. */
static int take_from(struct store *s, const char *name, struct offer *out, unsigned max,
                     char token[OFFER_TOKEN],
                     struct arena *a)
{
	char path[PATH_SIZE], end[9];
	struct statx st;
	int64_t damaged = 0;
	uint64_t at = done_of(name);
	unsigned char *bytes = NULL;
	unsigned count = 0;
	ssize_t n = 0;

	if (queue_path(path, s, name) < 0)
		return -ENAMETOOLONG;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd == -ENOENT)
		return 0;
	int rc = fd < 0 ? fd : sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st);
	if (rc == 0 && !S_ISREG(st.stx_mode))
		rc = -EINVAL;
	while (rc == 0 && count == 0 && at < st.stx_size) {
		size_t room = st.stx_size - at < WINDOW ? (size_t)(st.stx_size - at) : WINDOW,
		              used = 0;

		bytes = arena_alloc(a, room);
		n = bytes ? sys_pread(fd, bytes, room, (off_t)at) : -ENOMEM;
		if (n <= 0) {
			rc = n < 0 ? (int)n : -EIO;
			break;
		}
		count = read_records(out, max, bytes, (size_t)n, at + (size_t)n >= st.stx_size,
		                     &used, &damaged);
		at += used;
	}
	if (fd >= 0)
		sys_close(fd);
	if (damaged)
		counters_add(s, COUNTER_UNITS_DROPPED, damaged);
	if (rc == 0 && count == 0)
		sys_unlink(path);
	if (rc < 0 && rc != -ENOMEM) {
		struct fault fault;

		fault_sys(&fault, -rc, "offers", path);
		log_once("offers", "%s", fault.text);
	}
	put_hex(end, at);
	format_text(token, OFFER_TOKEN, "%s/%s", name, end);
	return rc == -ENOMEM ? rc : (int)count;
}

int offers_take(struct store *s, struct offer *out, unsigned max, char token[OFFER_TOKEN],
                struct arena *a,
                struct fault *fault)
{
	struct queue_names names;
	char name[QUEUE_NAME];
	int rc = queue_taken(s, &units, &names, a);
	int count = 0;

	for (size_t i = 0; rc == 0 && count == 0 && i < names.count; i++)
		count = take_from(s, names.v[i], out, max, token, a);
	if (rc == 0 && count == 0) {
		rc = queue_take(s, &units, name);
		if (rc == 0)
			count = take_from(s, name, out, max, token, a);
		rc = rc == -ENOENT ? 0 : rc;
	}
	if (rc < 0 || count < 0)
		fault_sys(fault, rc < 0 ? -rc : -count, "queue of units below", s->dir);
	return rc < 0 || count < 0 ? -1 : count;
}

void offers_done(struct store *s, const char *token)
{
	const char *slash = strchr(token, '/');
	char name[QUEUE_NAME], left[QUEUE_NAME], from[PATH_SIZE], to[PATH_SIZE], end[10] = ".";
	struct statx st;

	if (!slash || (size_t)(slash - token) >= sizeof name || strlen(slash + 1) != 8)
		return;
	memcpy(name, token, (size_t)(slash - token));
	name[slash - token] = '\0';
	memcpy(end + 1, slash + 1, 9);
	if (queue_path(from, s, name) < 0 ||
	    sys_statx(AT_FDCWD, from, AT_SYMLINK_NOFOLLOW, STATX_SIZE, &st) < 0)
		return;
	if (done_of(end) >= st.stx_size) {
		sys_unlink(from);
		return;
	}
	/* "units.<time>.<pid>" and the offset up to which it was handled before: no pid has eight
	 * digits. */
	char *before = strrchr(name, '.');
	if (before && strlen(before) == 9)
		*before = '\0';
	format_text(left, sizeof left, "%s%s", name, end);
	if (queue_path(to, s, left) == 0)
		sys_rename(from, to);
}

struct pending {
	size_t records, held;
	int64_t oldest;
	struct arena arena;
};

/* Reads the whole queue: for people, and before a publisher ends. */
static int count_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct pending *p = ctx;
	struct statx st;
	struct offer o;
	uint64_t at = done_of(name);

	(void)path;
	if (!queue_owns(&units, name))
		return 0;
	int fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &st) < 0)
		st.stx_size = 0;
	size_t cap = st.stx_size > at && st.stx_size < 2ull * OFFER_BYTES_MAX
	             ? (size_t)(st.stx_size - at) : 0;
	unsigned char *bytes = cap ? arena_alloc(&p->arena, cap) : NULL;
	ssize_t n = bytes ? sys_pread(fd, bytes, cap, (off_t)at) : 0;
	sys_close(fd);
	for (size_t k = 0; n > 0 && k < (size_t)n;) {
		size_t length = offer_decode(&o, bytes + k, (size_t)n - k);

		if (length && offer_writer(&o) > 0) {
			p->held++;
		} else if (length) {
			p->records++;
			p->oldest = p->oldest < 0 || o.made_at < p->oldest ? o.made_at : p->oldest;
		}
		k += length ? length : resync(bytes + k, (size_t)n - k);
	}
	return 0;
}

int offers_pending(struct store *s, size_t *records, int64_t *oldest_s)
{
	struct pending p = {0, 0, -1, ARENA_INIT};
	char path[PATH_SIZE];

	*records = 0;
	*oldest_s = -1;
	if (queue_path(path, s, NULL) < 0)
		return -1;
	walk_names(path, count_file, &p);
	arena_free(&p.arena);
	*records = p.records;
	if (p.oldest >= 0) {
		*oldest_s = sys_now_ns(CLOCK_REALTIME) / 1000000000 - p.oldest;
		*oldest_s = *oldest_s < 0 ? 0 : *oldest_s;
	}
	return 0;
}

size_t offers_held(struct store *s)
{
	struct pending p = {0, 0, -1, ARENA_INIT};
	char path[PATH_SIZE];

	if (queue_path(path, s, NULL) == 0)
		walk_names(path, count_file, &p);
	arena_free(&p.arena);
	return p.held;
}

size_t offers_elsewhere(struct store *s)
{
	struct pending p = {0, 0, -1, ARENA_INIT};

	queue_elsewhere(s, &units, count_file, &p);
	arena_free(&p.arena);
	return p.records;
}
