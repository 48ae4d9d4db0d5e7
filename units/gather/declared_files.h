/* units/gather/declared_files.h - all files of a directory of the user's own class. TOOL. */
#ifndef UNITS_GATHER_DECLARED_FILES_H
#define UNITS_GATHER_DECLARED_FILES_H

#include "units/gather/unit_files.h"

/* The name of a file that lost its end since the older parcel: it is cut there, or holds zeros.
 * NULL: there is none. */
const char *gather_directory_lost(const struct gathering *g, const struct parcel *older);
/* fd: the directory of the unit. */
enum gather_status gather_directory(struct gathering *g, int fd);

#endif
