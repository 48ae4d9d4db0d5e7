/* A memo in a directory of its own, with files beside it, and the questions that a prober asks. */
#pragma once

#include "keying/memo.h"

#include "keying/memo_file.h"
#include "tests/unit/scratch.h"

static struct memo memo;

/* A file that is asked for often. */
static inline void memo_open_mapped(struct memo *m, const char *runtime_dir)
{
	memo_open(m, runtime_dir);
	memo_map(m);
}

/* The memo in <scratch>/run, and files beside it; on a file system that is trusted. */
static inline void memo_setup(void)
{
	struct statx st;

	scratch_make();
	cr_assert_eq(sys_statx(AT_FDCWD, scratch_dir, 0, MEMO_STATX, &st), 0);
	memset(&memo, 0, sizeof memo);
	if (!memo_clock_local(&memo, -1, scratch_dir, &st)) {
		scratch_remove();
		scratch_make_in("/dev/shm");
	}
	mkdir(scratch("run"), 0700);
	memo_open_mapped(&memo, strdup(scratch("run")));
	cr_assert(memo.map, "no memo in %s", scratch_dir);
}

static inline void memo_teardown(void)
{
	memo_close(&memo);
	scratch_remove();
}

static inline struct statx stat_of(const char *path)
{
	struct statx st;

	cr_assert_eq(sys_statx(AT_FDCWD, path, 0, MEMO_STATX, &st), 0, "%s",
	             path);
	return st;
}

/* 1: the memo keeps a digest of a file in that state. */
static inline int keeps(const char *path, const struct statx *st)
{
	struct digest d = {{1}};

	if (memo_get(&memo, MEMO_CONTENT, -1, path, st, NULL, &d))
		return 1;
	memo_put(&memo, MEMO_CONTENT, -1, path, st, NULL, &d);
	return memo_get(&memo, MEMO_CONTENT, -1, path, st, NULL, &d);
}

/* Asks and answers as a prober does: 1 if the memo knew the answer. */
static inline int remember(const char *path, const char *text)
{
	struct statx st = stat_of(path);
	struct digest d;

	if (memo_get(&memo, MEMO_CONTENT, -1, path, &st, NULL, &d))
		return 1;
	digest_of(&d, text, strlen(text));
	memo_put(&memo, MEMO_CONTENT, -1, path, &st, NULL, &d);
	return 0;
}

static inline int known(const char *path, const char *text)
{
	struct statx st = stat_of(path);
	struct digest d, want;

	digest_of(&want, text, strlen(text));
	if (!memo_get(&memo, MEMO_CONTENT, -1, path, &st, NULL, &d))
		return 0;
	cr_assert(digest_equal(&d, &want), "%s: a wrong digest", path);
	return 1;
}
