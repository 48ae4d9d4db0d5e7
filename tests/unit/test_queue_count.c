/* Waiting records are counted while a publisher takes them: a count of 0 ends `publish --wait`. */
#include "store_fixture.h"

#include <pthread.h>

#include "store/queue/spool.h"
#include "units/offer.h"
#include "units/unit_event.h"

TestSuite(queue_count, .init = fixture_start_in_memory, .fini = fixture_stop);

#define COUNTS 20000

struct names {
	char name[2][512];
	int stop;
};

/* Gives the file its other name and back, as a publisher that takes it. */
static void *take(void *ctx)
{
	struct names *n = ctx;

	for (int i = 0; !__atomic_load_n(&n->stop, __ATOMIC_RELAXED); i ^= 1)
		rename(n->name[i], n->name[!i]);
	return NULL;
}

static size_t least(const char *file, const char *taken,
                    int (*pending)(struct store *s, size_t *records, int64_t *oldest_s))
{
	struct names names = {.stop = 0};
	pthread_t thread;
	size_t n, least = SIZE_MAX;
	int64_t age;

	snprintf(names.name[0], sizeof names.name[0], "%s", in_spool(file));
	snprintf(names.name[1], sizeof names.name[1], "%s", in_spool(taken));
	cr_assert_eq(pthread_create(&thread, NULL, take, &names), 0);
	for (int i = 0; i < COUNTS; i++) {
		cr_assert_eq(pending(&store, &n, &age), 0);
		least = n < least ? n : least;
	}
	__atomic_store_n(&names.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	return least;
}

Test(queue_count, records_that_are_taken_meanwhile)
{
	struct spool_record r = {.class = STORE_RESULT, .key = key_of("k"), .made_at = 1000};

	cr_assert_eq(spool_add(&store, &r), 0);
	cr_expect_eq(least("queue", "work.1.1", spool_pending), 1);
}

Test(queue_count, offers_that_are_taken_meanwhile)
{
	struct offer o = {.class = UNIT_TRITON, .size = 10, .made_at = 1000, .path = "/cache/1",
	                  .member = "__grp__k.json", .scope = "", .name = "B", .job = "job"};

	o.key = key_of("unit");
	cr_assert_eq(offer_add(&store, &o), 0);
	cr_expect_eq(least("offers", "offers.1.1", offers_pending), 1);
}
