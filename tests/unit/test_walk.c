/* tests/unit/test_walk.c - directories that are walked for clean-up. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/walk.h"

static char dir[] = "/tmp/test-walk-XXXXXX";
static int fd;
static void init(void)
{
	cr_assert_not_null(mkdtemp(dir));
	fd = open(dir, O_RDONLY | O_DIRECTORY);
	cr_assert_geq(fd, 0);
}
static void fini(void)
{
	close(fd);
	rmdir(dir);
}
TestSuite(walk, .init = init, .fini = fini);

Test(walk, names_and_files_of_a_directory)
{
	cr_expect_not(walk_finds_names(AT_FDCWD, dir));
	cr_expect_not(walk_finds_names(fd, "missing"));
	cr_assert_eq(mkdirat(fd, "below", 0700), 0);
	cr_expect(walk_finds_names(AT_FDCWD, dir));
	cr_expect_not(walk_finds_names(fd, "below"));
	close(openat(fd, "below/a", O_CREAT | O_WRONLY, 0600));
	close(openat(fd, "b", O_CREAT | O_WRONLY, 0600));
	cr_assert_eq(symlinkat("below", fd, "link"), 0);
	walk_drop_files(fd, "link"); /* links are not followed */
	walk_drop_files(AT_FDCWD, dir);
	cr_expect_lt(faccessat(fd, "b", F_OK, 0), 0);
	cr_expect_lt(faccessat(fd, "link", F_OK, AT_SYMLINK_NOFOLLOW), 0);
	cr_expect_eq(faccessat(fd, "below/a", F_OK, 0), 0);
	walk_drop_files(fd, "below");
	cr_expect_eq(unlinkat(fd, "below", AT_REMOVEDIR), 0);
}
