/* judge/name/above.h - paths into a base directory that may have been formed without its name.
 *
 * A path below a base is recorded by the base's name. In a start with another base, the path is
 * looked for below that base. This is right if the run formed the path from the base's name. A run
 * that was also given a directory above the base may have formed the path from that directory and a
 * text: "-I/w" and `#include "checkout/x.h"`. The run then reads the same file whatever the base
 * is. Such a path has two parts, and the second part holds the last component of the base.
 * THREAD. */
#ifndef JUDGE_NAME_ABOVE_H
#define JUDGE_NAME_ABOVE_H

#include "judge/start.h"

/* Bit i: name i of the action is a base, and the run knows a directory above it. That means: an
 * argument or variable names that directory, an input lies directly in it, or the run searched it
 * for a file that is absent. It may also be the compiler's own prefix. */
uint64_t judge_above(struct start *s, const struct candidate *c);
/* Bit i: an argument has the last component of base i as a word that belongs to no name. */
uint64_t judge_above_arguments(struct start *s);
/* Bit i: the text has the last component of base i as the directory of a path, or it computes the
 * names of files. In a text of a linker the component may be a word of its own, and bases below a
 * directory that the text names are added to *above. For other texts only bases in *above are
 * looked at. Ordinary bases below a directory that these name are added to *named: a text that
 * computes names of files could put the rest of the path behind it. */
uint64_t judge_above_text(const struct name_list *names, const struct cmdline *cmd,
                          uint64_t *above, uint64_t *named, const char *text, size_t n);

/* Paths that begin with the letters of a directory, and lie elsewhere. THREAD. */

/* 1: no input of the candidate has a path that begins with the letters of this start's directory
 * of this kind, except inputs that are recorded by this name. Compilers treat such other paths like
 * paths in the directory: prefix maps map them (NAME_KIND_MAPPED), and debug information may give
 * them the directory's number (NAME_KIND_DIRECTORY). In a start in another directory compilers
 * would treat them otherwise. 1 also for a name of another kind. */
int judge_alone(struct names *names, struct arena *arena, const struct candidate *c, unsigned kind);

#endif
