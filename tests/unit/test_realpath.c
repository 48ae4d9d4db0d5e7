/* Unit tests of shim/kernel/realpath.c and shim/kernel/exe.c. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/kernel/exe.h"
#include "shim/kernel/realpath.h"
#include "shim/path.h"

/* The answer of libc, or its errno. */
static void expect_as_libc(const char *path)
{
	char ours[PATH_SIZE], theirs[PATH_MAX];
	ssize_t n = path_real(ours, sizeof ours, path);

	if (realpath(path, theirs))
		cr_expect_str_eq(n < 0 ? "" : ours, theirs, "%s: %zd", path, n);
	else
		cr_expect_eq(n, -errno, "%s: %zd, not %d", path, n, -errno);
}

Test(realpath, follows_what_libc_follows)
{
	char dir[] = "/tmp/reprise-realpath.XXXXXX";

	cr_assert(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
	mkdir("d", 0700);
	mkdir("d/e", 0700);
	close(creat("d/e/file", 0600));
	cr_expect_eq(symlink("d/e", "rel") + symlink("../e/../e", "d/up") + symlink("/usr", "abs") +
	             symlink("loop", "loop") + symlink("gone", "dangling") + symlink("rel/",
			"slash"), 0);
	for (const char *const *p = (const char *const[]){
	             ".", "/", "..", "d//e/./file", "rel/file", "d/up/file", "abs/bin/../lib",
	             "loop/x",
	             "dangling", "none/x", "slash/file", "/tmp/../tmp/.", "//usr///bin", "/..",
	             "rel/..", NULL}; *p; p++)
		expect_as_libc(*p);
	cr_expect_eq(system("rm -r /tmp/reprise-realpath.??????"), 0);
}

Test(realpath, a_path_that_does_not_fit_is_an_error)
{
	char out[16], text[PATH_SIZE + 8];

	cr_expect_eq(path_real(out, sizeof out, "/usr/lib/x86_64-linux-gnu/gconv"), -ENAMETOOLONG);
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	cr_expect_eq(path_real(text, sizeof text, text), -ENAMETOOLONG);
}

Test(exe, is_the_program_of_this_process)
{
	char ours[PATH_SIZE], theirs[PATH_MAX];
	struct statx st;
	struct stat want;

	cr_assert(realpath("/proc/self/exe", theirs));
	cr_expect_eq(exe_path(ours, sizeof ours), (ssize_t)strlen(theirs));
	cr_expect_str_eq(ours, theirs);
	cr_assert_eq(stat(theirs, &want), 0);
	cr_expect_eq(exe_statx(ours, 0, STATX_INO, &st), 0);
	cr_expect_eq(st.stx_ino, want.st_ino);
}
