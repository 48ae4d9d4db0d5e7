/* store/job/job_list.c - appends to a job's list, and removes old lists. */
#include "store/job/job_list.h"

#include <sys/stat.h>

#include "shim/format.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "shim/settings/job.h"
#include "shim/sort.h"
#include "store/dirs.h"
#include "store/walk.h"

#include "shim/banned.h"

enum { RECORD = 1 + 1 + 1 + DIGEST_HEX + 1 + DIGEST_HEX };
_Static_assert(RECORD == 132, "the header says so");

int job_list_name_ok(const char *job)
{
	size_t n = strspn(job,
	                  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:@+=,-");

	return n > 0 && n <= JOB_LIST_NAME_MAX && !job[n] && job[0] != '.';
}

const char *job_list_job(const struct settings *set, char *const envp[], struct arena *a)
{
	const char *job;

	if (!setting_number(set, SETTING_JOB_LIST))
		return NULL;
	job = settings_job(set, envp, a, NULL);
	if (job_list_name_ok(job))
		return job;
	log_once("job-list",
	         "what this job uses is not listed (REPRISE_JOB_LIST): its name can have 128 "
	         "letters, digits and . _ : @ + = , -, and is %s", job);
	return NULL;
}

int job_list_path(char out[PATH_SIZE], const struct store *s, const char *job)
{
	char rest[sizeof "jobs/" + JOB_LIST_NAME_MAX];

	format_text(rest, sizeof rest, job ? "jobs/%s" : "jobs", job);
	return s->dir && path_join(out, PATH_SIZE, s->dir, rest) < PATH_SIZE ? 0 : -1;
}

static void append(const char *dir, const char record[RECORD], int make)
{
	/* NONBLOCK: no process waits if another user put a FIFO there. */
	int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, fd;
	char host[DIRS_HOST], path[PATH_SIZE];
	struct statx st;

	dirs_host(host);
	if (path_join(path, sizeof path, dir, host) >= sizeof path)
		return;
	fd = sys_open_made(path, flags, 0600);
	if (fd == -ENOENT && make && dirs_make(dir) == 0)
		fd = sys_open_made(path, flags, 0600);
	if (fd < 0)
		return;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_UID | STATX_SIZE, &st) == 0 &&
	    S_ISREG(st.stx_mode) && st.stx_uid == sys_geteuid() &&
	    st.stx_size + RECORD <= JOB_LIST_BYTES_MAX)
		sys_write(fd, record, RECORD);
	sys_close(fd);
}

static void note(const struct store *s, const char *job, int make, enum store_class class,
                 const struct digest *key, const struct digest *result)
{
	char dir[PATH_SIZE], record[RECORD + 1];

	if (!s->writable || job_list_path(dir, s, job) < 0)
		return;
	record[0] = '\n';
	record[1] = (char)('0' + class);
	record[2] = ' ';
	digest_hex(key, record + 3);
	record[3 + DIGEST_HEX] = ' ';
	digest_hex(result ? result : key, record + 4 + DIGEST_HEX);
	append(dir, record, make);
}

void job_list_add(const struct store *s, const char *job, enum store_class class,
                  const struct digest *key, const struct digest *result)
{
	if (job)
		note(s, job, 1, class, key, result);
}

void job_list_create(const struct store *s, const char *job)
{
	char dir[PATH_SIZE];

	if (job && s->writable && job_list_path(dir, s, job) == 0)
		dirs_make(dir);
}

void job_list_add_for(const struct store *s, const char *job, enum store_class class,
                      const struct digest *key, const struct digest *result)
{
	if (job_list_name_ok(job))
		note(s, job, 0, class, key, result);
}

void job_list_each(const struct store *s,
                   int (*visit)(void *ctx, int dirfd, const char *path, const char *name),
                   void *ctx)
{
	char path[PATH_SIZE];

	if (job_list_path(path, s, NULL) == 0)
		walk_names(path, visit, ctx);
}

struct dropping {
	int64_t before;
	uint64_t removed;
};

/* A list begins with a record; a directory that a user named may already have had a jobs/ of its
 * own. */
static int is_list(int dirfd, const char *name)
{
	char text[2] = "";
	int fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
	                    0);
	ssize_t n = fd < 0 ? -1 : sys_read(fd, text, sizeof text);

	if (fd >= 0)
		sys_close(fd);
	return n == 0 || (n == 2 && text[0] == '\n' && text[1] >= '0' && text[1] <= '9');
}

static int drop_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct dropping *d = ctx;

	if (is_list(dirfd, name))
		d->removed += walk_drop_old(dirfd, name, d->before);
	return 0;
}

/* An empty directory may belong to a job that has just begun. */
static int drop_job(void *ctx, int dirfd, const char *path, const char *name)
{
	struct dropping *d = ctx;
	struct statx st;

	if (!job_list_name_ok(name) ||
	    sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MTIME, &st) < 0 ||
	    !S_ISDIR(st.stx_mode))
		return 0;
	walk_names_at(dirfd, name, drop_file, d);
	if (st.stx_mtime.tv_sec < d->before)
		SYS3(SYS_unlinkat, dirfd, name, AT_REMOVEDIR);
	return 0;
}

uint64_t job_list_drop_old(const struct store *s, int64_t before)
{
	struct dropping d = {before, 0};

	job_list_each(s, drop_job, &d);
	return d.removed;
}

/* Reads a job's list for `reprise export`. */

