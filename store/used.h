/* store/used.h - lists of what jobs used, for `reprise export --job`.
 *
 * Where REPRISE_JOB_LIST is on, whoever replays, stores, lays or packs an entry for a job appends its keys to
 * <cache>/jobs/<job>/<host>, one write(2) a record. A file a host: a store may be NFS, where two hosts' appends would lie
 * one over the other. Nothing is asked of the system where the setting is off, and a list that cannot be written is not:
 * no job depends on it. Jobs of one name share a list. Clean-up (store/gc.h) removes what nobody appended to for
 * USED_KEEP_S, `reprise clear` all.
 *
 * Record, 132 bytes of text:
 *   "\n", the class's number (STORE_CLASSES), " ", key, " ", result; both keys in lower-case hex. Of a MANIFEST or SET
 *   the result is what one candidate names (the first bytes of its payload); of a UNIT, its key again.
 * The newline comes first, so that a record which was cut (full disk, a writer killed) spoils none behind it: lines of
 * another shape are counted and skipped. Nothing is believed of a list but where to look. THREAD. */
#ifndef STORE_USED_H
#define STORE_USED_H

#include "shim/path.h"
#include "store/store.h"

/* About 250,000 records a host; beyond, nothing is appended, and export says so. */
#define USED_BYTES_MAX (32u << 20)
#define USED_KEEP_S (30 * 24 * 3600)
/* A job's name becomes a file name: so many of A-Z a-z 0-9 and "._:@+=,-", and no dot in front. */
#define USED_NAME_MAX 128

/* SIGNAL. */
int used_name_ok(const char *job);

/* Where a job's lists are, or (job NULL) those of all. 0 or -1. */
int used_path(char out[PATH_SIZE], const struct store *s, const char *job);
/* The job that is listed, NULL: none is. A name that is none is said once in the log, where this process has one. */
const char *used_job(const struct settings *set, char *const envp[], struct arena *a);
/* job NULL: nothing happens. result NULL: the key again. */
void used_note(const struct store *s, const char *job, enum store_class class, const struct digest *key,
               const struct digest *result);
/* From here on the job has a list, be it empty. */
void used_begin(const struct store *s, const char *job);
/* As used_note, for a job which is not this process's: only where it has a list. */
void used_note_for(const struct store *s, const char *job, enum store_class class, const struct digest *key,
                   const struct digest *result);

struct used_record {
	enum store_class class;
	struct digest key, result;
};
struct used_list {
	struct used_record *v; /* in the arena, each once */
	size_t count;
	uint64_t damaged;      /* lines that are no records */
	unsigned refused;      /* files of another owner, or no plain files */
	unsigned full;         /* files that took no more */
};
/* All hosts' lists of a job. 0, -ENOENT: it has none; -errno: one cannot be read. */
int used_read(struct used_list *out, const struct store *s, const char *job, struct arena *a);
/* The lines of one file, appended to records as struct used_record. Pure. */
void used_parse(const char *text, size_t n, struct buf *records, uint64_t *damaged);
/* visit as walk_names calls it, for each job that has a list. */
void used_jobs(const struct store *s, int (*visit)(void *ctx, int dirfd, const char *path, const char *name), void *ctx);

/* Clean-up's part: lists that nobody appended to since `before` (s since 1970); how many files it removed. */
uint64_t used_drop(const struct store *s, int64_t before);

#endif
