/* judge/script_file.h - the text of a script, and the reason why it is not read. */
#ifndef JUDGE_SCRIPT_FILE_H
#define JUDGE_SCRIPT_FILE_H

#include "judge/collect.h"

/* THREAD. The text of a file, as the run read it, with a NUL behind its *n bytes. NULL: refused. */
char *script_read(struct collect *k, const char *path, size_t *n);
/* THREAD. Refuses the result. where: for people. */
void script_refuse(struct collect *k, const char *where, const char *word);

#endif
