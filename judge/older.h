/* judge/older.h - what is in the place of an output before a replay writes it.
 *
 * Tools treat an odd file in the place of an output in their own ways. clang and rustc refuse a
 * file that they may not write, where others remove it. A copy sets the mode of a file, which its
 * owner alone may do. rustc needs a directory for its temporary files, even if the output is there.
 * gold keeps an empty file, and adds bits to its mode. A device is written to, or is replaced.
 *
 * A replay knows nothing of that. It replaces a file that each tool would replace: a regular one of
 * the user's own that may be written, in a directory that may be written. Anywhere else the tool
 * itself runs. Memory: the start's arena. */
#ifndef JUDGE_OLDER_H
#define JUDGE_OLDER_H

#include "judge/start.h"
#include "store/result.h"

struct older {
	int absent; /* nothing is there */
	int alone;  /* absent, or neither a link nor a file with another name */
};

/* THREAD. 1 and *seen: a replay may write the output at this path. It looks at the file system and
 * changes nothing. */
int older_is_replaced(struct start *s, const struct result_output *o, const char *path,
                      struct older *seen);

#endif
