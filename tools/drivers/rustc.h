/* tools/drivers/rustc.h - what rustc's arguments say beside its option table. Pure code. THREAD. */
#ifndef TOOLS_DRIVERS_RUSTC_H
#define TOOLS_DRIVERS_RUSTC_H

#include "tools/cmdline/cmdline.h"

/* Why the classified command runs for real, or NULL. */
const char *rustc_refuses(const struct cmdline *c);
/* The command may write this path (spelled as in the trace), though no argument names it. */
int rustc_writes(const struct cmdline *c, const char *path);

#endif
