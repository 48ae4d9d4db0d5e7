/* judge/script/scripts.h - the scripts of a tree: what they may depend on beside the files that the
 * trace shows (docs/internals/keys.md, "Scripts"). */
#pragma once

#include "judge/input/collect.h"

/* Reads each script, and adds the variables that it may use. Refuses the result if a script asks
 * for something that no trace shows. Marks the files that a script looked at as read. Call it
 * before the tree's files are gathered. THREAD. */
void collect_scripts(struct collect *k);
