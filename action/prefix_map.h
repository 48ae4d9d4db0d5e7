/* action/prefix_map.h - the directory that a command's prefix maps hide, as a name of the start. */
#ifndef ACTION_PREFIX_MAP_H
#define ACTION_PREFIX_MAP_H

#include "judge/start.h"

/* THREAD. Makes that directory the base NAMES_MAPPED and sets CMD_MAPS_DEBUG and CMD_MAPS_MACRO,
 * under two conditions. The command's maps are understood (tools/prefix_map.h). And each argument
 * that holds the directory's letters names a path below the directory. To be called when the
 * command is classified, before any name is spelled. A start without a working directory is not
 * keyed, and this function does not change it. */
void action_prefix_map(struct start *s);

#endif
