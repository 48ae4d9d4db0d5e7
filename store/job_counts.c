/* store/job_counts.c - slots of jobs in the counters' page. */
#include "store/job_counts.h"

#include <string.h>

#include "shim/buf.h"
#include "store/counters.h"

#include "shim/banned.h"

static int64_t id_of(const char *job)
{
	struct digest d;

	digest_name(&d, job, strlen(job));
	return (int64_t)(le_get(d.b, 8) | 1);
}

/* Makes the slot the job's, if it is still as it was. */
static int claim(struct job_counts *c, int64_t was, int64_t id)
{
	if (!__atomic_compare_exchange_n(&c->id, &was, id, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 0;
	/* Another process of the job may add meanwhile: what it adds to an old job's sums is lost
	 * with them. A free slot is zero. */
	if (was)
		memset((char *)c + sizeof c->id, 0, sizeof *c - sizeof c->id);
	return 1;
}

struct job_counts *job_counts_of(struct store *s, const char *job, int make)
{
	unsigned char *page = counters_jobs(s);
	int64_t id = id_of(job);

	/* A page that is read first faults a second time when it is changed. */
	if (page && make)
		__atomic_fetch_or((int64_t *)page, 0, __ATOMIC_RELAXED);
	for (int tries = 0; page && tries < 4; tries++) {
		struct job_counts *free_one = NULL;
		int64_t was = 0;

		for (int i = 0; i < JOB_COUNTS_SLOTS; i++) {
			struct job_counts *c = (void *)(page + i * JOB_COUNTS_WORDS * 8);
			int64_t owner = __atomic_load_n(&c->id, __ATOMIC_ACQUIRE);

			if (owner == id)
				return c;
			if (!free_one || (was && (!owner || c->used < free_one->used))) {
				free_one = c;
				was = owner;
			}
		}
		if (!make)
			return NULL;
		if (claim(free_one, was, id))
			return free_one;
	}
	return NULL;
}

static void add(int64_t *word, int64_t n)
{
	__atomic_add_fetch(word, n, __ATOMIC_RELAXED);
}

void job_counts_add(struct job_counts *c, const struct event *e)
{
	__atomic_store_n(&c->used, e->start / 1000000000, __ATOMIC_RELAXED);
	add(&c->spent, e->spent);
	add(&c->waited, e->waited);
	add(&c->worth, e->worth);
	add(&c->bytes, (int64_t)e->bytes);
	add(&c->count[e->kind * EVENT_VERDICTS + e->verdict], 1);
}
