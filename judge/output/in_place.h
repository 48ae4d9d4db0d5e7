/* judge/output/in_place.h - what is in the place of an output before a replay writes it.
 *
 * Tools treat an odd file in the place of an output in their own ways. clang and rustc refuse a
 * file that they may not write, where others remove it. A copy sets the mode of a file, which its
 * owner alone may do. rustc needs a directory for its temporary files, even if the output is there.
 * gold keeps an empty file, and adds bits to its mode. A device is written to, or is replaced.
 *
 * A replay knows nothing of that. It replaces a file that each tool would replace: a regular one of
 * the user's own that may be written, in a directory that may be written. Anywhere else the tool
 * itself runs. Memory: the start's arena. */
#pragma once

#include "judge/start.h"
#include "store/entry/result.h"

struct older {
	int absent; /* nothing is there */
	int alone;  /* absent, or neither a link nor a file with another name */
};

/* THREAD. 1 and *seen: a replay may write the output at this path. It looks at the file system and
 * changes nothing. */
int older_is_replaced(struct start *s, const struct result_output *o, const char *path,
                      struct older *seen);

/* Outputs that are another file of the start under a second name.
 *
 * A link may make one file of two outputs, or of an output and an input. A command may name one
 * file twice (`-MF ./x -o x`). Then the result depends on the moment of each write: a tool that has
 * truncated its output reads an empty header. A result cannot hold these moments, so such a start
 * runs for real. */

/* 1 and a detail: where the paths lead now, output i is also another output, an input of the
 * candidate or a source. Costs a look at the path, and more only if it is a link or has several
 * names. */
int aliases_other(struct start *s, const char *const *output, size_t count, size_t i,
                  const struct candidate *c);
/* 1 and a detail: output i goes to the place of another output, which the command spells in another
 * way. */
int aliases_twice(struct start *s, const char *const *output, size_t count, size_t i);
