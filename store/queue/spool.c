/* store/queue/spool.c - records that wait to be published (their place: store/queue/queue.h);
 * little-endian, no padding.
 *
 *   offset 0   4  magic    "RPS1"; the last byte is the version
 *          4   4  class    number of STORE_CLASSES
 *          8  32  key
 *         40  32  result   of a candidate, parcel of a member; else the job's name, filled with NUL
 *         72   8  made_at  s since 1970
 *         80  24  lease    token, or zeros
 *        104   8  wall_ns
 *        112  16  check    first bytes of the XXH3 digest of all before it
 *
 * A write that a full disk truncated leaves a record that fails its check: reading continues at the
 * next magic. */
#include "store/queue/spool.h"

#include <sys/stat.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/job/counters.h"
#include "store/job/job_list.h"
#include "store/walk.h"

#include "shim/banned.h"

enum { RECORD = 128, OFF_CHECK = 112, CHECK = RECORD - OFF_CHECK };
static const unsigned char magic[4] = {'R', 'P', 'S', '1'};
/* A queue never gets larger. */
#define FILE_MAX (4ull * SPOOL_RECORDS_MAX * RECORD)
static const struct queue spool = {"queue", "work."};

static void record_encode(unsigned char out[RECORD], const struct spool_record *r)
{
	unsigned char *p = out;
	struct digest check;

	p = mempcpy(p, magic, sizeof magic);
	p = le_put(p, r->class, 4);
	p = mempcpy(p, r->key.b, DIGEST_SIZE);
	p = mempcpy(p, r->result.b, DIGEST_SIZE);
	p = le_put(p, (uint64_t)r->made_at, 8);
	p = mempcpy(p, r->lease, SPOOL_TOKEN);
	p = le_put(p, r->wall_ns, 8);
	digest_name(&check, out, OFF_CHECK);
	memcpy(p, check.b, CHECK);
}

/* 0, or -1: these bytes are not a record. */
static int record_decode(struct spool_record *r, const unsigned char in[RECORD])
{
	struct reader b = {in, in + RECORD, 0};
	struct digest check;

	digest_name(&check, in, OFF_CHECK);
	if (memcmp(in, magic, sizeof magic) != 0 || memcmp(in + OFF_CHECK, check.b, CHECK) != 0)
		return -1;
	reader_u32(&b);
	unsigned class = reader_u32(&b);
	memcpy(r->key.b, reader_bytes(&b, DIGEST_SIZE), DIGEST_SIZE);
	memcpy(r->result.b, reader_bytes(&b, DIGEST_SIZE), DIGEST_SIZE);
	r->made_at = (int64_t)reader_u64(&b);
	memcpy(r->lease, reader_bytes(&b, SPOOL_TOKEN), SPOOL_TOKEN);
	r->wall_ns = reader_u64(&b);
	r->class = (enum store_class)class;
	return class == STORE_MANIFEST || class == STORE_RESULT || class == STORE_UNIT ||
	       class == STORE_SET ? 0 : -1;
}

static int names_job(const struct spool_record *r)
{
	return r->class == STORE_RESULT || r->class == STORE_UNIT;
}

void spool_set_job(struct spool_record *r, const char *job)
{
	if (names_job(r) && job && strlen(job) <= sizeof r->result.b && job_list_name_ok(job))
		memcpy(r->result.b, job, strlen(job));
}

const char *spool_job(const struct spool_record *r, char out[DIGEST_SIZE + 1])
{
	memcpy(out, r->result.b, DIGEST_SIZE);
	out[DIGEST_SIZE] = '\0';
	if (!names_job(r) || !job_list_name_ok(out))
		*out = '\0';
	return out;
}

int spool_add(struct store *s, const struct spool_record *r)
{
	unsigned char bytes[RECORD];

	record_encode(bytes, r);
	if (queue_append(s, &spool, bytes, RECORD, (uint64_t)SPOOL_RECORDS_MAX * RECORD) == 0)
		return 0;
	counters_add(s, COUNTER_SPOOL_DROPPED, 1);
	return -1;
}

