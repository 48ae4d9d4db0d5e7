/* store/job/job_list.h - lists of the entries that jobs used, for `reprise export --job`, and for
 * the next job (store/job/job_used.h).
 *
 * The lists are kept where REPRISE_JOB_LIST is on: reprise-run turns it on for a name of --job, and
 * where the job's list is to go to a remote store. Each process that replays, stores, places or
 * packs an entry for a job appends the entry's keys to <cache>/jobs/<job>/<host>. A record is one
 * write(2). Each host has a file of its own: on NFS the appends of two hosts could overwrite each
 * other. With the setting off, no system call is made. A list that cannot be written is skipped: no
 * job depends on it. Jobs of one name share a list. Clean-up (store/eviction.h) removes lists that
 * nobody appended to for JOB_LIST_KEEP_S, `reprise clear` removes all.
 *
 * Record, 132 bytes of text:
 *   "\n", the class's number (STORE_CLASSES), " ", key, " ", result; both keys in lower-case hex.
 *   Of a MANIFEST or SET the result is that of one candidate (the first bytes of its payload);
 *   of a UNIT, its key again.
 * The newline comes first, so that a truncated record (full disk, a killed writer) does not damage
 * the next record. Lines of another form are counted and skipped. Readers trust a list only to say
 * where to look. THREAD. */
#pragma once

#include "shim/buf.h"
#include "store/store.h"

/* About 250,000 records a host. A full list gets no more records, and export says so. */
#define JOB_LIST_BYTES_MAX (32u << 20)
#define JOB_LIST_KEEP_S (30 * 24 * 3600)
/* A job's name becomes a file name: at most this many of A-Z a-z 0-9 and "._:@+=,-", and no leading
 * dot. */
#define JOB_LIST_NAME_MAX 128

/* SIGNAL. */
int job_list_name_ok(const char *job);

/* Directory of a job's lists, or (job NULL) of all lists. 0 or -1. */
int job_list_path(char out[PATH_SIZE], const struct store *s, const char *job);
/* Name of the job if it is listed; NULL: it is not. An unusable name is logged once, if this
 * process has a log. */
const char *job_list_job(const struct settings *set, char *const envp[], struct arena *a);
/* Appends a record. job NULL: nothing happens. result NULL: the key again. */
void job_list_add(const struct store *s, const char *job, enum store_class class,
                  const struct digest *key, const struct digest *result);
/* Creates the job's list, empty. */
void job_list_create(const struct store *s, const char *job);
/* Like job_list_add, for a job of another process: appends only if that job has a list. */
void job_list_add_for(const struct store *s, const char *job, enum store_class class,
                      const struct digest *key, const struct digest *result);

/* Calls visit as walk_names does, for each job that has a list. */
void job_list_each(const struct store *s,
                   int (*visit)(void *ctx, int dirfd, const char *path, const char *name),
                   void *ctx);

/* For clean-up: removes lists to which no job appended since `before` (s since 1970). Returns the
 * number of files. */
uint64_t job_list_drop_old(const struct store *s, int64_t before);

/* Reads the lists of the entries that jobs used. THREAD. */

struct job_list_record {
	enum store_class class;
	struct digest key, result;
};
struct job_list {
	struct job_list_record *v; /* in the arena, without duplicates */
	size_t count;
	uint64_t damaged;      /* lines that are not records */
	unsigned refused;      /* files of another owner, or that are not regular */
	unsigned full;         /* files that are full */
};
/* Reads the lists of a job, each from that mark on. host: the list of one host; NULL: of all. The
 * records of a host are in the order of their first use. 0, -ENOENT: the job has none; -errno: a
 * list cannot be read. */
int job_list_read(struct job_list *out, const struct store *s, const char *job, const char *host,
                  uint64_t mark, struct arena *a);
/* Appends the lines of one file to records, as struct job_list_record. Pure. */
void job_list_parse(const char *text, size_t n, struct buf *records, uint64_t *damaged);
