/* judge/object/object_names.h - generated names in the debug information of the objects of a link.
 *
 * Isolated builds compile in directories with random names, so each build has other objects.
 * THREAD. */
#ifndef JUDGE_OBJECT_OBJECT_NAMES_H
#define JUDGE_OBJECT_OBJECT_NAMES_H

#include "judge/start.h"

/* Takes the names in the objects of a link out of the key, where the order of the linked strings
 * does not depend on them. To be called after a look-up has failed: it reads all objects. 1: the
 * start is to be keyed again by action_key(). */
int judge_object_names(struct start *s);

#endif
