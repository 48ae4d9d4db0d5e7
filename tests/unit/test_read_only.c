/* shim/kernel/read_only.c: after read_only_begin() no call can write. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/kernel/read_only.h"

enum { NO_FILTERS = 77 };
static char dir[64], file[80], other[80];

static void lay(void)
{
	FILE *f;

	strcpy(dir, "/tmp/read-only-XXXXXX");
	cr_assert(mkdtemp(dir));
	snprintf(file, sizeof file, "%s/file", dir);
	snprintf(other, sizeof other, "%s/other", dir);
	f = fopen(file, "w");
	cr_assert(f && fputs("text", f) >= 0 && fclose(f) == 0);
}

static void clear(void)
{
	unlink(file);
	cr_expect_eq(rmdir(dir), 0, "something was made");
}

/* Runs what() behind the filter, in its own process; returns its result. */
static int behind(int (*what)(void))
{
	pid_t pid;
	int status;

	lay();
	pid = fork();
	if (pid == 0)
		_exit(read_only_enter() < 0 ? NO_FILTERS : what());
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	clear();
	cr_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_FILTERS)
		cr_skip_test("no system call filters here");
	return WEXITSTATUS(status);
}

/* The line of the first call that is not refused. */
#define REFUSED(call)                                   \
	do {                                            \
		errno = 0;                              \
		if ((call) != -1 || errno != EROFS)     \
			return __LINE__;                \
	} while (0)

static int writes(void)
{
	struct timespec times[2] = {{1, 0}, {1, 0}};

	REFUSED(open(file, O_WRONLY));
	REFUSED(open(file, O_RDWR));
	REFUSED(open(file, O_WRONLY | O_APPEND));
	REFUSED(open(file, O_RDONLY | O_TRUNC));
	REFUSED(open(other, O_RDONLY | O_CREAT, 0600));
	REFUSED(openat(AT_FDCWD, other, O_WRONLY | O_CREAT | O_EXCL, 0600));
	REFUSED(open(dir, O_TMPFILE | O_RDWR, 0600));
	REFUSED(creat(other, 0600));
	REFUSED(truncate(file, 1));
	REFUSED(rename(file, other));
	REFUSED(link(file, other));
	REFUSED(symlink(file, other));
	REFUSED(unlink(file));
	REFUSED(mkdir(other, 0700));
	REFUSED(rmdir(dir));
	REFUSED(mkfifo(other, 0600));
	REFUSED(chmod(file, 0777));
	REFUSED(chown(file, getuid(), getgid()));
	REFUSED(utimensat(AT_FDCWD, file, times, 0));
	REFUSED(syscall(437, AT_FDCWD, file, NULL, 0)); /* openat2 */
	return 0;
}

Test(read_only, each_call_that_would_write_is_refused)
{
	cr_assert_eq(behind(writes), 0);
}

static int reads(void)
{
	char text[8] = "";
	int ends[2], fd = open(file, O_RDONLY | O_CLOEXEC);

	return !(fd >= 0 && read(fd, text, sizeof text) == 4 && strcmp(text, "text") == 0 &&
	         pipe(ends) == 0 && write(ends[1], text, 4) == 4 && access(file, R_OK) == 0);
}

Test(read_only, reading_and_open_descriptors_work)
{
	cr_assert_eq(behind(reads), 0);
}

static int starts(void)
{
	char command[200];

	snprintf(command, sizeof command, "exec 2>&-; cat %s | grep -q text && ! : >%s", file,
	         other);
	return system(command);
}

Test(read_only, programs_inherit_it)
{
	cr_assert_eq(behind(starts), 0);
}
