/* store/job_list.h - lists of what jobs used, for `reprise export --job`.
 *
 * Where REPRISE_JOB_LIST is on, whoever replays, stores, lays or packs an entry for a job appends its keys to
 * <cache>/jobs/<job>/<host>, one write(2) a record. A file a host: a store may be NFS, where two hosts' appends would lie
 * one over the other. Nothing is asked of the system where the setting is off, and a list that cannot be written is not:
 * no job depends on it. Jobs of one name share a list. Clean-up (store/gc.h) removes what nobody appended to for
 * JOB_LIST_KEEP_S, `reprise clear` all.
 *
 * Record, 132 bytes of text:
 *   "\n", the class's number (STORE_CLASSES), " ", key, " ", result; both keys in lower-case hex. Of a MANIFEST or SET
 *   the result is what one candidate names (the first bytes of its payload); of a UNIT, its key again.
 * The newline comes first, so that a record which was cut (full disk, a writer killed) spoils none behind it: lines of
 * another shape are counted and skipped. Nothing is believed of a list but where to look. THREAD. */
#ifndef STORE_JOB_LIST_H
#define STORE_JOB_LIST_H

#include "shim/path.h"
#include "store/store.h"

/* About 250,000 records a host; beyond, nothing is appended, and export says so. */
#define JOB_LIST_BYTES_MAX (32u << 20)
#define JOB_LIST_KEEP_S (30 * 24 * 3600)
/* A job's name becomes a file name: so many of A-Z a-z 0-9 and "._:@+=,-", and no dot in front. */
#define JOB_LIST_NAME_MAX 128

/* SIGNAL. */
int job_list_name_ok(const char *job);

/* Where a job's lists are, or (job NULL) those of all. 0 or -1. */
int job_list_path(char out[PATH_SIZE], const struct store *s, const char *job);
/* The job that is listed, NULL: none is. A name that is none is said once in the log, where this process has one. */
const char *job_list_job(const struct settings *set, char *const envp[], struct arena *a);
/* job NULL: nothing happens. result NULL: the key again. */
void job_list_add(const struct store *s, const char *job, enum store_class class, const struct digest *key,
               const struct digest *result);
/* From here on the job has a list, be it empty. */
void job_list_create(const struct store *s, const char *job);
/* As job_list_add, for a job which is not this process's: only where it has a list. */
void job_list_add_for(const struct store *s, const char *job, enum store_class class, const struct digest *key,
                   const struct digest *result);

struct job_list_record {
	enum store_class class;
	struct digest key, result;
};
struct job_list {
	struct job_list_record *v; /* in the arena, each once */
	size_t count;
	uint64_t damaged;      /* lines that are no records */
	unsigned refused;      /* files of another owner, or no plain files */
	unsigned full;         /* files that took no more */
};
/* All hosts' lists of a job. 0, -ENOENT: it has none; -errno: one cannot be read. */
int job_list_read(struct job_list *out, const struct store *s, const char *job, struct arena *a);
/* The lines of one file, appended to records as struct job_list_record. Pure. */
void job_list_parse(const char *text, size_t n, struct buf *records, uint64_t *damaged);
/* visit as walk_names calls it, for each job that has a list. */
void job_list_each(const struct store *s, int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx);

/* Clean-up's part: lists that nobody appended to since `before` (s since 1970); how many files it removed. */
uint64_t job_list_drop_old(const struct store *s, int64_t before);

#endif
