/* judge/bind_files.h - may the files that a command line names have other names? THREAD. */
#ifndef JUDGE_BIND_FILES_H
#define JUDGE_BIND_FILES_H

#include "judge/start.h"

/* Adds the names of the command's files (@F) to c->name, which has room for them. A name is bound
 * if the run left a file or message whose name or text may follow from that name. Otherwise the
 * name is free. adds_options: options came from elsewhere, so the driver's answers may not hold. */
void judge_bind_files(struct start *s, struct candidate *c, const struct result *r,
                      int adds_options);

#endif
