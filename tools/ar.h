/* tools/ar.h - archives. Pure code. THREAD. */
#ifndef TOOLS_AR_H
#define TOOLS_AR_H

#include <stddef.h>

/* True for an archive that is not a thin archive. */
int ar_is_archive(const void *data, size_t n);

#endif
