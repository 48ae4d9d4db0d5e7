/* judge/name/key_files.h - arguments that name a file whose name is no part of the action key.
 *
 * The output of a compiler does not depend on the output's name, unless an option lets the name in.
 * If it does not, the key holds "@F0.o" in place of the path, and a result serves any output name.
 * The driver of the tool says for which arguments this holds (tools/driver.h). Constructor of a
 * tool only. */
#ifndef JUDGE_NAME_KEY_FILES_H
#define JUDGE_NAME_KEY_FILES_H

#include "judge/start.h"

/* Appends argument i as the key holds it, if its file's name is no part of the key. 1: done. st: of
 * the file; NULL: there is none. To be called once for each argument, in their order. */
int key_file(struct start *s, int i, const struct statx *st, struct buf *out);

#endif
