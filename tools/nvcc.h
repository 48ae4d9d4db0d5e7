/* tools/nvcc.h - arguments of nvcc that its table in keying/ does not know. Pure code. THREAD. */
#ifndef TOOLS_NVCC_H
#define TOOLS_NVCC_H

#include "tools/cmdline.h"

/* Argument i, which is not the first, names a directory of headers. */
int nvcc_includes(const struct cmdline *c, int i);
/* Of system headers. */
int nvcc_includes_system(const struct cmdline *c, int i);

#endif
