/* What a directory stands on that is not there yet. */
#include "store_fixture.h"

#include "units/place.h"

TestSuite(place, .init = fixture_start, .fini = fixture_stop);

Test(place, the_nearest_that_is_there)
{
	const char *deep = in_root("there/deep"), *path = in_root("there/deep/not/yet");
	size_t len;
	int fd;

	shell("mkdir -p '%s'", deep);
	fd = place_open(path, &len, &arena);
	cr_assert_geq(fd, 3);
	close(fd);
	cr_expect_eq(len, strlen(deep));
	fd = place_open("/none/at/all", &len, &arena);
	cr_assert_geq(fd, 3);
	close(fd);
	cr_expect_eq(len, 1);
	write_file(in_root("file"), "", 0);
	cr_expect_lt(place_open(in_root("file/below"), &len, &arena), 0);
	cr_expect_lt(place_open("", &len, &arena), 0);
}

Test(place, file_systems)
{
	cr_expect(place_is_of_one_host(in_root("not/yet"), &arena));
	cr_expect(place_is_of_one_host("/dev/shm/not/yet", &arena));
	cr_expect(!place_is_of_one_host("/proc/not/yet", &arena), "of a type that is not listed");
	cr_expect(!place_is_of_one_host("", &arena));
}
