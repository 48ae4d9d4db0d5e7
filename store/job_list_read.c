/* store/job_list_read.c - reads a job's list for `reprise export`. */
#include "store/job_list_read.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/sort.h"
#include "shim/sys.h"
#include "store/walk.h"

#include "shim/banned.h"

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
	struct buf records;
	int error;
};

static int read_file(void *ctx, int dirfd, const char *path, const char *name)
{
	struct reading *r = ctx;
	int fd = sys_openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
	                    0);
	struct statx st;
	ssize_t n = -1;
	char *text;

	(void)path;
	if (fd == -ENOENT)
		return 0;
	if (fd == -ELOOP || fd == -ENXIO) {
		r->out->refused++;
		return 0;
	}
	if (fd < 0 || sys_statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_UID | STATX_SIZE, &st) <
	    0) {
		r->error = fd < 0 ? fd : -EIO;
		goto out;
	}
	if (!S_ISREG(st.stx_mode) || st.stx_uid != sys_geteuid() || st.stx_size > READ_MAX) {
		r->out->refused++;
		goto out;
	}
	r->out->full += st.stx_size + LINE + 1 > JOB_LIST_BYTES_MAX;
	text = arena_alloc(r->records.arena, st.stx_size + 1);
	if (text)
		n = sys_read_all(fd, text, st.stx_size);
	if (n >= 0)
		job_list_parse(text, (size_t)n, &r->records, &r->out->damaged);
	else
		r->error = text ? (int)n : -ENOMEM;
out:
	if (fd >= 0)
		sys_close(fd);
	return r->error != 0;
}

static int order(const void *x, const void *y)
{
	return memcmp(x, y, sizeof(struct job_list_record));
}

int job_list_read(struct job_list *out, const struct store *s, const char *job, struct arena *a)
{
	struct reading r = {out, BUF_INIT(a), 0};
	char path[PATH_SIZE];
	struct statx st;
	size_t n;
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
	n = r.records.len / sizeof *out->v;
	out->v = sort_stable(a, r.records.data, n, sizeof *out->v, order);
	if (r.error || r.records.failed || (n && !out->v))
		return r.error ? r.error : -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || order(&out->v[i], &out->v[out->count - 1]) != 0)
			out->v[out->count++] = out->v[i];
	return 0;
}
