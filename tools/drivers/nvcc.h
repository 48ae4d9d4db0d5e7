/* tools/drivers/nvcc.h - cudafe++, cicc, fatbinary and nvlink, which nvcc starts. Pure code.
 * THREAD. */
#ifndef TOOLS_DRIVERS_NVCC_H
#define TOOLS_DRIVERS_NVCC_H

#include "names/patch.h"
#include "tools/cmdline/cmdline.h"

/* The result depends on these names only where it spells them. */
int nvcc_step_names_free(const struct cmdline *c, const struct patch_name *names, size_t count);

#endif
