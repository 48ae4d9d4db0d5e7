#include "scratch.h"

#include <errno.h>
#include <limits.h>

#include "shim/kernel/realpath.h"

static char out[PATH_MAX];

static void enter(void)
{
	scratch_make();
	cr_assert_eq(chdir(scratch_dir), 0);
}

static void leave(void)
{
	chdir("/");
	scratch_remove();
}

TestSuite(fdpath, .init = enter, .fini = leave);

Test(fdpath, the_real_path_fits_or_is_refused)
{
	size_t n = strlen(scratch_dir);
	int fd = open(scratch_dir, O_RDONLY | O_DIRECTORY);

	cr_expect_eq(fdpath(out, sizeof out, fd), (ssize_t)n);
	cr_expect_str_eq(out, scratch_dir);
	cr_expect_eq(fdpath(out, n + 1, fd), (ssize_t)n);
	cr_expect_eq(fdpath(out, n, fd), -ENAMETOOLONG);
	close(fd);
	cr_expect_eq(fdpath(out, sizeof out, fd), -ENOENT);
}

Test(fdpath, what_has_no_path_says_so)
{
	int fd = open("file", O_RDWR | O_CREAT, 0600), pipes[2];

	unlink("file");
	cr_expect_gt(fdpath(out, sizeof out, fd), 0);
	cr_expect_str_eq(out + strlen(out) - 10, " (deleted)");
	cr_assert_eq(pipe(pipes), 0);
	cr_expect_gt(fdpath(out, sizeof out, pipes[0]), 0);
	cr_expect_neq(out[0], '/');
	cr_expect_eq(fdpath_base(out, sizeof out, pipes[0]), 0);
}

Test(fdpath, relative_paths_go_on_from_a_slash)
{
	size_t n = strlen(scratch_dir);
	int fd = open(scratch_dir, O_PATH), root = open("/", O_PATH);

	for (int i = 0; i < 2; i++) {
		int at = i ? fd : AT_FDCWD;

		cr_expect_eq(fdpath_base(out, sizeof out, at), n + 1);
		cr_expect_eq(memcmp(out, scratch_dir, n), 0);
		cr_expect_eq(out[n], '/');
		cr_expect_eq(fdpath_base(out, n + 1, at), n + 1);
		cr_expect_eq(fdpath_base(out, n, at), 0);
	}
	cr_expect_eq(fdpath_base(out, sizeof out, root), 1);
	cr_expect_eq(fdpath_base(out, sizeof out, -5), 0);
	cr_assert_eq(chdir("/"), 0);
	cr_expect_eq(fdpath_base(out, sizeof out, AT_FDCWD), 1);
	cr_expect_eq(out[0], '/');
}

Test(fdpath, errno_is_kept)
{
	errno = 77;
	fdpath(out, sizeof out, 9999);
	fdpath_base(out, 1, AT_FDCWD);
	cr_expect_eq(errno, 77);
}
