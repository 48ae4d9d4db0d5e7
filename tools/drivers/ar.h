/* tools/drivers/ar.h - ar: its command line and its archives. Pure. THREAD. */
#ifndef TOOLS_DRIVERS_AR_H
#define TOOLS_DRIVERS_AR_H

#include <stddef.h>

#include "tools/cmdline/cmdline.h"

/* True when an archive holds a member with a time. Its ar does not default to D, so its bytes
 * depend on more than its members' content: it must not be stored. */
int cmdline_archive_has_times(const void *data, size_t n);
/* ar's command line is letters and places, not options. */
void cmdline_classify_ar(struct cmdline *c);

#endif
