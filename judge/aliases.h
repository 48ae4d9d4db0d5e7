/* judge/aliases.h - outputs that are another file of the start under a second name.
 *
 * A link may make one file of two outputs, or of an output and an input. A command may name one
 * file twice (`-MF ./x -o x`). Then the result depends on the moment of each write: a tool that has
 * truncated its output reads an empty header. A result cannot hold these moments, so such a start
 * runs for real. THREAD. */
#ifndef JUDGE_ALIASES_H
#define JUDGE_ALIASES_H

#include "judge/start.h"

/* 1 and a detail: where the paths lead now, output i is also another output, an input of the
 * candidate or a source. Costs a look at the path, and more only if it is a link or has several
 * names. */
int aliases_other(struct start *s, const char *const *output, size_t count, size_t i,
                  const struct candidate *c);
/* 1 and a detail: output i goes to the place of another output, which the command spells in another
 * way. */
int aliases_twice(struct start *s, const char *const *output, size_t count, size_t i);

#endif
