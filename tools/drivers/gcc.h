/* tools/drivers/gcc.h - what clang's driver shares with gcc's. Pure. THREAD. */
#ifndef TOOLS_DRIVERS_GCC_H
#define TOOLS_DRIVERS_GCC_H

#include "tools/driver.h"

/* The member `fact` of a driver. */
unsigned driver_gcc_fact(const struct tool_row *row, const struct cmdline *c, int i);
/* The member `reach` of a driver (tools/driver.h) for the options of gcc. */
unsigned driver_gcc_reach(const struct tool_row *row, const struct cmdline *c, enum name_role role);
/* driver_reach_mapped(), of clang as well. */
unsigned driver_gcc_reach_mapped(const struct tool_row *row, const struct cmdline *c,
                                 enum name_role role);
/* driver_has_steps() */
int driver_gcc_has_steps(const struct tool_row *row, const struct cmdline *c);

#endif
