/* units/offer.c - offers in their queue (store/queue/queue.h).
 *
 * A write that a full disk cut short leaves a record that fails its check; reading goes on at the
 * next magic. A taken file that was handled in part is named after the offset:
 * "offers.<time>.<pid>.<8 hex>". A later version of the record needs another queue than "offers":
 * publishers drop records that they do not know. */
#include "units/offer.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/ascii.h"
#include "shim/buf.h"
#include "shim/format.h"
#include "shim/kernel/process.h"
#include "shim/log.h"
#include "store/job/counters.h"
#include "store/walk.h"

#include "shim/banned.h"

static const struct queue offers = {"offers", "offers."};
/* Some hundreds of records are read at once. */
#define WINDOW (512u << 10)
_Static_assert(WINDOW >= 2 * OFFER_RECORD_MAX,
               "a window holds a record that begins anywhere in its first half");

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
	ssize_t n = sys_read_file("/proc/sys/kernel/random/boot_id", 0, boot, sizeof boot);

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
		rc = queue_append(s, &offers, b.data, b.len, OFFER_BYTES_MAX);
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
	queue_adopt(s, &offers);
}

/* Where reading goes on after a damaged record: at the next magic or the end. */
static size_t resync(const unsigned char *p, size_t n)
{
	const unsigned char *next = NULL;

	if (n > 1)
		next = memmem(p + 1, n - 1, OFFER_MAGIC, OFFER_MAGIC_SIZE);
	return next ? (size_t)(next - p) : n;
}

/* 1: a record may go on behind these bytes. */
static int may_go_on(const unsigned char *p, size_t n)
{
	struct reader r = {p + OFFER_AT_LENGTH, p + n, 0};

	return n < OFFER_RECORD_MIN ||
	       (memcmp(p, OFFER_MAGIC, OFFER_MAGIC_SIZE) == 0 &&
	        reader_u32(&r) <= OFFER_RECORD_MAX && n < OFFER_RECORD_MAX);
}

/* Up to max records of n bytes. *used: the bytes that are handled. whole: no byte follows. */
static unsigned read_records(struct store *s, struct offer *out, unsigned max,
                             const unsigned char *p, size_t n, int whole, size_t *used,
                             int64_t *damaged)
{
	unsigned count = 0;
	size_t at = 0;

	while (at < n && count < max) {
		size_t length = offer_decode(&out[count], p + at, n - at);

		if (!length && !whole && may_go_on(p + at, n - at))
			break;
		if (!length && (length = offer_length(p + at, n - at))) {
			log_once("offers-newer", "a unit of a newer version of Reprise is left out "
			         "(class %u, record version %c)", p[at + OFFER_AT_CLASS],
			         p[at + OFFER_MAGIC_SIZE]);
			counters_add(s, COUNTER_UNITS_DROPPED, 1);
			at += length;
			continue;
		}
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
	int64_t v = dot && strlen(dot) == 9 ? ascii_get_hex(dot + 1, 8) : 0;

	return v < 0 ? 0 : (uint64_t)v;
}

/* Records of one taken file. Their number; 0: the file holds none and is removed, or cannot be
 * read, and other files are taken nevertheless; -ENOMEM. */
static int take_from(struct store *s, const char *name, struct offer *out, unsigned max,
                     char token[OFFER_TOKEN],
                     struct arena *a)
{
	char path[PATH_SIZE], end[9] = "";
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
		count = read_records(s, out, max, bytes, (size_t)n,
		                     at + (size_t)n >= st.stx_size, &used, &damaged);
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
	ascii_put_hex(end, at, 8);
	format_text(token, OFFER_TOKEN, "%s/%s", name, end);
	return rc == -ENOMEM ? rc : (int)count;
}

int offers_take(struct store *s, struct offer *out, unsigned max, char token[OFFER_TOKEN],
                struct arena *a, struct fault *fault)
{
	struct queue_names names;
	char name[QUEUE_NAME];
	int rc = queue_taken(s, &offers, &names, a), count = 0;

	for (size_t i = 0; rc == 0 && count == 0 && i < names.count; i++)
		count = take_from(s, names.v[i], out, max, token, a);
	if (rc == 0 && count == 0) {
		rc = queue_take(s, &offers, name);
		if (rc == 0)
			count = take_from(s, name, out, max, token, a);
		rc = rc == -ENOENT ? 0 : rc;
	}
	if (rc < 0 || count < 0)
		return fault_sys(fault, rc < 0 ? -rc : -count, "queue of units below", s->dir);
	return count;
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
	/* "offers.<time>.<pid>" and the offset up to which it was handled before: no pid has eight
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

static void count_nothing(void *ctx)
{
	struct pending *p = ctx;

	arena_free(&p->arena);
	*p = (struct pending){0, 0, -1, ARENA_INIT};
}

/* Reads the whole queue: for people, and before a publisher ends. */
static int count_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct pending *p = ctx;
	struct statx st;
	struct offer o;
	uint64_t at = done_of(name);

	if (!queue_owns(&offers, name))
		return 0;
	int fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return fd == -ENOENT ? QUEUE_GONE : 0;
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
	int rc = queue_walk(s, count_nothing, count_file, &p);

	arena_free(&p.arena);
	*records = rc == QUEUE_GONE && !p.records ? 1 : p.records;
	*oldest_s = queue_age(p.oldest);
	return rc < 0 ? -1 : 0;
}

size_t offers_held(struct store *s)
{
	struct pending p = {0, 0, -1, ARENA_INIT};
	int rc = queue_walk(s, count_nothing, count_file, &p);

	arena_free(&p.arena);
	return rc == QUEUE_GONE && !p.held ? 1 : p.held;
}

size_t offers_elsewhere(struct store *s)
{
	struct pending p = {0, 0, -1, ARENA_INIT};

	queue_elsewhere(s, &offers, count_file, &p);
	arena_free(&p.arena);
	return p.records;
}
