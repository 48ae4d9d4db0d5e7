/* judge/files_asked.h - did a run ask for a file at the place of one of its command's files?
 *
 * `ld -lx -o libx.so` looks for libx.so, and finds its own unfinished output if that lies in a
 * directory of -L. The result then depends on the output's name. THREAD. */
#ifndef JUDGE_FILES_ASKED_H
#define JUDGE_FILES_ASKED_H

#include "judge/start.h"

/* 1: under the names of this start, an input of the candidate has the path of file i (@F<i>), or is
 * that file behind a link. Also 1 if memory is refused. */
int judge_file_asked(struct start *s, const struct candidate *c, int i);

/* REASON_NONE: no file of the command, which may have another name than in the recorded run, is one
 * for which the tool would ask. The recorded run did not: its name would be bound. */
enum reason judge_no_file_asked(struct start *s, const struct candidate *c);

#endif
