/* judge/name/bind.h - decides which names of its command a recorded result is bound to. THREAD. */
#ifndef JUDGE_NAME_BIND_H
#define JUDGE_NAME_BIND_H

#include "judge/start.h"

/* Sets the binding of each of c's names, by proof (docs/internals/names.md). A name is free if the
 * tool's driver says that it does not reach the result. A name is exchanged if all its places in
 * the result are known. Any other name binds. May add inputs. */
void judge_bind(struct start *s, struct candidate *c, struct result *r);

#endif
