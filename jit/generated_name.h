/* jit/generated_name.h - whether a result depends on the program's generated name. THREAD. */
#ifndef JIT_GENERATED_NAME_H
#define JIT_GENERATED_NAME_H

#include "judge/start.h"
#include "jit/answers.h"
#include "jit/program.h"

struct tree;
/* 1: the compile depends on no generated name of the program: any other name of that length gives
 * the same result. The log is an exception, since the name is exchanged there. texts:
 * source_text.h, of the texts that were read. */
int generated_name_shown(const struct program *p, const struct start *s, const struct tree *t,
                         const struct answers *now, int texts);

#endif
