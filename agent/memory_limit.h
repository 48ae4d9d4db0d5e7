/* agent/memory_limit.h - a process of the agent takes no more memory than the setting says.
 *
 * What comes from a remote store has bounds of its own, and large entries go through files
 * (remote/remote.h). The kernel refuses what is taken in spite of that: then an entry is a miss,
 * and the node keeps its memory. TOOL. */
#pragma once

#include "shim/settings/settings.h"

/* This process and its children may take as much more as REPRISE_REMOTE_MEMORY says. Without /proc
 * nothing changes. */
void memory_limit(const struct settings *set);
