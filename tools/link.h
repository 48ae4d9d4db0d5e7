/* tools/link.h - options of linkers that let no name through. Pure code. THREAD. */
#ifndef TOOLS_LINK_H
#define TOOLS_LINK_H

#include "tools/cmdline.h"

/* Argument i, -Wl,a,b or what stands behind -Xlinker, holds only such. */
int link_plain(const struct cmdline *c, int i);

#endif