static int batch_room(struct spool_batch *b)
{
	size_t cap[3] = {b->cap, b->cap, b->cap};
	void *v = arena_grow(&b->arena, b->v, b->count, &cap[0], sizeof *b->v, 64);
	void *done = arena_grow(&b->arena, b->done, b->count, &cap[1], sizeof *b->done, 64);
	void *file = arena_grow(&b->arena, b->file, b->count, &cap[2], sizeof *b->file, 64);

	if (!v || !done || !file)
		return -1;
	b->v = v;
	b->done = done;
	b->file = file;
	b->cap = cap[0];
	return 0;
}

static int files_room(struct spool_batch *b)
{
	if (!arena_room(&b->arena, b->files, b->file_count, &b->file_cap, 8))
		return -1;
	return 0;
}

/* Adds the records of n bytes to the batch, as those of the last file. Invalid places are counted
 * in *damaged. */
static int add_records(struct spool_batch *b, const unsigned char *bytes, size_t n,
                       int64_t *damaged)
{
	size_t at = 0;

	while (at < n) {
		if (batch_room(b) < 0)
			return -1;
		b->done[b->count] = 0;
		if (n - at >= RECORD && record_decode(&b->v[b->count], bytes + at) == 0) {
			b->file[b->count++] = (unsigned)(b->file_count - 1);
			b->files[b->file_count - 1].left++;
			b->left++;
			at += RECORD;
			continue;
		}
		const unsigned char *next = memmem(bytes + at + 1, n - at - 1, magic, sizeof magic);
		at = next ? (size_t)(next - bytes) : n;
		++*damaged;
	}
	return 0;
}

/* Reads a work file, up to the size that a queue may have (late appenders add little). Returns its
 * length, or -errno. */
static ssize_t read_file(const char *path, struct arena *a, unsigned char **bytes, int64_t *damaged)
{
	struct statx st;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st);
	if (n == 0 && !S_ISREG(st.stx_mode))
		n = -EINVAL;
	if (n == 0) {
		*damaged += st.stx_size > FILE_MAX;
		size_t cap = st.stx_size < FILE_MAX ? st.stx_size + RECORD : FILE_MAX;
		*bytes = arena_alloc(a, cap);
		n = *bytes ? sys_read_all(fd, *bytes, cap) : -ENOMEM;
	}
	sys_close(fd);
	return n;
}

/* Adds a work file's records to the batch. Also 0 if the file is gone or cannot be read, so that
 * the others are sent. -ENOMEM. */
static int load_file(struct store *s, struct spool_batch *b, const char *path, const char *name)
{
	struct arena arena = ARENA_INIT;
	unsigned char *bytes = NULL;
	int64_t damaged = 0;
	ssize_t n = read_file(path, &arena, &bytes, &damaged);

	if (n < 0 || files_room(b) < 0) {
		arena_free(&arena);
		if (n < 0 && n != -ENOENT && n != -ENOMEM) {
			struct fault fault;
			fault_sys(&fault, (int)-n, "spool", path);
			log_once("spool", "%s", fault.text);
		}
		return n < 0 && n != -ENOMEM ? 0 : -ENOMEM;
	}
	struct spool_file *f = &b->files[b->file_count++];
	memset(f, 0, sizeof *f);
	format_text(f->name, sizeof f->name, "%s", name);
	int rc = add_records(b, bytes, (size_t)n, &damaged) < 0 ? -ENOMEM : 0;
	counters_add(s, COUNTER_SPOOL_DROPPED, damaged);
	if (f->left == 0 && rc == 0)
		sys_unlink(path);
	arena_free(&arena);
	return rc;
}

