/* units/gather/triton.h - the files of a kernel's directory. TOOL. */
#ifndef UNITS_GATHER_TRITON_H
#define UNITS_GATHER_TRITON_H

#include "units/gather/unit_files.h"

/* fd: the directory of the unit. */
enum gather_status gather_triton(struct gathering *g, int fd);

#endif
