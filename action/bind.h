/* action/bind.h - what a recorded result is bound to, of the names in its command. THREAD. */
#ifndef ACTION_BIND_H
#define ACTION_BIND_H

#include "action/action.h"

/* Sets the binding of each of c's names, by proof (docs/internals/names.md): a name is free where the tool's driver says that it reaches
 * nothing, it is exchanged where all places are known in which it stands, and else it binds. May add inputs. */
void judge_bind(struct action *a, struct candidate *c, struct result *r);

#endif
