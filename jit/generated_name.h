/* jit/generated_name.h - whether a result depends on the directory of the program's name.
 * THREAD. */
#ifndef JIT_GENERATED_NAME_H
#define JIT_GENERATED_NAME_H

#include "jit/product.h"
#include "jit/program.h"
#include "judge/start.h"

struct tree;
/* NAME_FREE: the compile depends on no generated name and no directory of the program: any
 * other one gives the same result. NAME_LENGTH: any other one of that length, as the log
 * holds it and it is exchanged there. texts: source_text.h, of the texts that were read. */
enum name_binding generated_name_shown(const struct program *p, struct start *s,
                                      const struct tree *t, const struct answers *now, int texts);

#endif
