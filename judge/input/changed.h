/* judge/input/changed.h - tests whether a file changed while the tool ran. THREAD. */
#ifndef JUDGE_INPUT_CHANGED_H
#define JUDGE_INPUT_CHANGED_H

#include "judge/input/collect.h"

/* 1: the file changed at or after the tool's start, as far as its clock can tell. */
int changed_too_new(struct start *s, const char *path, const struct statx *st);
/* 1: the same of a file that was read. It may be as new as its first open, since a write after that
 * open gives it a later time. */
int changed_since_read(struct start *s, const struct tree_file *f, const struct statx *st);
/* 1: a link or directory of the path leads to another file than when the tool opened it. */
int changed_identity(const struct tree_file *f, const struct statx *st);
/* 1: the file still has this stamp: size, inode and both times. */
int changed_same_stamp(const char *path, const struct statx *was);
/* Refuses if a primary input is not what it was before the run. */
void changed_primaries(struct collect *k);
/* 1 and a detail: a source of the input text, for which the tool asked, has changed since before
 * the run. */
int changed_sources(struct start *s);
/* Time and size of a source, as read_text() of a driver asks for them. 0, or -1: they cannot be
 * read. */
int judge_source_times(const char *path, long long *mtime, unsigned long long *size);

#endif
