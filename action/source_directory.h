/* action/source_directory.h - the directory of a command's source as a name of the start.
 *
 * JIT compilers write each source to a directory of its own, in a cache that may lie anywhere.
 * TOOL. */
#ifndef ACTION_SOURCE_DIRECTORY_H
#define ACTION_SOURCE_DIRECTORY_H

#include "judge/start.h"

/* Makes the directory of nvcc's only source a base (names_source), if it reaches the result in no
 * unknown way. To be called when the sources are known, and before any name is spelled. */
void action_source_directory(struct start *s);

#endif
