/* units/gather_directory.h - all files of a directory of the user's own class. TOOL. */
#ifndef UNITS_GATHER_DIRECTORY_H
#define UNITS_GATHER_DIRECTORY_H

#include "units/gather_read.h"

/* fd: the directory of the unit. */
enum gather_status gather_directory(struct gathering *g, int fd);

#endif
