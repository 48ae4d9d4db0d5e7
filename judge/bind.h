/* judge/bind.h - what a recorded result is bound to, of the names in its command. THREAD. */
#ifndef JUDGE_BIND_H
#define JUDGE_BIND_H

#include "judge/start.h"

/* Sets the binding of each of c's names, by proof (docs/internals/names.md): a name is free where the tool's driver says that it reaches
 * nothing, it is exchanged where all places are known in which it stands, and else it binds. May add inputs. */
void judge_bind(struct start *a, struct candidate *c, struct result *r);

#endif
