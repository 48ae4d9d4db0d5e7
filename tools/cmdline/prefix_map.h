/* tools/cmdline/prefix_map.h - the directory that a command's prefix maps write under another name.
 *
 * If a file name begins with OLD, gcc and clang write NEW in the place of OLD. They do so with
 * `-ffile-prefix-map=OLD=NEW` and its relatives: `debug` in debug information, `macro` in what
 * __FILE__ and its like give. OLD is the beginning of a string, and may end inside a component. If
 * several OLDs fit, the last option counts in gcc, and the first one by the letters of OLD in clang
 * 14. So there is an answer only if all maps of a command have one OLD, and if what they write
 * cannot begin with OLD again. Then two runs with different OLDs write the same, for files below
 * OLD (docs/internals/names.md, "Prefix maps"). An assembler gets the maps as well, and maps names
 * that its text spells. So there is no answer for assembler text. Pure code. THREAD. */
#ifndef TOOLS_CMDLINE_PREFIX_MAP_H
#define TOOLS_CMDLINE_PREFIX_MAP_H

#include <stddef.h>

#include "tools/cmdline/cmdline.h"

struct prefix_map {
	const char *old; /* absolute and tidy, without a slash at its end */
	size_t len;
	unsigned flags;  /* CMD_MAPS_DEBUG, CMD_MAPS_MACRO */
	int below_only;  /* an option has OLD with a slash: OLD itself may stay as it is */
};

/* 1: the command has maps, and *m is what they map. 0: it has none, or maps that are not
 * understood. old points into an argument. */
int prefix_map_find(struct prefix_map *m, const struct cmdline *c);
/* 1: the option, as its row spells it, is such a map. */
int prefix_map_is(const char *option);

#endif
