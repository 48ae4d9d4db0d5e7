/* judge/input/times.h - sizes and times of files as inputs. THREAD. */
#ifndef JUDGE_INPUT_TIMES_H
#define JUDGE_INPUT_TIMES_H

#include "judge/input/collect.h"

static inline int64_t times_ns(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

/* 1: the output of the tree depends on sizes and times. */
int times_matter(const struct collect *k);
/* The only compiled form of texts that the tree read, where it made none; else NULL. clang compares
 * the times of the texts that such a file names. The file's own time is compared where another one
 * names it. */
const char *times_untimed(const struct collect *k);
/* Adds size and time of a path. */
void collect_times(struct collect *k, const char *path, int relative, const struct statx *st);
/* 1: the text f warns if files have certain times, and the warning may be an error. */
int times_compared(struct collect *k, const struct tree_file *f);
/* Refuses the result if a macro of the command line or standard input does the same. */
void collect_compared_times(struct collect *k);
/* Adds the files that the command line names, if k->times. */
void collect_primary_times(struct collect *k);

#endif
