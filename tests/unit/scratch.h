/* tests/unit/scratch.h - a directory of its own for a unit test, and its files. libc is fine here.
 */
#pragma once

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static char scratch_dir[128];

static inline void scratch_make_in(const char *root)
{
	snprintf(scratch_dir, sizeof scratch_dir, "%s/reprise-unit-XXXXXX", root);
	cr_assert(mkdtemp(scratch_dir), "no scratch directory in %s", root);
}
static inline void scratch_make(void)
{
	scratch_make_in("/tmp");
}
static inline int scratch_remove_one(const char *path, const struct stat *st, int type,
                                     struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}
static inline void scratch_remove(void)
{
	if (*scratch_dir)
		nftw(scratch_dir, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
/* One of eight rotating buffers. */
static inline const char *scratch(const char *name)
{
	static char paths[8][4096];
	static int next;
	char *out = paths[next++ % 8];

	snprintf(out, sizeof paths[0], "%s/%s", scratch_dir, name);
	return out;
}
static inline void scratch_write(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");

	cr_assert(f, "cannot write %s", name);
	fputs(text, f);
	fclose(f);
}
/* Returns what question() returns for a user without rights, who can enter the directory. Skips if
 * no such user can be used. */
static inline int scratch_as_nobody(int (*question)(void))
{
	pid_t child;
	int status;

	if (geteuid() != 0)
		cr_skip_test("needs root to become somebody else");
	chmod(scratch_dir, 0755);
	child = fork();
	if (!child) {
		if (setgid(65534) || setuid(65534))
			_exit(99);
		_exit(question());
	}
	waitpid(child, &status, 0);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}
/* Longer than MEMO_RACY_NS: what was written before may be kept. */
static inline void scratch_settle(void)
{
	struct statfs fs;

	/* Content on a tmpfs is kept two seconds after its change (keying/memo.h). */
	usleep(statfs(scratch_dir, &fs) == 0 && fs.f_type == TMPFS_MAGIC ? 2060000 : 60000);
}