/* A line without its newline. */
#define LINE (3 + DIGEST_HEX + DIGEST_HEX)
/* Concurrent writers may each exceed the limit by a record; a larger file is not a list. */
#define READ_MAX (2 * JOB_LIST_BYTES_MAX)

/* Parses a digest in text that has no NUL behind it. 0 or -1. */
static int parse_digest(struct digest *d, const char *text)
{
	char hex[DIGEST_HEX + 1];

	memcpy(hex, text, DIGEST_HEX);
	hex[DIGEST_HEX] = '\0';
	return digest_parse(d, hex);
}

/* 0 or -1. */
static int parse_line(struct job_list_record *r, const char *line, size_t n)
{
	memset(r, 0, sizeof *r); /* records are compared whole */
	if (n != LINE || line[1] != ' ' || line[2 + DIGEST_HEX] != ' ' ||
	    parse_digest(&r->key, line + 2) < 0 ||
	    parse_digest(&r->result, line + 3 + DIGEST_HEX) < 0)
		return -1;
	switch (line[0] - '0') {
	case STORE_MANIFEST:
	case STORE_SET:
	case STORE_UNIT:
		r->class = (enum store_class)(line[0] - '0');
		return 0;
	default:
		return -1;
	}
}

void job_list_parse(const char *text, size_t n, struct buf *records, uint64_t *damaged)
{
	for (const char *end = text + n, *next; text < end; text = next + 1) {
		struct job_list_record r;

		next = memchr(text, '\n', (size_t)(end - text));
		if (!next)
			next = end;
		if (next == text)
			continue;
		if (parse_line(&r, text, (size_t)(next - text)) == 0)
			buf_add(records, &r, sizeof r);
		else
			++*damaged;
	}
}

struct reading {
	struct job_list *out;
	const char *host; /* whose file alone is read; NULL: of all */
	uint64_t mark;    /* where reading begins */
	struct buf records;
	int error;
};

/* Reads an open list. 0 or -errno. */
static int read_list(struct reading *r, int fd)
{
	struct statx st;
	ssize_t n;
	char *text;

	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_UID | STATX_SIZE, &st) < 0)
		return -EIO;
	if (!S_ISREG(st.stx_mode) || st.stx_uid != sys_geteuid() || st.stx_size > READ_MAX) {
		r->out->refused++;
		return 0;
	}
	r->out->full += st.stx_size + LINE + 1 > JOB_LIST_BYTES_MAX;
	if (st.stx_size <= r->mark)
		return 0;
	n = sys_lseek(fd, (off_t)r->mark, SEEK_SET);
	text = n < 0 ? NULL : arena_alloc(r->records.arena, st.stx_size - r->mark + 1);
	if (!text)
		return n < 0 ? (int)n : -ENOMEM;
	n = sys_read_all(fd, text, st.stx_size - r->mark);
	if (n > 0)
		job_list_parse(text, (size_t)n, &r->records, &r->out->damaged);
	return n < 0 ? (int)n : 0;
}

static int read_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct reading *r = ctx;
	int fd;

	if (r->host && strcmp(name, r->host) != 0)
		return 0;
	fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	if (fd == -ELOOP || fd == -ENXIO)
		r->out->refused++;
	else if (fd < 0 && fd != -ENOENT)
		r->error = fd;
	if (fd < 0)
		return r->error != 0;
	r->error = read_list(r, fd);
	sys_close(fd);
	return r->error != 0;
}

static int order(const void *x, const void *y)
{
	return memcmp(*(struct job_list_record *const *)x, *(struct job_list_record *const *)y,
	              sizeof(struct job_list_record));
}

/* Keeps the first of equal records, and the order of what is left. 0 or -ENOMEM. */
static int drop_duplicates(struct job_list *l, struct arena *a)
{
	struct job_list_record **v = arena_alloc(a, (l->count + 1) * sizeof *v);
	unsigned char *again = arena_alloc(a, l->count + 1);
	size_t kept = 0;

	if (!v || !again)
		return -ENOMEM;
	for (size_t i = 0; i < l->count; i++)
		v[i] = &l->v[i];
	v = sort_stable(a, v, l->count, sizeof *v, order);
	if (l->count && !v)
		return -ENOMEM;
	for (size_t i = 1; i < l->count; i++)
		again[v[i] - l->v] = order(&v[i - 1], &v[i]) == 0;
	for (size_t i = 0; i < l->count; i++)
		if (!again[i])
			l->v[kept++] = l->v[i];
	l->count = kept;
	return 0;
}

int job_list_read(struct job_list *out, const struct store *s, const char *job, const char *host,
                  uint64_t mark, struct arena *a)
{
	struct reading r = {out, host, mark, BUF_INIT(a), 0};
	char path[PATH_SIZE];
	struct statx st;
	int rc;

	memset(out, 0, sizeof *out);
	if (!job_list_name_ok(job) || job_list_path(path, s, job) < 0)
		return -ENOENT;
	rc = sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &st);
	if (rc == -ENOTDIR || (rc == 0 && !S_ISDIR(st.stx_mode)))
		rc = -ENOENT;
	if (rc < 0)
		return rc;
	walk_names(path, read_file, &r);
	if (r.error || r.records.failed)
		return r.error ? r.error : -ENOMEM;
	out->v = (struct job_list_record *)r.records.data;
	out->count = r.records.len / sizeof *out->v;
	return drop_duplicates(out, a);
}
