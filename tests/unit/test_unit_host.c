/* What hooks ask of units, in the test's own process. */
#include "store_fixture.h"

#include <link.h>
#include <pthread.h>

#include "units/host.h"

TestSuite(unit_host, .init = fixture_start, .fini = fixture_stop, .timeout = 60);

#define B32 "J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMQ"

static int ready[2];

static int hold(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)info;
	(void)size;
	(void)ctx;
	cr_assert_eq(write(ready[1], "", 1), 1);
	for (;;)
		pause();
}

static void *walk_libraries(void *p)
{
	dl_iterate_phdr(hold, NULL);
	return p;
}

static int look_up(void *path)
{
	alarm(5);
	unit_after_fork();
	return unit_bring(AT_FDCWD, path);
}

Test(unit_host, a_forked_child_waits_for_no_thread_of_its_parent)
{
	pthread_t thread;
	char byte;

	unit_host_begin();
	cr_assert_eq(pipe(ready), 0);
	cr_assert_eq(pthread_create(&thread, NULL, walk_libraries, NULL), 0);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_assert_eq(in_child(look_up, (void *)in_root("t/" B32 "/__grp__k.json")), 0);
}
