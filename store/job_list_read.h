/* store/job_list_read.h - reads the lists of the entries that jobs used. THREAD. */
#ifndef STORE_JOB_LIST_READ_H
#define STORE_JOB_LIST_READ_H

#include "shim/buf.h"
#include "store/job_list.h"

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
/* Reads the lists of a job of all hosts. 0, -ENOENT: it has none; -errno: a list cannot be read. */
int job_list_read(struct job_list *out, const struct store *s, const char *job, struct arena *a);
/* Appends the lines of one file to records, as struct job_list_record. Pure. */
void job_list_parse(const char *text, size_t n, struct buf *records, uint64_t *damaged);

#endif
