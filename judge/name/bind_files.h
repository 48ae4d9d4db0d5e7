/* judge/name/bind_files.h - may the files that a command line names have other names? THREAD. */
#ifndef JUDGE_NAME_BIND_FILES_H
#define JUDGE_NAME_BIND_FILES_H

#include "judge/start.h"

/* Adds the names of the command's files (@F) to c->name, which has room for them. A name is bound
 * if the run left a file or message whose name or text may follow from that name. Otherwise the
 * name is free. adds_options: options came from elsewhere, so the driver's answers may not hold. */
void judge_bind_files(struct start *s, struct candidate *c, const struct result *r,
                      int adds_options);

/* Did a run ask for a file at the place of one of its command's files?
 *
 * `ld -lx -o libx.so` looks for libx.so, and finds its own unfinished output if that lies in a
 * directory of -L. The result then depends on the output's name. THREAD. */

/* 1: under the names of this start, an input of the candidate has the path of file i (@F<i>), or is
 * that file behind a link. Also 1 if memory is refused. */
int judge_file_asked(struct start *s, const struct candidate *c, int i);

/* REASON_NONE: no file of the command, which may have another name than in the recorded run, is one
 * for which the tool would ask. The recorded run did not: its name would be bound. */
enum reason judge_no_file_asked(struct start *s, const struct candidate *c);

#endif
