/* store/job/job_used.h - what the last job of a name used on a node, as the next job finds it in
 * the remote store (agent/ahead.h).
 *
 * The payload of an entry of class STORE_JOB_USED; little-endian, no padding:
 *
 *   offset 0   4       magic  "RPU" and the version, 1
 *          4   4       count  of the records, JOB_USED_MOST at most
 *          8   count x 65     class, 1 byte; key; result (store/job/job_list.h)
 *
 * The records are in the order of their first use. Whoever may write the remote store may write
 * anything here: it only says what may be worth to have. TOOL. Parsing is fuzzed. */
#pragma once

#include "store/job/job_list.h"

#define JOB_USED_HEAD 8
#define JOB_USED_RECORD (1 + 2 * DIGEST_SIZE)
#define JOB_USED_MOST 20000u

/* The key of a list. name: of the job; NULL: it has none, and the command line stands for it, with
 * the last part of the directory's name. So a `make` of another project is another job, and a
 * second checkout of this one is not. rank: of the process that starts it, below 0: none. */
void job_used_key(struct digest *out, const char *name, char *const argv[], const char *cwd,
                  long rank);

/* The end of this host's part of a job's list: what is behind it will be used from now on. */
uint64_t job_used_mark(const struct store *s, const char *job);
/* What is behind the mark, without duplicates, at most JOB_USED_MOST. 0, or -1: nothing can be
 * read. */
int job_used_since(struct job_list *out, const struct store *s, const char *job, uint64_t mark,
                   struct arena *a);
/* Removes this host's part of a job's list. */
void job_used_drop(const struct store *s, const char *job);

/* NULL: no memory. */
unsigned char *job_used_encode(size_t *len, const struct job_list *l, struct arena *a);
/* 0, or -1: it is no list, or no memory. */
int job_used_decode(struct job_list *out, const unsigned char *in, size_t len, struct arena *a);
