/* The file system under a directory that does not exist yet. */
#include "store_fixture.h"

#include "units/find/place.h"

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

Test(place, below_a_directory_whatever_links_lead_there)
{
	const char *dir = in_root("dir");

	shell("cd '%s' && mkdir -p dir/a other && ln -s dir link && ln -s ../dir/a other/a", root);
	cr_expect(place_is_below(in_root("dir/x"), dir, &arena));
	cr_expect(place_is_below(in_root("dir/not/yet/x"), dir, &arena));
	cr_expect(place_is_below(in_root("link/x"), dir, &arena));
	cr_expect(place_is_below(in_root("other/../dir/a/x"), dir, &arena));
	cr_expect(place_is_below(in_root("other/a/not/x"), dir, &arena));
	cr_expect(!place_is_below(dir, dir, &arena));
	cr_expect(!place_is_below(in_root("dirx"), dir, &arena));
	cr_expect(!place_is_below(in_root("other/x"), dir, &arena));
	cr_expect(!place_is_below(in_root("x"), in_root("none"), &arena));
	cr_expect(!place_is_below("/x", dir, &arena));
	cr_expect(!place_is_below("", dir, &arena));
}
