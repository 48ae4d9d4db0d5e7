/* store/job_list.c - appends to a job's list, and removes old lists. */
#include "store/job_list.h"

#include <string.h>
#include <sys/stat.h>

#include "shim/format.h"
#include "shim/job.h"
#include "shim/log.h"
#include "shim/sys.h"
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
	struct statx st;

	(void)path;
	if (is_list(dirfd, name) && sys_statx(dirfd, name, AT_SYMLINK_NOFOLLOW,
	                                      STATX_TYPE | STATX_MTIME, &st) == 0 &&
	    !S_ISDIR(st.stx_mode) && st.stx_mtime.tv_sec < d->before &&
	    SYS3(SYS_unlinkat, dirfd, name, 0) == 0)
		d->removed++;
	return 0;
}

/* An empty directory may belong to a job that has just begun. */
static int drop_job(void *ctx, int dirfd, const char *path, const char *name)
{
	struct dropping *d = ctx;
	struct statx st;

	(void)path;
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