static int load_work(struct store *s, struct spool_batch *b)
{
	struct arena arena = ARENA_INIT;
	struct queue_names names;
	char path[PATH_SIZE];
	int rc = queue_taken(s, &spool, &names, &arena);

	for (size_t i = 0; i < names.count && rc == 0; i++)
		if (queue_path(path, s, names.v[i]) == 0)
			rc = load_file(s, b, path, names.v[i]);
	arena_free(&arena);
	return rc;
}

int spool_take(struct store *s, struct spool_batch *b, struct fault *fault)
{
	char path[PATH_SIZE], work[QUEUE_NAME];
	int rc = 0;

	if (queue_path(path, s, spool.name) < 0)
		return fault_set(fault, ENOENT, "no store, no spool");
	if (!b->begun) {
		queue_adopt(s, &spool);
		rc = load_work(s, b);
		b->begun = rc == 0;
	}
	if (rc == 0 && b->left < SPOOL_RECORDS_MAX) {
		rc = queue_take(s, &spool, work);
		if (rc == 0 && queue_path(path, s, work) == 0)
			rc = load_file(s, b, path, work);
		rc = rc == -ENOENT ? 0 : rc;
	}
	if (rc < 0)
		fault_sys(fault, -rc, "spool", path);
	return rc < 0 ? -1 : 0;
}

void spool_done(struct store *s, struct spool_batch *b, size_t i, unsigned char how)
{
	struct spool_file *f = &b->files[b->file[i]];
	char path[PATH_SIZE];

	if (b->done[i])
		return;
	b->done[i] = how;
	b->left--;
	if (--f->left == 0 && queue_path(path, s, f->name) == 0)
		sys_unlink(path);
	if (b->left == 0) {
		spool_batch_free(b);
		b->begun = 1;
	}
}

void spool_batch_free(struct spool_batch *b)
{
	arena_free(&b->arena);
	*b = (struct spool_batch)SPOOL_BATCH_INIT;
}

struct pending {
	size_t records;
	int64_t oldest;
};

static void count_nothing(void *ctx)
{
	*(struct pending *)ctx = (struct pending){0, -1};
}

static int count_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct pending *p = ctx;
	unsigned char first[RECORD];
	struct spool_record r;
	struct statx st;
	int fd;

	if (!queue_owns(&spool, name))
		return 0;
	fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return fd == -ENOENT ? QUEUE_GONE : 0;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) == 0 &&
	    S_ISREG(st.stx_mode))
		p->records += (st.stx_size + RECORD - 1) / RECORD;
	if (sys_read_all(fd, first, sizeof first) == RECORD && record_decode(&r, first) == 0 &&
	    (p->oldest < 0 || r.made_at < p->oldest))
		p->oldest = r.made_at;
	sys_close(fd);
	return 0;
}

int spool_pending(struct store *s, size_t *records, int64_t *oldest_s)
{
	struct pending p = {0, -1};
	int rc = queue_walk(s, count_nothing, count_file, &p);

	*records = rc == QUEUE_GONE && !p.records ? 1 : p.records;
	*oldest_s = queue_age(p.oldest);
	return rc < 0 ? -1 : 0;
}

size_t spool_elsewhere(struct store *s)
{
	struct pending p = {0, -1};

	queue_elsewhere(s, &spool, count_file, &p);
	return p.records;
}

static struct digest publisher_key(const struct store *s)
{
	char name[sizeof "reprise publisher " + STORE_REMOTE];
	struct digest d;

	digest_name(&d, name, format_text(name, sizeof name, "reprise publisher %s", s->remote));
	return d;
}

enum lock_status spool_publisher_take(struct store *s, struct lock *l)
{
	struct digest key = publisher_key(s);

	return lock_take(l, s->runtime_dir, &key, 0, NULL);
}

int spool_publisher_busy(struct store *s)
{
	struct digest key = publisher_key(s);

	return lock_busy(s->runtime_dir, &key);
}

int spool_publisher_stopped(struct store *s)
{
	struct digest key = publisher_key(s);

	return lock_stopped(s->runtime_dir, &key);
}
