/* tools/drivers/link.h - linker options that let no name into the output. Pure code. THREAD. */
#ifndef TOOLS_DRIVERS_LINK_H
#define TOOLS_DRIVERS_LINK_H

#include "tools/cmdline/cmdline.h"

/* Argument i (-Wl,a,b or the value behind -Xlinker) holds only such options. */
int link_plain(const struct cmdline *c, int i);

/* 1: the output may hold its own name. */
int link_enters_output(const void *data, size_t n);

#endif
