/* What hooks ask of units, in the test's own process. */
#include "store_fixture.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "units/host.h"
#include "units/offer.h"

TestSuite(unit_host, .init = fixture_start, .fini = fixture_stop, .timeout = 60);

#define B32 "J3RQNWCFZI5PCG767UKW7CRM6OIQAMKYXRBFLTQHEOE4XJEL7FMQ"

static int ready[2], done[2];

static int hold(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)info;
	(void)size;
	(void)ctx;
	cr_assert_eq(write(ready[1], "", 1), 1);
	cr_assert_eq(read(done[0], &(char){0}, 1), 1);
	return 1;
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
	cr_assert_eq(pipe(ready) + pipe(done), 0);
	cr_assert_eq(pthread_create(&thread, NULL, walk_libraries, NULL), 0);
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_assert_eq(in_child(look_up, (void *)in_root("t/" B32 "/__grp__k.json")), 0);
	cr_assert_eq(write(done[1], "", 1), 1);
	pthread_join(thread, NULL);
}

/* Records that wait to be packed. */
static size_t waiting(void)
{
	size_t n;
	int64_t age;

	cr_assert_eq(offers_pending(&store, &n, &age), 0);
	return n;
}

/* As a framework's process. */
static void become_host(void)
{
	shell("cd '%s' && echo 'int unused;' | cc -shared -fPIC -o libtorch_none.so -x c -", root);
	cr_assert(dlopen(in_root("libtorch_none.so"), RTLD_NOW));
	setenv("REPRISE_CACHE_DIR", cache, 1);
	setenv("REPRISE_RUNTIME_DIR", runtime, 1);
	unit_host_begin();
}

Test(unit_host, what_another_process_renamed_over_it_is_not_offered)
{
	const char *mine = in_root("mine"), *other = in_root("other"), *to = in_root("t/" B32 "/__grp__k.json");
	uint64_t made;

	become_host();
	shell("mkdir -p '%s/t/" B32 "'", root);
	for (int replaced = 1; replaced >= 0; replaced--) {
		write_file(mine, "{}", 2);
		write_file(other, "{}", 2);
		made = unit_comes(AT_FDCWD, mine, to);
		cr_assert_neq(made, 0);
		cr_assert_eq(rename(mine, to), 0);
		if (replaced)
			cr_assert_eq(rename(other, to), 0);
		unit_came(AT_FDCWD, to, made);
		cr_expect_eq(waiting(), replaced ? 0 : 1);
	}
	cr_expect_eq(unit_comes(AT_FDCWD, other, in_root("x")), 0, "no unit's path");
	cr_expect_eq(unit_comes(AT_FDCWD, mine, to), 0, "nothing there");
}
